"""`graphniah audit`: sound data agrees, every planted fault is found with its evidence, and nothing else is."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphniah_inspect.audit.audit_command import add_audit_parser, run_audit
from graphniah_inspect.audit.example import Options
from graphniah_inspect.audit.leaks import announced
from graphniah_inspect.audit.run import Report, audit_file
from graphniah_inspect.audit.titles import TitleFinder
from graphniah_inspect.citations.paper import title_key
from graphniah_inspect.citations.parse import read_prompt
from graphniah_inspect.citations.text import render_distractor
from graphniah_inspect.errors import UserError
from graphniah_inspect.oracle import citation_graph
from tests.planted import Row, example, lines, none_variant

SAMPLE_EXAMPLES = 60
SEED = 2
"""One that gives YES and NO both among the first twelve."""
QUICK = Options(recount=False, shortcuts=False)


def sound() -> list[Row]:
    """Twelve sound rows in a list with round-robin values, a None variant among them."""
    kinds = ("yes-no", "multiple-choice", "counting")
    rows = [example(index, kinds[index % 3], seed=SEED) for index in range(12)]
    for slot, row in enumerate(rows):
        row["experiments"] = [{"name": "question-format", "slot": slot, "context_length": 2000}]
    rows.append(none_variant(rows[1]))
    list_name = "question-format/none-option/reasoning_effort=low/model=m"
    rows[-1]["experiments"] = [{"name": list_name, "slot": 0, "context_length": 2000}]
    return rows


def audit(tmp_path: Path, rows: list[Row] | bytes, options: Options = QUICK, **more: Any) -> Report:
    path = tmp_path / "examples.jsonl"
    path.write_bytes(rows if isinstance(rows, bytes) else lines(rows))
    return audit_file("data", path, options, progress=False, **more)


def command(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_audit_parser(parser.add_subparsers())
    return run_audit(parser.parse_args(["audit", *words]))


def test_sound_data_agrees_in_every_check(tmp_path: Path) -> None:
    report = audit(tmp_path, sound())
    assert (report.count("agrees"), report.count("disagrees"), report.count("cannot be read")) == (13, 0, 0)
    assert report.findings == ()
    assert not report.wrong
    everywhere = {"schema", "question", "answer", "trees", "components", "component size", "depth"}
    everywhere |= {"distinct titles", "title in a text", "answer in the text"}
    assert {check for check, number in report.made.items() if number == 13} == everywhere
    assert {"unique qids", "duplicates", "label balance", "lists", "None variants"} <= set(report.made)


def test_the_bundled_sample_agrees_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "audit.json"
    assert command("sample", "--json", str(out)) == 0
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["agrees"] >= SAMPLE_EXAMPLES
    assert report["disagrees"] == report["cannot be read"] == 0
    assert report["findings"] == []
    assert report["made"]["tokens"] == report["made"]["positions"] == report["agrees"]
    assert "Nothing disagrees." in capsys.readouterr().out


def yes(rows: list[Row]) -> Row:
    return next(row for row in rows if row["answer"] == "YES")


def no(rows: list[Row]) -> Row:
    return next(row for row in rows if row["answer"] == "NO")


def choice(rows: list[Row]) -> Row:
    return rows[4]


def replaced(row: Row, field: str, old: str, new: str) -> None:
    assert old in row[field], old
    row[field] = row[field].replace(old, new, 1)


def set_config(row: Row, **values: Any) -> None:
    row["config"] |= values


def reference_lines(row: Row) -> list[str]:
    return [line for line in row["user_prompt"].split("\n") if line.startswith("- ")]


def with_text(row: Row, text: str) -> None:
    """Adds a document of another kind at the end of the context."""
    replaced(row, "user_prompt", "# Answer format\n\n", f"{render_distractor(text)}# Answer format\n\n")


def add_cycle(row: Row) -> None:
    """A block comes to cite one more paper of its component, to which a path leads already."""
    graph, own = own_component(row)
    line = next(line for line in reference_lines(row) if title_of(line) in own)
    start = row["user_prompt"].index(
        f"Title: “{next(t for t in sorted(own) if is_far(graph, t, title_of(line), row))}”"
    )
    end = row["user_prompt"].index("\n\n", start)
    row["user_prompt"] = f"{row['user_prompt'][:end]}\n{line}{row['user_prompt'][end:]}"


def cite_back(row: Row) -> None:
    """A paper comes to cite one that cites it."""
    blocks = {block.title: block for block in read_prompt(row["user_prompt"]).blocks}
    citing, cited = next((t, r) for t, block in blocks.items() for r in block.references if r in blocks)
    first = reference_lines(row)[0]
    line = first.replace(title_of(first), citing)
    end = blocks[cited].end - 1
    row["user_prompt"] = f"{row['user_prompt'][:end]}{line}\n{row['user_prompt'][end:]}"


def is_far(graph: Any, title: str, other: str, row: Row) -> bool:
    return title != other and not graph.has_edge(title, other) and f"Title: “{title}”" in row["user_prompt"]


def title_of(line: str) -> str:
    return line.split("“")[1].split("”")[0]


def own_component(row: Row) -> tuple[Any, set[str]]:
    """The citation graph, and the titles that the source reaches."""
    prompt = read_prompt(row["user_prompt"])
    graph = citation_graph(prompt)
    return graph, set(nx.node_connected_component(graph, prompt.question.source))


def copied(rows: list[Row], number: int) -> Row:
    """The same example once more, under another qid and in no list."""
    rows.append(rows[number] | {"qid": "x", "experiments": []})
    return rows[-1]


def second_reachable_option(row: Row) -> None:
    """A wrong option becomes a paper of the source's own component."""
    options = [option["text"] for option in row["options"]]
    wrong = next(text for number, text in enumerate(options) if "ABCD"[number] != row["answer"])
    source = row["question"].split("Source paper: “")[1].split("”")[0]
    other = min(own_component(row)[1] - {*options, source})
    for field in ("user_prompt", "question"):
        before, middle, after = row[field].partition("Options:\n")
        row[field] = before + middle + after.replace(f"“{wrong}”", f"“{other}”", 1)
    row["options"] = [{**o, "text": other if o["text"] == wrong else o["text"]} for o in row["options"]]


