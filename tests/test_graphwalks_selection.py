"""What the GraphWalks tasks select, what they refuse, token counts, answers, the pinned commit."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from inspect_ai._util.error import PrerequisiteError

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks import source, tokens
from graphniah_inspect.graphwalks.bands import LONG_FILE, SHORT_FILE, bands_of, truth_size_band
from graphniah_inspect.graphwalks.samples import record_to_sample
from graphniah_inspect.graphwalks.selection import Chosen
from graphniah_inspect.graphwalks.source import PUBLISHED, REVISION, open_source
from graphniah_inspect.tasks import graphwalks, graphwalks_bfs, graphwalks_parents
from tests import test_hub
from tests.graphwalks_data import ids, plain_file, record, sha256_of


def test_types_and_ids_stay_whatever_is_selected() -> None:
    everything = ids(graphwalks(dataset="sample"))
    assert everything[0] == "bfs-0000" and len(set(everything)) == 24
    assert ids(graphwalks_bfs(dataset="sample")) == [one for one in everything if one.startswith("bfs")]
    assert ids(graphwalks_parents(dataset="sample")) == [one for one in everything if one.startswith("parents")]
    deep = graphwalks_bfs(dataset="sample", depth=["3", "4"])  # type: ignore[list-item]  # as -T depth=3,4 arrives
    assert 0 < len(deep.dataset) < 12 and set(ids(deep)) < set(everything)
    assert {(sample.metadata or {})["depth"] for sample in deep.dataset} == {3, 4}
    assert ids(graphwalks(dataset="sample", depth=3)) == ids(graphwalks_bfs(dataset="sample", depth=3))


def test_token_limits_take_both_ends_and_are_inclusive() -> None:
    counts = {str(s.id): (s.metadata or {})["tokens"] for s in graphwalks(dataset="sample").dataset}
    exact = counts["bfs-0001"]
    assert "bfs-0001" in ids(graphwalks(dataset="sample", min_tokens=exact, max_tokens=exact))
    assert "bfs-0001" not in ids(graphwalks(dataset="sample", min_tokens=exact + 1))
    assert "bfs-0001" not in ids(graphwalks(dataset="sample", max_tokens=exact - 1))
    for limit in ("2k", "0.002m", 2000):
        chosen = graphwalks(dataset="sample", max_tokens=limit)
        assert ids(chosen) == [one for one in counts if counts[one] <= 2000]
        assert record(chosen)["max_tokens"] == 2000
    assert len(graphwalks(dataset="sample", band="0-128k").dataset) == 24


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_tokens": True}, "min_tokens=True is no number"),
        ({"max_tokens": [1, 2]}, "is no number"),
        ({"max_tokens": -1}, "is no number"),
        ({"max_tokens": "8k tokens"}, "is no number"),
        ({"max_tokens": "0.0001k"}, "is no number"),
        ({"max_tokens": 1.5}, "is no number"),
        ({"min_tokens": "8k", "max_tokens": "4k"}, "above max_tokens"),
        ({"tokenizer": "gpt-9"}, "Known: .*o200k_base"),
        ({"tokenizer": False}, "Known: .*o200k_base"),
        ({"band": "128k"}, "Known: 0-128k, 256k, 1m, 256k-1m"),
        ({"band": ["256k", "1m"]}, "Known: 0-128k, 256k, 1m, 256k-1m"),
        ({"band": "1m"}, "No problem is selected.*bands"),
        ({"depth": 0}, "no depth"),
        ({"depth": True}, "no depth"),
        ({"depth": "2k"}, "no depth"),
        ({"depth": ["2", True]}, "no depth"),
        ({"depth": []}, "no depth"),
        ({"depth": 99}, "No problem is selected.*depths"),
        ({"min_tokens": "1m"}, "No problem is selected.*tokens"),
        ({"grader": False}, "Known: openai, lm-eval, lm-eval-flexible, openbench, tolerant"),
        ({"grader": "strict"}, "Known: openai, lm-eval, lm-eval-flexible, openbench, tolerant"),
        ({"answers": None}, "Known: published, recomputed"),
        ({"dataset": None}, "not a name"),
        ({"dataset": "no/such/path.parquet"}, "no such file"),
        ({"dataset": "nowhere"}, "no such file"),
        ({"revision": "main"}, "is for data on the hub"),
        ({"revision": 1234567}, "Quote what you meant"),
    ],
)
def test_what_cannot_be_meant_is_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(PrerequisiteError, match=f"(?s){message}"):
        graphwalks(**{"dataset": "sample", **parameters})


def test_bands_are_the_published_clusters() -> None:
    assert bands_of(SHORT_FILE, [10, 10**7]) == ["0-128k", "0-128k"]
    assert bands_of(LONG_FILE, [437_000, 1_750_000, 436_000, 1_752_000]) == ["256k", "1m", "256k", "1m"]
    with pytest.raises(UserError, match="without a leap"):
        bands_of(LONG_FILE, [437_000, 436_000])
    assert bands_of("mine.parquet", [2_000, 220_000, 437_000, 1_750_000]) == ["0-128k", "0-128k", "256k", "1m"]
    assert [truth_size_band(size) for size in (0, 1, 2, 9, 10, 99, 100, 999, 1000, 6940)] == [
        "0", "1", "2-9", "2-9", "10-99", "10-99", "100-999", "100-999", "1000+", "1000+",
    ]  # fmt: skip


# ---- token counts


def test_tokens_are_counted_once_and_an_interrupted_count_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = plain_file(tmp_path)
    assert "tokens" not in (graphwalks(dataset=str(path)).dataset[0].metadata or {})
    counted: list[str] = []
    real = tokens.count

    def count(text: str, encoding: Any) -> int:
        if len(counted) == 3:
            raise KeyboardInterrupt
        counted.append(text)
        return real(text, encoding)

    monkeypatch.setattr(tokens, "count", count)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    with pytest.raises(KeyboardInterrupt):
        graphwalks(dataset=str(path), min_tokens=0)
    assert len(counted) == 3
    [stored] = (tmp_path / "cache").rglob("*.tokens.jsonl")
    with stored.open("ab") as file:
        file.write(b"\n[7, 12")  # torn by a crash
    rest: list[str] = []

    def count_rest(text: str, encoding: Any) -> int:
        rest.append(text)
        return real(text, encoding)

    monkeypatch.setattr(tokens, "count", count_rest)
    task = graphwalks(dataset=str(path), min_tokens=0)
    assert len(task.dataset) == 8
    assert sorted(counted + rest) == sorted(json.loads(line)["prompt"] for line in path.open(encoding="utf-8"))
    monkeypatch.setattr(tokens, "count", lambda *_: pytest.fail("counted again"))
    again = graphwalks(dataset=str(path), max_tokens="1k")
    assert [s.metadata for s in again.dataset] == [s.metadata for s in task.dataset]
    # With the counts at hand they are shown without limits too.
    assert (graphwalks(dataset=str(path)).dataset[0].metadata or {})["tokens"] <= 700


def test_special_tokens_count_as_text() -> None:
    assert tokens.count("<|endoftext|>", tokens.encoding("o200k_base")) > 1


def test_counts_of_another_file_are_not_taken(tmp_path: Path) -> None:
    path = plain_file(tmp_path)
    tokens.write_counts(path, "0" * 64, "o200k_base", [1] * 8)
    assert "tokens" not in (graphwalks(dataset=str(path)).dataset[0].metadata or {})


# ---- answers


def test_recomputed_answers_mend_planted_faults_and_are_counted(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in source.SAMPLE_FILE.read_text(encoding="utf-8").splitlines()]
    right = [list(row["answer_nodes"]) for row in rows]
    rows[1]["answer_nodes"].append("0" * 10)
    rows[5]["answer_nodes"].reverse()
    rows[5]["answer_nodes"] += rows[5]["answer_nodes"]
    path = tmp_path / "faulty.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    task = graphwalks(dataset=str(path), answers="recomputed")
    assert record(task)["recomputed"] == {"differ_from_published": 1, "first_that_differ": ["bfs-0001"]}
    assert [json.loads(str(sample.target)) for sample in task.dataset] == right
    published = graphwalks(dataset=str(path))
    assert json.loads(str(published.dataset[1].target)) == rows[1]["answer_nodes"]
    assert record(published)["recomputed"] is None


def test_record_to_sample_is_flat() -> None:
    problem = open_source("sample").problems[1]
    sample = record_to_sample(Chosen(problem, problem.row.truth, 1991))
    assert sample.id == "bfs-0001"
    assert sample.input == problem.row.operation.text  # type: ignore[union-attr]
    assert sample.metadata == {
        "problem_type": "bfs",
        "band": "0-128k",
        "depth": 3,
        "truth_size": 6,
        "truth_size_band": "2-9",
        "prompt_chars": problem.row.chars,
        "prompt_tokens_min": problem.row.chars // 2,
        "wording": "2026",
        "date_added": "generated",
        "file": "sample.jsonl",
        "row": 1,
        "tokens": 1991,
    }


def test_the_pinned_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Files at the pinned commit must have the published hashes; other commits are taken and their hash recorded."""
    from graphniah_inspect.hub import HubFile

    path = plain_file(tmp_path).rename(tmp_path / "plain2.jsonl")
    asked: list[tuple[str, str | None, str]] = []

    def download(dataset: str, revision: str | None, name: str) -> HubFile:
        asked.append((dataset, revision, name))
        return HubFile(path, revision if revision and len(revision) == 40 else "c" * 40, None)

    monkeypatch.setattr(source, "download", download)
    with pytest.raises(PrerequisiteError, match="not the published file"):
        graphwalks(band="0-128k")
    assert asked == [(PUBLISHED, REVISION, SHORT_FILE)]
    asked.clear()
    task = graphwalks(revision="main")
    # The second file comes from the commit that the first one resolved to.
    assert asked == [(PUBLISHED, "main", SHORT_FILE), (PUBLISHED, "c" * 40, LONG_FILE)]
    assert record(task)["resolved_revision"] == "c" * 40
    assert ids(task)[-1] == "parents-0007"
    monkeypatch.setattr(source, "PUBLISHED_SHA256", dict.fromkeys((SHORT_FILE, LONG_FILE), sha256_of(path)))
    assert len(graphwalks(band="0-128k").dataset) == 8


hub = test_hub.hub


def test_the_published_file_through_the_real_client(
    hub: test_hub.Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_hub, "DATASET", PUBLISHED)
    hub.content = plain_file(tmp_path).read_bytes()
    hub.revisions = {"main": test_hub.COMMIT, REVISION: REVISION}
    with pytest.raises(PrerequisiteError, match="not the published file"):
        graphwalks(band="0-128k")
    # Any other commit is taken; the hub's own hash of it is what is checked.
    rows = [json.loads(line) for line in hub.content.splitlines()]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    hub.content = (tmp_path / "rows.parquet").read_bytes()
    task = graphwalks(band="0-128k", revision="main")
    assert len(task.dataset) == 8
    assert record(task)["resolved_revision"] == test_hub.COMMIT
    assert record(task)["files"] == [{"name": SHORT_FILE, "sha256": sha256_of(tmp_path / "rows.parquet"), "rows": 8}]
    with pytest.raises(PrerequisiteError, match="no such revision"):
        graphwalks(band="0-128k", revision="missing")
    downloaded = sum(method == "GET" for method, _, _ in hub.requests)
    graphwalks_bfs(band="0-128k", revision="main")
    assert sum(method == "GET" for method, _, _ in hub.requests) == downloaded
