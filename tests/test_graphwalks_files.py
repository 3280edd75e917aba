"""GraphWalks data files of every kind, whole and damaged, small and large."""

import json
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from inspect_ai._util.error import PrerequisiteError

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks import rows
from graphniah_inspect.graphwalks.generate import Settings, generate
from graphniah_inspect.graphwalks.rows import DataFile
from graphniah_inspect.graphwalks.source import open_source
from graphniah_inspect.graphwalks.truth import solve
from graphniah_inspect.tasks import graphwalks_bfs, graphwalks_parents
from tests.graphwalks_data import sample_records, write_parquet


@pytest.mark.parametrize("options", [{}, {"row_group_size": 5}, {"compression": "zstd", "use_dictionary": False}])
def test_parquet_of_any_make_reads_the_same(tmp_path: Path, options: dict[str, Any]) -> None:
    records = sample_records()
    file = DataFile(write_parquet(tmp_path / "rows.parquet", records, **options))
    assert [file.prompt(row.number) for row in file.rows] == [record["prompt"] for record in records]
    assert [row.nodes for row in file.rows] == [record["answer_nodes"] for record in records]
    assert [row.chars for row in file.rows] == [len(record["prompt"]) for record in records]


def test_true_lengths_replace_those_of_the_file(tmp_path: Path) -> None:
    records = [record | {"prompt_chars": 1, "more": [1, 2]} for record in sample_records()]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    for path in (write_parquet(tmp_path / "rows.parquet", records), tmp_path / "rows.jsonl"):
        assert DataFile(path).rows[0].chars == len(records[0]["prompt"])


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
    monkeypatch.setattr(rows, "convert", lambda *_, **__: pytest.fail("converted again"))
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
