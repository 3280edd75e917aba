"""Bulk files to a snapshot: what is kept, what is dropped and counted, and what survives a kill."""

import datetime as dt
import gzip
import json
import multiprocessing
import pickle
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from graphniah_inspect.citations.paper import Paper
from graphniah_inspect.cli import main
from graphniah_inspect.errors import UserError
from graphniah_inspect.invented.invent import invent_shards
from graphniah_inspect.snapshots import merge_citations, merge_papers, pool
from graphniah_inspect.snapshots import shards as shards_module
from graphniah_inspect.snapshots.ingest import FILES, Machine, ingest
from graphniah_inspect.snapshots.ingest_command import summary
from graphniah_inspect.snapshots.paper_rules import Rules
from graphniah_inspect.snapshots.shards import find_shards
from graphniah_inspect.snapshots.snapshot import CITED, CITES, NO_DATE, Snapshot

CUTOFF = dt.date(2026, 4, 1)
RULES = Rules(CUTOFF)


def paper(corpus_id: Any, title: str | None = None, date: str | None = "2026-05-01", **fields: Any) -> dict[str, Any]:
    return {
        "corpusid": corpus_id,
        "title": f"Paper number {corpus_id}" if title is None else title,
        "publicationdate": date,
        "year": int(date[:4]) if date else None,
        **fields,
    }


def cites(citing: Any, cited: Any) -> dict[str, Any]:
    return {"citationid": 1, "citingcorpusid": citing, "citedcorpusid": cited, "contexts": ["As [1] shows"]}


def write(file: Path, lines: Iterable[dict[str, Any] | str]) -> Path:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    data = text.encode()
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)
    return file


def snapshot_bytes(out: Path) -> dict[str, bytes]:
    return {name: (out / name).read_bytes() for name in FILES}


def check_counts(counts: dict[str, int]) -> None:
    """Every line is kept or dropped under one rule."""
    told_apart = ("lines", "recent", "undirected edges")
    assert counts["lines"] == sum(
        count for name, count in counts.items() if name not in told_apart and not name.startswith("note")
    )


def test_each_rule_drops_and_counts_its_lines(tmp_path: Path) -> None:
    papers = write(
        tmp_path / "papers.jsonl",
        [
            paper(
                30,
                "The &lt;i&gt;Effect&lt;/i&gt; of\nH<sub>2</sub>O &amp;amp; “ice”",
                authors=[{"authorId": "1", "name": "Ann  B.\tLee"}, {"name": None}, None, {"name": "Plato"}],
                venue="ignored",
                journal={"name": "Journal of\nIce", "pages": " 1-2 ", "volume": 7},
                externalids={"DOI": "10.1/x", "ArXiv": None, "MAG": 5},
            ),
            paper("20", venue="A venue", journal={"name": "", "pages": None, "volume": None}),
            paper(30, "The second of two with one id"),
            paper(10, date="2026-04-01", year=None, authors=[{"name": f"Author Number{i}"} for i in range(3000)]),
            paper(11, date="2026-03-31"),
            paper(12, date=None),
            paper(13, date="2026-02-30"),
            paper(None),
            paper("x1"),
            paper(-4),
            paper(14, " <i></i>&nbsp;"),
            paper(15, "?!"),
            paper(16, year=20260),
            "",
        ],
    )
    citations = write(
        tmp_path / "citations.jsonl",
        [
            cites(10, 20),
            cites("10", "20"),
            cites("20", "10"),
            cites(30, 10),
            cites(30, 30),
            cites(30, None),
            cites(None, 30),
            cites(30, "nothing"),
            cites(30, 11),
            cites(99, 30),
            cites(16, "20"),
        ],
    )
    manifest = ingest([papers], [citations], tmp_path / "out", RULES)
    counts = manifest["counts"]
    assert counts["papers"] == {
        "lines": 13,
        "malformed": 0,
        "no corpus id": 3,
        "no publicationdate": 2,
        "before the cutoff": 1,
        "no title": 2,
        "duplicate of an earlier line": 1,
        "kept": 4,
        "recent": 4,
        "note: title cleaned": 1,
        "note: over 20 authors, cut as APA does": 1,
        "note: unreadable year, taken as none": 1,
        "note: year taken from the publication date": 2,
    }
    assert counts["citations"] == {
        "lines": 11,
        "malformed": 0,
        "no citing id": 1,
        "no cited id": 2,
        "self-citation": 1,
        "an end not among the kept papers": 2,
        "repeated": 1,
        "kept": 4,
        "undirected edges": 3,
    }
    check_counts(counts["papers"])
    check_counts(counts["citations"])
    assert "             2  no cited id" in summary(manifest, tmp_path)

    snapshot = Snapshot.open(tmp_path / "out")
    assert snapshot.corpus_ids.tolist() == [10, 16, 20, 30]
    assert snapshot.paper(3) == Paper(
        30,
        'The Effect of H2O & "ice"',
        ("Ann B. Lee", "Plato"),
        2026,
        venue="Journal of Ice",
        volume="7",
        pages="1-2",
        doi="10.1/x",
    )
    assert snapshot.paper(2).venue == "A venue"
    many = snapshot.paper(0)
    assert many.year == 2026
    assert many.authors == (*(f"Author Number{i}" for i in range(20)), "Author Number2999")
    assert pq.read_table(tmp_path / "out" / "papers.parquet")["author_count"].to_pylist() == [3000, 0, 0, 2]
    assert pq.read_table(tmp_path / "out" / "citations.parquet").to_pylist() == [
        {"citingcorpusid": a, "citedcorpusid": b} for a, b in ((10, 20), (16, 20), (20, 10), (30, 10))
    ]
    assert [snapshot.neighbours(i).tolist() for i in range(4)] == [[2, 3], [2], [0, 1], [0]]
    assert snapshot.direction.tolist() == [CITES | CITED, CITED, CITES, CITES | CITED, CITED, CITES]
    assert not (tmp_path / "out" / "work").exists()


