"""A selected problem as an Inspect sample, and how its prompt is read when the sample starts."""

from collections.abc import Sequence
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import TaskState
from inspect_ai.viewer import TaskSamplesColumn

from graphniah_inspect.graphwalks.bands import truth_size_band
from graphniah_inspect.graphwalks.scoring import read_target
from graphniah_inspect.graphwalks.selection import Chosen
from graphniah_inspect.prompting import ReadPrompt
from graphniah_inspect.viewing import sample_list

VIEWER = sample_list(
    "GraphWalks", *(TaskSamplesColumn.score("graphwalks_grader", value) for value in ("f1", "exact", "parsed"))
)


def record_to_sample(chosen: Chosen) -> Sample:
    """One row as a sample: the operation as input, the answer as JSON, the prompt left in the file."""
    problem, row = chosen.problem, chosen.problem.row
    if row.operation is None:
        raise ValueError(f"{problem.id} was selected although it is unreadable: {row.unreadable}")
    size = len(read_target(chosen.truth, problem.id))
    metadata: dict[str, Any] = {
        "problem_type": row.problem_type,
        "band": problem.band,
        "depth": row.operation.depth,
        "truth_size": size,
        "truth_size_band": truth_size_band(size),
        "prompt_chars": row.chars,
        # Fewer than any tokenizer makes of hex digits; a server that reports far less still has cut the prompt.
        "prompt_tokens_min": row.chars // 2,
        "wording": row.operation.wording,
        "date_added": row.date_added,
        "file": problem.file.path.name,
        "row": row.number,
    }
    if chosen.tokens is not None:
        metadata["tokens"] = chosen.tokens
    return Sample(id=problem.id, input=row.operation.text, target=chosen.truth, metadata=metadata)


def make_dataset(chosen: Sequence[Chosen], name: str) -> MemoryDataset:
    """The samples, in the order of the files."""
    return MemoryDataset([record_to_sample(one) for one in chosen], name=name)


def prompt_reader(chosen: Sequence[Chosen]) -> ReadPrompt:
    """A reader of the prompt of a sample, from its file, when the sample starts."""
    problems = {one.problem.id: one.problem for one in chosen}

    def read(state: TaskState) -> tuple[str | None, str]:
        return None, problems[str(state.sample_id)].prompt()

    return read
