"""Reading a file of examples: every row as `json.loads` has it, or an error that names the place."""

import copy
import hashlib
import json
import logging
import os
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inspect_ai._util.config import parse_cli_args

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah import index, index_cache
from graphniah_inspect.graphniah.source import open_source
from tests.replica import LISTS, NONE_MODELS, write_replica

Row = dict[str, Any]


def make_row(number: int = 0, **changes: Any) -> Row:
    """A row with what is required and nothing else."""
    row = {
        "qid": f"qid-{number}",
        "reachability_task": "yes-no",
        "system_prompt": "system",
        "user_prompt": f"prompt {number}",
        "question": f"question {number}?",
        "answer": "YES",
        "experiments": [{"name": "question-depth", "slot": number}],
    }
    return row | changes


def write(path: Path, *rows: Row) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def error_of(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        open_source(str(path))
    return str(caught.value)


# ---- any row, as json.loads has it

awkward = st.sampled_from(
    ["\u2028", "\u0085", "\0", "\ud800", "\udc00", "\U0001f600", "\r", "\n", "\\", '"', "é", "\x1f"]
)
texts = st.text(st.one_of(awkward, st.characters(exclude_categories=())), max_size=12)
numbers = st.one_of(st.integers(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False))
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=5,
)
counts = st.dictionaries(texts, st.integers(0, 2**40), max_size=3)
placements = st.fixed_dictionaries(
    {"name": texts, "slot": st.integers(0, 2**40)},
    optional={"context_length": st.integers(0, 2**40), "path": texts},
)
options = st.one_of(st.none(), st.lists(st.fixed_dictionaries({"label": texts, "text": texts}), max_size=5))
any_row = st.builds(
    lambda required, extra: extra | required,
    st.fixed_dictionaries(
        {
            "qid": texts,
            "reachability_task": texts,
            "system_prompt": texts,
            "user_prompt": texts.filter(len),
            "question": texts,
            "answer": texts,
            "experiments": st.lists(placements, max_size=3),
        },
        optional={
            "options": options,
            "config": st.dictionaries(texts, values, max_size=4),
            "token_counts": counts,
            "offset": values,
            "line": values,
        },
    ),
    st.dictionaries(st.sampled_from(["extra", "generator_version", "", "é"]), values, max_size=2),
)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(
    rows=st.lists(any_row, min_size=1, max_size=4, unique_by=lambda row: row["qid"]),
    ascii_only=st.booleans(),
    end=st.sampled_from([b"\n", b"\r\n", b"\n\n", b" \n \t\n"]),
    ended=st.booleans(),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    block=st.sampled_from([1, 7, 64, 4096]),
)
def test_any_row_comes_back_as_json_has_it(
    rows: list[Row], ascii_only: bool, end: bytes, ended: bool, mark: bytes, block: int
) -> None:
    lines = [json.dumps(row, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass") for row in rows]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "BLOCK", block)
        patch.setattr(index, "_CLOCK_TICK", 0)
        patch.setattr(index_cache, "CACHE_FROM", 0)
        patch.setenv("GRAPHNIAH_CACHE_DIR", folder)
        path = Path(folder, "any.jsonl")
        path.write_bytes(mark + end.join(lines) + (end if ended else b""))
        source = open_source(str(path))
        content = path.read_bytes()
        assert source.sha256 == hashlib.sha256(content).hexdigest()
        assert len(source.examples) == len(rows)
        for example, line in zip(source.examples, lines, strict=True):
            row = json.loads(line)
            assert json.loads(content[example.offset :][: example.length]) == row
            assert content[: example.offset].count(b"\n") + 1 == example.line
            for name in ("qid", "reachability_task", "question", "answer"):
                assert getattr(example, name) == row[name]
            assert example.config == row.get("config", {})
            assert example.token_counts == row.get("token_counts", {})
            assert msgspec.to_builtins(example.options) == (
                None if row.get("options") is None else tuple(row["options"])
            )
            assert [(place.name, place.slot, place.context_length) for place in example.experiments] == [
                (place["name"], place["slot"], place.get("context_length")) for place in row["experiments"]
            ]
            assert source.prompt(example) == (row["system_prompt"], row["user_prompt"])
        patch.setattr(index_cache, "build_index", None)
        assert open_source(str(path)).examples == source.examples  # now from the cached index


def test_what_is_absent_or_null_or_doubled_is_no_error(tmp_path: Path) -> None:
    bare = make_row(0)
    nulls = make_row(1, options=None, config=None, token_counts={"gpt-5.4": 7, "gemma-4-31b": None}, question_type=None)
    doubled = json.dumps(make_row(2))[:-1] + ', "answer": 3, "answer": "NO"}'
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join([json.dumps(bare), json.dumps(nulls), doubled]), encoding="utf-8")
    first, second, third = open_source(str(path)).examples
    assert (first.options, first.config, first.token_counts) == (None, {}, {})
    assert (second.options, second.config, second.token_counts) == (None, {}, {"gpt-5.4": 7})
    assert third.answer == json.loads(doubled)["answer"] == "NO"


# ---- what is wrong with a file

good = json.dumps(make_row(0)).encode("ascii")
second_row = json.dumps(make_row(1)).encode("ascii")
PROMPT_AT = second_row.index(b"prompt 1")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"qid": "a"}', "missing required field `reachability_task`"),
        (json.dumps(make_row(1, answer=3)).encode(), "Expected `str`, got `int` - at `$.answer`"),
        (json.dumps(make_row(1, qid=None)).encode(), "Expected `str`, got `null` - at `$.qid`"),
        (
            json.dumps(make_row(1, user_prompt=["x"])).encode(),
            "Expected `str`, got `array` - at `$.user_prompt`",
        ),
        (json.dumps(make_row(1, system_prompt=None)).encode(), "got `null` - at `$.system_prompt`"),
        (json.dumps(make_row(1, user_prompt="")).encode(), "`user_prompt` is empty"),
        (json.dumps(make_row(1, system_prompt="\ud800", user_prompt="")).encode(), "`user_prompt` is empty"),
        (json.dumps(make_row(1, system_prompt="\ud800", user_prompt=3)).encode(), "at `$.user_prompt`"),
        (
            json.dumps(make_row(1, experiments={})).encode(),
            "Expected `array`, got `object` - at `$.experiments`",
        ),
        (
            json.dumps(make_row(1, experiments=[{"name": "x"}])).encode(),
            "field `slot` - at `$.experiments[0]`",
        ),
        (json.dumps(make_row(1, experiments=[{"name": "x", "slot": -1}])).encode(), "`int` >= 0"),
        (json.dumps(make_row(1, experiments=[{"name": "x", "slot": True}])).encode(), "got `bool`"),
        (json.dumps(make_row(1, options=["A"])).encode(), "at `$.options[0]`"),
        (json.dumps(make_row(1, token_counts={"t": "9"})).encode(), "at `$.token_counts[...]`"),
        (json.dumps(make_row(1, config=[])).encode(), "at `$.config`"),
        (b"[1]", "Expected `object`, got `array`"),
        (b"null", "Expected `object`, got `null`"),
        (second_row + second_row, f"not JSON: Extra data (byte {len(good) + 1 + len(second_row)})"),
        (second_row.replace(b"prompt 1", b"pro\\mpt"), "not JSON: Invalid \\escape"),
        (second_row.replace(b"prompt 1", b"pro\tmpt"), "not JSON: Invalid control character"),
        (
            second_row.replace(b"prompt 1", b"\xff"),
            f"not UTF-8: invalid start byte (byte {len(good) + 1 + PROMPT_AT})",
        ),
        (second_row.replace(b"qid-1", b"\xc3("), "not UTF-8: invalid continuation byte"),
        (json.dumps(make_row(1) | {"\ud800": 1}).encode(), "the name of a field holds a lone surrogate"),
        (b"\0" * 50, "not JSON"),
        (b"\xef\xbb\xbf" + second_row, "not JSON"),
        (b'{"qid": ' + b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_line_is_named_by_file_line_byte_and_reason(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(good + b"\n" + line + b"\n" + json.dumps(make_row(2)).encode("ascii") + b"\n")
    message = error_of(path)
    assert f"{path}, line 2, which begins at byte {len(good) + 1}: " in message
    assert reason in message


def test_bytes_of_an_error_are_counted_in_bytes(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    line = json.dumps(make_row(1, question="é😀"), ensure_ascii=False).encode("utf-8")
    path.write_bytes(good + b"\n" + line[:-1] + b"!}\n")
    assert f"(byte {len(good) + 1 + len(line) - 1})" in error_of(path)


@pytest.mark.parametrize("cut", [1, 30, len(second_row) - 1, second_row.index(b"question 1")])
def test_a_truncated_last_line_is_said_to_be_cut_off(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_bytes(good + b"\n" + second_row[:cut])
    message = error_of(path)
    assert "line 2" in message
    assert "may be cut off: download or build it again" in message


def test_the_same_qid_twice_names_both_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "double.jsonl", make_row(0), make_row(1), make_row(2), make_row(1, answer="NO"))
    assert "lines 2 and 4 have the same qid, 'qid-1'" in error_of(path)


@pytest.mark.parametrize("content", [b"", b"\n", b"\xef\xbb\xbf", b" \r\n\n"])
def test_an_empty_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(content)
    assert "holds no examples" in error_of(path)


def test_files_that_are_something_else_say_what_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", encoding="utf-8")
    assert "git lfs pull" in error_of(path)
    path.write_text(json.dumps([make_row(0)], indent=1), encoding="utf-8")
    assert "jq -c" in error_of(path)
    monkeypatch.setattr(index, "LONGEST_LINE", 100)
    monkeypatch.setattr(index, "BLOCK", 64)
    write(path, make_row(0))
    assert "not one example a line" in error_of(path)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "growing.jsonl", make_row(0))
    original = index._example

    def append(*arguments: Any) -> index.Example:
        with path.open("ab") as file:
            file.write(second_row)
        return original(*arguments)

    monkeypatch.setattr(index, "_example", append)
    assert "changed while it was read" in error_of(path)


# ---- reading prompts


def test_a_file_changed_under_a_run_is_never_read(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", make_row(0), make_row(1))
    source = open_source(str(path))
    example = source.examples[1]
    assert source.prompt(example).user == "prompt 1"
    write(path, make_row(0, user_prompt="PROMPT 0"), make_row(1, user_prompt="PROMPT 1"))  # of the same size
    with pytest.raises(UserError, match=r"changed since this run indexed it, so line 2 .* qid-1"):
        source.prompt(example)
    status = path.stat()
    write(path, make_row(0), make_row(7))  # with the time stamp of before
    os.utime(path, ns=(status.st_atime_ns, source.state.modified))
    with pytest.raises(UserError, match="another example than qid-1"):
        source.prompt(example)
    path.unlink()
    with pytest.raises(UserError, match=r"cannot be read any more \(No such file"):
        source.prompt(example)


def test_fifty_threads_read_and_leave_no_file_open(tmp_path: Path) -> None:
    rows = [make_row(number, user_prompt=f"{number} " * 2000) for number in range(100)]
    source = open_source(str(write(tmp_path / "rows.jsonl", *rows)))
    before = len(list(Path("/proc/self/fd").iterdir()))
    with ThreadPoolExecutor(50) as pool:
        prompts = list(pool.map(source.prompt, source.examples * 5))
    assert [prompt.user for prompt in prompts] == [row["user_prompt"] for row in rows] * 5
    assert len(list(Path("/proc/self/fd").iterdir())) == before


# ---- the cached index


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder, used for files of any size."""
    monkeypatch.setattr(index_cache, "CACHE_FROM", 0)
    monkeypatch.delenv("GRAPHNIAH_CACHE_DIR", raising=False)
    return tmp_path / "cache" / "graphniah_inspect"  # XDG_CACHE_HOME is set for every test


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were read whole."""
    read: list[Path] = []

    def counted(path: Path) -> index.Index:
        read.append(path)
        return index.build_index(path)

    monkeypatch.setattr(index_cache, "build_index", counted)
    return read


def test_a_changed_file_is_never_read_through_its_old_index(tmp_path: Path, cache: Path, passes: list[Path]) -> None:
    path = write(tmp_path / "rows.jsonl", make_row(0))
    open_source(str(path))
    assert open_source(str(path)).examples[0].answer == "YES"
    assert len(passes) == 1
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(b"YES", b"NO."))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # same size, inode and time stamp
    assert open_source(str(path)).examples[0].answer == "NO."
    replacement = write(tmp_path / "new.jsonl", make_row(0, answer="N/A"))
    replacement.replace(path)
    assert open_source(str(path)).examples[0].answer == "N/A"
    assert len(passes) == 3
    assert len(list(cache.iterdir())) == 1


def test_a_link_and_its_file_share_an_index_and_other_files_have_their_own(
    tmp_path: Path, cache: Path, passes: list[Path]
) -> None:
    path = write(tmp_path / "rows.jsonl", make_row(0))
    (tmp_path / "link.jsonl").symlink_to(path)
    copy_of = write(tmp_path / "copy.jsonl", make_row(0))
    for each in (path, tmp_path / "link.jsonl", copy_of):
        open_source(str(each))
    assert passes == [path, copy_of]


@pytest.mark.parametrize("place", [0.0, 0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("damage", ["flipped", "cut", "emptied"])
def test_a_damaged_index_is_built_anew_and_said_so(
    tmp_path: Path,
    cache: Path,
    passes: list[Path],
    caplog: pytest.LogCaptureFixture,
    place: float,
    damage: str,
) -> None:
    path = write(tmp_path / "rows.jsonl", *(make_row(number) for number in range(5)))
    expected = open_source(str(path)).examples
    (file,) = cache.iterdir()
    content = bytearray(file.read_bytes())
    at = int(place * len(content))
    if damage == "flipped":
        content[at] ^= 1
    else:
        del content[at if damage == "cut" else 0 :]
    file.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        assert open_source(str(path)).examples == expected
    assert "cannot be used" in caplog.text
    assert "built anew" in caplog.text
    assert open_source(str(path)).examples == expected
    assert len(passes) == 2


def test_a_cache_that_cannot_be_written_is_said_and_done_without(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRAPHNIAH_CACHE_DIR", str(tmp_path / "file" / "folder"))
    path = write(tmp_path / "rows.jsonl", make_row(0))
    with caplog.at_level(logging.WARNING):
        assert len(open_source(str(path)).examples) == 1
    assert "could not be kept" in caplog.text
    assert "GRAPHNIAH_CACHE_DIR" in caplog.text
    monkeypatch.setenv("GRAPHNIAH_CACHE_DIR", str(tmp_path / "elsewhere"))
    open_source(str(path))
    assert len(list((tmp_path / "elsewhere").iterdir())) == 1
    assert not cache.exists()


def test_a_write_that_fails_leaves_nothing_behind(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    path = write(tmp_path / "rows.jsonl", make_row(0))
    monkeypatch.setattr(Path, "replace", full)
    with caplog.at_level(logging.WARNING):
        assert len(open_source(str(path)).examples) == 1
    assert "No space left on device" in caplog.text
    assert not list(cache.iterdir())


def test_runs_at_once_leave_one_whole_index(tmp_path: Path, cache: Path, passes: list[Path]) -> None:
    path = write(tmp_path / "rows.jsonl", *(make_row(number) for number in range(50)))
    with ThreadPoolExecutor(8) as pool:
        sources = list(pool.map(open_source, [str(path)] * 8))
    assert all(source.examples == sources[0].examples for source in sources)
    passes.clear()
    assert open_source(str(path)).examples == sources[0].examples
    assert not passes
    assert len(list(cache.iterdir())) == 1


# ---- the parameters


def test_dataset_may_be_a_file_or_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "owner" / "name").mkdir(parents=True)
    write(tmp_path / "owner" / "name" / "examples.jsonl", make_row(0))
    for dataset in ("./owner/name", "~/owner/name", "owner/name/examples.jsonl", f"{tmp_path}/owner/name/"):
        source = open_source(dataset)
        assert (source.name, source.revision, len(source.examples)) == (dataset, None, 1)


@pytest.mark.parametrize(
    ("dataset", "parts"),
    [
        ("owner/name", ["could be the hub's or", "./owner/name"]),
        ("sample", ["bundled sample", "./sample"]),
        ("owner", ["holds no examples.jsonl", "no .jsonl file at all"]),
        ("other", ["holds no examples.jsonl", "other/mine.jsonl"]),
        ("nowhere", ["no such file or folder", "owner/name", "`sample`"]),
        ("data/none.jsonl", ["no such file or folder"]),
        ("./owner/none", ["no such file or folder"]),
        ("a.json", ["not a .jsonl file", "jq -c"]),
        ("a.jsonl.gz", ["not a .jsonl file", "unpack it"]),
        ("a.parquet", ["not a .jsonl file", "JSON Lines"]),
        ("a.txt", ["not a .jsonl file", "must end in .jsonl"]),
        ("", ["is not a name"]),
        (3, ["is not a name"]),
        (["a.jsonl", "b.jsonl"], ["is not a name"]),
        (None, ["is not a name"]),
        ("x" * 5000, ["cannot be looked for"]),
        ("~no-such-user/examples.jsonl", ["cannot be looked for"]),
    ],
)
def test_a_dataset_that_cannot_be_meant_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dataset: object, parts: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("owner/name", "sample", "other"):
        Path(folder).mkdir(parents=True)
    for file in ("sample/examples.jsonl", "other/mine.jsonl", "a.json", "a.jsonl.gz", "a.parquet", "a.txt"):
        write(Path(file), make_row(0))
    with pytest.raises(UserError) as caught:
        open_source(dataset)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize("typed", ["1234567", "0123456", "1.5", "no", "2026-01-01", "1_000", "a,b", "''"])
def test_a_revision_that_yaml_made_something_else_is_refused_with_the_cure(typed: str) -> None:
    revision = parse_cli_args([f"revision={typed}"])["revision"]
    with pytest.raises(UserError, match="revision='1234567'"):
        open_source("minhnam/GraphNIAH", revision)


def test_the_cure_for_a_revision_survives_the_command_line(tmp_path: Path) -> None:
    assert parse_cli_args(["revision='1234567'"]) == {"revision": "1234567"}  # as the shell hands it on
    path = write(tmp_path / "rows.jsonl", make_row(0))
    with pytest.raises(UserError, match="is for datasets on the hub"):
        open_source(str(path), "1234567")


# ---- the replica


def test_the_replica_has_the_published_sizes(tmp_path: Path) -> None:
    source = open_source(str(write_replica(tmp_path / "replica.jsonl")))
    entries = [(place, example) for example in source.examples for place in example.experiments]
    assert (len(source.examples), len(entries)) == (8686, 9800)
    sizes = Counter((place.name, place.context_length) for place, _ in entries)
    nones = {f"question-format/none-option/reasoning_effort=low/model={model}": 100 for model in NONE_MODELS}
    assert sizes == LISTS | {(name, 200_000): size for name, size in nones.items()}
    evaluated = {"question-depth": 400, "node-count": 400, "question-format": 300, "distractor-type": 500}
    evaluated |= {"reasoning_effort": 100, "context_length": 50} | nones
    taken = [example.qid for place, example in entries if place.slot < evaluated[place.name]]
    assert len(set(taken)) == 1760
    assert len({frozenset(example.config) for example in source.examples}) > 3
    by_name = [{example.qid for place, example in entries if place.name == name} for name in nones]
    assert by_name[0] == by_name[1] == by_name[2]
    assert copy.copy(source) == source
