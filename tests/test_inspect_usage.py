"""The tasks as Inspect's users drive them, on the bundled sample."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval, eval_retry, score
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

import graphniah_inspect.tasks as tasks
from graphniah_inspect.graphniah.scoring import reachability
from graphniah_inspect.graphniah.source import open_source
from graphniah_inspect.prompting import full_prompt

INSPECT = [sys.executable, "-m", "inspect_ai"]


def run(task: Task, model: Any = "graphniah/oracle", **options: Any) -> EvalLog:
    [log] = eval(task, model=model, **options)
    return log


def ids(log: EvalLog) -> list[str]:
    return [str(sample.id) for sample in log.samples or []]


def accuracy(log: EvalLog) -> float:
    assert log.results is not None
    return log.results.scores[0].metrics["accuracy"].value


def command(*arguments: str, folder: Path | None = None) -> str:
    done = subprocess.run([*INSPECT, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_limit_takes_the_first_slots() -> None:
    log = run(tasks.graphniah(dataset="sample"), limit=4)
    assert ids(log) == [f"question-format-{slot:04d}" for slot in range(4)]
    log = run(tasks.graphniah(dataset="sample"), limit=(2, 4))
    assert ids(log) == ["question-format-0002", "question-format-0003"]


def test_sample_id_takes_patterns() -> None:
    log = run(tasks.graphniah(dataset="sample"), sample_id=["question-format-000[12]", "*-0007"])
    assert sorted(ids(log)) == ["question-format-0001", "question-format-0002", "question-format-0007"]


def test_epochs_repeat_each_sample_and_mean_the_same() -> None:
    log = run(tasks.graphniah(dataset="sample"), epochs=3, max_samples=2)
    assert sorted(ids(log)) == sorted([f"question-format-{slot:04d}" for slot in range(15)] * 3)
    assert {sample.epoch for sample in log.samples or []} == {1, 2, 3}
    assert log.results and (log.results.total_samples, accuracy(log)) == (45, 1.0)
    assert log.eval.config.max_samples == 2
    guess = run(tasks.yesno(dataset="sample"), "graphniah/chance", epochs=3)
    values = [s.value == "C" for sample in guess.samples or [] for s in (sample.scores or {}).values()]
    assert accuracy(guess) == pytest.approx(sum(values) / 15)


@solver
def their_own() -> Solver:
    """A solver as a user writes one: adds to the prompt, then asks."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.messages[-1].content = f"{state.messages[-1].text}\n\nThink first."
        return await generate(state)

    return solve


def test_a_users_own_solver_gets_the_whole_prompt() -> None:
    assert full_prompt is not None  # the setup that puts it there
    log = run(tasks.graphniah(dataset="sample"), solver=their_own(), limit=3)
    assert log.samples and log.eval.solver == "their_own"
    source = open_source("sample")
    by_qid = {example.qid: example for example in source.examples}
    for sample in log.samples:
        system, user = source.prompt(by_qid[sample.metadata["qid"]])
        assert [message.text for message in sample.messages[:2]] == [system, f"{user}\n\nThink first."]
        assert len(user) > 5000 > len(str(sample.input))
        assert str(sample.input) in user


def test_several_tasks_in_one_run_and_several_models() -> None:
    logs = eval(
        ["graphniah_inspect/yesno", "graphniah_inspect/counting", "graphniah_inspect/none_option"],
        task_args={"dataset": "sample"},
        model=["graphniah/oracle", "graphniah/constant"],
    )
    assert len(logs) == 6 and {log.status for log in logs} == {"success"}
    right = {(log.eval.task.split("/")[-1], log.eval.model.split("/")[-1]): accuracy(log) for log in logs}
    assert all(right[task, "oracle"] == 1.0 for task in ("yesno", "counting", "none_option"))
    assert all(right[task, "constant"] < 1.0 for task in ("yesno", "counting", "none_option"))


