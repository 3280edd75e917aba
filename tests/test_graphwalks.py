"""GraphWalks tasks as users run them: selection, runs, scoring again, regrading."""

import argparse
import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from inspect_ai import Task, eval, score
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage, StopReason, get_model
from inspect_ai.scorer import SampleScore, Score

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks import metrics, regrade_command, source, tokens
from graphniah_inspect.graphwalks.bands import LONG_FILE, SHORT_FILE, bands_of, truth_size_band
from graphniah_inspect.graphwalks.generate import Settings, generate
from graphniah_inspect.graphwalks.graders import GRADERS
from graphniah_inspect.graphwalks.probes import probe_table
from graphniah_inspect.graphwalks.regrade_command import regrade, run
from graphniah_inspect.graphwalks.samples import record_to_sample
from graphniah_inspect.graphwalks.scoring import REASONS, graphwalks_grader
from graphniah_inspect.graphwalks.selection import Chosen
from graphniah_inspect.graphwalks.source import PUBLISHED, REVISION, open_source
from graphniah_inspect.graphwalks.tasks import graphwalks, graphwalks_bfs, graphwalks_parents
from graphniah_inspect.graphwalks.truth import answer_text, solve
from tests import test_hub


def model(answer: Callable[[str], str], stop_reason: StopReason = "stop", tokens: int | None = None) -> Any:
    """A model that answers each prompt by a function of its text."""

    def output(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        text = messages[-1].text
        made = ModelOutput.from_content("mock", answer(text), stop_reason)
        read = len(text) // 2 if tokens is None else tokens
        made.usage = ModelUsage(input_tokens=read, output_tokens=1, total_tokens=read + 1)
        return made

    return get_model("mockllm/model", custom_outputs=output)


def oracle(prompt: str) -> str:
    return answer_text(solve(prompt))


def run_task(task: Task, model: Any, **options: Any) -> EvalLog:
    log = eval(task, model=model, **options)[0]
    assert log.status == "success", log.error
    return log


def values(log: EvalLog) -> dict[str, float]:
    """Metrics by `score.metric`, those of the groups by their own names."""
    assert log.results
    return {
        name if one.name == one.scorer else f"{one.name}.{name}": metric.value
        for one in log.results.scores
        for name, metric in one.metrics.items()
    }


def ids(task: Task) -> list[str]:
    return [str(sample.id) for sample in task.dataset]


def record(task: Task) -> dict[str, Any]:
    found = (task.metadata or {})["selection"]
    assert isinstance(found, dict)
    return found


# ---- runs


def test_the_oracle_is_right_and_prompts_arrive_byte_for_byte() -> None:
    seen: list[str] = []

    def answer(prompt: str) -> str:
        seen.append(prompt)
        return oracle(prompt)

    log = run_task(graphwalks(dataset="sample"), model(answer))
    found = values(log)
    assert found["f1.mean"] == found["exact.mean"] == found["parsed.mean"] == found["bfs"] == found["parents"] == 1.0
    assert found["truth 0"] == 1.0
    lines = source.SAMPLE_FILE.read_text(encoding="utf-8").splitlines()
    assert sorted(seen) == sorted(json.loads(line)["prompt"] for line in lines)
    assert log.results and log.results.headline and log.results.headline.score == "f1"
    assert log.eval.metadata and log.eval.metadata["selection"]["samples"] == 24
    assert log.eval.model_generate_config.max_tokens is None
    for sample in log.samples or []:
        assert isinstance(sample.input, str) and "\n" not in sample.input
        assert isinstance(sample.target, str) and isinstance(json.loads(sample.target), list)
        assert all(isinstance(one, str | int) or one is None for one in sample.metadata.values())


def test_epochs_do_not_change_what_figures_mean() -> None:
    """Wrong in every third epoch: the mean over three epochs is 2/3, over samples and in each group."""
    calls: dict[str, int] = {}

    def answer(prompt: str) -> str:
        calls[prompt] = calls.get(prompt, 0) + 1
        return "nothing" if calls[prompt] == 3 else oracle(prompt)

    found = values(run_task(graphwalks(dataset="sample"), model(answer), epochs=3))
    for name in ("f1.mean", "parsed.mean", "bfs", "parents", "0-128k", "truth 0", "bfs exact", "bfs recall"):
        assert found[name] == pytest.approx(2 / 3), name
    assert found["invalid_response_format.mean"] == pytest.approx(1 / 3)
    # Every sample has the same mean, so samples do not differ, however its epochs do.
    assert found["f1.stderr"] == pytest.approx(0)
    assert found["f1 lower"] == found["f1 upper"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("answer", "stop_reason", "reason", "f1"),
    [
        ("I do not know.", "stop", "invalid_response_format", 0.0),
        ("", "stop", "no_response", 0.0),
        ("  \n", "stop", "no_response", 0.0),
        ("(no content)", "stop", "no_response", 0.0),
        ("Final Answer: [a, b", "max_tokens", "truncated", 0.0),
        ("", "max_tokens", "truncated", 0.0),
        ("RIGHT", "max_tokens", None, 1.0),
        ("RIGHT", "model_length", "context_overflow", 0.0),
        ("RIGHT", "content_filter", "refusal", 0.0),
    ],
)
def test_every_reason_is_kept_apart(answer: str, stop_reason: StopReason, reason: str | None, f1: float) -> None:
    log = run_task(
        graphwalks_parents(dataset="sample", max_tokens="1k"),
        model(lambda prompt: oracle(prompt) if answer == "RIGHT" else answer, stop_reason),
    )
    found = values(log)
    assert found["f1.mean"] == f1
    shares = {name: found[f"{name}.mean"] for name in ("parsed", *REASONS)}
    assert shares == {name: float(name == (reason or "parsed")) for name in shares}
    assert sum(shares.values()) == 1
    for sample in log.samples or []:
        assert sample.scores and sample.scores["graphwalks_grader"].reason == reason


def test_openbench_gives_one_for_the_unparsed_but_never_for_an_overflow() -> None:
    task = graphwalks(dataset="sample", grader="openbench")
    empty = [str(sample.id) for sample in task.dataset if sample.target == "[]"]
    assert empty
    answered = values(run_task(task, model(lambda _: "No idea."), sample_id=empty))
    assert (answered["f1.mean"], answered["parsed.mean"]) == (1.0, 0.0)
    overflowed = values(run_task(task, model(lambda _: "No idea.", "model_length"), sample_id=empty))
    assert overflowed["f1.mean"] == 0.0


def test_a_cut_prompt_is_noticed() -> None:
    log = run_task(graphwalks(dataset="sample", max_tokens="1k"), model(oracle, tokens=50))
    found = values(log)
    assert (found["prompt_truncated"], found["f1.mean"]) == (1.0, 1.0)
    assert (log.samples or [])[0].scores["graphwalks_grader"].reason == "prompt_truncated"  # type: ignore[index]


def test_a_log_is_scored_again_and_regraded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = run_task(
        graphwalks(dataset="sample"), model(lambda prompt: f"**{oracle(prompt)}**\nHope this helps!"), epochs=2
    )
    assert values(log)["f1.mean"] == 0
    log = read_eval_log(log.location)
    rescored = {
        name: values(score(log, graphwalks_grader(name), action="overwrite", display="none"))["f1.mean"]
        for name in GRADERS
    }
    empty = 1 - sum(1 for sample in graphwalks(dataset="sample").dataset if sample.target == "[]") / 24
    assert rescored == pytest.approx(
        {"openai": 0, "lm-eval": 0, "lm-eval-flexible": empty, "openbench": 1 - empty, "tolerant": 1}
    )
    table, left_out = regrade(log.location)
    assert left_out == 0
    assert {name: table["all"][name]["f1"] for name in GRADERS} == pytest.approx(rescored)
    assert list(table) == ["all", "bfs", "parents", "band 0-128k", "truth empty", "truth not empty"]
    assert table["truth empty"]["lm-eval-flexible"] == {
        **table["truth empty"]["lm-eval-flexible"],
        "f1": 0,
        "parsed": 1,
        "parsed_empty": 1,
    }
    files = {"json": tmp_path / "table.json", "csv": tmp_path / "table.csv"}
    assert run(argparse.Namespace(log=log.location, probes=False, value="f1", **files)) == 0
    assert "tolerant" in capsys.readouterr().out
    assert len(json.loads(files["json"].read_text(encoding="utf-8"))["rows"]) == 6 * len(GRADERS)
    with files["csv"].open(encoding="utf-8", newline="") as file:
        assert {row["grader"] for row in csv.DictReader(file)} == set(GRADERS)


def test_probes_show_how_far_the_graders_are_apart(capsys: pytest.CaptureFixture[str]) -> None:
    table = dict(probe_table())
    assert set(table["as asked"].values()) == {1.0}
    assert list(table["a line break after it"].values()) == [0, 1, 1, 0, 1]
    assert list(table["empty, in words"].values()) == [0, 0, 0, 1, 0]
    assert all(row["tolerant"] == 1 for name, row in table.items() if not name.startswith(("empty", "mean")))
    parser = argparse.ArgumentParser()
    regrade_command.add_regrade_parser(parser.add_subparsers())
    arguments = parser.parse_args(["regrade", "--probes"])
    assert arguments.run(arguments) == 0
    assert "corrected later" in capsys.readouterr().out
    for wrong in (["regrade"], ["regrade", "x.eval", "--probes"]):
        arguments = parser.parse_args(wrong)
        with pytest.raises(UserError, match="either a LOG or --probes"):
            arguments.run(arguments)


def test_regrade_refuses_other_logs(tmp_path: Path) -> None:
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import match

    log = run_task(Task([Sample(input="1+1", target="2")], scorer=match()), model(lambda _: "2"))
    with pytest.raises(UserError, match="not of a GraphWalks task"):
        regrade(log.location)
    with pytest.raises(UserError, match="no log"):
        regrade(str(tmp_path / "missing.eval"))


def test_nothing_long_in_a_score() -> None:
    nodes = [f"{number:010x}" for number in range(6940)]
    log = run_task(graphwalks(dataset="sample", max_tokens=1000), model(lambda _: answer_text(nodes)))
    for sample in log.samples or []:
        one = (sample.scores or {})["graphwalks_grader"]
        assert one.answer and "6940 nodes" in one.answer
        assert len(one.model_dump_json()) < 1500


def test_a_bad_target_is_an_error_not_a_score() -> None:
    from inspect_ai.dataset import Sample

    metadata = {"problem_type": "bfs", "band": "1m", "truth_size_band": "1"}
    task = Task([Sample(input="x", target="not json", metadata=metadata)], scorer=graphwalks_grader())
    log = eval(task, model=model(lambda _: "Final Answer: []"))[0]
    assert log.status == "error" and log.error and "expected a JSON array" in log.error.message


def test_nothing_to_average_is_nan() -> None:
    assert metrics.by_type()([]) == {}
    assert metrics.bootstrap_ci()([]) == {}


def test_intervals_are_repeatable_and_leave_the_random_state_alone() -> None:
    import numpy as np

    scores = [SampleScore(score=Score(value=dict.fromkeys(metrics.GRADES, number / 10))) for number in range(11)]
    np.random.seed(1)
    expected = np.random.random()
    np.random.seed(1)
    first = metrics.bootstrap_ci()(scores)  # type: ignore[arg-type]
    assert np.random.random() == expected
    assert first == metrics.bootstrap_ci()(scores)  # type: ignore[arg-type]
    assert isinstance(first, dict)
    # The standard error of 0, 0.1, ..., 1 is 0.1.
    assert first["f1 lower"] == pytest.approx(0.5 - 0.19, abs=0.03)
    assert first["f1 upper"] == pytest.approx(0.5 + 0.19, abs=0.03)


# ---- selection


def test_types_and_ids_stay_whatever_is_selected() -> None:
    everything = ids(graphwalks(dataset="sample"))
    assert everything[0] == "bfs-0000" and len(set(everything)) == 24
    assert ids(graphwalks_bfs(dataset="sample")) == [one for one in everything if one.startswith("bfs")]
    assert ids(graphwalks_parents(dataset="sample")) == [one for one in everything if one.startswith("parents")]
    deep = graphwalks_bfs(dataset="sample", depth=["3", "4"])  # type: ignore[list-item]  # as -T depth=3,4 arrives
    assert 0 < len(deep.dataset) < 12 and set(ids(deep)) < set(everything)
    assert {(sample.metadata or {})["depth"] for sample in deep.dataset} == {3, 4}
    assert ids(graphwalks(dataset="sample", depth=3)) == ids(graphwalks_bfs(dataset="sample", depth=3))


def test_token_limits_take_both_ends_and_are_inclusive() -> None:
    counts = {str(s.id): (s.metadata or {})["tokens"] for s in graphwalks(dataset="sample").dataset}
    exact = counts["bfs-0001"]
    assert "bfs-0001" in ids(graphwalks(dataset="sample", min_tokens=exact, max_tokens=exact))
    assert "bfs-0001" not in ids(graphwalks(dataset="sample", min_tokens=exact + 1))
    assert "bfs-0001" not in ids(graphwalks(dataset="sample", max_tokens=exact - 1))
    for limit in ("2k", "0.002m", 2000):
        chosen = graphwalks(dataset="sample", max_tokens=limit)
        assert ids(chosen) == [one for one in counts if counts[one] <= 2000]
        assert record(chosen)["max_tokens"] == 2000
    assert len(graphwalks(dataset="sample", band="0-128k").dataset) == 24


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_tokens": True}, "min_tokens=True is no number"),
        ({"max_tokens": [1, 2]}, "is no number"),
        ({"max_tokens": -1}, "is no number"),
        ({"max_tokens": "8k tokens"}, "is no number"),
        ({"max_tokens": "0.0001k"}, "is no number"),
        ({"max_tokens": 1.5}, "is no number"),
        ({"min_tokens": "8k", "max_tokens": "4k"}, "above max_tokens"),
        ({"tokenizer": "gpt-9"}, "Known: .*o200k_base"),
        ({"tokenizer": False}, "Known: .*o200k_base"),
        ({"band": "128k"}, "Known: 0-128k, 256k, 1m, 256k-1m"),
        ({"band": ["256k", "1m"]}, "Known: 0-128k, 256k, 1m, 256k-1m"),
        ({"band": "1m"}, "No problem is selected.*bands"),
        ({"depth": 0}, "no depth"),
        ({"depth": True}, "no depth"),
        ({"depth": "2k"}, "no depth"),
        ({"depth": ["2", True]}, "no depth"),
        ({"depth": []}, "no depth"),
        ({"depth": 99}, "No problem is selected.*depths"),
        ({"min_tokens": "1m"}, "No problem is selected.*tokens"),
        ({"grader": False}, "Known: openai, lm-eval, lm-eval-flexible, openbench, tolerant"),
        ({"grader": "strict"}, "Known: openai, lm-eval, lm-eval-flexible, openbench, tolerant"),
        ({"answers": None}, "Known: published, recomputed"),
        ({"dataset": None}, "not a name"),
        ({"dataset": "no/such/path.parquet"}, "no such file"),
        ({"dataset": "nowhere"}, "no such file"),
        ({"revision": "main"}, "is for data on the hub"),
        ({"revision": 1234567}, "Quote what you meant"),
    ],
)
def test_what_cannot_be_meant_is_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(PrerequisiteError, match=f"(?s){message}"):
        graphwalks(**{"dataset": "sample", **parameters})


