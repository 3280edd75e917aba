"""`graphniah/replay`: responses from a file instead of a model, for runs that were made elsewhere.

    inspect eval graphniah_inspect/yesno --model graphniah/replay -M file=responses.jsonl

The file is described in `replay_file`. Before the first sample is answered, its ids and epochs are held against
those of the run. `-M partial=true` lets the file hold fewer or more, for `--limit`, `--sample-id` or a file for
several tasks; a sample without a response is then an error of that sample.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log_async
from inspect_ai.log._samples import (
    sample_active,
)  # inspect-evals-lint: ignore[private_api_imports] -- no public name
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.solver._task_state import (
    sample_state,
)  # inspect-evals-lint: ignore[private_api_imports] -- no public name
from inspect_ai.tool import ToolChoice, ToolInfo

from graphniah_inspect.errors import UserError
from graphniah_inspect.replay_file import Key, Response, read_responses

_LISTED = 20


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

    def match(self, samples: Collection[Sample], epochs: int) -> None:
        """Hold the file's ids and epochs against those of a run.

        Raises:
            UserError: Samples without a response, or responses to no sample, with their ids and epochs.
        """
        wanted = set(range(1, epochs + 1))
        surplus: defaultdict[str, set[int]] = defaultdict(set)
        for name, epoch in self.responses():
            surplus[name].add(epoch)
        missing: dict[str, set[int]] = {}
        for sample in samples:
            found: set[int] = set()
            for name in names(sample.id, sample.metadata):
                found |= surplus.get(name, set())
                surplus[name] -= wanted
            if wanted - found:
                missing[str(sample.id)] = wanted - found
        told = [
            f"{len(ids)} {what}: {_listed(ids)}"
            for what, ids in (
                (f"of {len(samples)} samples lack a response", _with_epochs(missing, wanted)),
                ("ids have a response that no sample asks for", _with_epochs(surplus, {1})),
            )
            if ids
        ]
        if told:
            raise UserError(
                f"{self.file} and the run do not match. {'; '.join(told)}. Complete the file, choose the task's "
                "parameters and --epochs as they were, or allow it with -M partial=true."
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
        UserError: See `Replay.match`, for one sample, to which the others refer; nothing for any other model.
    """
    looking = anyio.Lock()
    refused_at: dict[str, str | None] = {}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        api, run = get_model().api, sample_active()
        if not isinstance(api, Replay) or api.partial or run is None:
            return state
        async with looking:
            if run.eval_id not in refused_at:
                refused_at[run.eval_id] = f"sample {state.sample_id}, epoch {state.epoch}"
                header = await read_eval_log_async(run.log_location, header_only=True)
                api.match(samples, header.eval.config.epochs or 1)
                refused_at[run.eval_id] = None
        if (first := refused_at[run.eval_id]) is not None:
            raise UserError(f"Not answered: {api.file} and the run do not match; the error of {first} says how.")
        return state

    return solve


def names(sample_id: int | str | None, metadata: Mapping[str, Any] | None) -> list[str]:
    """What a sample is called in a file of responses."""
    return [str(name) for name in (sample_id, (metadata or {}).get("qid")) if name is not None]


def _with_epochs(epochs: Mapping[str, set[int]], plain: set[int]) -> list[str]:
    """Ids with their epochs, which are left out where they are those that one expects."""
    return [
        name if held == plain else f"{name} (epoch {', '.join(map(str, sorted(held)))})"
        for name, held in epochs.items()
        if held
    ]


def _listed(ids: Sequence[str]) -> str:
    more = f", and {len(ids) - _LISTED} more" if len(ids) > _LISTED else ""
    return ", ".join(ids[:_LISTED]) + more
