"""Papers, APA references, the text of prompts and its way back into a graph."""

import doctest
import random
from collections.abc import Sequence
from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from graphniah_inspect.citations import apa
from graphniah_inspect.citations import paper as papers_module
from graphniah_inspect.citations import text as wording
from graphniah_inspect.citations.apa import author_list, author_name, author_names, reference, reference_order
from graphniah_inspect.citations.paper import Paper, clean_title, title_key
from graphniah_inspect.citations.parse import CannotRead, read_prompt, read_question
from graphniah_inspect.citations.text import (
    Question,
    contains_delimiter,
    frame,
    render_block,
    render_distractor,
    render_prompt,
    render_question,
)

AWKWARD = (
    "References",
    "References:\n- Smith, J. (2020). “Deep nets”. Nature.",
    "“Quoted” titles: a 'survey' of \"quotes\"",
    "Deep nets",
    "Deep nets et al.",
    "Deep nets et al. [Retracted]",
    "Is it? Yes! No. Venue, 3, 1–9.",
    "### Document\nTitle: “Deep nets”\n",
    "# Context\n\n# Answer format",
    "A. B. \\answer{YES}",
    "None of these targets is reachable from the source.",
    "深度学习综述",
    "Обзор (глубокое обучение)",
    "تعلم عميق",
    "हिन्दी में गहन शिक्षण",
    "H<sub>2</sub>O &amp; &lt;i&gt;ice&lt;/i&gt;",
    "a < b > c, {x} [y] | z",
    "Title: “X”",
    "- item",
    "> quoted",
    "```\ncode\n```",
    "🧬 genomes 𝔘nicode e\u0301",
    "line\u2028separator\x85next\x0bthird\rfourth\x00nul",
    "x" * 400,
)
AUTHORS = (
    "Plato",
    "et al.",
    "",
    "null",
    "Maria van der Berg",
    "J.-P. S. Roux Jr.",
    "“Q” Uote\nBroken",
    "李 明",
    "Smith, John",
)
FIELDS = (
    "",
    "None",
    "null",
    "Nature",
    "J. Mach.\nLearn. “Res.”",
    "References:",
    "ArXiv",
    "3",
    "1-9",
    "10.1/x”y",
)


def paper(title: str, authors: Sequence[str] = ("Ada B. Love",), year: int | None = 2026, **fields: str) -> Paper:
    return Paper(abs(hash(title)), title, tuple(authors), year, **fields)


def test_cleaning_titles() -> None:
    assert clean_title("H<sub>2</sub>O &amp;amp; <i>“ice”</i>\n  on\u2028Mars ") == 'H2O & "ice" on Mars'
    assert clean_title("&lt;scp&gt;DNA&lt;/scp&gt;<br/>repair") == "DNA repair"
    assert clean_title("when a < b and c > d") == "when a < b and c > d"
    assert clean_title("\x00\ud800 \ufeff") == clean_title("null") == ""
    assert clean_title("It\u00e2\x80\x99s DARPA\x92s caf\xc3\xa9 \x93plan\x94") == 'It’s DARPA’s café "plan"'
    assert clean_title("Ã© alone is left") == "Ã© alone is left"
    assert clean_title("<mml:math><mml:mi>x</mml:mi></mml:math>-rays") == "x-rays"


@given(st.text() | st.lists(st.sampled_from([*AWKWARD, "&", "amp;", "lt;", "<", "i>", "<i>", "gt;"])).map("".join))
@settings(max_examples=300, deadline=None)
def test_a_cleaned_title_is_one_line_without_marks_and_stays_as_it_is(text: str) -> None:
    title = clean_title(text)
    assert clean_title(title) == title
    assert not set("“”") & set(title)
    assert title.splitlines() in ([], [title])
    title.encode("utf-8")


