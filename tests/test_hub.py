"""Downloading with the hub's real client from a server of ours: whole, broken off, refused, truncated, offline."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.source import open_source

DATASET = "minhnam/GraphNIAH"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
NEXT_COMMIT = "f" * 40


def content(answer: str = "YES") -> bytes:
    """A file of some 300 kB."""
    row: dict[str, Any] = {
        "reachability_task": "yes-no",
        "system_prompt": "system",
        "user_prompt": "prompt " * 4000,
        "question": "question?",
        "answer": answer,
        "experiments": [{"name": "question-depth", "slot": 0}],
    }
    return b"".join(json.dumps({"qid": f"q{number}"} | row).encode("ascii") + b"\n" for number in range(10))


@dataclass
class Hub:
    """What the server holds and how it misbehaves.

    Attributes:
        revisions: Commits by branch, tag or SHA.
        status: With `error_code`, the answer to every request but those for `hidden` methods.
        breaks: Bytes after which each of the next downloads is broken off.
        sends: What is sent in place of the content.
        requests: Method, revision and Range header of every request.
    """

    content: bytes = field(default_factory=content)
    revisions: dict[str, str] = field(default_factory=lambda: {"main": COMMIT, COMMIT: COMMIT, "1234567": COMMIT})
    status: int | None = None
    error_code: str | None = None
    error_message: str | None = None
    only: str | None = None
    breaks: list[int] = field(default_factory=list)
    sends: bytes | None = None
    commit_header: bool = True
    requests: list[tuple[str, str, str | None]] = field(default_factory=list)
    url: str = ""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def answer(self) -> None:
        parts = self.path.split("?")[0].strip("/").split("/")
        revision = parts[4] if len(parts) == 6 and parts[3] == "resolve" else ""
        hub = self.hub
        hub.requests.append((self.command, revision, self.headers.get("Range")))
        if hub.status is not None and hub.only in (None, self.command):
            return self.refuse(hub.status, hub.error_code, hub.error_message)
        if parts[:3] != ["datasets", *DATASET.split("/")]:
            return self.refuse(401, "RepoNotFound")
        if revision not in hub.revisions:
            return self.refuse(404, "RevisionNotFound")
        body = hub.content if hub.sends is None else hub.sends
        start = int(self.headers["Range"].removeprefix("bytes=").split("-")[0]) if self.headers["Range"] else 0
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        if hub.commit_header:
            self.send_header("X-Repo-Commit", hub.revisions[revision])
        etag = hashlib.sha256(hub.content).hexdigest()
        self.send_header("ETag", f'"{etag}"')
        self.send_header("X-Linked-Etag", f'"{etag}"')
        self.send_header("X-Linked-Size", str(len(hub.content)))
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        if self.command == "HEAD":
            return None
        if hub.breaks:
            self.wfile.write(body[start : start + hub.breaks.pop(0)])
            self.close_connection = True
        else:
            self.wfile.write(body[start:])
        return None

    def refuse(self, status: int, code: str | None, message: str | None = None) -> None:
        self.send_response(status)
        if code:
            self.send_header("X-Error-Code", code)
        if message:
            self.send_header("X-Error-Message", message)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A server that the client takes for the hub, with an empty client cache and no waiting between attempts."""
    held = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("HubHandler", (Handler,), {"hub": held}))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    held.url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(constants, "ENDPOINT", held.url)
    template = f"{held.url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda seconds: None)
    monkeypatch.chdir(tmp_path)
    yield held
    server.shutdown()
    server.server_close()


def refusal(revision: object = None, dataset: str = DATASET) -> str:
    with pytest.raises(UserError) as caught:
        open_source(dataset, revision)
    return str(caught.value)


def downloads(hub: Hub) -> list[tuple[str, str | None]]:
    return [(revision, wanted) for method, revision, wanted in hub.requests if method == "GET" and revision]


def test_a_first_download_records_the_commit_and_the_next_run_downloads_nothing(hub: Hub) -> None:
    source = open_source(DATASET)
    digest = hashlib.sha256(hub.content).hexdigest()
    assert (source.name, source.revision, source.etag, source.sha256) == (DATASET, COMMIT, digest, digest)
    assert source.path.read_bytes() == hub.content
    assert source.prompt(source.examples[3]).user == "prompt " * 4000
    assert open_source(DATASET).examples == source.examples
    assert downloads(hub) == [("main", None)]


def test_a_download_broken_off_goes_on_where_it_stopped(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 10_000)
    hub.breaks = [100_000, 0, 50_000]
    assert open_source(DATASET).path.read_bytes() == hub.content
    ranges = [wanted for _, wanted in downloads(hub)]
    assert ranges == [None, "bytes=100000-", "bytes=100000-", "bytes=150000-"]


def test_a_download_that_never_ends_is_an_error_and_leaves_no_file(hub: Hub, tmp_path: Path) -> None:
    hub.breaks = [0] * 100
    message = refusal()
    assert "is not to be had" in message
    assert "HF_ENDPOINT" in message
    assert not list((tmp_path / "hub").rglob("examples.jsonl"))
    hub.breaks = []
    assert len(open_source(DATASET).examples) == 10


def test_a_truncated_file_is_refused_and_not_kept(hub: Hub) -> None:
    hub.sends = hub.content[: hub.content.index(b"\n", 100_000) + 1]  # whole lines, fewer of them
    message = refusal()
    assert "came out short" in message
    assert "run again" in message
    hub.sends = None
    assert len(open_source(DATASET).examples) == 10


