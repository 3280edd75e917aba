"""From the rows of a data file to Inspect samples, and to a record of what was selected."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from inspect_ai.dataset import Dataset, MemoryDataset, Sample
from inspect_ai.solver import TaskState
from inspect_ai.viewer import TaskSamplesColumn

from graphniah_inspect.citations.text import TAIL, TAIL_OPEN, Kind
from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.answers import KINDS, read_target
from graphniah_inspect.graphniah.experiments import NONE_OPTION, PAPER_LENGTH
from graphniah_inspect.graphniah.index import Example
from graphniah_inspect.graphniah.selection import Entry, Selection
from graphniah_inspect.graphniah.source import Source
from graphniah_inspect.prompting import ReadPrompt
from graphniah_inspect.viewing import sample_list

LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
CONFIG_METADATA = (
    "question_depth",
    "component_node_count",
    "distractor_type",
    "source_qid",
    "component_id",
    "source_position",
    "target_position",
    "path_start",
    "path_end",
)

VIEWER = sample_list("GraphNIAH", TaskSamplesColumn.score("reachability"))


def record_to_sample(
    example: Example, *, sample_id: str, experiment: str, slot: int, value: str | int | None, tokenizer: str
) -> Sample:
    """One row as a sample: the question as input, the full prompt left in the file until the sample starts.

    Args:
        example: The row.
        sample_id: Says where the example stands, e.g. `question-depth-0007`.
        experiment: Name of the experiment, with `-`.
        slot: Its 0-based place in the experiment's list.
        value: Value of the varied variable, None where nothing varies.
        tokenizer: The key of `token_counts` for `prompt_tokens`.

    Raises:
        UserError: A format or an answer that no rule can score, or options not labelled A, B, C, ... in order.
    """
    config = example.config
    options = option_texts(example)
    try:
        read_target(example.answer, kind_of(example), options=options)
    except ValueError as error:
        raise UserError(f"Line {example.line}: example {example.qid}: {error}") from error
    metadata: dict[str, Any] = {
        "qid": example.qid,
        "experiment": experiment,
        "slot": slot,
        "value": value if value is not None else "all",
        "reachability_task": example.reachability_task,
        "question_format": config.get("question_format", example.question_type),
        "context_length": config.get("context_length"),
        "none_option": config.get("none_option", 0),
        "prompt_tokens": example.token_counts.get(tokenizer),
        "prompt_tokens_min": min(example.token_counts.values(), default=None),
    }
    metadata |= {key: config.get(key) for key in CONFIG_METADATA}
    return Sample(
        id=sample_id,
        input=example.question,
        target=example.answer,
        choices=options,
        metadata={key: held for key, held in metadata.items() if held is not None},
    )


def kind_of(example: Example) -> Kind:
    """The row's format; a UserError where it is none of the three."""
    for kind in KINDS:
        if example.reachability_task == kind:
            return kind
    raise UserError(
        f"Line {example.line}: example {example.qid} has reachability_task={example.reachability_task!r}; expected "
        f"one of {', '.join(KINDS)}."
    )


def option_texts(example: Example) -> list[str] | None:
    """Texts of the options in the order of their labels A, B, C, ...; None unless the row is multiple choice."""
    if example.reachability_task != "multiple-choice":
        return None
    labels = [option.label for option in example.options or ()]
    if len(labels) < 2 or labels != list(LABELS[: len(labels)]):
        raise UserError(
            f"Line {example.line}: the multiple-choice example {example.qid} has the option labels {labels}; expected "
            "A, B, C, D (and E) in this order."
        )
    return [option.text for option in example.options or ()]


def sample_id(selection: Selection, entry: Entry) -> str:
    """`question-depth-0007`; with the length where it is the point of the experiment, or above the paper's 200k."""
    length = selection.context_length
    name = f"{length // 1000}k" if length % 1000 == 0 else str(length)
    named = selection.experiment == "context-length" or (selection.experiment != NONE_OPTION and length > PAPER_LENGTH)
    return f"{selection.experiment}-{name}-{entry.slot:04d}" if named else f"{selection.experiment}-{entry.slot:04d}"


def make_dataset(source: Source, selection: Selection, tokenizer: str, context: str) -> Dataset:
    """The selected entries as a dataset, in slot order.

    With `context="none"` the stored prompt sizes are left out: they are not what is sent.
    """
    samples = [
        record_to_sample(
            entry.example,
            sample_id=sample_id(selection, entry),
            experiment=selection.experiment,
            slot=entry.slot,
            value=entry.value,
            tokenizer=tokenizer,
        )
        for entry in selection.entries
    ]
    if context == "none":
        for sample in samples:
            for key in ("prompt_tokens", "prompt_tokens_min"):
                (sample.metadata or {}).pop(key, None)
    return MemoryDataset(samples, name=source.name, location=str(source.path))