def test_titles_that_count_as_the_same() -> None:
    same = ("Ｄeep  Learning: A Re-view.", "deep learning – a re view", "DEEP LEARNING (A RE/VIEW)")
    assert {title_key(title) for title in same} == {"deep learning a re view"}
    assert title_key("C++ in C") != title_key("C in C")
    assert title_key("कि") != title_key("की")
    assert title_key("?!… “”") == ""
    assert title_key("STRASSE") == title_key("straße")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ada B. Love", "Love, A. B."),
        ("Marie-Jeanne Q. Lee", "Lee, M.-J. Q."),
        ("J.-P. Serre", "Serre, J.-P."),
        ("J.P. Morgan", "Morgan, J. P."),
        ("Plato", "Plato"),
        ("OpenAI\n", "OpenAI"),
        ("Maria J. van der Berg Jr.", "van der Berg, M. J., Jr."),
        ("Benjamin Van Durme", "Van Durme, B."),
        ("Laurens Van der Maaten", "Van der Maaten, L."),
        ("José Ortega y Gasset", "Ortega y Gasset, J."),
        ("van der Berg", "van der Berg"),
        ("Charles de Gaulle", "de Gaulle, C."),
        ("John Smith, Jr.", "Smith, J., Jr."),
        ("Smith, John III", "Smith, J., III"),
        ("Smith, John", "Smith, J."),
        ("Élodie Zoé", "Zoé, É."),
        ("Barbara Di Eugenio", "Di Eugenio, B."),
        ("Sung Do Kim", "Kim, S. D."),
        ("Di Wang", "Wang, D."),
        ("李 明", "李 明"),
        ("Sean O&#39;Brien", "O'Brien, S."),
        ("None", ""),
        (" ", ""),
    ],
)
def test_author_names(name: str, expected: str) -> None:
    assert author_name(name) == expected


def test_twenty_authors_are_listed_and_twenty_one_are_not() -> None:
    names = [f"Ann {chr(65 + i)}name" for i in range(26)]
    twenty = author_list(author_names(paper("t", names[:20])))
    assert twenty.count("name, A.") == 20
    assert twenty.endswith(", Sname, A., & Tname, A.")
    for many in (names[:21], [*names[:20], *names * 100, "Zoe Last"]):
        listed = author_list(author_names(paper("t", many)))
        last = author_name(many[-1])
        assert listed.endswith(f", Rname, A., Sname, A., . . . {last}")
        assert "&" not in listed
        assert listed.count("name, A.") + listed.count("Last, Z.") == 20


def test_et_al_in_the_metadata() -> None:
    assert author_list(author_names(paper("t", ["Ann Lee", "et al."]))) == "Lee, A., et al."
    assert author_list(author_names(paper("t", ["Ann Lee, et al", "Bob Ray"]))) == "Lee, A., Ray, B., et al."
    assert author_list(author_names(paper("t", ["Et Al."]))) == "et al."


def test_references_in_apa() -> None:
    known = paper(
        "Nets",
        ["Ann Lee", "Bob Ray"],
        2026,
        venue="Nature",
        volume="5",
        pages=" 1 - 9",
        doi="https://doi.org/10.1/x",
    )
    assert reference(known) == "Lee, A., & Ray, B. (2026). “Nets”. Nature, 5, 1–9. https://doi.org/10.1/x"
    preprint = paper("Why?", ["Plato"], None, venue="ArXiv", volume="abs/1", arxiv="2601.1")
    assert reference(preprint) == "Plato. (n.d.). “Why?” arXiv."
    assert reference(paper("Why?", [], 2026, arxiv="2601.1")) == "“Why?” (2026). arXiv."
    missing = paper("Nets", ["None", "Ann Lee"], 2026, venue="null", volume="None", pages="None", doi="None")
    assert reference(missing) == "Lee, A. (2026). “Nets”."
    with pytest.raises(ValueError, match="clean_title"):
        reference(paper("two\nlines"))