FAULTS: dict[str, tuple[Callable[[list[Row]], Any], str, str]] = {
    "YES called NO": (
        lambda rows: yes(rows).update(answer="NO"),
        "answer",
        "answer is NO, expected YES; path of 4 papers: “",
    ),
    "NO called YES": (
        lambda rows: no(rows).update(answer="YES"),
        "answer",
        "answer is YES, expected NO; the component of the source ends after 14 papers",
    ),
    "wrong count": (lambda rows: rows[2].update(answer="14"), "answer", "answer is 14, expected 13"),
    "two options reachable": (
        lambda rows: second_reachable_option(choice(rows)),
        "answer",
        "expected exactly one of A, B, C, D",
    ),
    "E right": (lambda rows: rows[12].update(answer="E"), "options", "never E"),
    "E worded otherwise": (
        lambda rows: rows[12]["options"][4].update(text="None."),
        "options",
        "None of these targets",
    ),
    "labels": (lambda rows: choice(rows)["options"][1].update(label="X"), "options", "['A', 'X', 'C', 'D']"),
    "option text": (lambda rows: choice(rows)["options"][1].update(text="Another"), "options", "'B': 'Another'"),
    "question text": (lambda rows: rows[0].update(question="Is it?"), "question", "question is Is it?"),
    "no such format": (lambda rows: rows[0].update(reachability_task="maybe"), "schema", "reachability_task is maybe"),
    "answer no label": (lambda rows: rows[0].update(answer="yes"), "schema", "answer is yes, expected YES or NO"),
    "planned answer": (lambda rows: set_config(choice(rows), answer_condition="Z"), "schema", "answer_condition is Z"),
    "depth": (
        lambda rows: set_config(yes(rows), question_depth=8),
        "depth",
        "question_depth is 8, expected 4; path of",
    ),
    "depth of a NO": (lambda rows: set_config(no(rows), question_depth=32), "depth", "no path from s is longer"),
    "component size": (
        lambda rows: set_config(rows[2], component_node_count=15),
        "component size",
        "is 15, expected 14",
    ),
    "components": (lambda rows: set_config(rows[2], num_components=5), "components", "is 5, expected 4"),
    "component sizes": (
        lambda rows: set_config(rows[2], component_sizes=[14, 9]),
        "components",
        "there is none of [9]",
    ),
    "a cycle": (lambda rows: add_cycle(rows[2]), "trees", "a cycle: “"),
    "cited back": (lambda rows: cite_back(rows[2]), "trees", "1 citations written in both directions"),
    "position": (lambda rows: set_config(yes(rows), source_position=0.123), "positions", "source_position is 0.123"),
    "a title in a text": (
        lambda rows: with_text(
            rows[2], f"we read '{title_of(reference_lines(rows[2])[0]).upper().replace(' ', chr(10), 1)}'!"
        ),
        "title in a text",
        "we read",
    ),
    "one title by case": (
        lambda rows: replaced(
            rows[2],
            "user_prompt",
            title_of(reference_lines(rows[2])[0]) + "”.",
            title_of(reference_lines(rows[2])[0]).upper() + "”.",
        ),
        "distinct titles",
        "titles that differ by their words",
    ),
    "answer announced": (
        lambda rows: with_text(yes(rows), "Hint. The correct answer is: YES."),
        "answer in the text",
        "Hint.",
    ),
    "answer on a line": (lambda rows: with_text(no(rows), "Well?\nNO\nWell."), "answer in the text", "Well?"),
    "answer in a block": (
        lambda rows: with_text(choice(rows), f"so \\answer{{{choice(rows)['answer']}}}"),
        "answer in the text",
        "so ",
    ),
    "answer in the system prompt": (
        lambda rows: yes(rows).update(system_prompt=yes(rows)["system_prompt"] + " Answer: YES"),
        "answer in the text",
        "system_prompt",
    ),
    "qid twice": (lambda rows: rows[3].update(qid=rows[0]["qid"]), "unique qids", "the same as on line 1"),
    "prompt twice": (
        lambda rows: rows.append(rows[2] | {"qid": "x", "experiments": []}),
        "duplicates",
        "user_prompt is that of line 3",
    ),
    "graph twice": (
        lambda rows: with_text(copied(rows, 2), "More."),
        "duplicates",
        "among other distractors",
    ),
    "no source": (lambda rows: set_config(rows[12], source_qid="gone"), "None variants", "source_qid is gone"),
    "variant altered": (
        lambda rows: with_text(rows[12], "More."),
        "None variants",
        "user_prompt is not that of its source",
    ),
    "variant's config": (lambda rows: set_config(rows[12], alpha=1), "None variants", "config.alpha is not that"),
    "slot missing": (lambda rows: rows[4]["experiments"][0].update(slot=40), "lists", "Slot 4 of"),
    "slot twice": (lambda rows: rows[4]["experiments"][0].update(slot=3), "lists", "Slot 3 of"),
    "values out of turn": (
        lambda rows: (rows[3]["experiments"][0].update(slot=4), rows[4]["experiments"][0].update(slot=3)),
        "lists",
        "round-robin",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(tmp_path: Path, name: str) -> None:
    plant, check, told = FAULTS[name]
    rows = sound()
    plant(rows)
    report = audit(tmp_path, rows)
    assert report.wrong
    found = [str(finding) for finding in report.findings if finding.check == check]
    assert any(told in text for text in found), report.findings


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("A", "(2004). Discourse-New Detectors For Resolution: A Survey"),
        ("A", "certain of the answer.\n\nA red-faced man"),
        ("A", "the answer is A good one"),
        ("NO", "The answer is no.\nNOW"),
        ("13", "label = 130;\nthe solution of 13 cases"),
        ("YES", "YES, he said; answer: NO"),
    ],
)
def test_prose_is_no_announcement(answer: str, text: str) -> None:
    assert announced(text, answer, 0, len(text)) == []


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("A", "Correct answer: A\n"),
        ("C", "**Answer:** C"),
        ("D", "\\answer{D}"),
        ("NO", "The answer is NO, as shown"),
        ("YES", "reachable = YES"),
        ("13", "LABEL: 13.\n"),
        ("YES", "x\nYES\ny"),
    ],
)
def test_an_announcement_is_one(answer: str, text: str) -> None:
    assert len(announced(text, answer, 0, len(text))) == 1