def test_content_that_is_not_what_the_hub_announced_is_refused(hub: Hub) -> None:
    hub.sends = hub.content.replace(b"YES", b"NO ")
    message = refusal()
    assert "is damaged" in message
    assert hashlib.sha256(hub.content).hexdigest() in message
    assert hashlib.sha256(hub.sends).hexdigest() in message
    assert "Delete" in message


@pytest.mark.parametrize(
    ("status", "code", "message", "cures"),
    [
        (401, "GatedRepo", None, ["Accept the terms at", "HF_TOKEN"]),
        (403, "GatedRepo", "Access is restricted", ["Accept the terms at", "HF_TOKEN"]),
        (403, None, "Forbidden", ["HTTP 403", "Accept the terms", "HF_TOKEN"]),
        (401, None, "Invalid credentials in Authorization header", ["HTTP 401", "HF_TOKEN"]),
        (401, "RepoNotFound", None, ["no such dataset", "spelling", "HF_TOKEN"]),
        (404, "RepoNotFound", None, ["no such dataset", "spelling", "no folder here"]),
        (404, "RevisionNotFound", None, ["no such revision", "/commits/main"]),
        (404, "EntryNotFound", None, ["no such file", "/tree/main"]),
        (429, None, None, ["HTTP 429", "Wait"]),
        (500, None, None, ["HTTP 500", "Run again later", "HF_HUB_OFFLINE=1"]),
        (503, None, None, ["HTTP 503", "Run again later"]),
    ],
)
@pytest.mark.parametrize("only", [None, "GET"])
@pytest.mark.parametrize("cached", [False, True])
def test_what_the_hub_refuses_is_an_error_with_a_cure_and_never_older_data(
    hub: Hub, status: int, code: str | None, message: str | None, cures: list[str], only: str | None, cached: bool
) -> None:
    if cached:
        open_source(DATASET)
        hub.content, hub.revisions["main"] = content("NO"), NEXT_COMMIT
    hub.status, hub.error_code, hub.error_message, hub.only = status, code, message, only
    told = refusal()
    assert DATASET in told
    for cure in cures:
        assert cure in told


def test_a_repository_or_revision_that_is_not_there(hub: Hub) -> None:
    assert "no such dataset" in refusal(dataset="minhnam/GraphNIHA")
    assert "at revision 'v9'" in refusal("v9")
    assert "written `owner/name`" in refusal(dataset="minhnam/Graph--NIAH")


def test_a_server_that_is_no_hub(hub: Hub) -> None:
    hub.commit_header = False
    assert "HF_ENDPOINT" in refusal()


def test_a_revision_is_kept_and_a_moved_branch_is_fetched_anew(hub: Hub) -> None:
    first = open_source(DATASET, "1234567")
    old = hub.content
    hub.content, hub.revisions["main"] = content("NO"), NEXT_COMMIT
    moved = open_source(DATASET)
    assert (first.revision, moved.revision) == (COMMIT, NEXT_COMMIT)
    assert [source.examples[0].answer for source in (first, moved)] == ["YES", "NO"]
    hub.status = 500  # a full commit that is here needs no hub
    pinned = open_source(DATASET, COMMIT)
    assert pinned.revision == COMMIT
    assert pinned.path.read_bytes() == old


def test_a_branch_that_moves_between_two_requests_is_refused(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    original = huggingface_hub.hf_hub_download

    def late(*arguments: Any, **options: Any) -> Any:
        hub.revisions["main"] = NEXT_COMMIT
        return original(*arguments, **options)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", late)
    message = refusal()
    assert COMMIT in message
    assert NEXT_COMMIT in message


def test_offline_takes_the_copy_of_an_earlier_run_or_says_that_there_is_none(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    message = refusal()
    assert "HF_HUB_OFFLINE is set" in message
    assert "no copy" in message
    assert not hub.requests
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    online = open_source(DATASET)
    hub.requests.clear()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    offline = open_source(DATASET)
    assert (offline.revision, offline.etag, offline.examples) == (COMMIT, online.etag, online.examples)
    assert "HF_HUB_OFFLINE is set" in refusal("v9")
    assert not hub.requests


def test_an_unreachable_hub_is_an_error_even_with_a_copy_here(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    open_source(DATASET)
    template = "http://127.0.0.1:9/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    message = refusal()
    assert "Check the network" in message
    assert "HF_HUB_OFFLINE=1" in message


def test_a_cache_that_cannot_be_written_says_so(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "file" / "hub"))
    assert "HF_HOME" in refusal()


def test_through_the_environment_alone(hub: Hub, tmp_path: Path) -> None:
    """`HF_ENDPOINT`, `HF_HOME` and `HF_HUB_OFFLINE` are read by the client when it is imported: a new process."""
    script = (
        "from graphniah_inspect.graphniah.source import open_source\n"
        f"source = open_source({DATASET!r})\n"
        "print(source.revision, source.path, len(source.examples))\n"
    )
    environment = os.environ | {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home")}

    def run(**settings: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment | settings, capture_output=True, text=True, check=True
        )
        return done.stdout

    first = run()
    assert first == f"{COMMIT} {tmp_path}/home/hub/datasets--minhnam--GraphNIAH/snapshots/{COMMIT}/examples.jsonl 10\n"
    requests = len(hub.requests)
    assert run(HF_HUB_OFFLINE="1") == first
    assert len(hub.requests) == requests
