"""The client that `docs/API.md` shows, run as it stands there against a real server."""

import re
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from tests.support.app_under_test import ROOT, AppUnderTest


@pytest.fixture(scope="module")
def app() -> Generator[AppUnderTest]:
    with AppUnderTest() as app:
        yield app


def client_of_the_docs() -> str:
    """The one Python block of the document."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "API.md").read_text(), re.M | re.S)
    assert len(blocks) == 1
    return blocks[0]


@pytest.mark.parametrize("question", ["hello", "emoji"])
def test_the_client_prints_the_exact_answer_although_its_line_is_cut(
    app: AppUnderTest, tmp_path: Path, question: str
) -> None:
    program = tmp_path / "client.py"
    program.write_text(client_of_the_docs())
    before = streams_read(app)

    ended = subprocess.run(
        [sys.executable, "-X", "utf8", str(program), app.url, question],
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr.decode()
    assert streams_read(app) - before == 2, "the line was not cut, or cut more than once"
    assert ended.stdout.decode() == the_answer(app, question)


def streams_read(app: AppUnderTest) -> int:
    """How many reads of streams the server has answered so far."""
    figures = httpx.get(f"{app.url}/metrics").text
    counts = re.findall(r'^assistant_http_requests_total\{.*/stream".*\} ([0-9.]+)$', figures, re.M)
    return int(sum(map(float, counts)))


def the_answer(app: AppUnderTest, question: str) -> str:
    """What the demo answers to the same question, read as JSON once it is closed."""
    with httpx.Client(base_url=app.url, timeout=30) as reader:
        reader.get("/api/owner")
        sent = reader.post("/api/messages", json={"text": question}, headers={"idempotency-key": "k"}).json()
        path = f"/api/tasks/{sent['task_id']}/stream"
        reader.get(path)  # to the end
        read = reader.get(path, headers={"accept": "application/json"}).json()
        assert read["closed"]
        assert len(read["text"]) > 100
        return str(read["text"])
