"""Plans and pieces: what is decided before an example is made, and the parts it is made with."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphniah_inspect.build.backbone import backbone_length, draw_group
from graphniah_inspect.build.balance import AFTER_GROWTH, Look, as_alike, how_alike
from graphniah_inspect.build.distractors import Document, pieces
from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.graph import CitationGraph, Taken
from graphniah_inspect.build.growth import grow
from graphniah_inspect.build.length import token_counter
from graphniah_inspect.build.plan import Variables, make_plan
from graphniah_inspect.build.question import ask
from graphniah_inspect.build.settings import FORMATS, Settings
from graphniah_inspect.build.similarity import TitleWords, cosine
from graphniah_inspect.build.subgraph import draw_subgraph
from graphniah_inspect.build.text_fill import cut_block, text_fill
from graphniah_inspect.build.text_pool import TextPool, write_pool
from graphniah_inspect.citations.paper import title_key
from graphniah_inspect.citations.text import contains_delimiter, render_distractor
from graphniah_inspect.errors import UserError
from graphniah_inspect.snapshots.snapshot import Snapshot
from tests.build_world import SMALL, World, world

__all__ = ["world"]

WORDS = "the quick brown fox jumps over a lazy dog while reading about attention in small graphs of old papers"
POOL_IDS = dict.fromkeys(("code", "essays", "books", "wikipedia"), "0" * 64)


def test_draws_never_change() -> None:
    draws = Draws(1, 2)
    assert [draws.below(1000) for _ in range(4)] == [311, 430, 531, 360]
    assert draws.permutation(6).tolist() == [1, 0, 3, 5, 2, 4]


def test_a_full_plan_has_the_published_size() -> None:
    published = replace(Settings(), none_lists=("one", "two", "three"))
    plan = make_plan(published, "2026-04-01", "snapshot", POOL_IDS)
    assert sum(len(experiment.qids) for experiment in plan.lists) == 9_800
    # the range that this project worked out; the published file has 8,686
    assert 8_676 <= plan.rows <= 8_727


def test_labels_balance_in_every_list_and_prefix() -> None:
    plan = make_plan(Settings(per_value=60), "2026-04-01", "snapshot", POOL_IDS)
    jobs = {job.qid: job.variables for job in plan.jobs}
    for experiment in plan.lists[:5]:
        for end in (len(experiment.qids) // 3, len(experiment.qids)):
            seen: dict[tuple[object, str], Counter[str | None]] = {}
            for value, qid in zip(experiment.values or [None] * end, experiment.qids[:end], strict=False):
                variables = jobs[qid]
                labels = seen.setdefault((value, variables.question_format), Counter())
                labels[variables.answer_condition] += 1
            for (_, kind), labels in seen.items():
                wanted = 2 if kind == FORMATS[0] else 4 if kind == FORMATS[1] else 1
                counts = [labels[label] for label in labels] + [0] * (wanted - len(labels))
                assert max(counts) - min(counts) <= 1


def test_equal_variables_in_two_lists_are_one_example() -> None:
    plan = make_plan(Settings(), "2026-04-01", "snapshot", POOL_IDS)
    shared = [job for job in plan.jobs if len(job.entries) > 1]
    assert shared
    assert all(len({entry["name"] for entry in job.entries}) == len(job.entries) for job in shared)
    repeated = [job for job in plan.jobs if job.variables.replicate]
    assert repeated
    assert len({job.variables for job in plan.jobs}) == len(plan.jobs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"depths": (4, 100)}, "298 papers"),
        ({"experiments": ("depth",)}, "Known: question-depth"),
        ({"distractor_types": ("prose",)}, "Known: code"),
        ({"components": 3}, "expected 4 to 8"),
        ({"context_lengths": (200_000,)}, "second, longer length"),
        ({"experiments": ("none-option",)}, "question-format too"),
        ({"node_counts": (5, 100)}, "smaller than the backbone"),
        ({"depths": (4, 4)}, "distinct"),
        ({"alpha": float("inf")}, "to a million"),
        ({"alpha": float("nan")}, "to a million"),
        ({"seed": 2**63}, "64 bits"),
        ({"none_lists": ("one", "../../elsewhere")}, "without"),
        ({"none_count": -1}, "at least 1"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        replace(Settings(), **change)  # type: ignore[arg-type]


def test_backbones_are_disjoint_walks(world: World) -> None:
    graph = CitationGraph(Snapshot.open(world.snapshot))
    for seed in range(10):
        taken = Taken(graph, lambda key: False)
        _, group = draw_group(graph, 4, backbone_length(5), 3, taken, Draws(seed))
        papers = [paper for path in group for paper in path]
        assert len(set(papers)) == len(papers) == 4 * 13
        assert all(b in graph.recent(a) for path in group for a, b in pairwise(path))
        assert len({graph.key(paper) for paper in papers}) == len(papers)


def test_growth_prefers_the_well_connected(world: World) -> None:
    graph = CitationGraph(Snapshot.open(world.snapshot))

    def spread(alpha: float) -> float:
        squares = []
        for seed in range(40):
            draws, taken = Draws(3, seed), Taken(graph, lambda key: False)
            _, (backbone,) = draw_group(graph, 1, 10, 3, taken, draws)
            tree = grow(graph, backbone, 60, alpha, taken, draws)
            assert tree is not None
            assert len(set(tree.papers)) == 60
            assert len(tree.citations) == 59
            degree = Counter(end for citation in tree.citations for end in citation)
            squares.append(sum(d * d for d in degree.values()))
            # every beginning of the construction is a tree as well
            assert {end for citation in tree.prefix(20).citations for end in citation} == set(tree.papers[:20])
        return float(np.mean(squares))

    assert spread(0.1) > 1.2 * spread(1e6)


def test_a_component_that_cannot_grow_takes_nothing(world: World) -> None:
    graph = CitationGraph(Snapshot.open(world.snapshot))
    taken, draws = Taken(graph, lambda key: False), Draws(1)
    _, (backbone,) = draw_group(graph, 1, 10, 3, taken, draws)
    assert grow(graph, backbone, 10_000, 0.1, taken, draws) is None
    assert [paper for paper in range(graph.snapshot.n) if paper in taken] == sorted(backbone)


def test_right_and_wrong_targets_look_alike(world: World) -> None:
    """Without balance the right target's title is nearer to s; with it, right and wrong come out even."""
    graph = CitationGraph(Snapshot.open(world.snapshot))
    words = TitleWords.count(graph.snapshot)

    def nearer(settings: Settings) -> float:
        won = 0.0
        for seed in range(150):
            draws, taken = Draws(2, seed), Taken(graph, lambda key: False)
            variables = Variables("reachability-counting", 3, 16, "code", 4_500, None)
            subgraph = draw_subgraph(graph, words, settings, variables, taken, draws)
            s, right = (words.vector(graph.paper(paper).title) for paper in (subgraph.path[0], subgraph.path[-1]))
            wrong = [t for place, t in enumerate(subgraph.targets) if place != subgraph.cast.source_component]
            for other in wrong:
                difference = cosine(s, right) - cosine(s, words.vector(graph.paper(other).title))
                won += (difference > 0) + (difference == 0) / 2
        return won / (150 * 3)

    assert nearer(replace(SMALL, balance=False, seed_hops=0)) > 0.6
    assert 0.4 < nearer(SMALL) < 0.57


