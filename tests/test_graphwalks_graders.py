"""The five graders of GraphWalks: probes, properties, and time on hostile text."""

import doctest
import json
import re
import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphniah_inspect.graphwalks import graders
from graphniah_inspect.graphwalks.graders import GRADERS, grade
from graphniah_inspect.graphwalks.truth import answer_text

NAMES = ("openai", "lm-eval", "lm-eval-flexible", "openbench", "tolerant")

# response, truth, F1 by each grader in the order of NAMES
PROBES: list[tuple[str, list[str], tuple[float, ...]]] = [
    ("Final Answer: [b, a]", ["a", "b"], (1, 1, 1, 1, 1)),
    ("Final Answer: [a, b, c]", ["a"], (0.5, 0.5, 0.5, 0.5, 0.5)),
    ("Final Answer: [a, b]\n", ["a", "b"], (0, 1, 1, 0, 1)),
    ("Final Answer: [a, b]\n\n\n", ["a", "b"], (0, 1, 1, 0, 1)),
    ("Final Answer: [a, b]\r\n", ["a", "b"], (0, 1, 1, 0, 1)),
    ("Final Answer: [a, b]\n ", ["a", "b"], (0, 0, 1, 0, 1)),
    ("Final Answer: [a, b] ", ["a", "b"], (1, 1, 1, 1, 1)),
    ("Final Answer: [a, b].", ["a", "b"], (1, 1, 1, 0, 1)),
    ("Final Answer: [a, b]\nThat is all.", ["a", "b"], (0, 0, 1, 0, 1)),
    ("Final Answer: [a, b] and not [c]", ["a", "b"], (0.5, 0.5, 0.5, 0.5, 1)),
    ("Final Answer: [x]\nNo.\nFinal Answer: [a]", ["a"], (1, 1, 1, 1, 1)),
    ("[x] Final Answer: [a]", ["a"], (0, 1, 1, 1, 1)),
    ("[a, b] is my Final Answer: see above", ["a", "b"], (1, 0, 0, 0, 0)),
    ("Final Answer: my nodes are [a, b]", ["a", "b"], (1, 0, 0, 0, 0)),
    ("Final Answer: [[a, b]]", ["a", "b"], (1, 0, 0, 0, 1)),
    ("Final Answer: ['a', \"b\"]", ["a", "b"], (0, 1, 1, 0, 1)),
    ("Final Answer: [''a'', b]", ["a", "b"], (0.5, 0.5, 0.5, 0.5, 1)),
    ("Final Answer: [`a`, `b`]", ["a", "b"], (0, 0, 0, 0, 1)),
    ("final answer: [a, b]", ["a", "b"], (0, 0, 0, 1, 1)),
    ("FINAL ANSWER: [A]", ["a"], (0, 0, 0, 0, 0)),
    ("Final Answer : [a, b]", ["a", "b"], (0, 0, 0, 0, 1)),
    ("**Final Answer:** [a, b]", ["a", "b"], (1, 0, 0, 0, 1)),
    ("**Final Answer: [a, b]**", ["a", "b"], (1, 1, 1, 0, 1)),
    ("**Final Answer**: `[a, b]`.", ["a", "b"], (0, 0, 0, 0, 1)),
    ("### Final Answer:\n\n[a,\n b]", ["a", "b"], (0, 0, 0, 0, 1)),
    ("Final Answer:\n```\n[a, b]\n```", ["a", "b"], (0, 0, 0, 0, 1)),
    ('Final Answer:\n```json\n["a", "b"]\n```', ["a", "b"], (0, 0, 0, 0, 1)),
    ("Final Answer: \\boxed{[\\text{a}, \\text{b}]}", ["a", "b"], (0, 0, 0, 0, 1)),
    ("Final Answer: [a, '']", ["a"], (2 / 3, 2 / 3, 2 / 3, 2 / 3, 1)),
    ("\\boxed{Final Answer: [a, b]}", ["a", "b"], (1, 1, 1, 0, 1)),
    ("Final Answer: \\boxed{[a, b]}", ["a", "b"], (1, 0, 0, 0, 1)),
    ("$$\\boxed{\\text{Final Answer: } [a, b]}$$", ["a", "b"], (1, 0, 0, 0, 1)),
    ("So it is\n[a, b]", ["a", "b"], (0, 0, 0, 0, 1)),
    ("So it is\n**[a, b]**.\n", ["a", "b"], (0, 0, 0, 0, 1)),
    ("So it is [a, b]", ["a", "b"], (0, 0, 0, 0, 0)),
    ("[a, b]\nSo it is.", ["a", "b"], (0, 0, 0, 0, 0)),
    ("[a] [b]", ["a", "b"], (0, 0, 0, 0, 0)),
    ("Final Answer: [a]\nFinal Answer: [a, b", ["a"], (0, 0, 1, 0, 0)),
    ("Final Answer: [a, b", ["a", "b"], (0, 0, 0, 0, 0)),
    ("Final Answer: ]a, b[", ["a", "b"], (0, 0, 0, 0, 0)),
    ("Final Answer: a, b", ["a", "b"], (0, 0, 0, 0, 0)),
    ("Final Answer:\u00a0[a, b]", ["a", "b"], (1, 1, 1, 1, 1)),
    ("Final Answer: [a,, b, ]", ["a", "b"], (1, 1, 1, 1, 1)),
    ("Final Answer: []", [], (1, 0, 0, 1, 1)),
    ("Final Answer: [ ]", [], (1, 0, 0, 1, 1)),
    ("Final Answer: []", ["a"], (0, 0, 0, 0, 0)),
    ("Final Answer: [a]", [], (0, 0, 0, 0, 0)),
    ("No such nodes.", [], (0, 0, 0, 1, 0)),
    ("", [], (0, 0, 0, 1, 0)),
    ("", ["a"], (0, 0, 0, 0, 0)),
]


