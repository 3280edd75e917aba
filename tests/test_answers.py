r"""Reading answers: every sentence of the three rules, both ways, and what must hold for any text at all."""

import json
import re
import time
from pathlib import Path
from typing import Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphniah_inspect.graphniah.answers import KINDS, RULES, Kind, Reading, is_correct, read, read_target
from graphniah_inspect.graphniah.normalise import normalise

OPTIONS = ["Paper A", "Vitamin C and B cells", "Paper C", "Answer: a study"]
FIVE = [*OPTIONS, "None of these targets is reachable from the source."]
LONG = "I followed every reference list from the source on, and wrote down what I found on the way there. "

# kind, response, then what rules `paper` and `tolerant` read.
CASES: list[tuple[Kind, str, str | None, str | None]] = [
    # blocks
    ("yes-no", r"\\answer{YES}", "YES", "YES"),
    ("yes-no", r"\answer{NO} then \answer{a \answer{YES} b}", "YES", "YES"),
    ("yes-no", r"\answer{NO} then \answer{YES", "NO", "NO"),
    ("yes-no", r"\answer{ open \answer{YES}", "YES", "YES"),
    ("yes-no", r"\answer{NO} \answer{YES\}", "NO", "NO"),
    ("yes-no", r"\answer{NO} \answer{YES\\}", None, None),
    ("yes-no", r"\answer{NO} \answer\{{YES}}", "NO", "YES"),
    ("yes-no", r"\answer{NO} \answer\\{YES}", "NO", "NO"),
    ("yes-no", r"\answer{NO} \answers{YES}", "NO", "NO"),
    ("yes-no", r"} } \answer{{{YES}}} }", "YES", "YES"),
    ("yes-no", r"\answer{NO} but in the end: YES", "NO", "NO"),
    ("yes-no", r"\answer{unsure}" + "\nYES", None, None),
    ("yes-no", r"\answer{" + " " * 997 + "YES}", "YES", "YES"),
    ("yes-no", r"\answer{" + " " * 998 + "YES}", None, None),
    # no block: the whole of a short response
    ("yes-no", "**Yes**" + "!" * 93, "YES", "YES"),
    ("yes-no", "**Yes**" + "!" * 94, None, "YES"),
    ("counting", "169" + "." * 27, "169", "169"),
    ("counting", "169" + "." * 28, None, "169"),
    ("yes-no", LONG + "YES", None, None),
    ("yes-no", "casino", None, None),
    # reasoning
    ("yes-no", "YES<think>\\answer{NO}", "YES", "YES"),
    ("yes-no", "\\answer{NO} </think>\\answer{YES}", "YES", "YES"),
    ("yes-no", "\\answer{NO}</think>", None, None),
    ("yes-no", "\\answer{NO}<think>x</think>y</think>z", None, None),
    ("yes-no", "[THINK]a <think> b</thinking> \\answer{NO} [/THINK]\\answer{YES}", "YES", "YES"),
    ("yes-no", "<thinking>x[/THINK]yes", "YES", "YES"),
    ("counting", "1<think>x</think>,234", None, None),
    ("counting", LONG + "16<think>x</think>9", None, None),
    ("counting", LONG + "<think>x</think>169", None, "169"),
    # labels
    ("yes-no", r"\answer{y\u200bes}".replace(r"\u200b", "\u200b"), "YES", "YES"),
    ("yes-no", r"\answer{$\text{\textbf{ 'No' }}$.}", "NO", "NO"),
    ("yes-no", r"\answer{\(YES\)}", "YES", "YES"),
    ("yes-no", r"\answer{\[ __no__ \]}", "NO", "NO"),
    ("yes-no", r"\answer{\TEXT{YES}}", None, None),
    ("yes-no", r"\answer{\textcolor{red}{YES}}", None, None),
    ("yes-no", r"\answer{yeſ}", "YES", "YES"),  # NFKC of the long s
    ("yes-no", r"\answer{yep}", None, None),
    ("yes-no", r"\answer{NO. There is no path}", None, "NO"),
    ("yes-no", r"\answer{Yes since both are in one component}", None, "YES"),
    ("yes-no", r"\answer{YES—they are connected}", None, "YES"),
    ("yes-no", r"\answer{**No**, it is elsewhere}", None, "NO"),
    ("yes-no", r"\answer{No doubt: reachable}", None, None),
    ("yes-no", r"\answer{No. 3 on the list is reachable}", None, None),
    ("yes-no", r"\answer{No. of papers reachable: 3}", None, None),
    ("yes-no", r"\answer{no-one doubts it}", None, None),
    ("yes-no", r"\answer{No, or rather yes}", None, None),
    ("yes-no", "**Final Answer:** NO", None, "NO"),
    ("yes-no", LONG + "\n\nThe answer is yes because of one path.", None, "YES"),
    ("yes-no", LONG + "\n\nNo other path exists.", None, None),
    # integers
    ("counting", r"\answer{000000000000000169}", "169", "169"),
    ("counting", r"\answer{0000000000000000169}", None, None),
    ("counting", r"\answer{-0}", "0", "0"),
    ("counting", r"\answer{1,234}", "1234", "1234"),
    ("counting", r"\answer{1234,567}", None, None),
    ("counting", r"\answer{0,169}", None, None),
    ("counting", r"\answer{1 234}", None, None),
    ("counting", r"\answer{169¹}", None, None),
    ("counting", r"\answer{١٦٩}", None, None),
    ("counting", r"\answer{169½}", None, None),
    ("counting", r"\answer{-5 papers}", None, "-5"),
    ("counting", r"\answer{about **1,234** papers}", None, "1234"),
    ("counting", r"\answer{169\text{ papers}}", None, "169"),
    ("counting", r"\answer{169.5}", None, None),
    ("counting", r"\answer{169 (or 170)}", None, None),
    ("counting", r"\answer{169 or more}", None, None),
    ("counting", r"\answer{at least 169}", None, None),
    ("counting", r"\answer{isn't 169}", None, None),
    ("counting", r"\answer{169 \%}", None, None),
    ("counting", r"\answer{169+}", None, None),
    ("counting", r"\answer{169 minus the source}", None, None),
    ("counting", r"\answer{2 thousand}", None, None),
    ("counting", r"\answer{\sqrt{169}}", None, None),
    ("counting", r"\answer{~~169~~}", None, None),
    ("counting", r"\answer{2*3}", None, None),
    ("counting", r"\answer{H2}", None, None),
    *(
        ("counting", rf"\answer{{{count}}}", None, None)
        for count in ("−5", "–5", "- 5", "≧ 169", "≲169", "&lt; 169", "atleast 169", "max. 169", "all but 169")
    ),
    *(
        ("counting", rf"\answer{{{count}}}", None, None)
        for count in ("169\u0338", ".169", "1.000", "169 k", "9 trillion", "2 papers and ３")
    ),
    ("counting", "Answer: 169²", None, None),
    ("counting", "Answer: ①⑥⑨", None, None),
    ("counting", LONG + "\nAnswer: １６９", None, None),
    ("counting", LONG + "\n**Answer: 169**", None, "169"),
    ("counting", LONG + "\nabout 169", None, None),
    ("counting", LONG + "\nAnswer: not 169", None, None),
    ("counting", LONG + r"so \boxed{169} it is", None, "169"),
    ("counting", r"\answer{x} \boxed{169}", None, None),
    # letters
    ("multiple-choice", "option (b)", "B", "B"),
    ("multiple-choice", "(option b)", None, "B"),
    ("multiple-choice", "optionb", None, None),
    ("multiple-choice", r"\answer{ ( C ). }", "C", "C"),
    ("multiple-choice", r"\answer{[C]}", None, None),
    ("multiple-choice", r"\answer{unsure}" + "\nC\n \n", "C", "C"),
    ("multiple-choice", r"\answer{B}" + "\nC", "B", "B"),
    ("multiple-choice", "A\n" + "and so on " * 200, None, None),
    ("multiple-choice", r"C. no wait: \answer{D}", "D", "D"),
    ("multiple-choice", r"\answer{D: cited by the third}", None, "D"),
    ("multiple-choice", r"\answer{B. Vitamin C and B cells}", None, "B"),
    ("multiple-choice", r"\answer{A. Vitamin C and B cells}", None, None),
    ("multiple-choice", r"\answer{A. It and D are both}", None, None),
    ("multiple-choice", r"\answer{B. A path exists}", None, "B"),
    ("multiple-choice", r"\answer{C is right}", None, None),
    ("multiple-choice", r"\answer{vitamin c and b cells.}", None, "B"),
    ("multiple-choice", "Answer: a study", None, "D"),
    ("multiple-choice", LONG + "\nThus, the answer is **(B)**.", None, "B"),
    ("multiple-choice", "A: no\nB: yes\nC: no\nD: no", None, None),
    ("multiple-choice", LONG + "\nA: no.\nB: reachable\nC: no\nD: not reachable", None, None),
    ("multiple-choice", LONG + "\nB is out.\n\nC) it is cited by the third", None, "C"),
    ("multiple-choice", "`A`: no\n`B`: yes\n`D`: no", None, None),
    ("multiple-choice", "_A_: no\r_B_: yes\u2028_D_: so-so", None, None),
    ("multiple-choice", "A：不可达\nB：可达\nD：不可达", None, None),
    ("multiple-choice", "A. Paper A\nB. Vitamin C and B cells\nC. Paper C", None, None),
    ("multiple-choice", "A. Paper A\nB. Vitamin C and B cells\nC. Paper C\n\nB. Vitamin C and B cells", None, "B"),
    ("multiple-choice", "A. Paper A\nB. Vitamin C and B cells\nC. Paper C\n\nAnswer: B. It is cited", None, "B"),
    ("multiple-choice", "Paper A\nVitamin C and B cells\nPaper C", None, None),
    ("multiple-choice", LONG + "\nPaper C", None, "C"),
    ("multiple-choice", "A) Start at the source, and follow\nB.", "B", "B"),
    ("multiple-choice", "(b)\nd", "D", "D"),
    ("multiple-choice", r"\answer{D: not reachable}", None, None),
    ("multiple-choice", r"\answer{D. No other paper is reachable}", None, "D"),
    ("multiple-choice", "It is one of four.\nD: isn't reachable", None, None),
    # placeholders
    ("yes-no", r"\answer{YES} as \answer{<your answer>}, \answer{…} or \answer{Label}", None, "YES"),
    ("yes-no", r"Put it in \answer{...}." + "\nNO", None, "NO"),
    ("yes-no", r"\answer{YES} \answer{}", None, None),
    ("yes-no", r"\answer{YES} \answer{$\ldots$} \answer{\text{your answer}} \answer{“...”}", None, "YES"),
    ("yes-no", r"As in \boxed{YES}, not \boxed{...}", None, "YES"),
    ("yes-no", r"\answer{NO} \answer\{YES\}", "NO", "YES"),
]


