"""What stands around the page: the head of the document, and Reflex's own overlay, switched off."""

import json

import reflex as rx


def named_document() -> rx.Component:
    """A script that names this document, anew with every load, before the socket opens.

    See `ui/shown`: what the server restored for another document does not count. When this tab kept a page,
    the built document, which is empty, is not painted before that: the browser holds the old picture. After
    300 ms it is painted as it is, and a session that is still on its way is drawn as a skeleton.
    """
    return rx.el.script(
        """
        (() => {
          window.documentName = `${Date.now()}-${Math.random()}`;
          const root = document.documentElement;
          let expects = new URLSearchParams(location.search).has("sid");
          try {
            sessionStorage.setItem("document", window.documentName);
            if (sessionStorage.getItem("page") !== null) root.setAttribute("data-painting", "");
            expects ||= Boolean(localStorage.getItem("recent-session"));
          } catch { /* told later */ }
          setTimeout(() => {
            root.removeAttribute("data-painting");
            if (expects) root.setAttribute("data-waits", "");
          }, 300);
        })();
        """
    )


def known_before_the_socket(api_url: str) -> rx.Component:
    """A script for two-port dev, where the document does not come from us (DESIGN 10, Owner).

    It asks for the owner's cookie, and blocks until it is there, before the first socket opens.
    """
    address = json.dumps(api_url)
    return rx.el.script(
        f"""
        (() => {{
          const api = new URL({address});
          api.hostname = window.location.hostname;
          api.pathname = "/api/owner";
          const asked = new XMLHttpRequest();
          asked.open("GET", api, false);
          asked.withCredentials = true;
          try {{ asked.send(); }} catch {{ /* the server is not up yet; the page says so */ }}
        }})();
        """
    )


def no_overlay(stateful: bool) -> rx.Component:
    """Nothing: a lost link is told by the line under the composer."""
    return rx.fragment()