def test_lopsided_labels_are_found(tmp_path: Path) -> None:
    rows = [row for row in (example(index, "yes-no") for index in range(60)) if row["answer"] == "YES"]
    (finding,) = audit(tmp_path, rows).findings
    assert (finding.check, finding.found) == ("label balance", f"YES {len(rows)}, NO 0")


def test_what_cannot_be_read_is_no_disagreement(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = sound()
    rows[0]["user_prompt"] = rows[0]["user_prompt"][:-400]
    rows[2]["user_prompt"] = "Papers:\n\n1. A (cites B)\n\nHow many can be reached from A?"
    report = audit(tmp_path, rows)
    assert (report.count("agrees"), report.count("cannot be read"), report.wrong) == (11, 2, False)
    assert [(one.line, bool(one.reason)) for one in report.unread] == [(1, True), (3, True)]
    words = (str(tmp_path), "--no-shortcuts", "--no-token-recount")
    assert command(*words) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "Cannot be read (2)" in printed
    assert "Nothing is claimed about answers that cannot be read." in printed


def test_bad_lines_are_findings_and_the_rest_is_audited(tmp_path: Path) -> None:
    good = lines(sound()).split(b"\n")
    damaged = [good[0], b'{"qid": "cut', b"", b'{"qid": 7}', b"\xff\xfe", *good[1:]]
    report = audit(tmp_path, b"\xef\xbb\xbf" + b"\r\n".join(damaged) + b"   ")
    assert (report.count("agrees"), report.count("cannot be read")) == (13, 3)
    assert [(finding.check, finding.line) for finding in report.findings] == [("schema", n) for n in (2, 4, 5)]


def test_stored_token_counts_are_counted_again(tmp_path: Path) -> None:
    import tiktoken

    encode = tiktoken.get_encoding("o200k_base").encode_ordinary
    rows = sound()
    for row in rows:
        count = len(encode(row["system_prompt"])) + len(encode(row["user_prompt"]))
        row["token_counts"] = {"gpt-5.4": count, "gemma-4-31b": 1}
    rows[5]["token_counts"]["gpt-5.4"] += 1
    report = audit(tmp_path, rows, Options(shortcuts=False))
    (finding,) = report.findings
    assert (finding.line, finding.field, finding.check) == (6, "token_counts.gpt-5.4", "tokens")
    assert report.made["tokens"] == 13


def test_the_report_is_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    rows = [example(index, ("yes-no", "multiple-choice")[index % 2]) for index in range(30)]
    rows[7]["answer"] = "A" if rows[7]["answer"] != "A" else "B"
    rows[8]["user_prompt"] = "?"
    one = audit(tmp_path, rows, Options(recount=False))
    assert audit(tmp_path, rows, Options(recount=False), workers=2) == one
    assert one.wrong


def test_the_command_fails_on_disagreement_and_writes_it_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = sound()
    for row in rows:
        if row["answer"] in ("YES", "NO"):
            row["answer"] = "NO" if row["answer"] == "YES" else "YES"
    (tmp_path / "examples.jsonl").write_bytes(lines(rows))
    out = tmp_path / "deep" / "audit.json"
    assert command(str(tmp_path), "--json", str(out), "--show", "1", "--no-token-recount") == 1
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["wrong"] is True
    assert report["disagrees"] == 4
    assert {finding["field"] for finding in report["findings"]} == {"answer"}
    assert all(finding["evidence"] for finding in report["findings"])
    printed = capsys.readouterr().out
    assert "Fault: answer (4)" in printed
    assert "... and 3 more" in printed
    assert "Something disagrees." in printed


@pytest.mark.parametrize(
    ("content", "words", "told"),
    [
        (None, [], "no such file or folder"),
        (b"", [], "holds no examples"),
        (b"\n \n", [], "holds no examples"),
        (b"{}", ["--workers", "0"], "expected at least 1"),
        (b"{}", ["--tokenizer", "gemma"], "expected NAME=FILE"),
        (b"{}", ["--tokenizer", "gemma=/nowhere.json"], "there is no file /nowhere.json"),
        (b"{}", ["--revision", "main"], "is a file here"),
    ],
)
def test_what_cannot_be_opened_is_an_error(tmp_path: Path, content: bytes | None, words: list[str], told: str) -> None:
    path = tmp_path / "data.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=told):
        command(str(path), *words)


WORD = st.sampled_from(
    ["graph", "Deep", "a", "of", "É", "naïve", "x1", "don't", "Straße", "ﬁne", "数据", "C++", "re-view"]
)
PHRASE = st.lists(WORD, min_size=1, max_size=5).map(" ".join)
GAP = st.sampled_from([" ", "\n", "  ", ", ", " “", "” ", "—", " - ", ". ", "_"])


@given(st.lists(PHRASE, min_size=1, max_size=6), st.lists(st.tuples(PHRASE, GAP), max_size=25))
def test_titles_are_found_where_a_search_for_each_finds_them(titles: list[str], text: list[tuple[str, str]]) -> None:
    whole = "".join(phrase.swapcase() + gap for phrase, gap in text)
    normalised = f" {title_key(whole)} "
    expected = {title_key(title) for title in titles if f" {title_key(title)} " in normalised}
    assert {
        title_key(title) for title, _ in TitleFinder({title_key(title): title for title in titles}).find(whole)
    } == expected


def test_graphwalks_data_is_known_by_its_look(tmp_path: Path, shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in (shared / "cases/graphwalks_rows.jsonl").read_text("utf-8").splitlines()]
    path = tmp_path / "walks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert command(str(path)) == 0
    assert f"{len(rows)} agrees, 0 disagrees" in capsys.readouterr().out
    rows[0]["answer_nodes"] = [*rows[0]["answer_nodes"], "0000000000"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    out = tmp_path / "report.json"
    assert command(str(path), "--json", str(out)) == 1
    assert "too many: 0000000000" in capsys.readouterr().out
    assert json.loads(out.read_text(encoding="utf-8"))["disagrees"] == 1
