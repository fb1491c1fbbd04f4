"""A mail that asks first, over HTTP, against a mail server that counts: approvals, kills, restarts."""

import asyncio
import hashlib
from collections import Counter

from tests.e2e.http.calls.conftest import asks_for_a_mail
from tests.e2e.http.stage import TRUE_WITHIN_SECONDS
from tests.support.app_under_test import AppUnderTest
from tests.support.http_client import Answer, ApiClient
from tests.support.llm_server import ScriptedProvider
from tests.support.smtp_server import SmtpServer


def mails_of(post: SmtpServer, call: Answer) -> int:
    """How many mails carry the id that follows from this call."""
    id_ = hashlib.sha256(call["id"].encode()).hexdigest()[:40].encode()
    return sum(id_ in mail for mail in post.mails)


async def a_parked_mail(ada: ApiClient, provider: ScriptedProvider) -> Answer:
    asks_for_a_mail(provider)
    sent = await ada.send("Write to Ada")
    return await ada.parked(sent["task_id"])


async def test_a_hundred_approvals_from_five_places_send_one_mail(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider, post: SmtpServer
) -> None:
    """Case B068: the other ninety-nine are told what was decided, when and by whom."""
    task = await a_parked_mail(ada, provider)
    (call,) = task["tool_calls"]
    places = [ada, *(ada.elsewhere(app.url) for _ in range(4))]
    answers = await asyncio.gather(*(places[n % 5].decide(call) for n in range(100)))
    for place in places[1:]:
        await place.http.aclose()

    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 99}
    ended = await ada.ended(task["id"])
    (after,) = ended["tool_calls"]
    told = {(a.json()["code"], a.json()["decision"], a.json()["decided_by"]) for a in answers if a.is_error}
    assert told == {("already_decided", "approve", after["decided_by"])}
    assert {a.json()["decided_at"] for a in answers if a.is_error} == {after["decided_at"]}
    assert (ended["reason"], after["state"]) == ("complete", "completed")
    assert (len(post.mails), mails_of(post, call)) == (1, 1)


async def test_a_mail_that_waits_survives_a_kill_and_is_sent_after_it(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider, post: SmtpServer
) -> None:
    """Cases B071, B080."""
    task = await a_parked_mail(ada, provider)
    app.kill()
    await asyncio.to_thread(app.restart)

    assert await ada.task(task["id"]) == task
    assert (await ada.decide(task["tool_calls"][0])).status_code == 200
    assert (await ada.ended(task["id"]))["reason"] == "complete"
    assert mails_of(post, task["tool_calls"][0]) == len(post.mails) == 1


async def test_killed_before_the_mail_was_taken_nobody_sends_it_again(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider, post: SmtpServer
) -> None:
    """Case B062."""
    await _killed_at("DATA", app, ada, provider, post)
    assert post.mails == []


async def test_killed_after_the_mail_was_taken_a_person_settles_it(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider, post: SmtpServer
) -> None:
    """Case B062: one mail; run again is a call of its own, once, whoever asks."""
    task = await _killed_at("mail", app, ada, provider, post)
    (call,) = task["tool_calls"]
    assert mails_of(post, call) == len(post.mails) == 1

    provider.say("That is done.")
    again = [await ada.http.post(f"/api/tool-calls/{call['id']}/run-again") for _ in range(3)]
    assert [answer.status_code for answer in again] == [202, 409, 409]
    ended = await ada.ended(again[0].json()["task_id"])
    (second,) = ended["tool_calls"]
    assert (ended["reason"], second["retry_of"]) == ("complete", call["id"])
    assert (len(post.mails), mails_of(post, second)) == (2, 1)
    late = await ada.http.post(f"/api/tool-calls/{call['id']}/mark-done")
    assert (late.json()["code"], late.json()["task_id"]) == ("already_settled", ended["id"])


async def test_marked_done_the_answer_goes_on_without_a_second_mail(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider, post: SmtpServer
) -> None:
    task = await _killed_at("mail", app, ada, provider, post)
    provider.say("That is done.")
    done = await ada.http.post(
        f"/api/tool-calls/{task['tool_calls'][0]['id']}/mark-done", headers={"Idempotency-Key": "once"}
    )
    ended = await ada.ended(done.json()["task_id"])
    assert (ended["reason"], ended["tool_calls"][0]["state"]) == ("complete", "completed")
    read = await ada.read(ended["id"])
    assert read["text"] == "I will write. That is done."
    assert [part["kind"] for part in read["parts"]] == ["text", "tool_call", "text"]
    assert len(post.mails) == 1


async def test_what_a_stopped_answer_asked_for_is_not_decided_any_more(
    ada: ApiClient, provider: ScriptedProvider, post: SmtpServer
) -> None:
    task = await a_parked_mail(ada, provider)
    await ada.ask(task["id"], "stop")
    refused = await ada.decide(task["tool_calls"][0])
    assert (refused.status_code, refused.json()["code"]) == (409, "not_undecided")
    assert refused.json()["reason"] == "stopped"
    assert post.mails == []


async def test_a_mail_whose_server_falls_silent_ends_unknown_and_the_session_goes_on(
    ada: ApiClient, provider: ScriptedProvider, post: SmtpServer
) -> None:
    post.hangs_up_after = "mail"
    task = await a_parked_mail(ada, provider)
    await ada.decide(task["tool_calls"][0])
    ended = await ada.ended(task["id"])
    (call,) = ended["tool_calls"]
    assert (ended["state"], ended["reason"], ended["error"]["code"]) == (
        "failed",
        "interrupted",
        "outcome_unknown",
    )
    assert (call["state"], call["outcome_unknown"]) == ("failed", True)
    assert mails_of(post, call) == 1
    refused = await ada.http.post(f"/api/tasks/{task['id']}/continue")
    assert refused.json()["code"] == "not_retryable"
    provider.say("Hello.")
    sent = await ada.send("Still there?", session_id=task["session_id"])
    assert (await ada.ended(sent["task_id"]))["reason"] == "complete"


async def _killed_at(
    moment: str, app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider, post: SmtpServer
) -> Answer:
    """Approve a mail, and kill the process while the mail server stands at this moment."""
    post.silent_after = moment
    task = await a_parked_mail(ada, provider)
    await ada.decide(task["tool_calls"][0])
    await post.silent.wait()
    app.kill()
    post.silent_after = ""
    await asyncio.to_thread(app.restart)

    ended = await ada.ended(task["id"], TRUE_WITHIN_SECONDS)
    (call,) = ended["tool_calls"]
    assert (ended["reason"], ended["error"]["code"]) == ("interrupted", "outcome_unknown")
    assert (call["state"], call["reason"], call["outcome_unknown"]) == ("failed", "lost", True)
    assert (await ada.decide(call)).json()["code"] == "already_decided"
    return ended