@pytest.mark.parametrize(("kind", "response", "paper", "tolerant"), CASES)
def test_what_the_rules_read(kind: Kind, response: str, paper: str | None, tolerant: str | None) -> None:
    assert read(response, kind, "paper", options=OPTIONS).answer == paper
    assert read(response, kind, "tolerant", options=OPTIONS).answer == tolerant


def test_shared_cases(shared: Path) -> None:
    lines = (shared / "cases" / "reading.jsonl").read_text(encoding="utf-8").split("\n")
    cases = [json.loads(line) for line in lines if line]
    assert cases
    for case in cases:
        options = [f"Paper {label}" for label in case.get("labels", [])] or None
        for rule in RULES:
            reading = read(
                case["response"],
                case["kind"],
                rule,
                options=options,
                stop_reason=case.get("stop_reason", "stop"),
            )
            assert reading.answer == case[rule.replace("-", "_")], case
            if rule == "paper" and "reason" in case:
                assert reading.reason == case["reason"], case


@pytest.mark.parametrize(
    ("response", "stop_reason", "answer", "reason"),
    [
        ("maximum context length is 200000", "model_length", None, "context_overflow"),
        (r"\answer{YES}", "model_length", None, "context_overflow"),
        (r"\answer{YES}", "content_filter", None, "refusal"),
        (r"\answer{YES}", "unknown", "YES", None),
        (r"\answer{YES} and", "max_tokens", "YES", None),
        (r"\answer{YES} and \answer{N", "max_tokens", None, "truncated"),
        (r"\answer{ or \answer{YES}", "max_tokens", None, "truncated"),
        (r"<think> \answer{YES}", "max_tokens", None, "truncated"),
        ("YES", "max_tokens", None, "truncated"),
        (r"\boxed{YES}", "max_tokens", None, "truncated"),
        ("", "max_tokens", None, "truncated"),
        (" \n", "stop", None, "no_response"),
        (" (no content) ", "stop", None, "no_response"),
        ("(no content).", "stop", None, "invalid_response_format"),
    ],
)
@pytest.mark.parametrize("rule", RULES)
def test_stop_reasons(response: str, stop_reason: str, answer: str | None, reason: str | None, rule: str) -> None:
    if rule == "answer-block" and "<think>" in response:
        answer, reason = "YES", None  # drops no reasoning
    reading = read(response, "yes-no", rule, stop_reason=stop_reason)
    assert (reading.answer, reading.reason) == (answer, reason)


