"""`graphniah/replay`: responses from a file, matched with the task before anything is answered."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog

from graphniah_inspect.replay import match_replay
from graphniah_inspect.tasks import graphniah, yesno


def samples() -> list[tuple[str, str, str]]:
    return [(str(s.id), (s.metadata or {})["qid"], str(s.target)) for s in yesno(dataset="sample").dataset]


def write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def replay(file: Path, **options: Any) -> EvalLog:
    arguments = {"file": str(file)} | {name: options.pop(name) for name in ("partial",) if name in options}
    [log] = eval(
        options.pop("task", None) or yesno(dataset="sample"), model="graphniah/replay", model_args=arguments, **options
    )
    return log


def scores(log: EvalLog) -> list[tuple[Any, str | None]]:
    assert log.samples
    return [(score.value, score.reason) for sample in log.samples for score in (sample.scores or {}).values()]


def errors(log: EvalLog) -> list[str]:
    return [sample.error.message for sample in log.samples or [] if sample.error]


def mismatch(log: EvalLog, n: int) -> str:
    """The one error that says in which way file and run do not match; the other samples' errors refer to it."""
    [told] = [message for message in errors(log) if "do not match. " in message]
    assert sum("do not match; the error of" in message for message in errors(log)) == n - 1
    return told


@pytest.mark.parametrize("by", ["qid", "id"])
@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_gives_each_sample_its_response(by: str, suffix: str, tmp_path: Path) -> None:
    known = samples()
    rows = [
        {by: qid if by == "qid" else name, "response": f'First,\n"quoted"\n\\answer{{{target}}}'}
        for name, qid, target in reversed(known)
    ]
    rows[0]["response"] = "\\answer{NO}" if known[-1][2] == "YES" else "\\answer{YES}"
    file = tmp_path / f"responses{suffix}"
    if suffix == ".jsonl":
        write(file, rows)
    else:
        with file.open("w", encoding="utf-8", newline="") as text:
            writer = csv.DictWriter(text, [by, "response"])
            writer.writeheader()
            writer.writerows(rows)
    log = replay(file)
    assert log.status == "success"
    assert [value for value, _ in scores(log)] == ["C", "C", "C", "C", "I"]


def test_how_a_response_ended_is_kept(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"id": name, "response": "\\answer{YES}"} for name, _, _ in samples()]
    rows[0] |= {"stop_reason": "model_length"}
    rows[1] |= {"stop_reason": "content_filter"}
    rows[2] |= {"response": "\\answer{YE", "stop_reason": "max_tokens"}
    rows[3] |= {"response": None}
    rows[4] |= {"input_tokens": 10, "output_tokens": 3}
    log = replay(write(tmp_path / "r.jsonl", rows))
    reasons = [reason for _, reason in scores(log)]
    assert reasons == ["context_overflow", "refusal", "truncated", "no_response", "prompt_truncated"]
    assert log.stats.model_usage["graphniah/replay"].total_tokens == 13


def test_epochs(tmp_path: Path) -> None:
    rows = [
        {"id": name, "epoch": epoch, "response": f"\\answer{{{target if epoch == 2 else 'nothing'}}}"}
        for name, _, target in samples()
        for epoch in (1, 2)
    ]
    log = replay(write(tmp_path / "r.jsonl", rows), epochs=2)
    assert log.results and log.results.scores[0].metrics["accuracy"].value == 0.5
    assert [sample.epoch for sample in log.samples or [] for s in (sample.scores or {}).values() if s.value == "C"] == [
        2
    ] * 5
    missing = replay(tmp_path / "r.jsonl", epochs=3)
    assert missing.status == "error" and not scores(missing)
    told = mismatch(missing, 15)
    assert f"5 of 5 samples lack a response: {samples()[0][0]} (epoch 3), " in told and "no sample asks" not in told
    assert len(scores(replay(tmp_path / "r.jsonl", epochs=3, partial=True))) == 10


