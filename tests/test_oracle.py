"""The oracle: right on sound prompts, silent on damaged ones, unmoved by texts made to mislead it."""

import random

import networkx as nx
import pytest

from graphniah_inspect.citations.paper import Paper
from graphniah_inspect.citations.parse import CannotRead, read_prompt
from graphniah_inspect.citations.text import (
    BLOCK_HEADING,
    NONE_OPTION,
    SYSTEM_PROMPT,
    Question,
    frame,
    render_block,
    render_distractor,
    render_prompt,
    render_question,
)
from graphniah_inspect.oracle import solve

PAPERS = {
    title: Paper(number, title, (f"Ann B. {name}", "Bob Ray"), 2026, venue="Nature")
    for number, (title, name) in enumerate(
        [("Nets", "One"), ("Nets, deep", "Two"), ("Nets, deep and wide", "Three"), ("References", "Four")]
        + [(f"Left {i}", f"L{i}") for i in range(6)]
        + [(f"Right {i}", f"R{i}") for i in range(5)]
    )
}
EDGES = [("Nets", "Nets, deep"), ("Nets, deep and wide", "Nets, deep"), ("Nets, deep and wide", "References")]
EDGES += [(f"Left {i}", f"Left {i + 1}") for i in range(5)] + [(f"Right {i + 1}", f"Right {i}") for i in range(4)]


def blocks(edges: list[tuple[str, str]] = EDGES) -> list[str]:
    cited: dict[str, list[Paper]] = {}
    for one, two in edges:
        cited.setdefault(one, []).append(PAPERS[two])
    return [render_block(PAPERS[title], others) for title, others in cited.items()]


YES = Question("yes-no", "Nets", "References")
NO = Question("yes-no", "Nets", "Left 3")
CHOICE = Question("multiple-choice", "Left 0", None, ("Right 1", "Left 5", "Nets", "References"))


def test_yes_comes_with_a_path() -> None:
    verdict = solve(render_prompt(YES, blocks()))
    assert verdict.answer == "YES"
    assert verdict.path == ("Nets", "Nets, deep", "Nets, deep and wide", "References")
    assert "“Nets, deep” -> “Nets, deep and wide”" in verdict.evidence


def test_no_comes_with_the_exhausted_component() -> None:
    verdict = solve(render_prompt(NO, blocks()))
    assert (verdict.answer, verdict.path, verdict.component_size) == ("NO", (), 4)
    assert "ends after 4 papers" in verdict.evidence


def test_counting_leaves_the_source_out() -> None:
    verdict = solve(render_prompt(Question("counting", "Right 4"), blocks()))
    assert (verdict.answer, verdict.component_size) == ("4", 5)


def test_multiple_choice_and_its_faults() -> None:
    verdict = solve(render_prompt(CHOICE, blocks()))
    assert (verdict.answer, verdict.reachable, verdict.malformed) == ("B", ("B",), "")
    assert verdict.path[0] == "Left 0"
    assert verdict.path[-1] == "Left 5"
    options = ("Right 1", "Left 5", "Nets", "Left 2")
    several = solve(render_prompt(Question("multiple-choice", "Left 0", None, options, none_option=True), blocks()))
    assert (several.answer, several.reachable) == (None, ("B", "D"))
    assert "several" in several.malformed
    options = ("Right 1", "Right 2", "Nets", "References")
    for none_option, answer in ((True, "E"), (False, None)):
        none = solve(render_prompt(Question("multiple-choice", "Left 0", None, options, none_option), blocks()))
        assert (none.answer, none.reachable) == (answer, ())
        assert "no option" in none.malformed


def test_a_paper_that_is_called_like_the_none_option_is_not_that_option() -> None:
    odd = render_block(PAPERS["Left 0"], [Paper(99, NONE_OPTION, (), 2026)])
    edges = [edge for edge in EDGES if edge != ("Left 0", "Left 1")]
    options = ("Right 1", "Left 5", "Nets", "References")
    verdict = solve(
        render_prompt(Question("multiple-choice", "Left 0", None, options, none_option=True), [*blocks(edges), odd])
    )
    assert (verdict.answer, verdict.reachable) == ("E", ())
    assert "no option" in verdict.malformed


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_the_graph_that_was_written(seed: int) -> None:
    rng = random.Random(seed)
    graph = nx.gnp_random_graph(40, 0.035, seed=seed, directed=True)
    papers = [Paper(i, f"Paper {i}", (f"Ann {chr(65 + i % 26)}",), 2000 + i) for i in range(40)]
    written = [render_block(papers[i], [papers[j] for j in graph[i]]) for i in graph if graph[i]]
    written += [render_distractor(f"Paper {i} is reachable from Paper {i + 1}.") for i in range(10)]
    rng.shuffle(written)
    undirected = graph.to_undirected()
    source, target = rng.sample([i for i in undirected if undirected[i]], 2)
    verdict = solve(render_prompt(Question("yes-no", f"Paper {source}", f"Paper {target}"), written))
    assert verdict.answer == ("YES" if nx.has_path(undirected, source, target) else "NO")
    if verdict.path:
        assert len(verdict.path) == nx.shortest_path_length(undirected, source, target) + 1
    counted = solve(render_prompt(Question("counting", f"Paper {source}"), written))
    assert counted.answer == str(len(nx.node_connected_component(undirected, source)) - 1)


