"""The layout of GraphWalks prompts read and written, the answers, the audit."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphniah_inspect.graphwalks.audit import audit_rows
from graphniah_inspect.graphwalks.graders import GRADERS, grade
from graphniah_inspect.graphwalks.layout import (
    Edge,
    UnreadablePromptError,
    operation_text,
    read_operation,
    read_prompt,
    write_prompt,
)
from graphniah_inspect.graphwalks.source import open_source
from graphniah_inspect.graphwalks.truth import answer_text, solve
from tests.graphwalks_data import A, B, C, D, E, F, distances, real_rows, sample_records, write_parquet


def test_real_rows_are_read_and_solved(shared: Path) -> None:
    found = []
    for row in real_rows(shared):
        assert set(solve(row["prompt"])) == set(row["answer_nodes"])
        operation = read_operation(row["prompt"])
        assert operation.problem_type == row["problem_type"]
        found.append(operation.wording)
    assert found == ["2026"] * 5 + ["2025"]


def test_a_cut_prompt_is_never_another_graph(shared: Path) -> None:
    """Cut anywhere, a prompt is unreadable or still holds the whole graph and the whole operation."""
    prompts = [row["prompt"] for row in real_rows(shared)[:1]] + [sample_records()[0]["prompt"]]
    for prompt in prompts:
        whole = read_prompt(prompt)
        operation = prompt.rfind("Operation:\n")
        for end in range(len(prompt)):
            try:
                found = read_prompt(prompt[:end])
            except UnreadablePromptError:
                continue
            assert end > operation
            assert found[0] == whole[0] and found[1].text == whole[1].text
        start = prompt.rfind("following edges:\n")
        for cut in range(start, operation - 40):
            with pytest.raises(UnreadablePromptError):
                read_prompt(prompt[: cut + 3] + prompt[cut + 33 :])  # 30 characters are not a whole line


EDGES: list[Edge] = [(A, A), (A, B), (A, B), (B, C), (A, C), (C, D), (D, A), (E, A)]


@pytest.mark.parametrize(
    ("operation", "answer"),
    [
        (operation_text("bfs", A, 1), {B, C}),
        (operation_text("bfs", A, 2), {D}),
        (operation_text("bfs", A, 3), set()),
        (operation_text("bfs", E, 2), {B, C}),
        ("Perform a BFS from node aaaaaaaaaa with depth 2.", {D}),
        (operation_text("parents", A), {D, E}),
        (operation_text("parents", C), {A, B}),
        (operation_text("parents", E), set()),
        (operation_text("parents", F), set()),
        (operation_text("bfs", F, 1), set()),
    ],
)
def test_truth(operation: str, answer: set[str]) -> None:
    assert set(solve(write_prompt(EDGES, operation))) == answer


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("aaaaaaaaaa -> bbbbbbbbbb", "aaaaaaaaaa -> bbbbbbbbb", "line 2 of the graph"),
        ("aaaaaaaaaa -> bbbbbbbbbb", "aaaaaaaaaa->bbbbbbbbbb", "line 2 of the graph"),
        ("aaaaaaaaaa -> bbbbbbbbbb", "[...]", "line 2 of the graph"),
        ("aaaaaaaaaa -> bbbbbbbbbb", "AAAAAAAAAA -> bbbbbbbbbb", "line 2 of the graph"),
        ("\n\n\nOperation:\nFind", "\n\n\nTask:\nFind", "seems to be cut"),
        ("Find the parents of node aaaaaaaaaa.", "Find the children of node aaaaaaaaaa.", "the operation is"),
        ("Find the parents of node aaaaaaaaaa.", "Perform a BFS from node aaaaaaaaaa with depth 0.", "the operation"),
        ("The graph has the following edges:", "Edges:", "no line `The graph"),
        ("Final Answer:", "Answer:", "seems to be cut"),
    ],
)
def test_another_layout_cannot_be_read(old: str, new: str, reason: str) -> None:
    prompt = write_prompt(EDGES, operation_text("parents", A))
    assert old in prompt
    with pytest.raises(UnreadablePromptError, match=reason):
        read_prompt(prompt.replace(old, new))


def test_an_operation_that_is_not_the_last_thing_asked_cannot_be_read() -> None:
    prompt = write_prompt(EDGES, operation_text("parents", A))
    with pytest.raises(UnreadablePromptError, match="seems to be cut"):
        read_prompt(f"{prompt}\n{A} -> {B}\n")
    # A worked example, answered on the next line.
    answered = prompt.split(f"of node {A}.\n")[0] + f"of node {A}.\nFinal Answer: [{B}]\n"
    with pytest.raises(UnreadablePromptError, match="seems to be cut"):
        read_prompt(answered)


def test_a_graph_without_edges_and_a_prompt_without_operation() -> None:
    with pytest.raises(UnreadablePromptError, match="no edges"):
        read_prompt(write_prompt([], operation_text("parents", A)))
    for text in ("", "Operation:", "hello\nOperation:\n"):
        with pytest.raises(UnreadablePromptError):
            read_prompt(text)


def test_wording_is_told_from_the_text_not_from_the_date() -> None:
    prompt = write_prompt(EDGES, operation_text("parents", A))
    assert read_operation(prompt).wording == "2026"
    at_once = prompt.replace("Work through the operation step by step first.", "You should immediately return it.")
    assert read_operation(at_once).wording == "2025"
    assert read_operation(prompt.replace("step by step", "well")).wording == "unknown"
    old_operation = "Perform a BFS from node aaaaaaaaaa with depth 2."
    assert read_operation(write_prompt(EDGES, old_operation)).wording == "mixed"


NODES = st.sampled_from([f"{number:010x}" for number in range(12)])


@given(st.lists(st.tuples(NODES, NODES), min_size=1), NODES, st.integers(1, 5) | st.none())
def test_what_is_written_is_read_and_solved(edges: list[Edge], node: str, depth: int | None) -> None:
    prompt = write_prompt(edges, operation_text("bfs" if depth else "parents", node, depth))
    found, operation = read_prompt(prompt)
    assert found == edges
    assert (operation.node, operation.depth, operation.wording) == (node, depth, "2026")
    expected = distances(edges, node, depth) if depth else {a for a, b in edges if b == node and a != node}
    answer = solve(prompt)
    assert set(answer) == expected and len(answer) == len(expected)
    assert grade(answer_text(answer), expected, GRADERS["openai"]).f1 == 1.0


def test_the_audit_of_real_rows_and_of_the_sample(shared: Path, tmp_path: Path) -> None:
    records = real_rows(shared)
    path = tmp_path / "real.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    verdicts = list(audit_rows(open_source(str(path))))
    assert [verdict.outcome for verdict in verdicts] == ["agrees"] * 6
    assert [verdict.wording for verdict in verdicts] == ["2026"] * 5 + ["2025"]


def test_planted_faults_are_found_and_named(tmp_path: Path) -> None:
    records = sample_records()
    clean = list(audit_rows(open_source("sample")))
    assert {verdict.outcome for verdict in clean} == {"agrees"} and len(clean) == 24
    assert [verdict.derived for verdict in clean] == [len(record["answer_nodes"]) for record in records]
    # Row 4: a parents answer that holds X itself. Row 19 (depth 4): intermediate depths. Row 1: a node is missing.
    start = read_operation(records[4]["prompt"]).node
    records[4]["answer_nodes"].append(start)
    edges, operation = read_prompt(records[19]["prompt"])
    inner = distances(edges, operation.node, 2)
    assert inner
    records[19]["answer_nodes"] += sorted(inner)
    missing = records[1]["answer_nodes"].pop()
    records[5]["answer_nodes"] *= 2
    records[6]["prompt"] = records[6]["prompt"][:5000]
    records[7]["prompt"] = "What is the capital of France?"
    verdicts = list(audit_rows(open_source(str(write_parquet(tmp_path / "faulty.parquet", records)))))
    outcomes = {number: verdict.outcome for number, verdict in enumerate(verdicts) if verdict.outcome != "agrees"}
    assert outcomes == {
        1: "disagrees",
        4: "disagrees",
        6: "cannot be read",
        7: "cannot be read",
        19: "disagrees",
    }
    assert verdicts[4].holds_start and verdicts[4].surplus == (start,) and start in verdicts[4].reason
    assert verdicts[19].surplus == tuple(sorted(inner)[:5]) and not verdicts[19].holds_start
    assert verdicts[1].missing == (missing,) and verdicts[1].id == "bfs-0001"
    assert verdicts[5].repeated == 1 and verdicts[5].outcome == "agrees"
    assert "seems to be cut" in verdicts[6].reason and "Operation:" in verdicts[7].reason
    assert verdicts[6].derived is None