def test_only_an_example_with_option_e_can_be_answered_e() -> None:
    for response in ("E", r"\answer{e}", "Option (E)", FIVE[4]):
        assert read(response, "multiple-choice", "tolerant", options=OPTIONS).answer is None
        assert read(response, "multiple-choice", "tolerant", options=FIVE).answer == "E"
    assert read(r"\answer{None}", "multiple-choice", "tolerant", options=FIVE).answer is None


def test_a_reading_says_where_it_comes_from() -> None:
    assert read(r"so \answer{ **no** }", "yes-no") == Reading("NO", "block", " **no** ", None)
    assert read("so\n C", "multiple-choice", options=OPTIONS) == Reading("C", "last line", " C", None)
    unread = read(r"\answer{A or B}" + "\nhm", "multiple-choice", options=OPTIONS)
    assert unread == Reading(None, "block", "A or B", "invalid_response_format")


def test_correctness_is_of_canonical_answers_except_for_the_block_rule() -> None:
    def correct(response: str, target: str, kind: Kind, rule: str) -> bool:
        reading = read(response, kind, rule, options=OPTIONS)
        return is_correct(reading, target, kind, rule, options=OPTIONS)

    assert correct(r"\answer{1,234}", "1234", "counting", "paper")
    assert correct(r"\answer{1234}", " 1,234. ", "counting", "paper")
    assert not correct(r"\answer{1,234}", "1234", "counting", "answer-block")
    assert correct(r"\answer{ 1234 }", "1234", "counting", "answer-block")
    assert not correct(r"\answer{yes}", "YES", "yes-no", "answer-block")
    assert not correct("hm", "YES", "yes-no", "paper")


