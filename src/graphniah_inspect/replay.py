"""`graphniah/replay`: responses from a file instead of a model, for runs that were made elsewhere.

    inspect eval graphniah_inspect/yesno --model graphniah/replay -M file=responses.jsonl

The file is JSON Lines or CSV (by its suffix), a response a row:
    qid or id: Of the example as in the data, or of the sample as in a log (`question-depth-0007`).
    response: The whole text of the response; empty or null where there was none.
    epoch: 1, 2, ... where there are several responses to an example (then run with `--epochs`). Default: 1.
    stop_reason: Why it ended, in Inspect's words: `stop` (default), `max_tokens`, `model_length`,
        `content_filter` or `unknown`. Without it, a response that was cut off is read like a whole one.
    input_tokens, output_tokens: As the provider reported them. Default: nothing is reported.

Before the first sample is answered, the ids of the file are held against those of the task. `-M partial=true`
lets the file hold fewer or more, for `--limit`, `--sample-id` or a file for several tasks; a sample without a
response is then an error of that sample.
"""

import csv
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.solver._task_state import (
    sample_state,
)  # inspect-evals-lint: ignore[private_api_imports] -- no public name
from inspect_ai.tool import ToolChoice, ToolInfo

from graphniah_inspect.errors import UserError

FIELDS = ("qid", "id", "response", "epoch", "stop_reason", "input_tokens", "output_tokens")
STOP_REASONS: tuple[str, ...] = get_args(StopReason)
_LISTED = 20

Key = tuple[str, int]
"""A qid or a sample id, and an epoch."""


@dataclass(frozen=True)
class Response:
    """A response as the file has it."""

    text: str
    stop_reason: StopReason
    usage: ModelUsage | None


class Replay(ModelAPI):
    """The model that answers from a file.

    Args:
        file: The responses, `.jsonl` or `.csv`.
        partial: Whether the file may hold fewer or more examples than the task.

    Raises:
        UserError: No file, or one that cannot be meant, with its line.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 (the signature that Inspect calls)
        file: str | None = None,
        partial: bool = False,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        if not isinstance(file, str):
            raise UserError("graphniah/replay answers from a file: give it with -M file=responses.jsonl (or .csv).")
        if not isinstance(partial, bool):
            raise UserError(f"-M partial={partial!r}: expected true or false.")
        self.file = Path(file).expanduser()
        self.partial = partial
        self.responses()

    def responses(self) -> Mapping[Key, Response]:
        """The file's responses; read again when it has changed, since Inspect keeps a model between runs."""
        try:
            state = self.file.stat()
        except OSError as error:
            raise UserError(f"-M file={self.file}: cannot be read ({error.strerror}).") from error
        return read_responses(self.file, (state.st_mtime_ns, state.st_size))

    def match(self, samples: Collection[Sample]) -> None:
        """Hold the file's ids against those of a task.

        Raises:
            UserError: Samples without a response, or responses to no sample, with their ids.
        """
        named = {name for name, _ in self.responses()}
        known = {name for sample in samples for name in names(sample.id, sample.metadata)}
        missing = [sample.id for sample in samples if not named & set(names(sample.id, sample.metadata))]
        surplus = sorted(named - known)
        if missing or surplus:
            raise UserError(
                f"{self.file} and the task do not match: {len(missing)} of {len(samples)} samples have no response"
                f"{_listed(missing)}, and {len(surplus)} ids are of no sample{_listed(surplus)}. Complete the file, "
                "choose the task's parameters as they were, or allow it with -M partial=true."
            )

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Give the response to the sample that is being evaluated."""
        state = sample_state()
        if state is None:
            raise UserError("graphniah/replay answers samples of an evaluation only; there is none here.")
        held = self.responses()
        for name in names(state.sample_id, state.metadata):
            if (response := held.get((name, state.epoch))) is not None:
                output = ModelOutput.from_content("graphniah/replay", response.text, response.stop_reason)
                output.usage = response.usage
                return output
        raise UserError(f"{self.file} has no response to sample {state.sample_id}, epoch {state.epoch}.")


@solver
def match_replay(samples: Collection[Sample]) -> Solver:
    """A `Task(setup=...)` solver that lets `graphniah/replay` look at all samples before the first is answered.

    Raises:
        UserError: See `Replay.match`; nothing for any other model.
    """
    matched: set[int] = set()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        api = get_model().api
        if isinstance(api, Replay) and not api.partial and id(api) not in matched:
            api.match(samples)
            matched.add(id(api))
        return state

    return solve


def names(sample_id: int | str | None, metadata: Mapping[str, Any] | None) -> list[str]:
    """What a sample is called in a file of responses."""
    return [str(name) for name in (sample_id, (metadata or {}).get("qid")) if name is not None]


@lru_cache(maxsize=8)
def read_responses(file: Path, state: tuple[int, int]) -> Mapping[Key, Response]:
    """Read a file of responses.

    Args:
        file: `.jsonl` or `.csv`.
        state: Its time and size, so that a changed file is read again.

    Raises:
        UserError: A row that cannot be meant, with its line; two responses for one example and epoch; no row.
    """
    responses: dict[Key, Response] = {}
    for line, row in rows(file):
        where = f"{file}, line {line}"
        key, response = parse(row, where)
        if key in responses:
            raise UserError(f"{where}: a second response to {key[0]}, epoch {key[1]}. Number them by `epoch`.")
        responses[key] = response
    if not responses:
        raise UserError(f"{file} holds no response.")
    return responses


def rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a file with their line numbers; empty fields of a CSV file are left out."""
    if file.suffix.lower() not in (".jsonl", ".csv"):
        raise UserError(f"{file}: expected a .jsonl or a .csv file.")
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            if file.suffix.lower() == ".csv":
                csv.field_size_limit(1 << 30)
                reader = csv.DictReader(text, strict=True)
                for row in reader:
                    yield reader.line_num, {name: held for name, held in row.items() if held not in ("", None)}
                return
            for line, one in enumerate(text, 1):
                if one.strip():
                    row = json.loads(one)
                    if not isinstance(row, dict):
                        raise UserError(f"{file}, line {line}: expected an object, found {one.strip()[:80]}.")
                    yield line, row
    except json.JSONDecodeError as error:
        raise UserError(f"{file}, line {line}: not JSON ({error.msg}, column {error.colno}).") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{file}: cannot be read ({error}).") from error