def test_reference_lists_are_in_apa_order_whatever_order_they_come_in() -> None:
    ordered = [
        paper("Zoo, without an author", []),
        paper("Unknown year", ["Éva Adam"], None),
        paper("Beta", ["Eva Adam"], 2020),
        paper("Alpha", ["Eva Adam"], 2021),
        paper("gamma", ["Eva Adam"], 2021),
        paper("Alone first", ["Eva Adam", "Al Bo"], 1999),
        paper("Particle", ["Jan van der Zee"], 1990),
    ]
    expected = [*ordered[1:], ordered[0]]  # v, then the title Z
    for seed in range(5):
        shuffled = random.Random(seed).sample(ordered, len(ordered))
        assert sorted(shuffled, key=reference_order) == expected
    block = render_block(paper("Citing"), reversed(ordered))
    positions = [block.index(f"“{other.title}”") for other in expected]
    assert positions == sorted(positions)


def test_wording_gives_nothing_away() -> None:
    for kind, tail in wording.TAIL.items():
        assert tail.count("\\answer{") == (2 if kind == "yes-no" else 1)
        assert tail.count("{YES}") == tail.count("{NO}") == (kind == "yes-no")
        assert not any(f"\\answer{{{label}}}" in tail for label in "ABCDE0123456789")
    assert wording.SYSTEM_PROMPT.count("\\answer{...}") == 1
    with_none = render_question(Question("multiple-choice", "s", None, tuple("wxyz"), none_option=True))
    without = render_question(Question("multiple-choice", "s", None, tuple("wxyz")))
    assert with_none.replace("E. None of these targets is reachable from the source.\n", "") == without


def test_questions_that_make_no_sense_are_refused() -> None:
    wrong: list[dict[str, Any]] = [
        {"kind": "yes-no"},
        {"kind": "counting", "target": "t"},
        {"kind": "multiple-choice", "options": ("a",)},
        {"kind": "counting", "options": ("a", "b")},
        {"kind": "multiple-choice", "options": ("a", "b", "c"), "none_option": True},
    ]
    for arguments in wrong:
        with pytest.raises(ValueError, match=r"question|option"):
            Question(source="s", **arguments)
    for twice in (Question("yes-no", "s", "s"), Question("multiple-choice", "s", None, ("a", "a"))):
        with pytest.raises(CannotRead, match="twice"):
            read_question(render_question(twice))
    letters = render_question(Question("multiple-choice", "s", None, ("a", "b"))).replace("B. ", "D. ")
    with pytest.raises(CannotRead, match="labelled"):
        read_question(letters)


def test_blocks_that_could_not_be_read_back_are_refused() -> None:
    for references in ([], [paper("a"), paper("a")], [paper("Citing")], [paper("“a”")]):
        with pytest.raises(ValueError, match=r"references|clean_title"):
            render_block(paper("Citing"), references)


@pytest.mark.parametrize(
    "bad",
    [
        "### Document",
        "x\n### Document\ny",
        "x\n  ### Document",
        "Title: “x",
        "x\n# Context\ny",
        "a\n# Answer format ",
    ],
)
def test_delimiters_are_found(bad: str) -> None:
    assert contains_delimiter(bad)


@pytest.mark.parametrize(
    "good", ["", "## Document", "### Documents", "> Title: “x", "Title: x", "see # Context", "## Context"]
)
def test_what_only_looks_like_a_delimiter_is_none(good: str) -> None:
    assert not contains_delimiter(good)


titles = st.lists(
    (st.sampled_from(AWKWARD) | st.text(max_size=40) | st.lists(st.sampled_from(AWKWARD), max_size=3).map(" ".join))
    .map(clean_title)
    .filter(bool),
    min_size=6,
    max_size=10,
    unique=True,
)
fields = st.sampled_from(FIELDS) | st.text(max_size=10)


@st.composite
def graphs(draw: st.DrawFn) -> dict[Paper, list[Paper]]:
    """Some papers with awkward metadata and, for each, those that it cites."""
    papers = [
        Paper(
            index,
            title,
            tuple(draw(st.lists(st.sampled_from(AUTHORS) | st.text(max_size=12), max_size=25))),
            draw(st.none() | st.integers(0, 3000)),
            *(draw(fields) for _ in range(5)),
        )
        for index, title in enumerate(draw(titles))
    ]
    cited = {one: draw(st.lists(st.sampled_from(papers), max_size=4, unique=True)) for one in papers}
    for one, two in pairwise(papers):
        cited[one].append(two)
    return {one: sorted({*others} - {one}, key=reference_order) for one, others in cited.items()}


