"""What stands around the page: the head of the document, and Reflex's own overlay, switched off."""

import json
from pathlib import Path

import reflex as rx

_LANGUAGE = Path(__file__).parents[2] / "assets" / "language.js"
_TAB_MEMORY = Path(__file__).with_name("tab_memory.js")


def language_chosen() -> rx.Component:
    """A script that says in which language the document is read, before anything is drawn."""
    return rx.el.script(_LANGUAGE.read_text("utf-8"))


def room_in_the_tab() -> rx.Component:
    """A script that gives the tab a memory where the browser keeps nothing more for it (Case B172)."""
    return rx.el.script(_TAB_MEMORY.read_text("utf-8"))


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
            // What the tab kept for another owner of this browser is not for this one (`ui/devices`), and
            // what it kept before the browser was forgotten is for nobody (`ui/forget`).
            const owner = localStorage.getItem("owner") ?? "";
            const known = sessionStorage.getItem("browser");
            const isForgotten = known !== null && known !== localStorage.getItem("browser");
            if (isForgotten || (sessionStorage.getItem("owner") ?? "") !== owner) {
              sessionStorage.clear();
              sessionStorage.setItem("owner", owner);
            }
            sessionStorage.setItem("document", window.documentName);
            const isShared = location.pathname.startsWith("/shared/");
            const kept = isShared ? "shared-page" : "page";
            // What the page before it in this tab held is not on a reader's page, and the other way round.
            if ((sessionStorage.getItem("have-on") ?? "") !== (isShared ? location.pathname : "")) {
              sessionStorage.removeItem("have");
              sessionStorage.setItem("have-on", isShared ? location.pathname : "");
            }
            if (sessionStorage.getItem(kept) !== null) root.setAttribute("data-painting", "");
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
