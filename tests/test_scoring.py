"""The scorer and its metrics in real runs: several epochs, other rules on old logs, errors, prompts cut on the way."""

import asyncio
import logging
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Epochs, Task, eval, score
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import (
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    ModelName,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import SampleScore, Score, Target
from inspect_ai.solver import TaskState, generate

from graphniah_inspect.graphniah.metrics import count_error, reachability_metrics, reading
from graphniah_inspect.graphniah.scoring import reachability

OPTIONS = ["p", "q", "r", "s"]


def sample(name: str, kind: str, target: str, value: Any, options: list[str] | None = None, **more: Any) -> Sample:
    metadata = {"reachability_task": kind, "value": value, "prompt_tokens_min": 1000, **more}
    return Sample(id=name, input=name, target=target, choices=options, metadata=metadata)


SAMPLES = [
    sample("yes", "yes-no", "YES", 16),
    sample("no", "yes-no", "NO", 4),
    sample("choice", "multiple-choice", "B", 4, OPTIONS),
    sample("none", "multiple-choice", "A", 16, [*OPTIONS, "none"], none_option=1),
    sample("count", "counting", "100", 4),
]
RESPONSES = {
    "yes": [r"\answer{YES}"],
    "no": ["I cannot say."],
    "choice": [r"\answer{A}"],
    "none": [r"\answer{E}"],
    "count": [r"\answer{105}"],
}


def answer(text: str, tokens: int = 1000, stop_reason: Any = "stop") -> ModelOutput:
    output = ModelOutput.from_content("mockllm/model", text, stop_reason=stop_reason)
    output.usage = ModelUsage(input_tokens=tokens, output_tokens=5, total_tokens=tokens + 5)
    return output


def run(
    responses: dict[str, list[Any]], samples: list[Sample] | None = None, epochs: int | Epochs = 1, **options: Any
) -> EvalLog:
    """Evaluate; each sample gets its responses in turn, one an epoch, the first again when they run out."""
    turns: dict[str, Iterator[Any]] = {name: iter(each) for name, each in responses.items()}

    def reply(messages: list[Any], *_: Any) -> ModelOutput:
        given = next(turns[messages[0].text], responses[messages[0].text][0])
        if isinstance(given, Exception):
            raise given
        return given if isinstance(given, ModelOutput) else answer(given)

    chosen = [each for each in samples or SAMPLES if each.id in responses]
    task = Task(dataset=MemoryDataset(chosen), solver=generate(), scorer=reachability(), epochs=epochs)
    return eval(task, model=get_model("mockllm/model", custom_outputs=reply), **options)[0]


def figures(log: EvalLog, name: str = "reachability") -> dict[str, float]:
    assert log.results is not None
    return {k: m.value for each in log.results.scores if each.name == name for k, m in each.metrics.items()}


def test_figures_mean_the_same_with_one_epoch_and_with_three() -> None:
    once, thrice = figures(run(RESPONSES)), figures(run(RESPONSES, epochs=3))
    expected = {
        "accuracy": 0.2,
        "stderr": 0.2,
        "ci95_low": 0.0362,
        "ci95_high": 0.6245,
        "accuracy_value_4": 0.0,
        "accuracy_value_16": 0.5,
        "accuracy_label_A": 0.0,
        "accuracy_label_B": 0.0,
        "accuracy_label_NO": 0.0,
        "accuracy_label_YES": 1.0,
        "accuracy_format_counting": 0.0,
        "accuracy_format_multiple-choice": 0.0,
        "accuracy_format_yes-no": 0.5,
        "read": 0.8,
        "accuracy_of_read": 0.25,
        "no_response": 0.0,
        "invalid_response_format": 0.2,
        "truncated": 0.0,
        "context_overflow": 0.0,
        "refusal": 0.0,
        "prompt_truncated": 0.0,
        "counts_read": 1.0,
        "median_absolute_error": 5.0,
        "mean_absolute_error": 5.0,
        "within_10_percent": 1.0,
        "chose_none_option": 1.0,
    }
    assert once == pytest.approx(expected, abs=1e-4)
    assert list(once) == list(expected)
    assert thrice == pytest.approx({**expected, "counts_read": 3.0}, abs=1e-4)


def test_every_epoch_counts_not_the_first_alone() -> None:
    mixed = {
        "yes": [r"\answer{YES}", "hm", ""],
        "count": [r"\answer{100}", r"\answer{111}", r"\answer{200}"],
        "none": [r"\answer{A}", r"\answer{E}", r"\answer{E}"],
    }
    got = figures(run(mixed, epochs=3))
    assert got["accuracy"] == pytest.approx(1 / 3)
    assert got["accuracy_label_YES"] == pytest.approx(1 / 3)
    assert got["read"] == pytest.approx(7 / 9)
    assert got["accuracy_of_read"] == pytest.approx(3 / 7)
    assert got["no_response"] == got["invalid_response_format"] == pytest.approx(1 / 9)
    assert (got["counts_read"], got["median_absolute_error"], got["mean_absolute_error"]) == (3, 11, 37)
    assert got["within_10_percent"] == pytest.approx(1 / 3)
    assert got["chose_none_option"] == pytest.approx(2 / 3)


def test_a_reducer_of_the_users_own_is_named_and_leaves_the_reading_alone() -> None:
    mixed = {"yes": [r"\answer{YES}", "hm", r"\answer{YES}"], "count": [r"\answer{100}", r"\answer{1}", "hm"]}
    log = run(mixed, epochs=Epochs(3, ["mode", "at_least_1"]))
    assert log.results is not None
    groups = {each.reducer: each.metrics for each in log.results.scores}
    assert set(groups) == {"mode", "at_least_1", None}
    assert (groups["mode"]["accuracy"].value, groups["at_least_1"]["accuracy"].value) == (0.5, 1.0)
    assert groups[None]["read"].value == pytest.approx(4 / 6)
    assert groups[None]["median_absolute_error"].value == 49.5


def test_nothing_to_average_is_nan_and_what_is_not_asked_is_absent() -> None:
    got = figures(run({"count": ["many"]}))
    assert got["counts_read"] == 0
    names = ("accuracy_of_read", "median_absolute_error", "mean_absolute_error", "within_10_percent")
    assert all(math.isnan(got[name]) for name in names)
    assert (got["accuracy"], got["read"]) == (0, 0)
    assert not any(name.startswith(("accuracy_label", "accuracy_format", "chose")) for name in got)
    assert "counts_read" not in figures(run({"yes": ["hm"]}))
    for make in (reading, count_error):
        empty: Any = make()([])
        assert all(math.isnan(each) for each in empty.values())


def test_without_any_score_every_figure_is_nan() -> None:
    log = run({"yes": [RuntimeError("down")]}, fail_on_error=False)
    assert log.results is None or all(math.isnan(value) for value in figures(log).values())


def test_samples_that_failed_are_in_no_figure() -> None:
    log = run({**RESPONSES, "no": [RuntimeError("server is down")]}, fail_on_error=False)
    got = figures(log)
    assert (got["accuracy"], got["read"]) == (0.25, 1.0)


def test_an_old_log_is_scored_by_another_rule_from_the_file(tmp_path: Path) -> None:
    responses = {"no": ["Answer: NO"], "count": [r"\answer{100 papers}"], "none": [r"\answer{C) r}"]}
    run(responses, epochs=2, log_dir=str(tmp_path / "old"))
    log = read_eval_log(list_eval_logs(str(tmp_path / "old"))[0])
    assert figures(log)["accuracy"] == 0
    again = score(log, reachability("tolerant"), action="overwrite")
    assert figures(again)["accuracy"] == pytest.approx(2 / 3)
    assert set(figures(again)) == set(figures(log))
    assert again.samples is not None
    scores = [each.scores["reachability"] for each in again.samples if each.scores]
    assert {each.answer for each in scores} == {"NO", "100", "C"}
    both = score(log, reachability("answer-block"), action="append")
    assert figures(both)["accuracy"] == 0
    assert figures(both, "reachability1")["read"] == pytest.approx(2 / 3)


def test_a_score_says_what_was_read_from_where_and_why_not() -> None:
    log = run({"yes": [r"\answer{ **yes** }"], "no": [r"\answer{" + "x" * 300 + "}"]})
    assert log.samples is not None
    scores = {each.id: each.scores["reachability"] for each in log.samples if each.scores}
    read, unread = scores["yes"], scores["no"]
    assert (read.value, read.answer, read.reason) == ("C", "YES", None)
    assert read.explanation == "Read by rule paper from the block:  **yes** "
    assert (unread.value, unread.answer, unread.reason) == ("I", None, "invalid_response_format")
    assert unread.explanation is not None
    assert unread.explanation.endswith("Tried the block: " + "x" * 200 + "…")


def test_only_the_text_of_a_message_is_read() -> None:
    content: list[Any] = [ContentReasoning(reasoning=r"\answer{NO}"), ContentText(text=r"\answer{YES}")]
    output = ModelOutput.from_message(ChatMessageAssistant(content=content))
    output.usage = ModelUsage()
    odd = "\ud800 \\answer{N\x00O}"
    got = run({"yes": [output], "choice": [odd]})
    assert got.status == "success"
    assert got.samples is not None
    scores = {each.id: each.scores["reachability"] for each in got.samples if each.scores}
    assert {name: (each.answer, each.reason) for name, each in scores.items()} == {
        "yes": ("YES", None),
        "choice": (None, "invalid_response_format"),
    }


def test_an_empty_output_is_no_response_and_none_at_all_is_not_scored() -> None:
    def scored(output: ModelOutput) -> Score:
        metadata = {"reachability_task": "yes-no"}
        state = TaskState(ModelName("mockllm/model"), "no", 1, "no", [], output=output, metadata=metadata)
        result: Any = asyncio.run(reachability()(state, Target("NO")))
        assert isinstance(result, Score)
        return result

    empty = scored(ModelOutput(model="mockllm/model", time=1.0))
    assert (empty.value, empty.reason, empty.explanation) == ("I", "no_response", "Not read: no_response.")
    assert math.isnan(scored(ModelOutput()).as_float())  # the sample ended in an error


def test_a_prompt_cut_on_the_way_is_reported_and_its_answer_scored(caplog: pytest.LogCaptureFixture) -> None:
    cut = answer(r"\answer{YES}", tokens=599)
    cached = answer(r"\answer{NO}", tokens=1)
    cached.usage = ModelUsage(input_tokens=1, input_tokens_cache_read=500, input_tokens_cache_write=99)
    overflow = answer("context length is 100", tokens=100, stop_reason="model_length")
    silent = ModelOutput.from_content("mockllm/model", r"\answer{B}")
    silent.usage = ModelUsage()  # a server that reports nothing
    unread = answer("hm", tokens=10)
    control = sample("control", "yes-no", "YES", 4)
    assert control.metadata
    del control.metadata["prompt_tokens_min"]
    responses = {
        "yes": [cut],
        "no": [cached],
        "none": [overflow],
        "choice": [silent],
        "count": [unread],
        "control": [answer("YES", tokens=10)],
    }
    with caplog.at_level(logging.WARNING):
        log = run(responses, [*SAMPLES, control])
    assert log.samples is not None
    scores = {each.id: each.scores["reachability"] for each in log.samples if each.scores}
    assert {name: (each.value, each.reason) for name, each in scores.items()} == {
        "yes": ("C", "prompt_truncated"),
        "no": ("C", None),
        "none": ("I", "context_overflow"),
        "choice": ("C", None),
        "count": ("I", "prompt_truncated"),
        "control": ("C", None),
    }
    got = figures(log)
    assert got["prompt_truncated"] == pytest.approx(2 / 6)
    assert got["invalid_response_format"] == pytest.approx(1 / 6)  # the cut prompt that was not read either
    assert "2 of 6 prompts were cut" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        run(RESPONSES)
    assert "cut" not in caplog.text


def test_what_is_not_ours_to_score_is_refused() -> None:
    with pytest.raises(PrerequisiteError, match="Known: paper, answer-block, tolerant"):
        reachability("strict")
    for bad, message in [
        (sample("yes", "yes-no", "maybe", 4), "malformed target"),
        (sample("yes", "walks", "YES", 4), "reachability_task"),
        (sample("yes", "multiple-choice", "A", 4), "options"),
    ]:
        log = run({"yes": ["YES"]}, [bad])
        assert log.status == "error"
        assert log.error is not None
        assert message in log.error.message


def test_metrics_can_be_made_again_by_name() -> None:
    from inspect_ai.scorer._metric import as_metric_spec, metric_create

    item = SampleScore(score=Score(value="C", answer="NO", metadata={"target": "NO", "unread": None}))
    for each in reachability_metrics():
        spec = as_metric_spec(each)
        again: Any = metric_create(spec.metric, **spec.args)
        assert again([item]) == each([item])  # type: ignore[list-item]