def test_bands_are_the_published_clusters() -> None:
    assert bands_of(SHORT_FILE, [10, 10**7]) == ["0-128k", "0-128k"]
    assert bands_of(LONG_FILE, [437_000, 1_750_000, 436_000, 1_752_000]) == ["256k", "1m", "256k", "1m"]
    with pytest.raises(UserError, match="without a leap"):
        bands_of(LONG_FILE, [437_000, 436_000])
    assert bands_of("mine.parquet", [2_000, 220_000, 437_000, 1_750_000]) == ["0-128k", "0-128k", "256k", "1m"]
    assert [truth_size_band(size) for size in (0, 1, 2, 9, 10, 99, 100, 999, 1000, 6940)] == [
        "0", "1", "2-9", "2-9", "10-99", "10-99", "100-999", "100-999", "1000+", "1000+",
    ]  # fmt: skip


# ---- token counts


def plain_file(folder: Path, rows: int = 8) -> Path:
    """A data file without counts beside it."""
    path = folder / "plain.jsonl"
    made = generate(Settings(rows=rows, tokens=(700, 900)))
    path.write_text("".join(json.dumps(one.record) + "\n" for one in made), encoding="utf-8")
    return path


def test_tokens_are_counted_once_and_an_interrupted_count_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = plain_file(tmp_path)
    assert "tokens" not in (graphwalks(dataset=str(path)).dataset[0].metadata or {})
    counted: list[str] = []
    real = tokens.count

    def count(text: str, encoding: Any) -> int:
        if len(counted) == 3:
            raise KeyboardInterrupt
        counted.append(text)
        return real(text, encoding)

    monkeypatch.setattr(tokens, "count", count)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    with pytest.raises(KeyboardInterrupt):
        graphwalks(dataset=str(path), min_tokens=0)
    assert len(counted) == 3
    [stored] = (tmp_path / "cache").rglob("*.tokens.jsonl")
    with stored.open("ab") as file:
        file.write(b"\n[7, 12")  # torn by a crash
    rest: list[str] = []

    def count_rest(text: str, encoding: Any) -> int:
        rest.append(text)
        return real(text, encoding)

    monkeypatch.setattr(tokens, "count", count_rest)
    task = graphwalks(dataset=str(path), min_tokens=0)
    assert len(task.dataset) == 8
    assert sorted(counted + rest) == sorted(json.loads(line)["prompt"] for line in path.open(encoding="utf-8"))
    monkeypatch.setattr(tokens, "count", lambda *_: pytest.fail("counted again"))
    again = graphwalks(dataset=str(path), max_tokens="1k")
    assert [s.metadata for s in again.dataset] == [s.metadata for s in task.dataset]
    # With the counts at hand they are shown without limits too.
    assert (graphwalks(dataset=str(path)).dataset[0].metadata or {})["tokens"] <= 700