@pytest.mark.parametrize(
    ("target", "kind"), [("", "yes-no"), ("true", "yes-no"), ("about 9", "counting"), ("E", "multiple-choice")]
)
def test_a_malformed_target_is_refused_under_every_rule(target: str, kind: Kind) -> None:
    for rule in RULES:
        with pytest.raises(ValueError, match="malformed target"):
            is_correct(Reading(target, "block", target, None), target, kind, rule, options=OPTIONS)


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(ValueError, match="rules"):
        read("YES", "yes-no", "strict")
    with pytest.raises(ValueError, match="kinds"):
        read("YES", "yesno")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="options"):
        read("C", "multiple-choice")


FRAGMENTS = [
    *(r"\answer{", r"\answer\{", r"\boxed{", r"\text{", "{", "}", r"\{", r"\}", "\\", "$", "**", "_", "`", "(", ")"),
    *("<think>", "</think>", "[THINK]", "[/THINK]", "\n", "\r", " ", "YES", "no", "Answer:", "...", "C", "E", ".", ","),
    *("1", "69", "+", "%", "½", "①", "\u0301", "\u200b", "\ufdfa", "\ud800", "\x00", "ﬁ", "ſ", "’", "option "),
]
anything = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=300),
    st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join),
)
kinds = st.sampled_from(KINDS)
stops = st.sampled_from(["stop", "max_tokens", "model_length", "content_filter", "tool_calls", "unknown"])


@given(anything, kinds, st.sampled_from(RULES), stops)
def test_any_text_gives_a_reading_or_none(text: str, kind: Kind, rule: str, stop: str) -> None:
    reading = read(text, kind, rule, options=OPTIONS, stop_reason=stop)
    assert (reading.answer is None) == (reading.reason is not None)
    if reading.answer is not None and rule != "answer-block":
        assert read_target(reading.answer, kind, options=OPTIONS) == reading.answer
    if stop in {"model_length", "content_filter"}:
        assert reading.answer is None