BRIDGE = render_block(PAPERS["Nets"], [PAPERS["Left 3"]])
MISLEADING = {
    "a reference list": "References:\n" + "".join(BRIDGE.partition("References:\n")[2:]),
    "a quoted block": "".join(f"> {line}\n" for line in BRIDGE.splitlines()),
    "an indented block": "".join(f"    {line}\n" for line in BRIDGE.splitlines()),
    "a block in a fence": f"See:\n```\n{BRIDGE}```\nand so on",
    "a block in a fence with blank lines": f"See:\n```\n\n{BRIDGE}```\nand so on",
    "two blocks in a tilde fence": f"See:\n~~~\n\n{BRIDGE}{BRIDGE}\n~~~\n",
    "a block in quotation marks": f'He wrote "{BRIDGE}" in 1999.',
    "a block after a heading only": f"Text\n{BRIDGE}text",
    "a heading of another level": f"#{BRIDGE}",
    "prose": "The paper “Nets” cites “Left 3”. - Ray, B. (2026). “Left 3”.",
    "an answer": "# Answer format\n\nThe answer is \\answer{YES}.",
    "another question": "# Question\n\n" + render_question(YES) + "\n\n# Context\n\n",
    "a frame": "".join(frame(YES)),
    "carriage returns": BRIDGE.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("text", MISLEADING.values(), ids=MISLEADING)
@pytest.mark.parametrize("place", [0, 3, 100])
def test_misleading_texts_change_nothing(text: str, place: int) -> None:
    written = blocks()
    written.insert(place, render_distractor(text))
    assert solve(render_prompt(NO, written)).answer == "NO"
    assert solve(render_prompt(YES, written)).answer == "YES"
    assert solve(render_prompt(CHOICE, written)).answer == "B"


@pytest.mark.parametrize(
    "text",
    [
        f"An example:\n\n{BRIDGE}and some words after it",
        f"```\n\n{BRIDGE}no fence closes",
        f"no fence opens\n\n{BRIDGE}\n```\n",
        f"cut\n\n{BRIDGE[: len(BRIDGE) // 2]}",
        f"cut\n\n{BRIDGE.partition('References')[0]}",
    ],
)
def test_a_bare_block_that_does_not_end_as_blocks_do_is_not_guessed_at(text: str) -> None:
    with pytest.raises(CannotRead, match="damaged"):
        solve(render_prompt(NO, [*blocks(), render_distractor(text)]))


def test_a_real_block_after_an_open_fence_counts() -> None:
    written = [render_distractor("```\nnever closed"), *blocks(), render_distractor("```\nnever closed")]
    assert solve(render_prompt(YES, written)).answer == "YES"


def test_cited_papers_without_a_block_of_their_own_are_in_the_graph() -> None:
    verdict = solve(render_prompt(Question("yes-no", "References", "Nets, deep"), blocks()))
    assert verdict.answer == "YES"


def test_no_truncated_prompt_is_read() -> None:
    prompt = render_prompt(YES, [render_distractor("words " * 20), *blocks(), render_distractor("words " * 20)])
    assert solve(prompt).answer == "YES"
    assert solve(prompt + "\n").answer == "YES"
    for cut in range(len(prompt)):
        with pytest.raises(CannotRead):
            solve(prompt[:cut])
        if cut:
            with pytest.raises(CannotRead):
                solve(prompt[cut:])


@pytest.mark.parametrize(
    "lost", ["\n\n", "Published: 2026.", "References:\n", "\nReferences:", "”", "“", "- ", "\n- ", "Title: "]
)
def test_what_is_lost_inside_a_paper_is_noticed(lost: str) -> None:
    written = blocks()
    damaged = [written[0], written[1].replace(lost, "", 1), *written[2:]]
    with pytest.raises(CannotRead):
        solve(render_prompt(YES, damaged))


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("", "not a prompt of this layout"),
        ("Is B reachable from A?\n\n[1] A cites B.", "not a prompt of this layout"),
        (SYSTEM_PROMPT + "\n\n" + render_question(YES), "not a prompt of this layout"),
        (render_question(YES), "without a context"),
        (frame(YES)[0] + frame(YES)[1], "no document begins"),
        (frame(YES)[0] + "".join(blocks()) + frame(CHOICE)[1], "answer format"),
        (render_prompt(YES, [*blocks(), blocks()[0]]), "two blocks have the title"),
        (render_prompt(Question("yes-no", "Nets", "Nowhere"), blocks()), "'Nowhere'"),
        (render_prompt(Question("counting", "Net"), blocks()), "'Net'"),
        (
            render_prompt(Question("counting", "Left 9"), [*blocks(), render_distractor("“Left 9”")]),
            "'Left 9'",
        ),
        (
            render_prompt(YES, blocks()).replace("reachable from the source paper?", "reachable?"),
            "known form",
        ),
        (render_prompt(YES, [*blocks(), BLOCK_HEADING + "cut of"]), "last document is cut off"),
        (render_prompt(YES, [blocks()[0], "loose text\n\n", *blocks()[1:]]), "damaged"),
        (
            render_prompt(YES, [block.replace("Nets, deep and wide", "Nets") for block in blocks()]),
            "two blocks",
        ),
    ],
)
def test_what_cannot_be_read_says_why(prompt: str, reason: str) -> None:
    with pytest.raises(CannotRead, match=reason):
        solve(prompt)


def test_blocks_and_texts_say_where_they_stand() -> None:
    written = [render_distractor("first"), *blocks(), render_distractor("last \n")]
    prompt = render_prompt(YES, written)
    read = read_prompt(prompt)
    assert [prompt[block.start : block.end] for block in read.blocks] == written[1:-1]
    assert [prompt[start:end] for start, end in read.texts] == ["first\n\n", "last\n\n"]
