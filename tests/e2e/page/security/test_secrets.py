"""No secret leaves the server: not in a log, an answer, a page, a frame of the socket, or to `doctor`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.http.stage import app_before
from tests.e2e.page.refresh.conftest import WINDOW
from tests.support.app_under_test import AppUnderTest, ProcessUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider
from tests.support.ports import free_port

SECRETS = {
    name: f"sentinel-of-{name}-5d41402abc4b"
    for name in ("the-key-that-signs", "the-model", "the-mail", "the-database", "redis")
}
UNREACHED = {"doctor": "FAIL queue and streams", "worker": "database"}
"""What a command says once it has tried to reach something."""

PATHS = (
    "/",
    "/nothing",
    "/health",
    "/metrics",
    "/ping",
    "/_health",
    "/api/owner",
    "/api/sessions",
    "/api/sessions/none",
    "/api/openapi.json",
    "/api/docs",
    "/api/nothing",
)


@pytest.fixture
def guarded_app(provider_port: int) -> Iterator[AppUnderTest]:
    environment = {
        "ASSISTANT_SECRET_KEY": SECRETS["the-key-that-signs"],
        "ASSISTANT_MODEL_API_KEY": SECRETS["the-model"],
        "ASSISTANT_SMTP_URL": f"smtp://ada:{SECRETS['the-mail']}@127.0.0.1:{free_port()}?from=ada@example.org",
        "ASSISTANT_DEBUG_TOOLS": "true",
    }
    with app_before(provider_port, environment) as app:
        app.start()
        yield app


def none_in(where: str, text: str, *more: str) -> None:
    """The words of no secret, and none of `more`."""
    for secret in (*SECRETS.values(), *more):
        assert secret not in text, f"{secret} in {where}"


def test_a_session_full_of_failures_tells_none(
    guarded_app: AppUnderTest, browser: Browser, provider: ScriptedProvider
) -> None:
    context = browser.new_context(viewport=WINDOW)
    chat = ChatPage(context.new_page(), guarded_app.url).open()
    cookie = context.cookies()[0]["value"]
    echo = f"Incorrect API key provided: {SECRETS['the-model']}"
    for number, status in enumerate((400, 401, 403, 422), 1):
        provider.fail(status, {"error": {"message": echo, "code": echo, "param": echo}})
        chat.say(f"Fail with {status}")
        expect(chat.answers).to_have_count(number)
        chat.ended("error")
    provider.script().call("send_mail", {"to": "a@example.org", "subject": "S", "text": "T"})
    provider.say("It did not go.")
    chat.say("Write")
    expect(chat.element("approve")).to_be_enabled()
    chat.element("approve").click()
    chat.ended("complete")
    chat.reload()
    asked = [context.request.get(guarded_app.url + path) for path in PATHS]
    asked.append(context.request.post(f"{guarded_app.url}/api/messages", data={"text": 7}))
    told = "\n".join(f"{answer.headers} {answer.text()}" for answer in asked)
    page = chat.page.evaluate(
        "document.documentElement.outerHTML + JSON.stringify([{...localStorage}, {...sessionStorage}])"
    )
    frames, log = "\n".join(chat.heard), guarded_app.log
    context.close()

    assert frames
    assert "It did not go" in page
    none_in("the answers", told, cookie)
    none_in("the page", page, cookie)
    none_in("the frames", frames, cookie)
    none_in("the log", log, cookie)


@pytest.mark.parametrize("command", ["doctor", "worker"])
def test_a_command_that_reaches_nothing_tells_none(tmp_path: Path, command: str) -> None:
    port = free_port()
    unreached = {
        "ASSISTANT_SECRET_KEY": SECRETS["the-key-that-signs"],
        "ASSISTANT_MODEL_API_KEY": SECRETS["the-model"],
        "ASSISTANT_SMTP_URL": f"smtp://ada:{SECRETS['the-mail']}@127.0.0.1:{port}",
        "ASSISTANT_DATABASE_URL": f"postgresql://ada:{SECRETS['the-database']}@127.0.0.1:{port}/chat",
        "ASSISTANT_REDIS_URL": f"redis://:{SECRETS['redis']}@127.0.0.1:{port}",
    }
    environment = {**AppUnderTest(data_dir=tmp_path).environment, **unreached}
    started = ProcessUnderTest([command], environment, tmp_path / "said.log")
    started.start()
    try:
        eventually_sync(lambda: UNREACHED[command] in started.log, within=60)
    finally:
        started.close()

    none_in(command, started.log)
