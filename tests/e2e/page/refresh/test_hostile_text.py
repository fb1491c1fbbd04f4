"""Text is text: nothing that anybody writes runs or becomes part of the page."""

from tests.support.chat_page import ChatPage, squeezed
from tests.support.llm_server import ScriptedProvider

HOSTILE = (
    "<script>window.owned = 1</script> <img src=x onerror='window.owned = 2'> "
    "<svg onload='window.owned = 3'></svg> <iframe srcdoc='<script>top.owned = 4</script>'></iframe> "
    "<a href='javascript:window.owned = 5'>a link</a> <style>body { display: none }</style>"
)
LINKS = "[one](javascript:window.owned=6) and [two](data:text/html,<script>window.owned=7</script>)"


def runs_nothing(chat: ChatPage) -> None:
    """No element was made of the text, and none of its code has run."""
    message = chat.element("message")
    assert message.locator("script, img, iframe, svg[onload], style").count() == 0
    hrefs = message.locator("a").evaluate_all("all => all.map((a) => a.protocol)")
    assert set(hrefs) <= {"http:", "https:", "mailto:"}
    assert chat.page.evaluate("window.owned ?? null") is None


def test_html_of_the_user_and_of_the_answer_is_shown_as_text(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    provider.say(HOSTILE[:40], HOSTILE[40:])
    chat.say(HOSTILE)
    chat.ended("complete")
    for _ in range(2):
        chat.shows(HOSTILE)
        said = chat.page.locator('[data-role="user"]').inner_text()
        assert squeezed(HOSTILE) in squeezed(said)
        runs_nothing(chat)
        chat.reload()


def test_links_that_would_run_code_do_not(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.say(LINKS)
    chat.say("Links, please")
    chat.ended("complete")
    for _ in range(2):
        chat.holds(LINKS)
        runs_nothing(chat)
        chat.reload()
