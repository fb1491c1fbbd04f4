"""Sessions over HTTP: the list page by page, the snapshot, what changed."""

import httpx

from tests.integration.api.in_process import ApiInProcess, catch_up
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider


async def test_the_list_is_newest_first_and_comes_in_pages(api: ApiInProcess) -> None:
    mine = await api.owner()
    sent = []
    for number in range(5):
        sent.append(await api.send(mine, f"question {number}"))
        await api.closed(mine, sent[-1]["task_id"])

    seen: list[str] = []
    query: dict[str, str] = {"limit": "2"}
    while True:
        page = (await mine.get("/api/sessions", params=query)).json()
        seen += [session["id"] for session in page["sessions"]]
        if page["next"] is None:
            break
        query["after"] = page["next"]

    assert seen == [each["session_id"] for each in reversed(sent)]


async def test_the_list_can_begin_after_a_time(api: ApiInProcess) -> None:
    mine = await api.owner()
    for number in range(3):
        await api.closed(mine, (await api.send(mine, f"question {number}"))["task_id"])
    listed = (await mine.get("/api/sessions")).json()["sessions"]
    middle = listed[1]["updated_at"]

    newer = (await mine.get("/api/sessions", params={"since": middle})).json()["sessions"]

    assert newer == [session for session in listed if session["updated_at"] > middle]


async def test_a_snapshot_holds_the_unfinished_answer_with_its_text_so_far(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    script = provider.script().say("so far").hold()
    mine = await api.owner()
    sent = await api.send(mine)
    await eventually(lambda: _arrived(mine, sent["task_id"], "so far"))

    snapshot = (await mine.get(f"/api/sessions/{sent['session_id']}")).json()

    assert [message["id"] for message in snapshot["messages"]] == [sent["message_id"], sent["answer_id"]]
    assert [task["id"] for task in snapshot["tasks"]] == [sent["task_id"]]
    answer = snapshot["messages"][1]
    assert (answer["text"], answer["task_id"]) == ("so far", sent["task_id"])
    assert answer["parts"] == [{"kind": "text", "start": 0, "end": 6}]
    script.release()


async def test_older_messages_come_before_a_message(api: ApiInProcess) -> None:
    mine = await api.owner()
    first = await api.send(mine, "first")
    await api.closed(mine, first["task_id"])
    second = await api.send(mine, "second", session_id=first["session_id"])
    path = f"/api/sessions/{first['session_id']}"

    page = (await mine.get(path, params={"limit": 2})).json()
    older = (await mine.get(path, params={"before": second["message_id"]})).json()

    assert page["has_older"] is True
    assert [message["id"] for message in page["messages"]] == [second["message_id"], second["answer_id"]]
    assert [message["id"] for message in older["messages"]] == [first["message_id"], first["answer_id"]]
    assert older["has_older"] is False


async def test_changes_are_what_is_newer_than_a_version(api: ApiInProcess) -> None:
    mine = await api.owner()
    sent = await api.send(mine)
    await api.closed(mine, sent["task_id"])
    path = f"/api/sessions/{sent['session_id']}/changes"

    everything = (await mine.get(path)).json()
    nothing = (await mine.get(path, params={"since": everything["version"]})).json()

    assert [task["id"] for task in everything["tasks"]] == [sent["task_id"]]
    assert everything["session"]["version"] == everything["version"]
    assert nothing == {
        "version": everything["version"],
        "session": None,
        "summary": None,
        "messages": [],
        "tasks": [],
        "removed": [],
        "queued": [],
    }


async def _arrived(mine: httpx.AsyncClient, task_id: str, text: str) -> bool:
    return (await catch_up(mine, task_id))["text"] == text
