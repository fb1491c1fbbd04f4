"""The model of a session: stored at once, one for all that shows it, and said to be gone when it is."""

from typing import Any

from playwright.sync_api import expect

from tests.support.composer_page import ServedPage

MODELS = ["one", "two"]


def stands(tab: ServedPage, model: str, models: list[str] = MODELS) -> None:
    """The server says that this is the session's model, and which there are."""
    settings: dict[str, Any] = {
        "place": "s-1",
        "model": model,
        "parameters": {},
        "models": models,
        "tools": [],
    }
    tab.set(sid="s-1", ready="s-1", settings=settings)


def test_a_choice_is_stored_at_once_and_shown_the_same_by_every_control(tab: ServedPage) -> None:
    """Cases B163, B164: nothing is sent, and all that shows the model shows one value."""
    stands(tab, "one")
    button, select = tab.page.get_by_test_id("model"), tab.page.get_by_test_id("setting-model")
    expect(button).to_have_text("one")
    button.click()
    select.select_option("two")

    expect(button).to_have_text("two")
    [[sid, model, parameters, key]] = tab.told("configure")
    assert (sid, model, parameters) == ("s-1", "two", {})
    tab.reload()
    stands(tab, "one")
    expect(button).to_have_text("two")  # kept until the server has it
    expect(select).to_have_value("two")
    tab.reply(key, "accepted")
    stands(tab, "two")
    tab.reload()
    stands(tab, "two")
    expect(button).to_have_text("two")
    expect(select).to_have_value("two")
    assert tab.told("send") == []


def test_a_model_that_is_gone_is_said_to_be_gone_and_no_other_is_taken_by_itself(tab: ServedPage) -> None:
    """Case B163: removed on the server, then the page is loaded again."""
    stands(tab, "two")
    tab.reload()
    stands(tab, "two", ["one"])
    button, gone = tab.page.get_by_test_id("model"), tab.page.get_by_test_id("model-gone")

    expect(button).to_have_text("two is gone")
    expect(gone).to_contain_text("The model two is not here any more.")
    assert tab.told("configure") == []
    tab.page.get_by_test_id("model-other").click()

    [[_, model, _, _]] = tab.told("configure")
    assert model == "one"
    expect(button).to_have_text("one")
    expect(gone).to_have_count(0)


def test_a_first_message_that_is_taken_back_brings_back_what_was_set_for_it(new: ServedPage) -> None:
    """Case B163: else the next press of Send would ask another model than the one that was chosen."""
    kept = {"model": "gone", "parameters": {"temperature": 1}}
    new.page.evaluate("kept => sessionStorage.setItem('settings:new', JSON.stringify(kept))", kept)
    key = new.send("Hello")
    [[*_, settings]] = new.told("send")
    assert settings == kept
    new.reply(key, "refused", code="invalid_input", details={"rule": "no_model", "name": "gone"})
    new.button("edit").click()
    new.reply(key, "withdrawn")
    expect(new.box).to_have_value("Hello")

    new.page.keyboard.press("Enter")
    assert [sent[-1] for sent in new.told("send")] == [kept, kept]