def test_older_papers_are_kept_only_when_asked_and_then_marked(tmp_path: Path) -> None:
    papers = write(
        tmp_path / "papers.jsonl",
        [paper(1), paper(2, date="1999-12-31"), paper(3, date=None), paper(4, date="2026-04-01")],
    )
    citations = write(tmp_path / "citations.jsonl", [cites(1, 2), cites(1, 3)])
    ingest([papers], [citations], tmp_path / "out", Rules(CUTOFF, keep_older=True))
    snapshot = Snapshot.open(tmp_path / "out")
    assert snapshot.recent.tolist() == [True, False, False, True]
    assert snapshot.date.tolist() == [(dt.date(2026, 5, 1) - dt.date(1970, 1, 1)).days, 10956, NO_DATE, 20544]
    assert [snapshot.paper(i).year for i in range(4)] == [2026, 1999, None, 2026]
    assert snapshot.neighbours(0).tolist() == [1, 2]


def test_a_year_counts_as_its_first_day(tmp_path: Path) -> None:
    papers = write(tmp_path / "papers.jsonl", [paper(y, date=None, year=y) for y in (2025, 2026, 2027)])
    citations = write(tmp_path / "citations.jsonl", [])
    ingest([papers], [citations], tmp_path / "out", Rules(CUTOFF, date_field="year"))
    assert Snapshot.open(tmp_path / "out").corpus_ids.tolist() == [2027]


def test_the_graph_is_that_of_the_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge_papers, "BATCH", 7)
    monkeypatch.setattr(merge_citations, "BATCH", 64)
    rng = np.random.default_rng(5)
    ids = rng.permutation(1000)[:300] + 1
    edges = rng.choice(ids[:250], (4000, 2)).tolist()
    papers = write(tmp_path / "papers.jsonl", [paper(int(i)) for i in ids])
    citations = write(tmp_path / "citations.jsonl.gz", [cites(a, b) for a, b in edges])
    ingest([papers], [citations], tmp_path / "out", RULES)
    snapshot = Snapshot.open(tmp_path / "out")
    wanted = {(a, b) for a, b in edges if a != b}
    found = {
        (int(snapshot.corpus_ids[i]), int(snapshot.corpus_ids[j]))
        for i in range(snapshot.n)
        for j, bits in zip(
            snapshot.neighbours(i), snapshot.direction[snapshot.indptr[i] : snapshot.indptr[i + 1]], strict=True
        )
        if bits & CITES
    }
    assert found == wanted
    for i in range(snapshot.n):
        row = snapshot.neighbours(i).tolist()
        assert row == sorted(set(row))
        assert all(i in snapshot.neighbours(j) for j in row)
        assert snapshot.paper(i).corpus_id == snapshot.corpus_ids[i]
        assert snapshot.index_of(int(snapshot.corpus_ids[i])) == i


