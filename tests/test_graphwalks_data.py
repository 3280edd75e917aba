"""GraphWalks data: the layout read and written, answers, files of every kind, the audit, the generator."""

import argparse
import json
import tracemalloc
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks import generate_command, rows
from graphniah_inspect.graphwalks.audit import audit_rows
from graphniah_inspect.graphwalks.generate import SAMPLE_SETTINGS, Settings, generate, generate_one
from graphniah_inspect.graphwalks.generate_command import write
from graphniah_inspect.graphwalks.graders import GRADERS, grade
from graphniah_inspect.graphwalks.layout import (
    Edge,
    UnreadablePromptError,
    operation_text,
    read_operation,
    read_prompt,
    write_prompt,
)
from graphniah_inspect.graphwalks.rows import DataFile
from graphniah_inspect.graphwalks.source import SAMPLE_FILE, open_source
from graphniah_inspect.graphwalks.tokens import count, counts_path, encoding
from graphniah_inspect.graphwalks.truth import answer_text, solve

A, B, C, D, E, F = (letter * 10 for letter in "abcdef")


def sample_records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in SAMPLE_FILE.read_text(encoding="utf-8").splitlines()]


def write_parquet(path: Path, records: list[dict[str, Any]], **options: Any) -> Path:
    pq.write_table(pa.Table.from_pylist(records), path, **options)
    return path


# ---- layout and truth


def real_rows(shared: Path) -> list[dict[str, Any]]:
    lines = (shared / "cases" / "graphwalks_rows.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line]


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


def distances(edges: list[Edge], node: str, depth: int) -> set[str]:
    """Nodes at exactly that distance, by a queue: a second opinion on networkx's."""
    found, queue = {node: 0}, deque([node])
    while queue:
        current = queue.popleft()
        for a, b in edges:
            if a == current and b not in found:
                found[b] = found[current] + 1
                queue.append(b)
    return {other for other, distance in found.items() if distance == depth}


# ---- files


@pytest.mark.parametrize("options", [{}, {"row_group_size": 5}, {"compression": "zstd", "use_dictionary": False}])
def test_parquet_of_any_make_reads_the_same(tmp_path: Path, options: dict[str, Any]) -> None:
    records = sample_records()
    file = DataFile(write_parquet(tmp_path / "rows.parquet", records, **options))
    assert [file.prompt(row.number) for row in file.rows] == [record["prompt"] for record in records]
    assert [row.nodes for row in file.rows] == [record["answer_nodes"] for record in records]
    assert [row.chars for row in file.rows] == [len(record["prompt"]) for record in records]


def test_true_lengths_replace_those_of_the_file(tmp_path: Path) -> None:
    records = [record | {"prompt_chars": 1, "more": [1, 2]} for record in sample_records()]
    file = DataFile(write_parquet(tmp_path / "rows.parquet", records))
    assert file.rows[0].chars == len(records[0]["prompt"])


def test_the_answer_column_of_the_card(tmp_path: Path) -> None:
    records = [{**record, "answer": record["answer_nodes"]} for record in sample_records()]
    for record in records:
        del record["answer_nodes"], record["date_added"]
    file = DataFile(write_parquet(tmp_path / "rows.parquet", records))
    assert file.rows[1].nodes == records[1]["answer"] and file.rows[1].date_added == ""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prompt": None}, "row 1: `prompt` is None"),
        ({"prompt": ""}, "row 1: `prompt` is ''"),
        ({"answer_nodes": None}, "row 1: `answer_nodes` is None"),
        ({"answer_nodes": "a"}, "row 1: `answer_nodes` is 'a'"),
        ({"answer_nodes": [1]}, "row 1: `answer_nodes`"),
        ({"problem_type": "BFS"}, "row 1: `problem_type` is 'BFS'; expected bfs or parents"),
        ({"date_added": 5}, "row 1: `date_added` is 5"),
        ({"prompt": "\ud800"}, "row 1: `prompt` has half a character"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    records = sample_records()[:3]
    records[1] |= change
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    with pytest.raises(UserError, match=f"rows.jsonl: {message}"):
        DataFile(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b"", "holds no rows"),
        ("a.jsonl", b'{"prompt": ', "line 1: not JSON"),
        ("a.jsonl", b"[]\n", "line 1: expected an object"),
        ("a.parquet", b"", "no whole Parquet file"),
        ("a.parquet", b"version https://git-lfs.github.com/spec/v1\n", "no whole Parquet file"),
        ("a.parquet", b"PAR1 and then cut", "no whole Parquet file"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UserError, match=message):
        DataFile(path)


def test_a_truncated_parquet_file_leaves_nothing_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "CONVERT_ON_DISK_FROM", 0)
    path = write_parquet(tmp_path / "rows.parquet", sample_records())
    content = bytearray(path.read_bytes())
    content[5000:6000] = bytes(1000)
    path.write_bytes(content)
    with pytest.raises(UserError, match="no whole Parquet file"):
        DataFile(path)
    assert not list((tmp_path / "cache").rglob("*.arrow*"))


def test_a_row_whose_operation_is_unknown_is_refused_when_selected(tmp_path: Path) -> None:
    from inspect_ai._util.error import PrerequisiteError

    from graphniah_inspect.graphwalks.tasks import graphwalks_bfs, graphwalks_parents

    records = sample_records()
    records[3]["prompt"] = records[3]["prompt"].replace("Perform a BFS", "Do a BFS")
    records[2]["problem_type"] = "bfs"
    path = write_parquet(tmp_path / "rows.parquet", records)
    with pytest.raises(PrerequisiteError, match=r"row 3 \(bfs-0003\): the operation is 'Do a BFS"):
        graphwalks_bfs(dataset=str(path))
    assert len(graphwalks_parents(dataset=str(path)).dataset) == 12
    records[3] = sample_records()[3] | {"problem_type": "parents"}
    with pytest.raises(PrerequisiteError, match="`problem_type` is parents, but it asks: 'Perform a BFS"):
        graphwalks_parents(dataset=str(write_parquet(path, records)))


def test_large_files_are_converted_once_and_a_changed_file_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "CONVERT_ON_DISK_FROM", 0)
    records = sample_records()
    path = write_parquet(tmp_path / "rows.parquet", records)
    first = DataFile(path)
    monkeypatch.setattr(rows, "_convert", lambda *_, **__: pytest.fail("converted again"))
    again = DataFile(path)
    assert again.rows == first.rows
    with ThreadPoolExecutor(20) as pool:
        prompts = list(pool.map(again.prompt, list(range(24)) * 10))
    assert prompts == [record["prompt"] for record in records] * 10
    [copy] = (tmp_path / "cache").rglob("*.arrow")
    whole = copy.read_bytes()
    copy.write_bytes(whole[:-100])
    with pytest.raises(UserError, match=f"damaged.*Delete {copy}"):
        DataFile(path)
    copy.write_bytes(whole)
    monkeypatch.undo()
    monkeypatch.setattr(rows, "CONVERT_ON_DISK_FROM", 0)
    monkeypatch.setenv("GRAPHNIAH_CACHE_DIR", str(tmp_path / "cache" / "graphniah_inspect"))
    write_parquet(path, records[::-1])
    assert DataFile(path).prompt(0) == records[-1]["prompt"]
    # The first file's prompts stay what they were, although the file itself has changed.
    assert first.prompt(0) == records[0]["prompt"]