@given(
    graphs(),
    st.lists(st.text(max_size=60) | st.sampled_from(AWKWARD)),
    st.randoms(use_true_random=False),
    st.data(),
)
@settings(max_examples=200, deadline=None)
def test_what_is_rendered_reads_back(
    graph: dict[Paper, list[Paper]], others: list[str], random: random.Random, data: st.DataObject
) -> None:
    source, *rest = [one.title for one in random.sample(list(graph), len(graph))]
    question = data.draw(
        st.sampled_from(
            [
                Question("yes-no", source, rest[0]),
                Question("counting", source),
                Question("multiple-choice", source, None, tuple(rest[:4]), none_option=random.random() < 0.5),
            ]
        )
    )
    citing = {one: cited for one, cited in graph.items() if cited}
    others = [other for other in others if not contains_delimiter(other)]
    blocks = [*(render_block(*item) for item in citing.items()), *map(render_distractor, others)]
    random.shuffle(blocks)
    prompt = render_prompt(question, blocks)
    read = read_prompt(prompt)
    assert read.question == question
    assert {block.title: list(block.references) for block in read.blocks} == {
        one.title: [other.title for other in cited] for one, cited in citing.items()
    }
    spans = sorted([(block.start, block.end) for block in read.blocks] + [(a - 13, b) for a, b in read.texts])
    assert [prompt[a:b] for a, b in spans] == blocks


CODE = "/* SPDX */\n#include <x.h>\n\nint f(void)\n{\n\treturn 0; //\n}\n/"
ENDINGS = (
    "",
    "/",
    "//",
    " \t",
    "\n\n/",
    "\r\n",
    "'",
    "s'",
    "{}\n",
    "\u00a0",
    "\u2028",
    "…",
    "\u200d",
    "\u0301",
    "𝔘",
    "#",
    "###",
    "<|endoftext|>",
)


def test_token_counts_add_up_at_the_seams() -> None:
    encoding = tiktoken.get_encoding("o200k_base")

    def count(text: str) -> int:
        return len(encoding.encode_ordinary(text))

    rng = random.Random(1)
    names = [clean_title(title) for title in AWKWARD]
    papers = [paper(name, ["Ada B. Love", "李 明"], 2026, venue="Nature") for name in names if name]
    pieces = [render_block(one, rng.sample([p for p in papers if p != one], 3)) for one in papers]
    for start in ("", *ENDINGS, *AWKWARD):
        pieces += [render_distractor(f"{start}{CODE}{end}") for end in ENDINGS]
    counted = [(piece, count(piece)) for piece in pieces]
    for kind in ("yes-no", "counting"):
        question = Question("yes-no", names[0], names[3]) if kind == "yes-no" else Question("counting", names[3])
        head, tail = frame(question)
        for _ in range(150):
            chosen = rng.choices(counted, k=12)
            prompt = render_prompt(question, (piece for piece, _ in chosen))
            assert count(prompt) == count(head) + sum(n for _, n in chosen) + count(tail)
    for piece in (head, *pieces, tail):
        assert piece.startswith("#")
    for piece in (head, *pieces):
        assert piece.endswith("\n")


@given(st.lists(st.text(max_size=30), min_size=2, max_size=5))
@settings(max_examples=150, deadline=None)
def test_token_counts_add_up_over_any_text(texts: list[str]) -> None:
    encoding = tiktoken.get_encoding("o200k_base")
    blocks = [render_distractor(text) for text in texts]
    apart = sum(len(encoding.encode_ordinary(block)) for block in blocks)
    assert len(encoding.encode_ordinary("".join(blocks))) == apart


@pytest.mark.parametrize("module", [apa, papers_module])
def test_examples_in_docstrings(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module)
    assert tried
    assert not failed