def test_threads_and_sharding_change_no_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "ALONE", 1)
    invent_shards(3000, tmp_path / "four", cutoff=CUTOFF, shards=4)
    for name in ("papers", "citations"):
        lines = [gzip.decompress(s.read_bytes()) for s in find_shards([str(tmp_path / "four" / name)])]
        (tmp_path / f"{name}.jsonl").write_bytes(b"".join(lines))
    ingest([tmp_path / "papers.jsonl"], [tmp_path / "citations.jsonl"], tmp_path / "one", RULES)
    ingest(
        find_shards([str(tmp_path / "four" / "papers")]),
        find_shards([str(tmp_path / "four" / "citations" / "*.gz")]),
        tmp_path / "two",
        RULES,
        machine=Machine(threads=2),
    )
    assert snapshot_bytes(tmp_path / "one") == snapshot_bytes(tmp_path / "two")
    assert Snapshot.open(tmp_path / "one").id == Snapshot.open(tmp_path / "two").id
    ingest([tmp_path / "papers.jsonl"], [tmp_path / "citations.jsonl"], tmp_path / "older", Rules(dt.date(2026, 3, 1)))
    assert Snapshot.open(tmp_path / "older").id != Snapshot.open(tmp_path / "one").id


@pytest.mark.parametrize("name", ["papers.jsonl", "papers.jsonl.gz"])
@pytest.mark.parametrize(
    "bad",
    [
        '{"corpusid": 7, "title": "Cut o',
        '{"corpusid": 7, "title": "x"} {"corpusid": 8, "title": "y"}',
        '[{"corpusid": 7}]',
        '{"corpusid": 7}',
        '{"corpusid": 7, "title": "x", "authors": "Ann Lee"}',
        '{"corpusid": 7, "title": "\\ud800"}',
        '{"corpusid": 7.5, "title": "x"}',
    ],
)
def test_a_malformed_line_stops_with_its_number_or_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, bad: str
) -> None:
    monkeypatch.setattr(shards_module, "CHUNK", 4096)
    good = [paper(i) for i in range(100, 300)]
    papers = write(tmp_path / name, [*good[:150], "", bad, *good[150:]])
    citations = write(tmp_path / "citations.jsonl", [cites(100, 299)])
    with pytest.raises(UserError, match=rf"{name}, line 152: malformed .*--skip-malformed"):
        ingest([papers], [citations], tmp_path / "out", RULES)
    manifest = ingest([papers], [citations], tmp_path / "out", Rules(CUTOFF, skip_malformed=True))
    assert manifest["counts"]["papers"]["malformed"] == 1
    assert manifest["counts"]["papers"]["kept"] == 200
    check_counts(manifest["counts"]["papers"])


def test_a_line_that_is_mended_is_read_again(tmp_path: Path) -> None:
    papers = write(tmp_path / "papers.jsonl", [paper(1), paper(2)])
    citations = write(tmp_path / "citations.jsonl", ['{"citingcorpusid": 1}'])
    with pytest.raises(UserError, match=r"citations.jsonl, line 1: malformed .*citedcorpusid"):
        ingest([papers], [citations], tmp_path / "out", RULES)
    write(citations, [cites(1, 2), cites(3, 1)])
    write(papers, [paper(1), paper(2), paper(3)])
    ingest([papers], [citations], tmp_path / "out", RULES)
    assert Snapshot.open(tmp_path / "out").neighbours(0).tolist() == [1, 2]


