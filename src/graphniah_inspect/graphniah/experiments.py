"""The published experiments: which variable each varies, its ordered list of slots, and the paper's subset.

Facts from the dataset card of `minhnam/GraphNIAH` (arXiv 2610.41704): within an experiment examples are ordered
round-robin over the varied values, so the first N examples of every value are the slots below N times the number
of values. The published order of values is not known, so any order is accepted, as long as it is one order.
"""

from dataclasses import dataclass
from typing import Any, Literal

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.index import Example

Format = Literal["yes-no", "multiple-choice", "counting"]

PAPER_LENGTH = 200_000
NONE_OPTION = "none-option"
NONE_OPTION_PREFIX = "question-format/none-option/"


@dataclass(frozen=True)
class Experiment:
    """One published experiment.

    Attributes:
        varies: The key of `config` that the list varies, or None where it varies nothing.
        paper_per_value: Examples of every value that the paper evaluated (None: all of them).
    """

    varies: str | None
    paper_per_value: int | None


EXPERIMENTS = {
    "question-format": Experiment("question_format", 100),
    "question-depth": Experiment("question_depth", 100),
    "node-count": Experiment("component_node_count", 100),
    "distractor-type": Experiment("distractor_type", 100),
    "reasoning-effort": Experiment(None, 100),
    "context-length": Experiment(None, 50),
    NONE_OPTION: Experiment(None, None),
}


def normalise_name(name: str) -> str:
    """Experiment names are written with `-` or `_`; the project uses `-`."""
    return name.replace("_", "-")


def varied_value(example: Example, experiment: str) -> str | int | None:
    """Value of the experiment's varied variable; for `question-format` the format's plain name (`yes-no`).

    Raises:
        UserError: The example's `config` lacks the varied key.
    """
    key = EXPERIMENTS[experiment].varies
    if key is None:
        return None
    if key == "question_format":
        return example.reachability_task
    value = example.config.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise UserError(
            f"Line {example.line}: the example {example.qid} is in the list of {experiment!r}, but its config has "
            f"{key}={value!r}; a text or a number is needed. The data file is damaged or of another layout."
        )
    return value


def check_experiment(experiment: Any) -> str:
    """The experiment's name with `-`; refuses others with the list of those that exist."""
    name = normalise_name(experiment) if isinstance(experiment, str) else None  # YAML makes a list of `a,b`
    if name not in EXPERIMENTS:
        known = ", ".join(sorted(EXPERIMENTS))
        raise UserError(f"experiment={experiment!r} is unknown. Known: {known}.")
    return name


def parse_tokens(name: str, value: Any) -> int | None:
    """Read a positive number of tokens: 200000, `200000` or `200k`; None stays None.

    Raises:
        UserError: Anything else, with the parameter's name.
    """
    if value is None:
        return None
    text = str(value).strip().lower().replace("_", "")
    thousands = text.removesuffix("k")
    meant = isinstance(value, int | str) and not isinstance(value, bool)
    if meant and len(thousands) < 20 and thousands.isascii() and thousands.isdigit() and int(thousands) > 0:
        return int(thousands) * (1000 if text != thousands else 1)
    raise UserError(f"{name}={value!r} is no positive number of tokens. Give it as 200000 or 200k.")


def check_value(value: Any, experiment: str, values: tuple[str | int, ...]) -> str | int:
    """The varied value that the user means; `8` and `"8"` are the same."""
    if not values:
        raise UserError(f"value={value!r} is refused: experiment={experiment!r} varies nothing.")
    by_text = {str(known).replace("_", "-"): known for known in values}
    text = str(value).replace("_", "-").removeprefix("reachability-")
    text = {"yesno": "yes-no", "multiple": "multiple-choice"}.get(text, text)
    if isinstance(value, bool) or text not in by_text:
        raise UserError(f"value={value!r} is not a value of {experiment!r} here. Known: {', '.join(by_text)}.")
    return by_text[text]