def test_the_answer_plays_no_part_in_what_is_drawn(world: World) -> None:
    """YES and NO are two questions about one draw, so that s and all components are the same in distribution."""
    graph = CitationGraph(Snapshot.open(world.snapshot))
    words = TitleWords.count(graph.snapshot)
    for seed in range(5):
        asked = {}
        for label in ("YES", "NO"):
            draws, taken = Draws(3, seed), Taken(graph, lambda key: False)
            variables = Variables("reachability-yesno", 3, 16, "code", 4_500, label)
            subgraph = draw_subgraph(graph, words, SMALL, variables, taken, draws)
            question, answer, target = ask(subgraph, variables, lambda paper: graph.paper(paper).title, draws)
            assert answer == label
            asked[label] = subgraph, question.source, target
        (yes, source, right), (no, same_source, wrong) = asked["YES"], asked["NO"]
        assert (yes, source) == (no, same_source)
        assert right == yes.path[-1]
        assert wrong in {target for place, target in enumerate(yes.targets) if place != yes.cast.source_component}


@pytest.mark.parametrize(("listed", "fits"), [(3, True), (2, False), (4, False)])
def test_right_targets_list_as_many_papers_as_their_model(listed: int, fits: bool) -> None:
    """Words in common alone would let right targets with short lists through more often."""
    s, wrong = Look({"a": 1.0}, frozenset(), 2026, 1), Look({"b": 1.0}, frozenset(), 2026, 3)
    right = Look({"c": 1.0}, frozenset(), 2026, listed)
    assert as_alike(s, right, AFTER_GROWTH, how_alike(s, wrong, AFTER_GROWTH)) == fits


@pytest.fixture
def pool(tmp_path: Path) -> TextPool:
    words = WORDS.split()
    draws = Draws(4)
    texts = [" ".join(draws.choice(words) for _ in range(90)) for _ in range(29)]
    write_pool(tmp_path / "pool", [Document(f"d{i}", text) for i, text in enumerate(texts)], 300, Counter())
    return TextPool(tmp_path / "pool")


def test_titles_in_the_pool_are_found_as_whole_words(pool: TextPool) -> None:
    text = [f" {title_key(pool.block(i).removeprefix('### Document'))} " for i in range(pool.n)]
    words = text[0].split()
    for length in (1, 2, 3, 4, 7):
        assert pool.contains(" ".join(words[2 : 2 + length]))
    for absent in ("fo", "quick fox quick", "graphs of attention", "uick brown", "attention is all you need"):
        assert not any(f" {absent} " in block for block in text)
        assert not pool.contains(absent)


def test_text_fills_to_the_token_and_repeats_only_when_allowed(pool: TextPool) -> None:
    count = token_counter()
    for budget in (30, 100, 777, pool.total - 200):
        blocks, tokens = text_fill(pool, budget, Draws(budget), count)
        assert tokens == count("".join(block.text for block in blocks))
        assert budget - 20 <= tokens <= budget
        assert len({block.text for block in blocks}) == len(blocks)
    with pytest.raises(Exception, match="used up"):
        text_fill(pool, pool.total + 1, Draws(1), count)
    assert text_fill(pool, 2 * pool.total, Draws(1), count, allow_repeats=True)[1] >= 2 * pool.total - 20


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=900), st.integers(1, 60))
def test_pieces_keep_the_words_and_never_hold_a_delimiter(text: str, size: int) -> None:
    found = list(pieces(Document("x", text), 200 + size, Counter()))
    assert all(len(piece) <= 201 + size and piece.strip() and not contains_delimiter(piece) for piece in found)
    if "#" not in text and not any("\ud800" <= c <= "\udfff" for c in text):
        assert "".join("".join(found).split()) == "".join(text.replace("\x00", "").split())


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400), st.integers(0, 200))
def test_a_cut_block_begins_as_the_block_and_fits(text: str, budget: int) -> None:
    count = token_counter()
    block = render_distractor(text.replace("\ud800", ""))
    cut = cut_block(block, budget, count)
    assert not cut or (count(cut) <= budget and block.startswith(cut.rstrip()) and cut.endswith("\n\n"))