@given(anything)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(anything, kinds)
def test_paper_reads_only_the_answer_itself(text: str, kind: Kind) -> None:
    reading = read(text, kind, options=OPTIONS)
    if reading.answer is not None:
        assert reading.piece in text
        skeleton = re.sub(r"\W", "", normalise(reading.piece)).casefold()
        assert reading.answer.casefold().lstrip("-") in skeleton
        assert len(normalise(reading.piece)) <= 30


ANSWERS: list[tuple[Kind, str]] = [("yes-no", "NO"), ("counting", "1,234"), ("multiple-choice", "Option (C)")]
INNER = ["**{}**", "*{}*", "__{}__", "_{}_", "`{}`", "${}$", r"\({}\)", r"\[{}\]", '"{}"', "“{}”", "{{{}}}", " {} "]
INNER += [r"\text{{{}}}", r"\boxed{{{}}}", r"\operatorname {{{}}}", "{}.", "{}!?", "\u200b{}", "\n{}\u00a0"]
OUTER = ["{}", "**{}**", "$${}$$", r"\boxed{{{}}}", "```\n{}\n```", "<think>\\answer{{x}}</think>{}", "{}\n\nThanks."]


@given(
    st.sampled_from(ANSWERS),
    st.lists(st.sampled_from(INNER), max_size=6),
    st.lists(st.sampled_from(OUTER), max_size=3),
    st.sampled_from(["paper", "tolerant"]),
)
def test_a_wrapper_around_a_readable_answer_changes_nothing(
    answer: tuple[Kind, str], inner: list[str], outer: list[str], rule: str
) -> None:
    kind, text = answer
    expected = read_target(text, kind)
    for wrapper in inner:
        text = wrapper.format(text)
    text = rf"\answer{{{text}}}"
    for wrapper in outer:
        text = wrapper.format(text)
    assert read(text, kind, rule, options=OPTIONS).answer == expected


@given(st.text(st.characters(categories=["L", "P", "Z"], exclude_characters="{}\\<["), max_size=200), kinds)
def test_an_exact_block_at_the_end_is_read_alike_by_every_rule(prose: str, kind: Kind) -> None:
    answer: Literal["NO", "12", "B"] = {"yes-no": "NO", "counting": "12", "multiple-choice": "B"}[kind]  # type: ignore[assignment]
    response = f"{prose}\n\\answer{{{answer}}}"
    assert {read(response, kind, rule, options=OPTIONS).answer for rule in RULES} == {answer}


UNITS = [
    *(r"\answer{", "{", "}", r"\text{", "<think>", "</think>", "<think></think>", "**", "7", "\u0301", r"\boxed{"),
    *("\n", "$", "(", r"\answer{}", "{}", "\\", r"\answer ", r"\answer{...}", r"\answer\{", r"\answer\{\a\}", "_"),
    *(r"\answer{" + "." * 900 + "x}", r"\answer\boxed{", "A. ", "\u200b", "\ufdfa", "\ud800", "1<think></think>"),
]
MEGABYTE = 1_000_000


@pytest.mark.parametrize("unit", UNITS)
def test_a_megabyte_is_read_in_well_under_a_second(unit: str) -> None:
    many = unit * (MEGABYTE // len(unit))
    for text in (many, r"\answer{" + many + "}"):
        start = time.process_time()
        read(text, "multiple-choice", "tolerant", options=OPTIONS)
        read(text, "counting", "paper", stop_reason="max_tokens")
        assert time.process_time() - start < 0.9  # two readings; the benchmark has every rule and kind


@pytest.mark.parametrize("unit", [*UNITS, "\u0301\u0327", "{\ufdfa", "1,", "no-", "**_`"])
def test_a_piece_of_the_greatest_length_is_read_quickly(unit: str) -> None:
    piece = (unit * 1000)[:499]
    text = rf"\answer{{{piece}{piece[::-1]}}}"
    start = time.process_time()
    for rule in RULES:
        for kind in get_args(Kind):
            read(text, kind, rule, options=OPTIONS)
            read(text[8:-1], kind, rule, options=OPTIONS)
    assert time.process_time() - start < 1.0