def parse(row: Mapping[Any, Any], where: str) -> tuple[Key, Response]:
    """One row, checked."""
    unknown = sorted(str(name) for name in row if name not in FIELDS)
    if unknown:
        raise UserError(f"{where}: unknown fields {', '.join(unknown)}. Known: {', '.join(FIELDS)}.")
    ids = [row[name] for name in ("qid", "id") if row.get(name) is not None]
    if len(ids) != 1 or not isinstance(ids[0], str) or not ids[0]:
        raise UserError(f"{where}: expected either a `qid` or an `id`, a text; found {ids or 'neither'}.")
    text = row.get("response") or ""
    if not isinstance(text, str):
        raise UserError(f"{where}: `response` is {text!r}; expected a text.")
    stop_reason = row.get("stop_reason", "stop")
    if stop_reason not in STOP_REASONS:
        raise UserError(f"{where}: stop_reason={stop_reason!r} is unknown. Known: {', '.join(STOP_REASONS)}.")
    read, said = whole(row, "input_tokens", where), whole(row, "output_tokens", where)
    usage = None
    if read is not None or said is not None:
        usage = ModelUsage(input_tokens=read or 0, output_tokens=said or 0, total_tokens=(read or 0) + (said or 0))
    epoch = whole(row, "epoch", where)
    if epoch == 0:
        raise UserError(f"{where}: epoch=0; epochs are numbered from 1.")
    return (ids[0], 1 if epoch is None else epoch), Response(text, stop_reason, usage)


def whole(row: Mapping[Any, Any], name: str, where: str) -> int | None:
    """A field that is a number of something; digits in a CSV file."""
    value = row.get(name)
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise UserError(f"{where}: {name}={value!r}; expected a whole number.")
    return value


def _listed(ids: Collection[Any]) -> str:
    if not ids:
        return ""
    shown = ", ".join(map(str, list(ids)[:_LISTED]))
    return f" ({shown}, and {len(ids) - _LISTED} more)" if len(ids) > _LISTED else f" ({shown})"
