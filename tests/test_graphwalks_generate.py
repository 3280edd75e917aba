"""The generator of GraphWalks-like problems and the bundled sample."""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks import generate_command
from graphniah_inspect.graphwalks.audit import audit_rows
from graphniah_inspect.graphwalks.generate import SAMPLE_SETTINGS, Settings, generate, generate_one
from graphniah_inspect.graphwalks.generate_command import write
from graphniah_inspect.graphwalks.layout import (
    read_operation,
    read_prompt,
)
from graphniah_inspect.graphwalks.source import SAMPLE_FILE, open_source
from graphniah_inspect.graphwalks.tokens import count, counts_path, encoding


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
