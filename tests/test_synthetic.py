"""The invented world resembles the real one where it matters, and says that it is invented."""

import datetime as dt
import json
import re
from collections import Counter
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from graphniah_inspect.citations.paper import TITLE_CLOSE, TITLE_OPEN, clean_title, title_key
from graphniah_inspect.citations.text import BLOCK_HEADING
from graphniah_inspect.cli import main
from graphniah_inspect.errors import UserError
from graphniah_inspect.invented.invent import invent_shards, invent_snapshot
from graphniah_inspect.invented.prose import PASSAGE_WORDS, prose, write_prose
from graphniah_inspect.invented.prose_grammars import BOOKS, CODE, ESSAYS, WIKIPEDIA
from graphniah_inspect.invented.synthetic import World
from graphniah_inspect.invented.titles import coined_name
from graphniah_inspect.snapshots.ingest import FILES, ingest
from graphniah_inspect.snapshots.paper_rules import Rules
from graphniah_inspect.snapshots.shards import find_shards
from graphniah_inspect.snapshots.snapshot import CITES, Snapshot

CUTOFF = dt.date(2026, 4, 1)
N = 20_000


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    out = tmp_path_factory.mktemp("world") / "snapshot"
    invent_snapshot(N, out, cutoff=CUTOFF)
    return Snapshot.open(out)


def test_titles_are_clean_and_no_two_alike(snapshot: Snapshot) -> None:
    titles = [snapshot.title(i) for i in range(N)]
    assert max(Counter(map(title_key, titles)).values()) == 1
    assert all(clean_title(title) == title and "{" not in title for title in titles)
    assert len({coined_name(i) for i in range(300_000)}) == 300_000


def test_papers_say_that_they_are_invented(snapshot: Snapshot) -> None:
    for paper in snapshot.papers(range(0, N, 7)):
        assert not paper.venue or re.search("Invented|Imagined|Fictional|Unheld", paper.venue)
        assert not paper.doi or paper.doi.startswith("10.5555/invented.")
        assert not paper.arxiv or paper.arxiv.startswith("9999.")
        assert paper.authors
    assert snapshot.manifest["release"] == "invented"


def test_dates_lie_on_both_sides_of_the_cutoff(snapshot: Snapshot) -> None:
    cutoff = (CUTOFF - dt.date(1970, 1, 1)).days
    assert (snapshot.recent == (snapshot.date >= cutoff)).all()
    assert 0.65 < snapshot.recent.mean() < 0.85
    assert set(np.unique(snapshot.year)) == {2025, 2026, 2027}
    assert 0 < (snapshot.date == -1).mean() < 0.05