def test_another_rule_on_an_old_log() -> None:
    said = [ModelOutput.from_content("mockllm/model", "The answer is: YES") for _ in range(5)]
    for output in said:
        output.usage = ModelUsage(input_tokens=10**6, output_tokens=3, total_tokens=10**6 + 3)
    model = get_model("mockllm/model", custom_outputs=said)
    log = run(tasks.yesno(dataset="sample"), model)
    assert accuracy(log) == 0.0
    truth = sum(sample.target == "YES" for sample in log.samples or []) / 5
    again = score(log, reachability("tolerant"), action="overwrite")
    assert accuracy(again) == pytest.approx(truth) and truth > 0
    # the same from the command line, where the scorer is found by its registered name
    path = log.location
    command(
        "score",
        path,
        "--scorer",
        "graphniah_inspect/reachability",
        "-S",
        "rule=tolerant",
        "--action",
        "append",
        "--overwrite",
    )
    held = read_eval_log(path, header_only=True)
    assert held.results is not None
    values = {
        held_score.metrics["accuracy"].value for held_score in held.results.scores if "accuracy" in held_score.metrics
    }
    assert values == {0.0, truth}


def test_retry_after_an_interruption() -> None:
    """A run that stopped at an error is gone on with; what was answered is not asked again."""
    first = run(tasks.graphniah(dataset="sample"), limit=6, fail_on_error=True, max_samples=1)
    assert first.status == "success" and first.samples
    first.status = "cancelled"
    kept = first.samples[:4]
    first.samples = kept
    write_eval_log(first, first.location)
    [log] = eval_retry(first.location)
    assert log.status == "success" and accuracy(log) == 1.0
    assert sorted(ids(log)) == [f"question-format-{slot:04d}" for slot in range(6)]
    assert {s.uuid for s in kept} <= {s.uuid for s in log.samples or []}


def test_data_frames_of_a_log() -> None:
    from inspect_ai.analysis import SampleSummary, samples_df

    log = run(tasks.graphniah(dataset="sample"))
    frame = samples_df(log.location, columns=SampleSummary)
    assert len(frame) == 15
    assert list(frame["score_reachability"]) == ["C"] * 15
    for column in ("qid", "experiment", "slot", "value", "question_format", "none_option", "prompt_tokens"):
        assert frame[f"metadata_{column}"].notna().all(), column
    assert frame.groupby("metadata_value").size().to_dict() == {"counting": 5, "multiple-choice": 5, "yes-no": 5}


@pytest.mark.parametrize("name", ["yesno", "multiple_choice", "counting", "none_option", "graphniah"])
def test_no_model_is_asked_for_while_a_task_is_built(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("the task depends on a model")

    monkeypatch.setattr("inspect_ai.model._model.get_model", refuse)
    monkeypatch.setattr("graphniah_inspect.replay.get_model", refuse)
    task = getattr(tasks, name)(dataset="sample")
    assert len(task.dataset) > 0 and task.model is None
    assert task.config == GenerateConfig()


def test_inspect_lists_the_tasks() -> None:
    listed = command("list", "tasks", folder=Path(tasks.__file__).parent)
    for name in ("yesno", "multiple_choice", "counting", "none_option", "graphniah"):
        assert f"tasks.py@{name}" in listed


def test_the_command_line_reads_parameters_as_documented(tmp_path: Path) -> None:
    command(
        *("eval", "graphniah_inspect/graphniah", "-T", "dataset=sample", "-T", "experiment=question_depth"),
        *("-T", "value=8", "-T", "rule=answer-block", "--model", "graphniah/oracle", "--limit", "2"),
        *("--log-dir", str(tmp_path / "own")),
    )
    [found] = list_eval_logs(str(tmp_path / "own"))
    log = read_eval_log(found)
    assert log.status == "success" and accuracy(log) == 1.0
    selection = (log.eval.metadata or {})["selection"]
    assert (selection["experiment"], selection["value"], selection["rule"]) == ("question-depth", 8, "answer-block")
    assert selection["sha256"] and selection["prompt_tokens"]["gpt-5.4"]["max"] > 0
