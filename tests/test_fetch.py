"""Downloads from a local server that speaks the endpoints of the Datasets API, and misbehaves as real ones do."""

import hashlib
import json
import logging
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphniah_inspect.cli import main
from graphniah_inspect.errors import UserError
from graphniah_inspect.snapshots.datasets_api import file_name
from graphniah_inspect.snapshots.fetch import fetch

KEY = "secret-key-0123"
SHARDS = {
    f"{name}-{i}.jsonl.gz": np.random.default_rng(seed).bytes(300_000)
    for seed, (name, i) in enumerate((name, i) for name in ("papers", "citations") for i in range(2))
}


class Storage(ThreadingHTTPServer):
    """The API and the storage behind its links; ``faults`` are done one a request, in order, to the shard named."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.faults: dict[str, list[Any]] = {}
        self.shards = dict(SHARDS)
        self.release = "2026-10-06"
        self.links_given = 0
        self.knows_if_range = True
        self.requests: list[tuple[str, dict[str, str]]] = []

    def asked(self, part: str) -> list[dict[str, str]]:
        return [headers for path, headers in self.requests if part in path]


class Handler(BaseHTTPRequestHandler):
    server: Storage

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        self.server.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
        name = path.rsplit("/", 1)[-1]
        fault = self.server.faults.get(name, [])
        step = fault.pop(0) if fault else None
        if isinstance(step, tuple):
            status, headers = step
            self.answer(status, b"{}", headers)
        elif path.startswith("/datasets/v1/"):
            self.api(path.removeprefix("/datasets/v1/"))
        elif query != f"signature={self.server.links_given}" and step != "old link still good":
            self.answer(403, b"<Code>AccessDenied</Code><Message>Request has expired</Message>")
        else:
            self.shard(name, step)

    def api(self, path: str) -> None:
        if self.headers["x-api-key"] != KEY:
            self.answer(403, b'{"message": "Forbidden"}')
        elif path in ("release/latest", f"release/{self.server.release}"):
            self.answer(200, json.dumps({"release_id": self.server.release, "datasets": []}).encode())
        elif path.startswith(f"release/{self.server.release}/dataset/"):
            self.server.links_given += 1
            dataset = path.rsplit("/", 1)[-1]
            signature = f"?signature={self.server.links_given}"
            links = [f"{self.server.url}/bucket/{n}{signature}" for n in self.server.shards if n.startswith(dataset)]
            self.answer(200 if links else 404, json.dumps({"name": dataset, "files": links}).encode())
        else:
            self.answer(404, b"{}")

    def shard(self, name: str, step: str | None) -> None:
        data = self.server.shards[name]
        etag = f'"{hashlib.md5(data).hexdigest()}"'
        begin = int(self.headers.get("range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
        changed = self.server.knows_if_range and self.headers.get("if-range", etag) != etag
        whole = step == "no ranges" or changed
        begin = 0 if whole else begin
        self.send_response(200 if whole else 206)
        self.send_header("etag", etag)
        self.send_header("content-length", str(len(data) - begin))
        if not whole:
            self.send_header("content-range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        body = data[begin:]
        self.wfile.write(body[: len(body) // 2] if step == "break" else body)
        self.close_connection = True

    def answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for key, value in {"content-length": str(len(body)), **(headers or {})}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def storage() -> Iterator[Storage]:
    server = Storage()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def no_sleep(_: float) -> None:
    """Do not wait."""


def test_every_fault_on_the_way_is_survived(
    storage: Storage, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.INFO)
    storage.faults = {
        "latest": [(429, {"retry-after": "7"}), (502, {})],
        "papers-0.jsonl.gz": [(503, {}), "break", (403, {}), "break", "break"],
        "citations-1.jsonl.gz": ["break", "no ranges"],
    }
    waits: list[float] = []
    fetched = fetch(tmp_path, KEY, base_url=storage.url, sleep=waits.append)
    for name, data in SHARDS.items():
        assert (tmp_path / name.split("-")[0] / name).read_bytes() == data
    assert {f.name for f in tmp_path.rglob("*")} == {"papers", "citations", *SHARDS, "fetch.json", "manifest.json"}
    assert json.loads((tmp_path / "manifest.json").read_bytes())["release"] == fetched.release == "2026-10-06"
    assert waits[:2] == [7.0, 2.0], "as long as the server asks, then longer each time"
    begins = [headers["range"] for headers in storage.asked("papers-0")]
    assert begins == [f"bytes={n}-" for n in (0, 0, 150_000, 150_000, 225_000, 262_500)]
    assert all("x-api-key" not in headers for headers in storage.asked("/bucket/")), "the key is for the API only"
    said = caplog.text + "".join(capfd.readouterr())
    assert KEY not in said
    assert "signature" not in said


def test_a_stopped_download_goes_on_and_what_is_there_is_not_asked_for_again(storage: Storage, tmp_path: Path) -> None:
    storage.faults["papers-1.jsonl.gz"] = ["break", *[(500, {})] * 20]
    with pytest.raises(UserError, match=r"papers-1\.jsonl\.gz: gave up at 150,000 bytes .*500"):
        fetch(tmp_path, KEY, datasets=["papers"], base_url=storage.url, sleep=no_sleep)
    assert not (tmp_path / "manifest.json").exists()
    assert not (tmp_path / "papers" / "papers-1.jsonl.gz").exists()
    storage.faults, storage.requests = {}, []
    fetch(tmp_path, KEY, datasets=["papers"], base_url=storage.url, sleep=no_sleep)
    assert [headers["range"] for headers in storage.asked("/bucket/")] == ["bytes=150000-"]
    assert (tmp_path / "papers" / "papers-1.jsonl.gz").read_bytes() == SHARDS["papers-1.jsonl.gz"]
    storage.requests = []
    fetch(tmp_path, KEY, base_url=storage.url, sleep=no_sleep)
    assert Counter(path.split("?")[0] for path, _ in storage.requests if "bucket" in path) == {
        "/bucket/citations-0.jsonl.gz": 1,
        "/bucket/citations-1.jsonl.gz": 1,
    }


@pytest.mark.parametrize("knows_if_range", [True, False])
def test_halves_of_two_files_are_never_joined(storage: Storage, tmp_path: Path, knows_if_range: bool) -> None:
    storage.knows_if_range = knows_if_range
    storage.faults["papers-0.jsonl.gz"] = ["break", *[(500, {})] * 20]
    with pytest.raises(UserError):
        fetch(tmp_path, KEY, datasets=["papers"], base_url=storage.url, sleep=no_sleep)
    changed = storage.shards["papers-0.jsonl.gz"][::-1]
    storage.shards["papers-0.jsonl.gz"] = changed
    storage.faults, storage.requests = {}, []
    fetch(tmp_path, KEY, datasets=["papers"], base_url=storage.url, sleep=no_sleep)
    assert (tmp_path / "papers" / "papers-0.jsonl.gz").read_bytes() == changed
    assert "if-range" in storage.asked("papers-0")[0]


def test_a_file_cut_after_it_was_fetched_is_fetched_again(storage: Storage, tmp_path: Path) -> None:
    fetch(tmp_path, KEY, datasets=["papers"], base_url=storage.url, sleep=no_sleep)
    cut = tmp_path / "papers" / "papers-0.jsonl.gz"
    cut.write_bytes(cut.read_bytes()[:1000])
    fetch(tmp_path, KEY, datasets=["papers"], base_url=storage.url, sleep=no_sleep)
    assert cut.read_bytes() == SHARDS["papers-0.jsonl.gz"]


def test_another_release_does_not_mix_with_the_first(storage: Storage, tmp_path: Path) -> None:
    fetch(tmp_path, KEY, datasets=["papers"], base_url=storage.url, sleep=no_sleep)
    storage.release = "2026-10-13"
    with pytest.raises(UserError, match="holds release 2026-10-06, and 2026-10-13"):
        fetch(tmp_path, KEY, base_url=storage.url, sleep=no_sleep)


@pytest.mark.parametrize(
    ("key", "release", "dataset", "message"),
    [
        ("", "latest", "papers", "S2_API_KEY"),
        ("wrong", "latest", "papers", "refused the key"),
        (KEY, "2020-01-01", "papers", "no release 2020-01-01"),
        (KEY, "yesterday", "papers", "expected latest or a date"),
        (KEY, "latest", "poems", "no data set poems"),
        (KEY, "latest", "../poems", "no name of a data set"),
    ],
)
def test_what_cannot_be_fetched_says_why(
    storage: Storage, tmp_path: Path, key: str, release: str, dataset: str, message: str
) -> None:
    with pytest.raises(UserError, match=message) as caught:
        fetch(tmp_path, key, release=release, datasets=[dataset], base_url=storage.url, sleep=no_sleep)
    assert "wrong" not in str(caught.value)
    assert not storage.asked("/bucket/")


def test_names_from_the_server_stay_in_the_folder(storage: Storage, tmp_path: Path) -> None:
    storage.shards = {"papers..%2F..%2F..%2Fescaped.jsonl.gz": b"x" * 10}
    fetch(tmp_path / "out", KEY, datasets=["papers"], base_url=storage.url, sleep=no_sleep)
    assert (tmp_path / "out" / "papers" / "escaped.jsonl.gz").exists()
    assert {path.name for path in tmp_path.iterdir()} - {"logs", "cache"} == {"out"}
    for url in ("http://h/a/..", "http://h/..%5C..%5C.bashrc", "http://h/", "http://h/a%00b/%2e%2e"):
        assert file_name(url) not in ("", ".", "..")
        assert not set(file_name(url)) & set("/\\\0")
        assert not file_name(url).startswith(".")


def test_the_command(
    storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["fetch", "--release", "latest", "--datasets", "papers,citations", "--base-url", storage.url]
    monkeypatch.delenv("S2_API_KEY", raising=False)
    assert main([*arguments, "--out", str(tmp_path)]) == 2
    assert "S2_API_KEY" in capsys.readouterr().err
    monkeypatch.setenv("S2_API_KEY", KEY)
    assert main([*arguments, "--out", str(tmp_path)]) == 0
    assert "papers: 2 files" in capsys.readouterr().out