def test_citations_follow_a_power_law_and_mostly_time_and_topic(snapshot: Snapshot) -> None:
    world = World(N, 1, CUTOFF)
    row = np.repeat(np.arange(N), np.diff(snapshot.indptr))
    citing, cited = row[snapshot.direction & CITES > 0], snapshot.indices[snapshot.direction & CITES > 0]
    collected = np.sort(np.bincount(cited, minlength=N))[::-1]
    assert collected[0] > 40 * collected.mean()
    assert 0.15 < collected[: N // 100].sum() / collected.sum() < 0.6, "the first hundredth, as in citation data"
    tail = collected[collected >= 20]
    exponent = 1 + len(tail) / np.log(tail / 19.5).sum()
    assert 2.0 < exponent < 3.5
    assert 0.005 < (world.day[citing] < world.day[cited]).mean() < 0.02, "a few cite newer papers"
    assert 0.75 < (world.topic[citing] == world.topic[cited]).mean() < 0.95

    words = [set(title_key(snapshot.title(i)).split()) for i in range(N)]

    def likeness(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.mean([len(words[i] & words[j]) / len(words[i] | words[j]) for i, j in zip(a, b, strict=True)]))

    some = np.random.default_rng(0).integers(0, len(citing), 3000)
    assert likeness(citing[some], cited[some]) > 2 * likeness(citing[some], np.roll(cited[some], 1))


def test_recent_papers_hang_together(snapshot: Snapshot) -> None:
    recent = np.flatnonzero(snapshot.recent)
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(recent)
    keep = set(recent.tolist())
    graph.add_edges_from((i, j) for i in keep for j in snapshot.neighbours(i).tolist() if j in keep)
    assert len(max(nx.connected_components(graph), key=len)) > 0.9 * len(recent)


def test_a_world_is_the_same_whether_invented_or_read_from_its_bulk_files(snapshot: Snapshot, tmp_path: Path) -> None:
    invent_shards(N, tmp_path, cutoff=CUTOFF, shards=3)
    papers, citations = (find_shards([str(tmp_path / name)]) for name in ("papers", "citations"))
    ingest(papers, citations, tmp_path / "out", Rules(CUTOFF, keep_older=True))
    for name in FILES:
        assert (tmp_path / "out" / name).read_bytes() == (snapshot.path / name).read_bytes(), name


def test_the_seed_decides(tmp_path: Path) -> None:
    ids = {
        (seed, copy): invent_snapshot(500, tmp_path / f"{seed}-{copy}", cutoff=CUTOFF, seed=seed)["id"]
        for seed in (1, 2)
        for copy in (1, 2)
    }
    assert ids[1, 1] == ids[1, 2]
    assert ids[2, 1] == ids[2, 2]
    assert ids[1, 1] != ids[2, 1]
    with pytest.raises(UserError, match="at least 1"):
        invent_snapshot(0, tmp_path / "none", cutoff=CUTOFF)
    assert invent_snapshot(1, tmp_path / "one", cutoff=CUTOFF)["papers"] == 1
    assert Snapshot.open(tmp_path / "one").neighbours(0).tolist() == []


@pytest.mark.parametrize("kind", ["code", "essays", "books", "wikipedia"])
def test_prose_is_text_of_its_kind(kind: str) -> None:
    documents = list(prose(kind, 400_000, seed=3))
    texts = [text for _, text in documents]
    assert texts == [text for _, text in prose(kind, 400_000, seed=3)]
    assert texts[0] != next(iter(prose(kind, 1, seed=4)))[1]
    together = "\n".join(texts)
    assert 400_000 <= len(together) < 450_000
    assert BLOCK_HEADING.strip() not in together
    assert not set(together) & {TITLE_OPEN, TITLE_CLOSE}
    if kind == "code":
        assert all(text.count("{") == text.count("}") > 10 for text in texts)
        assert "<%" not in together
        drivers = [text.split()[2].split("_")[0] for text in texts]
        assert all(text.count(f"{driver}_") > 20 for driver, text in zip(drivers, texts, strict=True))
        assert len(set(drivers)) > len(texts) / 2
    else:
        assert not set(together) & set("{}|=^")
        assert not re.search(r"\ba [aeio]", together)
    if kind == "wikipedia":
        assert all(20 < len(text.split()) <= PASSAGE_WORDS for text in texts)
    sentences = [s for s in re.split(r"(?<=[.?!;])\s+", together) if len(s) > 40]
    assert len(set(sentences)) > 0.8 * len(sentences), "not the same over and over"


@pytest.mark.parametrize("grammar", [CODE, ESSAYS, BOOKS, WIKIPEDIA])
def test_every_symbol_of_a_grammar_is_defined_and_used(grammar: dict[str, str]) -> None:
    named = {name for text in grammar.values() for name in re.findall(r"\{[=^]?(\w+)\}", text)}
    assert named <= set(grammar)
    for text in grammar.values():
        rest = re.sub(r"\{[=^]?\w+\}", "", text)
        assert "{" not in rest
        assert "}" not in rest


def test_the_command_invents_papers_and_prose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["ingest", "--synthetic", "300", "--seed", "7", "--out", str(tmp_path / "world")]
    assert main([*arguments, "--prose", str(tmp_path / "prose"), "--prose-size", "30KB"]) == 0
    assert "papers: 300 lines, 300 kept" in capsys.readouterr().out
    for kind in ("code", "essays", "books"):
        files = sorted((tmp_path / "prose" / kind).iterdir())
        assert sum(len(file.read_text(encoding="utf-8")) for file in files) >= 30_000
    lines = (tmp_path / "prose" / "wikipedia" / "passages.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(set(json.loads(line)) == {"id", "title", "text"} for line in lines)
    assert main([*arguments, "--papers", "x"]) == 2
    assert "leave out --papers" in capsys.readouterr().err
    write_prose(tmp_path / "again", 30 << 10, 7)
    assert (tmp_path / "again" / "code" / "00000.c").read_bytes() == (
        tmp_path / "prose" / "code" / "00000.c"
    ).read_bytes()
