"""A session is saved as a file and brought back, by the page alone."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.page.refresh.conftest import Tab
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider

ANSWER = "一切都好 👩‍👩‍👧 & fine"


def titled(chat: ChatPage) -> list[str]:
    return chat.element("session-item").all_inner_texts()


def chosen(chat: ChatPage, file: Path) -> None:
    chat.element("import-file").set_input_files(file)


@pytest.fixture
def exported(chat: ChatPage, provider: ScriptedProvider, tmp_path: Path) -> Path:
    """The file of a session, saved by its link and the keyboard, while its sheet outlived a reload."""
    provider.say(ANSWER)
    chat.say("Hello?")
    chat.shows(ANSWER)
    chat.element("share").click()
    chat.reload()
    with chat.page.expect_download() as markdown:
        chat.element("export-md").click()
    assert markdown.value.suggested_filename.endswith(".md")
    assert ANSWER in Path(markdown.value.path()).read_text("utf-8")
    chat.element("export-json").focus()
    with chat.page.expect_download() as saved:
        chat.page.keyboard.press("Enter")
    file = tmp_path / saved.value.suggested_filename
    saved.value.save_as(file)
    chat.page.keyboard.press("Escape")
    return file


def test_what_was_exported_is_imported_and_opened(chat: ChatPage, exported: Path) -> None:
    first = chat.named()

    chosen(chat, exported)

    expect(chat.element("import-state")).to_contain_text(f"{exported.name} was imported.")
    chat.page.wait_for_url(lambda url: first not in url)
    chat.ready(chat.sid)
    chat.shows(ANSWER)
    expect(chat.element("session-item")).to_have_count(2)
    chat.reload()
    chat.shows(ANSWER)
    chat.no_failure()


def test_a_file_that_cannot_be_is_said_to_be_none_and_changes_nothing(
    chat: ChatPage, exported: Path, tmp_path: Path
) -> None:
    before, told = titled(chat), chat.element("import-state")
    broken = json.loads(exported.read_text("utf-8"))
    broken["messages"][1]["parent"] = 7
    for name, content in (
        ("broken.json", json.dumps(broken)),
        ("picture.json", "\x89PNG"),
        ("large.json", " " * (16 * 2**20 + 1)),
    ):
        file = tmp_path / name
        file.write_text(content, "utf-8")
        chosen(chat, file)
        expect(told).to_contain_text(f"{name} is")
        expect(told).to_contain_text("Nothing was imported.")
        expect(told).not_to_contain_text("see body")
    chosen(chat, tmp_path / "broken.json")
    expect(told).to_contain_text("see messages.1.parent")
    chat.element("import-close").click()
    expect(told).to_have_count(0)
    assert titled(chat) == before


def test_a_reload_in_the_middle_loses_no_import_and_makes_no_second(
    tab: Tab, chat: ChatPage, exported: Path
) -> None:
    """One file had arrived, and its import is opened; the other had not, and is said not to be imported."""
    page = chat.page
    # The server has it, and the page is left before it hears so.
    answers = page.context.request
    key = "kept-by-this-tab"
    made = answers.post(
        f"{chat.url}/api/sessions/import",
        data=exported.read_bytes(),
        headers={"Content-Type": "application/json", "Idempotency-Key": key},
    ).json()
    page.evaluate(
        "kept => sessionStorage.setItem('importing', JSON.stringify(kept))",
        {"key": key, "name": exported.name, "sent": True},
    )
    page.reload(wait_until="commit")
    page.wait_for_url(f"**/?sid={made['id']}")
    chat.ready(made["id"])
    expect(chat.element("session-item")).to_have_count(2)

    # The server has half of it.
    page.route("**/api/sessions/import", lambda route: None)
    chosen(chat, exported)
    expect(chat.element("import-state")).to_have_attribute("data-state", "sending")
    # How far it is stands beside what is read aloud.
    expect(chat.element("import-state")).to_have_text(f"{exported.name}: being sent")
    expect(chat.element("import-percent")).to_contain_text("%")
    kept = json.loads(page.evaluate("sessionStorage.getItem('importing')"))
    page.reload(wait_until="commit")
    chat.ready()
    expect(chat.element("import-state")).to_contain_text("was not imported: the page was left")
    withdrawn = answers.get(f"{chat.url}/api/requests/{kept['key']}").json()
    assert withdrawn["state"] == "withdrawn"
    eventually_sync(lambda: len(titled(chat)) == 2)


def test_one_file_at_a_time_is_imported_and_a_second_is_refused_in_words(
    chat: ChatPage, exported: Path, tmp_path: Path
) -> None:
    """A keyboard stands on the button meanwhile, which says why it is not to be used."""
    held: list[Route] = []
    chat.page.route("**/api/sessions/import", lambda route: held.append(route))
    large = json.loads(exported.read_text("utf-8"))
    large["messages"] = [
        {
            "number": number,
            "parent": number - 1 or None,
            "role": "user",
            "text": "字" * 190_000,
            "created_at": "2025-05-05T12:00:00.123Z",
        }
        for number in range(1, 10)
    ]
    large["session"] |= {"leaf": 9, "title": "Five megabytes"}
    file = tmp_path / "large.json"
    file.write_text(json.dumps(large, ensure_ascii=False), "utf-8")
    assert file.stat().st_size > 5_000_000
    button, told = chat.element("import"), chat.element("import-state")
    button.focus()
    chosen(chat, file)
    expect(told).to_have_attribute("data-state", re.compile("sending|building"))
    expect(chat.element("import-close")).to_have_text("Cancel")
    expect(button).to_have_attribute("aria-disabled", "true")
    expect(button).to_have_accessible_description(
        "One file is being imported. Wait for its end, or cancel it."
    )
    expect(button).to_be_focused()

    chosen(chat, exported)
    expect(chat.element("import-refused")).to_contain_text(f"{exported.name} was not imported")
    expect(told).to_contain_text(f"{file.name}: being")
    [route] = held
    route.continue_()
    expect(told).to_have_text(f"{file.name} was imported.")
    expect(chat.element("session-item")).to_have_count(2)
    expect(chat.element("import-refused")).to_be_visible()
    expect(button).not_to_have_attribute("aria-disabled", "true")
    with chat.page.expect_file_chooser():
        button.press("Enter")
    chat.element("import-close").click()
    expect(chat.element("import-refused")).to_have_count(0)