def test_special_tokens_count_as_text() -> None:
    assert tokens.count("<|endoftext|>", tokens.encoding("o200k_base")) > 1


def test_counts_of_another_file_are_not_taken(tmp_path: Path) -> None:
    path = plain_file(tmp_path)
    tokens.write_counts(path, "0" * 64, "o200k_base", [1] * 8)
    assert "tokens" not in (graphwalks(dataset=str(path)).dataset[0].metadata or {})


# ---- answers


def test_recomputed_answers_mend_planted_faults_and_are_counted(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in source.SAMPLE_FILE.read_text(encoding="utf-8").splitlines()]
    right = [list(row["answer_nodes"]) for row in rows]
    rows[1]["answer_nodes"].append("0" * 10)
    rows[5]["answer_nodes"].reverse()
    rows[5]["answer_nodes"] += rows[5]["answer_nodes"]
    path = tmp_path / "faulty.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    task = graphwalks(dataset=str(path), answers="recomputed")
    assert record(task)["recomputed"] == {"differ_from_published": 1, "first_that_differ": ["bfs-0001"]}
    assert [json.loads(str(sample.target)) for sample in task.dataset] == right
    published = graphwalks(dataset=str(path))
    assert json.loads(str(published.dataset[1].target)) == rows[1]["answer_nodes"]
    assert record(published)["recomputed"] is None