def test_a_folder_is_read_in_the_order_of_its_files(tmp_path: Path) -> None:
    records = sample_records()
    write_parquet(tmp_path / "b.parquet", records[12:])
    write_parquet(tmp_path / "a.parquet", records[:12])
    (tmp_path / "readme.txt").write_text("x", encoding="utf-8")
    source = open_source(str(tmp_path))
    assert [problem.id for problem in source.problems] == [problem.id for problem in open_source("sample").problems]
    assert [problem.prompt() for problem in source.problems] == [record["prompt"] for record in records]
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=r"holds no \.parquet or \.jsonl"):
        open_source(str(tmp_path / "empty"))
    with pytest.raises(UserError, match=r"neither .parquet nor .jsonl"):
        open_source(str(tmp_path / "readme.txt"))


def test_a_name_that_could_be_two_things_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "openai" / "graphwalks").mkdir(parents=True)
    with pytest.raises(UserError, match="could be the hub's or"):
        open_source()
    (tmp_path / "sample").mkdir()
    with pytest.raises(UserError, match="bundled sample, but there is also"):
        open_source("sample")


# ---- audit


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


# ---- the generator


def test_the_bundled_sample_is_reproduced_byte_for_byte(tmp_path: Path) -> None:
    path = write(tmp_path, SAMPLE_SETTINGS, "jsonl")
    assert path.read_bytes() == SAMPLE_FILE.read_bytes()
    tokenizer = SAMPLE_SETTINGS.tokenizer
    assert counts_path(path, tokenizer).read_bytes() == counts_path(SAMPLE_FILE, tokenizer).read_bytes()
    assert SAMPLE_FILE.stat().st_size < 300_000