def test_a_shard_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    whole = write(tmp_path / "p.jsonl.gz", [paper(i) for i in range(5000)]).read_bytes()
    cut = tmp_path / "cut.jsonl.gz"
    citations = write(tmp_path / "citations.jsonl", [])
    for data in (whole[:-20], whole[:-4], whole[: len(whole) // 2], b""):
        cut.write_bytes(data)
        with pytest.raises(UserError, match=r"cut\.jsonl\.gz.*Download this shard again"):
            ingest([cut], [citations], tmp_path / "out", RULES)


def test_another_request_for_the_same_folder_is_refused(tmp_path: Path) -> None:
    papers = write(tmp_path / "papers.jsonl", [paper(1), paper(2)])
    citations = write(tmp_path / "citations.jsonl", [cites(1, 2)])
    out = tmp_path / "out"
    first = ingest([papers], [citations], out, RULES)
    assert ingest([papers], [citations], out, RULES) == first
    with pytest.raises(UserError, match="begun with cutoff '2026-04-01'; now it is '2026-04-02'"):
        ingest([papers], [citations], out, Rules(dt.date(2026, 4, 2)))
    same_content = ingest([papers], [citations], tmp_path / "later", Rules(dt.date(2026, 4, 2)))
    assert same_content["id"] != first["id"], "options belong to the identity"
    write(papers, [paper(1)])
    with pytest.raises(UserError, match=r"made from papers\.jsonl of"):
        ingest([papers], [citations], out, RULES)
    with pytest.raises(UserError, match="holds other files"):
        ingest([papers], [citations], tmp_path, RULES)
    with pytest.raises(UserError, match="No paper is left"):
        ingest([papers], [citations], tmp_path / "none", Rules(dt.date(2030, 1, 1)))


def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    invent_shards(6000, tmp_path, cutoff=CUTOFF, shards=1)
    papers, citations = tmp_path / "papers", tmp_path / "citations"
    for i in range(1, 4):
        for folder in (papers, citations):
            (folder / f"{folder.name}-{i:03d}.jsonl.gz").write_bytes(
                (folder / f"{folder.name}-000.jsonl.gz").read_bytes()
            )
    out = tmp_path / "killed"
    context: Any = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["graphniah_inspect.snapshots.ingest"])
    asked = (find_shards([str(papers)]), find_shards([str(citations)]), out, RULES)
    kept: dict[Path, int] = {}
    kills = 0
    for stop_at in ("papers-00001.json", "papers.merged.parquet", "citations-00002.json", "adjacency.parquet"):
        process = context.Process(target=ingest, args=asked)
        process.start()
        while process.is_alive() and not (out / "work" / stop_at).exists():
            time.sleep(0.001)
        process.kill()
        process.join()
        if process.exitcode == 0:
            break
        kills += 1
        for file, written_at in kept.items():
            assert file.stat().st_mtime_ns == written_at, "done once"
        kept = {file: file.stat().st_mtime_ns for file in (out / "work").glob("*-*.json")}
    assert kills >= 2, "on a busy machine the last stops may be missed"
    ingest(*asked)
    assert not (out / "work").exists()
    ingest(find_shards([str(papers)]), find_shards([str(citations)]), tmp_path / "whole", RULES)
    assert snapshot_bytes(out) == snapshot_bytes(tmp_path / "whole")
    assert (out / "manifest.json").read_bytes() == (tmp_path / "whole" / "manifest.json").read_bytes()


def test_a_snapshot_that_is_not_whole_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no manifest"):
        Snapshot.open(tmp_path)
    papers = write(tmp_path / "papers.jsonl", [paper(1), paper(2)])
    citations = write(tmp_path / "citations.jsonl", [cites(1, 2)])
    out = tmp_path / "out"
    ingest([papers], [citations], out, RULES)
    again = pickle.loads(pickle.dumps(Snapshot.open(out)))
    assert (again.id, again.title(1)) == (Snapshot.open(out).id, "Paper number 2")
    with pytest.raises(IndexError):
        again.paper(-1)
    records = (out / "records.jsonl").read_bytes()
    (out / "records.jsonl").write_bytes(records[:-1])
    with pytest.raises(UserError, match=rf"expected {len(records)} bytes, found {len(records) - 1}"):
        Snapshot.open(out)
    (out / "manifest.json").write_text('{"format": 99}', encoding="utf-8")
    with pytest.raises(UserError, match="format 99"):
        Snapshot.open(out)


def test_the_command_on_real_records(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = shared / "data"
    anthology, samples = data / "aan", data / "s2ag_samples"
    arguments = ["ingest", "--threads", "1", "--papers", str(anthology / "papers.jsonl.gz")]
    arguments += ["--citations", str(anthology / "citations.jsonl.gz"), "--cutoff", "1990-01-01"]
    assert main([*arguments, "--out", str(tmp_path / "aan"), "--date-field", "year"]) == 0
    said = capsys.readouterr().out
    assert "papers: 15,015 lines, 13,795 kept" in said
    assert "1,220  before the cutoff" in said
    snapshot = Snapshot.open(tmp_path / "aan")
    assert snapshot.indptr[-1] == len(snapshot.indices) == 2 * 75_438
    assert int(snapshot.year.min()) == 1990
    arguments = ["ingest", "--threads", "1", "--papers", str(samples / "papers.jsonl"), "--keep-older"]
    arguments += ["--citations", str(samples / "cit*.jsonl"), "--cutoff", "2026-04-01"]
    assert main([*arguments, "--out", str(tmp_path / "s2")]) == 0
    said = capsys.readouterr().out
    assert "papers: 100 lines, 100 kept" in said
    assert "            23  no cited id" in said
    assert "warning: no citation joins" in said