def test_record_to_sample_is_flat() -> None:
    problem = open_source("sample").problems[1]
    sample = record_to_sample(Chosen(problem, problem.row.truth, 1991))
    assert sample.id == "bfs-0001"
    assert sample.input == problem.row.operation.text  # type: ignore[union-attr]
    assert sample.metadata == {
        "problem_type": "bfs",
        "band": "0-128k",
        "depth": 3,
        "truth_size": 6,
        "truth_size_band": "2-9",
        "prompt_chars": problem.row.chars,
        "prompt_tokens_min": problem.row.chars // 2,
        "wording": "2026",
        "date_added": "generated",
        "file": "sample.jsonl",
        "row": 1,
        "tokens": 1991,
    }


def test_the_pinned_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Files at the pinned commit must have the published hashes; other commits are taken and their hash recorded."""
    from graphniah_inspect.graphniah.hub import HubFile

    path = plain_file(tmp_path).rename(tmp_path / "plain2.jsonl")
    asked: list[tuple[str, str | None, str]] = []

    def download(dataset: str, revision: str | None, name: str) -> HubFile:
        asked.append((dataset, revision, name))
        return HubFile(path, revision if revision and len(revision) == 40 else "c" * 40, None)

    monkeypatch.setattr(source, "download", download)
    with pytest.raises(PrerequisiteError, match="not the published file"):
        graphwalks(band="0-128k")
    assert asked == [(PUBLISHED, REVISION, SHORT_FILE)]
    asked.clear()
    task = graphwalks(revision="main")
    # The second file comes from the commit that the first one resolved to.
    assert asked == [(PUBLISHED, "main", SHORT_FILE), (PUBLISHED, "c" * 40, LONG_FILE)]
    assert record(task)["resolved_revision"] == "c" * 40
    assert ids(task)[-1] == "parents-0007"
    monkeypatch.setattr(source, "PUBLISHED_SHA256", dict.fromkeys((SHORT_FILE, LONG_FILE), _sha256(path)))
    assert len(graphwalks(band="0-128k").dataset) == 8


def _sha256(path: Path) -> str:
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()


hub = test_hub.hub


def test_the_published_file_through_the_real_client(
    hub: test_hub.Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_hub, "DATASET", PUBLISHED)
    hub.content = plain_file(tmp_path).read_bytes()
    hub.revisions = {"main": test_hub.COMMIT, REVISION: REVISION}
    with pytest.raises(PrerequisiteError, match="not the published file"):
        graphwalks(band="0-128k")
    # Any other commit is taken; the hub's own hash of it is what is checked.
    rows = [json.loads(line) for line in hub.content.splitlines()]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    hub.content = (tmp_path / "rows.parquet").read_bytes()
    task = graphwalks(band="0-128k", revision="main")
    assert len(task.dataset) == 8
    assert record(task)["resolved_revision"] == test_hub.COMMIT
    assert record(task)["files"] == [{"name": SHORT_FILE, "sha256": _sha256(tmp_path / "rows.parquet"), "rows": 8}]
    with pytest.raises(PrerequisiteError, match="no such revision"):
        graphwalks(band="0-128k", revision="missing")
    downloaded = sum(method == "GET" for method, _, _ in hub.requests)
    graphwalks_bfs(band="0-128k", revision="main")
    assert sum(method == "GET" for method, _, _ in hub.requests) == downloaded