def prompt_reader(source: Source, selection: Selection, context: Literal["full", "none"]) -> ReadPrompt:
    """How a sample's prompt is read from the data file when the sample starts.

    With `context="none"` the user prompt is the question alone; the answer format is added in the project's own
    words where neither the system prompt nor the question names it, or no answer could be read.
    """
    by_qid = {entry.example.qid: entry.example for entry in selection.entries}

    def read(state: TaskState) -> tuple[str | None, str]:
        example = by_qid[state.metadata["qid"]]
        system, user = source.prompt(example)
        if context == "full":
            return system, user
        if "\\answer" in (system or "") + example.question:
            return system, example.question
        return system, f"{example.question}\n\n{TAIL[kind_of(example)].removeprefix(TAIL_OPEN)}"

    return read


def fit(selection: Selection, tokenizer: str, max_prompt_tokens: int | None) -> tuple[Selection, dict[str, Any] | None]:
    """Leave out examples whose stored count in `tokenizer` is over `max_prompt_tokens`; the record says how many.

    Raises:
        UserError: An unknown tokenizer, a row without its count, nothing left.
    """
    counted = sorted({name for entry in selection.entries for name in entry.example.token_counts})
    if tokenizer not in counted and (max_prompt_tokens is not None or counted):
        raise UserError(
            f"tokenizer={tokenizer!r} is not in the data's token_counts. Known: {', '.join(counted) or 'none'}."
        )
    if max_prompt_tokens is None:
        return selection, None
    for entry in selection.entries:
        if tokenizer not in entry.example.token_counts:
            raise UserError(
                f"Line {entry.example.line}: example {entry.example.qid} has no count for tokenizer={tokenizer!r} "
                f"(it has {sorted(entry.example.token_counts)}), so max_prompt_tokens cannot be applied."
            )
    kept = tuple(e for e in selection.entries if e.example.token_counts[tokenizer] <= max_prompt_tokens)
    if not kept:
        smallest = min(e.example.token_counts[tokenizer] for e in selection.entries)
        raise UserError(
            f"max_prompt_tokens={max_prompt_tokens} leaves nothing: the shortest of the {len(selection.entries)} "
            f"selected prompts has {smallest} tokens by {tokenizer!r}."
        )
    left_out = [e for e in selection.entries if e.example.token_counts[tokenizer] > max_prompt_tokens]
    record = {
        "count": len(left_out),
        "by_value": counts(e.value if e.value is not None else "all" for e in left_out),
    }
    return Selection(**{**vars(selection), "entries": kept}), record


def counts(items: Any) -> dict[str, int]:
    """How many of each, as a mapping that a log can hold, sorted by name."""
    return dict(sorted(Counter(str(item) for item in items).items()))


def selection_record(source: Source, selection: Selection) -> dict[str, Any]:
    """What a task evaluates, for `log.eval.metadata["selection"]`."""
    entries: Sequence[Entry] = selection.entries
    return {
        "experiment": selection.experiment,
        "lists": list(selection.list_names),
        "context_length": selection.context_length,
        "list_size": selection.list_size,
        "slots_below": selection.slots_taken,
        "examples": len(entries),
        "values": counts(entry.value if entry.value is not None else "all" for entry in entries),
        "formats": counts(entry.example.reachability_task for entry in entries),
        "labels": counts(entry.example.answer for entry in entries if entry.example.reachability_task != "counting"),
        "prompt_tokens": prompt_tokens(entries),
        "row_bytes": {
            "max": max(entry.example.length for entry in entries),
            "sum": sum(entry.example.length for entry in entries),
        },
        "dataset": source.name,
        "file": str(source.path),
        "revision": source.revision,
        "sha256": source.sha256,
        "bytes": source.size,
    }


def prompt_tokens(entries: Sequence[Entry]) -> dict[str, dict[str, float]]:
    """Tokens of the prompts by every tokenizer that the data holds, and how many prompts it has counted."""
    counted: dict[str, list[int]] = {}
    for entry in entries:
        for tokenizer, tokens in entry.example.token_counts.items():
            counted.setdefault(tokenizer, []).append(tokens)
    return {
        tokenizer: {
            "mean": sum(tokens) / len(tokens),
            "max": max(tokens),
            "sum": sum(tokens),
            "counted": len(tokens),
        }
        for tokenizer, tokens in sorted(counted.items())
    }
