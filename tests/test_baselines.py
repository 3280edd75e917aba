"""The baseline models on the bundled sample: the ceiling, the floor, and the control without context."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog

from graphniah_inspect import tasks


def run(task: Task, model: str, tmp_path: Path, **arguments: Any) -> EvalLog:
    log = eval(task, model=model, log_dir=str(tmp_path / "logs"), **arguments)[0]
    assert log.status == "success", log.error
    return log


def figure(log: EvalLog, name: str) -> float:
    assert log.results
    return next(float(score.metrics[name].value) for score in log.results.scores if name in score.metrics)


@pytest.mark.parametrize(
    "experiment",
    ["question-format", "question-depth", "node-count", "distractor-type", "reasoning_effort", "context_length"],
)
def test_the_oracle_is_always_right(experiment: str, tmp_path: Path) -> None:
    log = run(tasks.graphniah(experiment=experiment, subset="all", dataset="sample"), "graphniah/oracle", tmp_path)
    assert figure(log, "accuracy") == 1.0
    assert log.results and log.results.total_samples == log.results.completed_samples > 0


def test_the_oracle_never_chooses_none(tmp_path: Path) -> None:
    log = run(tasks.none_option(dataset="sample"), "graphniah/oracle", tmp_path)
    assert (figure(log, "accuracy"), figure(log, "chose_none_option")) == (1.0, 0.0)


@pytest.mark.parametrize("context_length", [None, 7500, "7500"])
def test_the_longer_context_of_the_sample(context_length: Any, tmp_path: Path) -> None:
    task = tasks.graphniah(experiment="context-length", context_length=context_length, dataset="sample")
    log = run(task, "graphniah/oracle", tmp_path)
    lengths = {(sample.metadata or {})["context_length"] for sample in log.samples or []}
    assert lengths == {7500 if context_length else 6000}
    assert figure(log, "accuracy") == 1.0


def test_without_context_the_oracle_says_that_it_cannot(tmp_path: Path) -> None:
    log = run(tasks.graphniah(dataset="sample", context="none"), "graphniah/oracle", tmp_path)
    assert figure(log, "accuracy") == figure(log, "read") == 0.0
    assert log.eval.task_args["context"] == "none"
    assert log.samples
    assert all("cannot answer" in sample.output.completion for sample in log.samples)
    assert all("# Context" not in message.text for sample in log.samples for message in sample.messages)
    assert figure(log, "prompt_truncated") == 0.0


def test_chance_depends_on_seed_sample_and_epoch_alone(tmp_path: Path) -> None:
    def answers(seed: int, **arguments: Any) -> dict[tuple[Any, int], str]:
        task = tasks.graphniah(experiment="distractor-type", subset="all", dataset="sample")
        log = run(task, "graphniah/chance", tmp_path, model_args={"seed": seed}, epochs=20, **arguments)
        assert 0.25 < figure(log, "accuracy_format_yes-no") < 0.75
        assert 0.05 < figure(log, "accuracy_format_multiple-choice") < 0.45
        return {(sample.id, sample.epoch): sample.output.completion for sample in log.samples or []}

    first = answers(1, max_samples=1)
    assert answers(1, max_samples=20) == first
    assert answers(2) != first


@pytest.mark.parametrize(("said", "read"), [(False, "NO"), ("YES", "YES")])
def test_constant_says_the_same(said: Any, read: str, tmp_path: Path) -> None:
    task = tasks.yesno(dataset="sample", subset="all")
    log = run(task, "graphniah/constant", tmp_path, model_args={"answer": said})
    scores = [score for sample in log.samples or [] for score in (sample.scores or {}).values()]
    assert {score.answer for score in scores} == {read}
    assert figure(log, f"accuracy_label_{read}") == 1.0


def test_unknown_baselines_are_refused() -> None:
    with pytest.raises(PrerequisiteError, match="chance, constant, oracle, replay"):
        eval(tasks.yesno(dataset="sample"), model="graphniah/guess")
    with pytest.raises(PrerequisiteError, match=r"no -M sed\. Known: seed, answer"):
        eval(tasks.yesno(dataset="sample"), model="graphniah/chance", model_args={"sed": 2})
    with pytest.raises(PrerequisiteError, match=r"no -M path\. Known: file, partial"):
        eval(tasks.yesno(dataset="sample"), model="graphniah/replay", model_args={"path": "responses.jsonl"})
