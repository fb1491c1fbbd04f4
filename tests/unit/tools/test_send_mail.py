"""A mail is one mail a call, says what was approved and nothing else, and lies in the outbox once."""

import stat
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.domain.tools import BadCall, ToolOutcome, ToolResult
from assistant.tools.mail_outbox import LocalOutbox
from assistant.tools.registry import ToolRegistry
from assistant.tools.send_mail import send_mail_tool
from tests.unit.tools.mails import MAIL, NOON, read
from tests.unit.tools.running import run


class Kept:
    """A post that keeps what it is handed."""

    sender = "assistant@example.org"

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []

    async def hand_in(self, mail: EmailMessage) -> ToolResult:
        self.mails.append(mail)
        return ToolResult("kept")


def with_post(post: Kept | LocalOutbox) -> ToolRegistry:
    return ToolRegistry([send_mail_tool(post, lambda: NOON)])


def test_it_asks_first_and_is_never_repeated_by_itself() -> None:
    (spec,) = with_post(Kept()).specs()
    assert spec.needs_decision
    assert not spec.idempotent


async def test_the_outbox_holds_the_mail_as_a_file_that_its_user_can_read(tmp_path: Path) -> None:
    outbox = tmp_path / "outbox"
    result = await with_post(LocalOutbox(outbox)).run("send_mail", MAIL, call_id="call-1", owner_id="o")

    (file,) = outbox.iterdir()
    mail = read(file.read_bytes())
    assert file.suffix == ".eml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (mail["To"], mail["Subject"]) == (MAIL["to"], MAIL["subject"])
    assert mail.get_content().replace("\r\n", "\n") == MAIL["text"]
    assert result.outcome is ToolOutcome.OK
    assert "not sent" in result.text
    assert str(tmp_path) not in result.text


async def test_the_same_call_twice_is_one_mail_in_the_outbox(tmp_path: Path) -> None:
    registry = with_post(LocalOutbox(tmp_path))
    await registry.run("send_mail", MAIL, call_id="call-1", owner_id="o")
    (first,) = tmp_path.iterdir()
    written = first.read_bytes()
    await registry.run("send_mail", {**MAIL, "text": "other"}, call_id="call-1", owner_id="o")
    await registry.run("send_mail", MAIL, call_id="call-2", owner_id="o")

    assert len(list(tmp_path.iterdir())) == 2
    assert first.read_bytes() == written


async def test_an_outbox_that_cannot_be_written_sends_nothing_and_says_no_path(tmp_path: Path) -> None:
    (tmp_path / "outbox").write_text("a file stands there")
    registry = with_post(LocalOutbox(tmp_path / "outbox"))
    result = await registry.run("send_mail", MAIL, call_id="call-1", owner_id="o")
    assert result == ToolResult.failed("Not sent: the mail could not be put into the local outbox.")


async def test_the_message_id_is_that_of_the_call() -> None:
    post = Kept()
    registry = with_post(post)
    for call_id in ("call-1", "call-1", "call-2"):
        await registry.run("send_mail", MAIL, call_id=call_id, owner_id="o")
    one, same, other = (str(mail["Message-ID"]) for mail in post.mails)
    assert one == same != other
    assert one.endswith("@example.org>")


@pytest.mark.parametrize(
    "to",
    [
        *("", "ann", "@example.org", "ann@", "ann@example.org\r\nBcc: eve@example.org", "ann@example.org\n"),
        *("ann@example.org, eve@example.org", "Ann <ann@example.org>", "ann@@example.org", "a b@example.org"),
        *("ann@ex\u0430mple.org", "ann@example.org\0", "a..b@example.org", "ann@example.org;eve@example.org"),
    ],
)
def test_what_is_not_one_address_is_refused(to: str) -> None:
    post = Kept()
    assert run(with_post(post), "send_mail", **{**MAIL, "to": to}).outcome is ToolOutcome.FAILED
    assert not post.mails


@pytest.mark.parametrize(
    "subject", ["a\r\nBcc: eve@example.org", "a\nb", "a\rb", "a\x85b", "a\u2028b", "a\x0bb"]
)
def test_a_subject_of_several_lines_is_refused(subject: str) -> None:
    post = Kept()
    assert run(with_post(post), "send_mail", **{**MAIL, "subject": subject}).outcome is ToolOutcome.FAILED
    assert not post.mails


@settings(deadline=None)
@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200))
def test_no_text_adds_a_header_or_a_recipient(to: str, subject: str, text: str) -> None:
    post = Kept()
    registry = with_post(post)
    run(registry, "send_mail", to=to, subject=subject, text=text)
    run(registry, "send_mail", to=MAIL["to"], subject=subject, text=text)
    for mail in post.mails:
        sent = read(mail.as_bytes())
        assert sorted(name.lower() for name in sent) == sorted(name.lower() for name in mail)
        assert len(sent["To"].addresses) == 1
        assert str(sent["Subject"]).strip() == subject.strip()


def test_an_empty_mail_is_refused() -> None:
    checked = with_post(Kept()).check("send_mail", '{"to": "a@example.org", "subject": "", "text": ""}')
    assert isinstance(checked, BadCall)