@pytest.mark.parametrize(("response", "truth", "values"), PROBES)
def test_probes(response: str, truth: list[str], values: tuple[float, ...]) -> None:
    found = tuple(round(grade(response, truth, GRADERS[name]).f1, 6) for name in NAMES)
    assert found == pytest.approx(values), dict(zip(NAMES, found, strict=True))


def test_given_probes(shared: Path) -> None:
    lines = (shared / "cases" / "graphwalks_graders.jsonl").read_text(encoding="utf-8").splitlines()
    probes = [json.loads(line) for line in lines if line]
    assert len(probes) > 20
    for probe in probes:
        for name in NAMES[:4]:
            found = grade(probe["response"], probe["gold"], GRADERS[name])
            assert found.f1 == pytest.approx(probe[name]), (probe["probe"], name)


def test_the_examples_of_the_documentation() -> None:
    result = doctest.testmod(graders)
    assert result.attempted >= 3 and result.failed == 0


def test_values() -> None:
    graded = grade("Final Answer: [a, b, c, d]", ["a", "b", "e"], GRADERS["openai"])
    assert (graded.precision, graded.exact) == (0.5, 0.0)
    assert graded.recall == pytest.approx(2 / 3)
    assert graded.f1 == pytest.approx(2 * 0.5 * (2 / 3) / (0.5 + 2 / 3))
    assert grade("Final Answer: [a, b, c]", ["a", "b"], GRADERS["openai"]).exact == 0.0
    exact = grade("Final Answer: [b, a, a]", ["a", "b"], GRADERS["openai"])
    assert (exact.f1, exact.precision, exact.recall, exact.exact) == (1.0, 1.0, 1.0, 1.0)


def test_parsed_as_empty_and_not_parsed_stay_apart() -> None:
    for name in NAMES:
        assert grade("Final Answer: []", [], GRADERS[name]).nodes == frozenset()
        assert grade("None.", [], GRADERS[name]).nodes is None


@given(st.text() | st.text(alphabet="[]{},: \n\r\\*`'\"aAFinal Answer"), st.lists(st.text(max_size=3)))
def test_any_text_is_graded(response: str, truth: list[str]) -> None:
    for name in NAMES:
        graded = grade(response, truth, GRADERS[name])
        for value in (graded.f1, graded.precision, graded.recall, graded.exact):
            assert 0.0 <= value <= 1.0
        assert graded.exact in (0.0, 1.0)
        assert (graded.f1 == 1.0) == (graded.exact == 1.0)


def by_plain_expressions(response: str, name: str) -> set[str] | None:
    """The published readers as they would be written without a thought for time."""
    lines = {
        "openai": [response.split("\n")[-1]],
        "openbench": [response.split("\n")[-1]],
        "lm-eval": [response.rstrip("\n").split("\n")[-1]],
        "lm-eval-flexible": response.split("\n")[::-1],
    }[name]
    pattern, flags = {
        "openai": (r"\[(.*)\]", 0),
        "openbench": (r"Final Answer:\s*\[(.*)\]\s*$", re.IGNORECASE),
    }.get(name, (r"Final Answer:\s*\[(.*)\]", 0))
    for line in lines:
        found = re.search(pattern, line, flags)
        if found and (name != "openai" or "Final Answer:" in line):
            inner = found[0].strip("[]") if name == "openai" else found[1]
            return {part.strip() for part in inner.split(",") if part.strip()}
    return None


PIECES = st.lists(st.sampled_from(["Final Answer:", "final answer:", "[", "]", "a", ",", " ", "\n", "\r", "\t", "*"]))


@given(PIECES.map("".join))
@settings(max_examples=500)
def test_the_linear_readers_read_what_plain_expressions_read(response: str) -> None:
    for name in NAMES[:4]:
        found = GRADERS[name].read(response)
        assert found == by_plain_expressions(response, name), name


IDS = st.text(alphabet="0123456789abcdef", min_size=10, max_size=10)


@given(st.lists(IDS, min_size=1), st.randoms(), st.text(alphabet="abc [],.\n*"))
def test_order_repeats_and_reasoning_before_do_not_count(nodes: list[str], random: Random, before: str) -> None:
    shuffled = random.sample(nodes * 2, 2 * len(nodes))
    for name in NAMES:
        response = f"{before}\n{answer_text(shuffled)}"
        assert grade(response, nodes, GRADERS[name]).f1 == 1.0
        assert grade(response, [*nodes, "another"], GRADERS[name]).exact == 0.0


@pytest.mark.parametrize("wrap", ["**{}**", "`{}`", "\\boxed{{{}}}", "{}.", "> {}", "{}\n\n", "## {}\n"])
@given(st.lists(IDS, min_size=1))
def test_tolerant_sees_through_wrappers(wrap: str, nodes: list[str]) -> None:
    assert grade(wrap.format(answer_text(nodes)), nodes, GRADERS["tolerant"]).f1 == 1.0


HOSTILE = [
    "[",
    "]",
    "][",
    "Final Answer:",
    "Final Answer: [",
    "Final Answer: [a]\n",
    "final answer* ",
    "Final Answer:\n",
    " ",
    "\n",
    " \n",
    ",",
    "'",
    "*",
    "`",
    "\\",
    "\\boxed",
    "\\boxed{",
    "\\a",
    "a, ",
]


@pytest.mark.parametrize("before", ["", "Final Answer:", "Final Answer: ["])
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_megabyte_of_anything_takes_linear_time(piece: str, before: str) -> None:
    response = before + piece * (1_000_000 // len(piece))
    for name in NAMES:
        start = time.perf_counter()
        GRADERS[name].read(response)
        assert time.perf_counter() - start < 0.6, name
