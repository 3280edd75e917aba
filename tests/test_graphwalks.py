"""GraphWalks runs: right answers, reasons, epochs, scoring again, regrading."""

import argparse
import csv
import json
from pathlib import Path

import pytest
from inspect_ai import Task, eval, score
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import read_eval_log
from inspect_ai.model import StopReason
from inspect_ai.scorer import SampleScore, Score

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks import metrics, regrade_command, source
from graphniah_inspect.graphwalks.graders import GRADERS
from graphniah_inspect.graphwalks.probes import probe_table
from graphniah_inspect.graphwalks.regrade_command import regrade, run
from graphniah_inspect.graphwalks.scoring import REASONS, graphwalks_grader
from graphniah_inspect.graphwalks.truth import answer_text
from graphniah_inspect.tasks import graphwalks, graphwalks_parents
from tests.graphwalks_data import (
    model,
    oracle,
    run_task,
    values,
)


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
    with pytest.raises(UserError, match="is a folder"):
        regrade(str(tmp_path))
    with pytest.raises(UserError, match="no log"):
        regrade(str(tmp_path / "missing.eval"))
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    (tmp_path / "broken.eval").write_text("x", encoding="utf-8")
    for name in ("notes.txt", "broken.eval"):
        with pytest.raises(UserError, match="cannot be read as a log"):
            regrade(str(tmp_path / name))


def test_nothing_long_in_a_score() -> None:
    nodes = [f"{number:010x}" for number in range(6940)]
    log = run_task(graphwalks(dataset="sample", max_tokens=1000), model(lambda _: answer_text(nodes)))
    for sample in log.samples or []:
        one = (sample.scores or {})["graphwalks_grader"]
        assert one.answer and "6940 nodes" in one.answer
        assert len(one.model_dump_json()) < 1500
    # The whole answer is in the log, though, and is what is graded again.
    table, _ = regrade(log.location)
    assert table["all"]["openai"]["parsed"] == 1.0


def test_an_unknown_grader_is_refused_in_a_way_that_inspect_score_shows() -> None:
    with pytest.raises(PrerequisiteError, match="Known: openai, lm-eval"):
        graphwalks_grader("open")


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

    scores = [
        SampleScore(score=Score(value=dict.fromkeys(metrics.GRADES, (number / 10) ** 1.1))) for number in range(11)
    ]
    np.random.seed(1)
    expected = np.random.random()
    np.random.seed(1)
    first = metrics.bootstrap_ci()(scores)  # type: ignore[arg-type]
    assert np.random.random() == expected
    np.random.seed(2)
    assert first == metrics.bootstrap_ci()(scores)  # type: ignore[arg-type]
    assert isinstance(first, dict)
    # The mean is 0.48, its standard error 0.1.
    assert first["f1 lower"] == pytest.approx(0.48 - 0.19, abs=0.04)
    assert first["f1 upper"] == pytest.approx(0.48 + 0.19, abs=0.04)
