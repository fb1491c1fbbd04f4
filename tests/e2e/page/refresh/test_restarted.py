"""A deploy with pages open in every state: one restart, and each stands as it stood, without a reload."""

import pytest
from playwright.sync_api import expect

from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider

BACK_MS = 15_000


def restarts(app: AppUnderTest, how: str) -> None:
    app.terminate() if how == "told to stop" else app.kill()
    app.start()


def is_back(page: ChatPage) -> ChatPage:
    page.in_front()
    expect(page.element("connection")).to_have_attribute("data-state", "connected", timeout=BACK_MS)
    assert page.documents() == 1
    assert len(page.messages()) in (0, 2), page.page.evaluate("[location.href, {...sessionStorage}]")
    expect(page.page.get_by_role("dialog")).to_have_count(0)
    return page


@pytest.mark.parametrize("how", ["told to stop", "killed"])
def test_a_restart_under_pages_in_every_state_costs_none_of_them_anything(
    app: AppUnderTest, provider: ScriptedProvider, tab: Tab, how: str
) -> None:
    """Cases B050, B127, B169: errors keep their words, what was not begun is run, what broke off says so."""
    new, failed, stopped, complete, running, pending = (tab() for _ in range(6))
    for page in (new, failed, stopped, complete, running, pending):
        page.in_front()
        page.open()
        if page is not new:
            page.element("new-session").click()
            page.ready("new")

    provider.fail(400)
    failed.in_front()
    failed.say("Fail")
    failed.ended("error")
    words = failed.element("error").inner_text()
    held_after(provider, 20)
    stopped.in_front()
    stopped.say("Stop me")
    stopped.shows(so_far(20))
    stopped.stop()
    stopped.ended("stopped")
    held_after(provider, 20)
    complete.in_front()
    complete.say("Whole")
    complete.shows(so_far(20))
    provider.release()
    complete.ended("complete")
    held_after(provider, 20)
    running.in_front()
    running.say("Run")
    running.shows(so_far(20))
    task = running.answers.last.get_attribute("data-task-id")
    asking = running.page.context.request
    eventually_sync(
        lambda: asking.get(f"{app.url}/api/tasks/{task}").json()["offset"] == len(so_far(20)), within=5
    )
    provider.script().hang_before_first()
    pending.in_front()
    pending.say("Wait")
    provider.called_sync(5)
    new.composer.fill("A draft")
    provider.say("Run after all.")

    restarts(app, how)

    is_back(pending).shows("Run after all.", within=15)
    pending.ended("complete")
    is_back(running).ended("interrupted")
    running.shows(so_far(20))
    expect(running.element("continue")).to_be_visible()
    is_back(complete).shows(WHOLE)
    complete.ended("complete")
    is_back(stopped).shows(so_far(20))
    stopped.ended("stopped")
    is_back(failed).ended("error")
    assert failed.element("error").inner_text() == words
    expect(failed.element("retry")).to_be_enabled()
    assert is_back(new).sid == ""
    expect(new.composer).to_have_value("A draft")
    for page in (pending, running, complete, stopped, failed, new):
        page.in_front()
        page.idle()
    assert len(provider.calls) == 6
