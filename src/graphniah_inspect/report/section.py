"""What a report consists of: families of runs, and sections of numbers with a figure each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from graphniah_inspect.report.frame import Run
from graphniah_inspect.report.labels import label_runs
from graphniah_inspect.report.measure import Rate, Show
from graphniah_inspect.report.plot_style import series_styles

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

TITLES = {
    "question-format": "question format",
    "question-depth": "path length",
    "node-count": "component size",
    "distractor-type": "kind of distracting text",
    "reasoning-effort": "reasoning effort",
    "context-length": "context length",
    "none-option": "None option",
}
TASKS = {
    "graphniah": "all question formats",
    "yesno": "yes-no questions",
    "multiple_choice": "multiple-choice questions",
    "counting": "counting questions",
    "none_option": "multiple choice with a fifth option",
    "graphwalks": "both problem types",
    "graphwalks_bfs": "breadth-first search",
    "graphwalks_parents": "parents of a node",
}
_ORDER = ("yes-no", "multiple-choice", "counting", "code", "essays", "books", "wikipedia", "disjoint-tree")


@dataclass(frozen=True)
class Number:
    """One number of a report: a point of a figure, a row of a table.

    Attributes:
        run: The run's id.
        series: The run's name in this section.
        at: Which of the run's samples, in words.
        measure: What the value is.
        value: A share 0..1, or what `unit` says.
        n: Samples (or responses) behind it.
        failed: Responses without a score, not in n.
        show: How to see the samples.
    """

    run: str
    series: str
    at: str
    measure: str
    value: float
    n: int
    low: float | None = None
    high: float | None = None
    failed: int = 0
    unit: str = "share"
    show: Show | None = None

    @classmethod
    def of(cls, rate: Rate, measure: str = "accuracy", **rest: Any) -> "Number":
        """A rate as a number."""
        return cls(measure=measure, value=rate.mean, n=rate.n, low=rate.low, high=rate.high, failed=rate.failed, **rest)


@dataclass(frozen=True)
class Section:
    """A question, its numbers, and the figure that answers it.

    Attributes:
        slug: Name of the figure's files and anchor in the page.
        title: Heading.
        text: How to read the figure, in plain words.
        numbers: Number i has the anchor `slug-i` in the page, to which the figure's points lead.
        draw: Draws the figure; None where there is nothing to draw.
    """

    slug: str
    title: str
    text: str
    numbers: Sequence[Number]
    draw: "Callable[[], Figure] | None" = None


@dataclass(frozen=True)
class Family:
    """Runs of one task on one experiment: they stand side by side, and are never averaged.

    Attributes:
        frame: Their rows of the table of samples.
        labels: Name of every run within the family.
        looks: Color, marker and dashes of every run.
        piece: Which of several pieces this is, where a figure cannot take all runs: `1`, `2`, ...
    """

    benchmark: str
    task: str
    experiment: str
    runs: Sequence[Run]
    frame: "pd.DataFrame" = field(repr=False)
    labels: Sequence[str] = ()
    looks: Sequence[dict[str, Any]] = ()
    piece: str = ""

    @property
    def slug(self) -> str:
        """Start of the names of its files."""
        return "-".join(part for part in (self.experiment, self.task.replace("_", "-")) if part)

    @property
    def title(self) -> str:
        """Heading."""
        if self.benchmark == "graphwalks":
            return f"GraphWalks: {TASKS.get(self.task, self.task)}"
        experiment = TITLES.get(self.experiment, self.experiment)
        return f"GraphNIAH{experiment and ', '}{experiment}: {TASKS.get(self.task, self.task)}"

    def part(self, run: Run) -> "pd.DataFrame":
        """The rows of one run."""
        return self.frame[self.frame["run"] == run.id]

    def name(self, kind: str) -> str:
        """Name of a figure of this family (or piece of it)."""
        return "-".join(part for part in (self.slug, kind, self.piece) if part)

    def pieces(self, most: int = 8) -> "list[Family]":
        """The family as it is, or cut into groups of so many runs."""
        if len(self.runs) <= most:
            return [self]
        return [
            replace(
                self,
                runs=self.runs[start : start + most],
                frame=self.frame[self.frame["run"].isin([run.id for run in self.runs[start : start + most]])],
                labels=self.labels[start : start + most],
                looks=self.looks[start : start + most],
                piece=str(start // most + 1),
            )
            for start in range(0, len(self.runs), most)
        ]


def families(runs: Sequence[Run], frame: "pd.DataFrame") -> list[Family]:
    """Runs grouped by benchmark, experiment and task, in the order of the runs."""
    grouped: dict[tuple[str, str, str], list[Run]] = {}
    for run in runs:
        grouped.setdefault((run.benchmark, run.task, run.experiment), []).append(run)
    found = []
    for key, members in grouped.items():
        labels = label_runs(members)
        rows = frame[frame["run"].isin([run.id for run in members])]
        looks = series_styles([run.model for run in members], labels)
        found.append(Family(*key, runs=members, frame=rows, labels=labels, looks=looks))
    return found


def in_order(values: "pd.Series[Any]") -> list[Any]:
    """Distinct values as they are shown: numbers by size, known names in their usual order, others by alphabet."""
    # A column with gaps holds whole numbers as floats.
    distinct = {
        int(value) if isinstance(value, float) and value.is_integer() else value
        for value in values.dropna().unique().tolist()
    }
    return sorted(
        distinct,
        key=lambda value: (
            isinstance(value, str),
            value if not isinstance(value, str) else _ORDER.index(value) if value in _ORDER else len(_ORDER),
            str(value),
        ),
    )