def test_the_bundled_sample_has_what_it_should() -> None:
    source = open_source("sample")
    assert len(source.problems) == 24
    kinds = {(p.row.problem_type, p.row.truth == "[]") for p in source.problems}
    assert len(kinds) == 4
    graphs = [read_prompt(problem.prompt())[0] for problem in source.problems]
    assert any(a == b for edges in graphs for a, b in edges)
    assert any(len(set(edges)) < len(edges) for edges in graphs)
    assert {p.row.operation.depth for p in source.problems if p.row.operation} == {1, 2, 3, 4, None}
    ranks = encoding("o200k_base")
    for problem, size in zip(source.problems, [1000, 2000, 4000, 8000] * 6, strict=True):
        assert size - 60 < count(problem.prompt(), ranks) <= size


def test_problems_depend_on_the_seed_and_their_number_alone() -> None:
    settings = Settings(rows=6, tokens=(800, 1200), seed=3)
    made = [one.record for one in generate(settings)]
    ranks = encoding(settings.tokenizer)
    assert generate_one(replace(settings, rows=100), 4, ranks).record == made[4]
    assert [one.record for one in generate(replace(settings, seed=4))] != made


@pytest.mark.parametrize("seed", range(3))
def test_switches_of_the_generator(seed: int) -> None:
    plain = Settings(rows=8, tokens=(1500,), self_loops=False, repeats=False, empty=0, seed=seed)
    for one in generate(plain):
        edges, _ = read_prompt(one.record["prompt"])
        assert all(a != b for a, b in edges) and len(set(edges)) == len(edges)
        assert one.record["answer_nodes"]
    for one in generate(replace(plain, empty=1.0, types=("parents",))):
        assert one.record["answer_nodes"] == [] and one.record["problem_type"] == "parents"
    for one in generate(replace(plain, depths=(2,), types=("bfs",))):
        assert read_operation(one.record["prompt"]).depth == 2


def command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    generate_command.add_generate_parser(parser.add_subparsers())
    parsed = parser.parse_args(["build-graphwalks", *arguments])
    code: int = parsed.run(parsed)
    return code


def test_the_command_writes_what_the_tasks_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "made"
    options = ["--out", str(out), "--rows", "4", "--tokens", "700,1k", "--seed", "5"]
    assert command(*options) == 0
    assert "4 problems" in capsys.readouterr().out
    table = pq.read_table(out / "graphwalks.parquet")
    assert table.column_names == ["prompt", "answer_nodes", "prompt_chars", "problem_type", "date_added"]
    content = (out / "graphwalks.parquet").read_bytes()
    assert command(*options) == 0
    assert (out / "graphwalks.parquet").read_bytes() == content
    assert {verdict.outcome for verdict in audit_rows(open_source(str(out)))} == {"agrees"}
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["sha256"] == open_source(str(out)).files[0].sha256
    with pytest.raises(UserError, match="other settings"):
        command(*options[:-1], "6")
    for wrong, message in [
        (["--rows", "0"], "--rows 0"),
        (["--tokens", "5k,many"], "--tokens='many'"),
        (["--types", "dfs"], "Known: bfs, parents"),
        (["--depths", "0"], "--depths 0"),
        (["--empty", "2"], "--empty 2"),
        (["--tokenizer", "x"], "Known:"),
        (["--tokens", "100"], "cannot hold a graph"),
    ]:
        with pytest.raises(UserError, match=message):
            command("--out", str(tmp_path / "wrong"), *wrong)


def test_prompts_of_a_million_tokens_are_read_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = next(generate(Settings(rows=1, tokens=(1_000_000,), types=("bfs",), empty=0, seed=1)))
    assert 999_000 < made.tokens <= 1_000_000
    prompt = made.record["prompt"]
    assert solve(prompt) == made.record["answer_nodes"]
    monkeypatch.setattr(rows, "CONVERT_ON_DISK_FROM", 0)
    path = write_parquet(tmp_path / "rows.parquet", [made.record] * 8)
    allocated = pa.total_allocated_bytes()
    tracemalloc.start()
    try:
        file = DataFile(path)
        assert sum(len(file.prompt(row.number)) for row in file.rows) == 8 * len(prompt)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 6 * len(prompt)  # the eight of them are eight times as long
    assert pa.total_allocated_bytes() - allocated < 2 * len(prompt)
