"""Search over HTTP: an owner's own titles and texts, in pages, with plain snippets."""

from typing import Any

import httpx

from tests.integration.api.in_process import ApiInProcess
from tests.support.llm_server import ScriptedProvider


async def search(client: httpx.AsyncClient, q: str, **more: Any) -> dict[str, Any]:
    answer = await client.get("/api/search", params={"q": q, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_question_its_title_and_its_answer_are_found(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    provider.say("页面刷新 never happened, <b>said</b> the server.")
    mine = await api.owner()
    sent = await api.send(mine, "What is a 刷新?")
    await api.closed(mine, sent["task_id"])

    found = await search(mine, "刷新")

    assert [(each["message_id"], each["role"]) for each in found["results"]] == [
        (None, None),
        (sent["answer_id"], "assistant"),
        (sent["message_id"], "user"),
    ]
    answer = found["results"][1]
    assert answer["snippet"]["text"] == "页面刷新 never happened, <b>said</b> the server."
    assert answer["snippet"]["ranges"] == [[2, 4]]
    assert (answer["session_id"], answer["title"], answer["state"]) == (
        sent["session_id"],
        "What is a 刷新?",
        "active",
    )
    assert found["next"] is None
    [[start, end]] = (await search(mine, "SAID the serv"))["results"][0]["snippet"]["ranges"][:1]
    assert answer["snippet"]["text"][start:end] == "said"


async def test_an_archived_session_is_marked_and_a_deleted_one_is_not_found(api: ApiInProcess) -> None:
    mine = await api.owner()
    sent = await api.send(mine, "needle")
    await api.closed(mine, sent["task_id"])
    path = f"/api/sessions/{sent['session_id']}"
    await mine.patch(path, json={"state": "archived"})
    assert {each["state"] for each in (await search(mine, "needle"))["results"]} == {"archived"}
    await mine.delete(path)
    assert (await search(mine, "needle"))["results"] == []
    await mine.post(f"{path}/undo-delete")
    assert (await search(mine, "needle"))["results"] != []


async def test_results_come_in_pages(api: ApiInProcess) -> None:
    mine = await api.owner()
    for number in range(3):
        sent = await api.send(mine, f"needle {number}")
        await api.closed(mine, sent["task_id"])
    whole = (await search(mine, "needle"))["results"]

    pages, after = [], {}
    while True:
        page = await search(mine, "needle", limit=2, **after)
        pages += page["results"]
        if page["next"] is None:
            break
        after = {"after": page["next"]}

    assert len(whole) == 9
    assert pages == whole


async def test_nobody_finds_what_is_not_theirs(api: ApiInProcess) -> None:
    """Case B185."""
    them, me = await api.owner(), await api.owner()
    theirs = await api.send(them, "needle")
    await api.closed(them, theirs["task_id"])
    assert await search(me, "needle") == await search(me, "absent") == {"results": [], "next": None}


async def test_any_query_is_answered_and_one_without_a_word_finds_nothing(api: ApiInProcess) -> None:
    mine = await api.owner()
    await api.closed(mine, (await api.send(mine, "needle"))["task_id"])
    for q in ("", " ", '"', "👩‍👩‍👧", "AND OR NOT", "needle)", "a" * 500, "%00"):
        await search(mine, q)
    assert (await search(mine, "🙂 !"))["results"] == []
    too_long = await mine.get("/api/search", params={"q": "a" * 10_000})
    assert (too_long.status_code, too_long.json()["errors"][0]["field"]) == (400, "q")