def test_epochs_that_the_run_does_not_ask_for_are_listed(tmp_path: Path) -> None:
    rows = [{"id": name, "epoch": epoch, "response": "YES"} for name, _, _ in samples() for epoch in (1, 2, 3)]
    file = write(tmp_path / "r.jsonl", rows)
    for log_format in ("eval", "json"):
        log = replay(file, log_format=log_format)
        assert log.status == "error" and not scores(log)
        told = mismatch(log, 5)
        assert f"5 ids have a response that no sample asks for: {samples()[0][0]} (epoch 2, 3), " in told
        assert "lack" not in told
    assert replay(file, partial=True).status == replay(file, epochs=3).status == "success"


def test_missing_and_surplus_ids_are_listed_before_anything_is_answered(tmp_path: Path) -> None:
    known = samples()
    rows = [{"id": name, "response": "\\answer{YES}"} for name, _, _ in known[1:]]
    rows.append({"id": "question-format-9999", "response": "\\answer{YES}"})
    file = write(tmp_path / "r.jsonl", rows)
    log = replay(file)
    assert log.status == "error" and not scores(log)
    told = mismatch(log, 5)
    assert known[0][0] in told and "question-format-9999" in told and known[1][0] not in told

    partial = replay(file, partial=True)
    assert len(scores(partial)) == 4
    [error] = errors(partial)
    assert known[0][0] in error
    assert match_replay([]) is not None


@pytest.mark.parametrize("off", ["missing", "surplus"])
def test_either_is_an_error_alone(off: str, tmp_path: Path) -> None:
    named = [name for name, _, _ in samples()]
    named = named[1:] if off == "missing" else [*named, "question-format-9999"]
    log = replay(write(tmp_path / "r.jsonl", [{"id": name, "response": "\\answer{YES}"} for name in named]))
    assert log.status == "error" and not scores(log)


def test_a_part_of_a_task(tmp_path: Path) -> None:
    file = write(tmp_path / "r.jsonl", [{"id": name, "response": "\\answer{YES}"} for name, _, _ in samples()])
    log = replay(file, task=graphniah(dataset="sample"), sample_id=[name for name, _, _ in samples()[:2]], partial=True)
    assert log.status == "success" and len(scores(log)) == 2


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    known = samples()
    file = write(tmp_path / "r.jsonl", [{"id": name, "response": "nothing"} for name, _, _ in known])
    assert {value for value, _ in scores(replay(file))} == {"I"}
    write(file, [{"id": name, "response": f"\\answer{{{target}}}"} for name, _, target in known])
    assert {value for value, _ in scores(replay(file))} == {"C"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no response"),
        ('{"id": "a", "response": "b"}\n{"id": "a"', "line 2: not JSON"),
        ('{"id": "a", "response": "b"}\n{"id": "a", "response": "c"}', "line 2: a second response to a, epoch 1"),
        ('{"response": "b"}', "line 1: expected either"),
        ('{"id": "a", "qid": "b", "response": "b"}', "expected either"),
        ('{"id": 3, "response": "b"}', "expected either"),
        ('{"id": "a", "respones": "b"}', "unknown fields respones"),
        ('{"id": "a", "response": ["b"]}', "expected a text"),
        ('{"id": "a", "response": "b", "epoch": 0}', "from 1"),
        ('{"id": "a", "response": "b", "epoch": "two"}', "epoch='two'"),
        ('{"id": "a", "response": "b", "stop_reason": "length"}', "max_tokens"),
        ('["a"]', "expected an object"),
        ("\udcff", "cannot be read"),
    ],
)
def test_a_malformed_file_is_refused(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(PrerequisiteError) as refused:
        replay(file)
    assert said in str(refused.value.message) and str(file) in str(refused.value.message)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "-M file="),
        ({"file": "/nowhere.jsonl"}, "/nowhere.jsonl"),
        ({"file": __file__}, ".csv"),
        ({"file": __file__, "partial": "some"}, "true or false"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(PrerequisiteError, match=said):
        eval(yesno(dataset="sample"), model="graphniah/replay", model_args=arguments)
