"""What a run's scores add up to. Every figure means the same with one epoch and with several.

Two views of the scores, which Inspect lists as two groups of results:

- Per sample, its epochs reduced to one by the mean, or by the reducer that the user chose: `accuracy`
  (Inspect's), its standard error and Wilson interval, and accuracy by varied value, label and format. Epochs of
  one sample are no independent observations, so the intervals count samples.
- Per response, each epoch by itself and no reducer at work: what was read, why the rest was not, how far counts
  are off. There is no middle between the answers 12 and 170.

A share has all responses below the line, unless its name says otherwise. Where there is nothing to average, a
figure is NaN; where a task asks no such question (no counting, no None option), it is left out. Samples that
ended in an error have no score and are in no figure.
"""

import math
from collections.abc import Callable, Sequence
from statistics import fmean, median
from typing import Any, cast

from inspect_ai.scorer import (
    Metric,
    MetricProtocol,
    SampleScore,
    Value,
    accuracy,
    ci_wilson,
    metric,
    stderr,
    value_to_float,
)

from graphniah_inspect.graphniah.answers import REASONS
from graphniah_inspect.graphniah.normalise import read_integer
from graphniah_inspect.truncation import PROMPT_TRUNCATED

TARGET = "target"
"""Key of `Score.metadata`: the example's answer, in canonical form."""
UNREAD = "unread"
"""Key of `Score.metadata`: why there is no answer, one of `REASONS`; None with an answer."""
CHOSE_NONE = "chose_none_option"
"""Key of `Score.metadata`: whether the None option was chosen; absent where there is none."""

_as_float = value_to_float()


def reachability_metrics() -> list[Metric]:
    """Return the metrics of the scorer, the main one first."""
    return [
        accuracy(),
        stderr(),
        wilson_interval(),
        accuracy_by_value(),
        accuracy_by_label(),
        accuracy_by_format(),
        reading(),
        count_error(),
        none_option_choice(),
    ]


@metric
def wilson_interval() -> Metric:
    """Give the Wilson 95 % interval of accuracy, over samples: `ci95_low`, `ci95_high`."""
    wilson = cast(MetricProtocol, ci_wilson())

    def compute(scores: list[SampleScore]) -> Value:
        bounds = cast(dict[str, float], wilson(scores)) if scores else {"lower": math.nan, "upper": math.nan}
        # The log viewer shows about eight characters of a name; rounding makes 1.0 of 0.9999999999999999.
        return {"ci95_low": round(bounds["lower"], 12), "ci95_high": round(bounds["upper"], 12)}

    return compute


@metric
def accuracy_by_value() -> Metric:
    """Give the accuracy at each value of the varied variable: `accuracy_value_8`."""

    def value(item: SampleScore) -> str | None:
        varied = (item.sample_metadata or {}).get("value", "all")
        return None if varied == "all" else str(varied)

    return _accuracy_by(value, "accuracy_value")


@metric
def accuracy_by_label() -> Metric:
    """Give the accuracy by true label, for yes-no and multiple choice: `accuracy_label_YES`."""

    def label(item: SampleScore) -> str | None:
        return None if _is_counting(item) else (item.score.metadata or {}).get(TARGET)

    return _accuracy_by(label, "accuracy_label")


@metric
def accuracy_by_format() -> Metric:
    """Give the accuracy by question format where a run mixes formats: `accuracy_format_yes-no`."""

    def kind(item: SampleScore) -> str | None:
        return (item.sample_metadata or {}).get("reachability_task")

    return _accuracy_by(kind, "accuracy_format", least=2)


@metric(scores="unreduced")
def reading() -> Metric:
    """Give the share of responses that were read, accuracy among those, and the share of each reason.

    `prompt_truncated` overlaps with the others: such a response is read and scored like any other.
    """

    def compute(scores: list[SampleScore]) -> Value:
        read = [item for item in scores if _noted(item, UNREAD) is None]
        return {
            "read": _share(len(read), len(scores)),
            "accuracy_of_read": _mean([_as_float(item.score.value) for item in read]),
            **{
                reason: _share(sum(_noted(item, UNREAD) == reason for item in scores), len(scores))
                for reason in REASONS
            },
            PROMPT_TRUNCATED: _share(sum(item.score.reason == PROMPT_TRUNCATED for item in scores), len(scores)),
        }

    return compute


@metric(scores="unreduced")
def count_error() -> Metric:
    """Give how far counts are off, over the readable ones, and how many those are.

    `counts_read` is their number, `median_absolute_error` and `mean_absolute_error` are in papers,
    `within_10_percent` is the share at most 10 % of the true count away.
    """

    def compute(scores: list[SampleScore]) -> Value:
        asked = [item for item in scores if _is_counting(item)]
        pairs = [
            (int(answer), int(_noted(item, TARGET)))
            for item in asked
            if (answer := read_integer(item.score.answer or "")) is not None
        ]
        errors = [abs(answer - target) for answer, target in pairs]
        close = sum(10 * error <= abs(target) for error, (_, target) in zip(errors, pairs, strict=True))
        figures: dict[str, float] = {
            "counts_read": len(pairs),
            "median_absolute_error": median(errors) if errors else math.nan,
            "mean_absolute_error": _mean(errors),
            "within_10_percent": _share(close, len(pairs)),
        }
        return figures if asked else {}

    return compute


@metric(scores="unreduced")
def none_option_choice() -> Metric:
    """Give the share of responses that chose the None option, which is never right: `chose_none_option`."""

    def compute(scores: list[SampleScore]) -> Value:
        offered = [chose for item in scores if (chose := _noted(item, CHOSE_NONE)) is not None]
        return {CHOSE_NONE: _mean(offered)} if offered else {}

    return compute


def _accuracy_by(key: Callable[[SampleScore], str | None], name: str, least: int = 1) -> Metric:
    """Give the accuracy within each group, numbers in their order, where there are enough groups."""

    def compute(scores: list[SampleScore]) -> Value:
        groups: dict[str, list[float]] = {}
        for item in scores:
            if (group := key(item)) is not None:
                groups.setdefault(group, []).append(_as_float(item.score.value))
        ordered = sorted(groups, key=lambda group: (int(group) if group.isdecimal() else math.inf, group))
        return {f"{name}_{group}": _mean(groups[group]) for group in ordered} if len(groups) >= least else {}

    return compute


def _noted(item: SampleScore, key: str) -> Any:
    return (item.score.metadata or {}).get(key)


def _is_counting(item: SampleScore) -> bool:
    return (item.sample_metadata or {}).get("reachability_task") == "counting"


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else math.nan


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
