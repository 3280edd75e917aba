"""Models that need no key and no download: what a perfect reader, a guesser and a stubborn answerer score.

    inspect eval graphniah_inspect/yesno -T dataset=sample --model graphniah/oracle
    inspect eval graphniah_inspect/yesno -T dataset=sample --model graphniah/chance -M seed=2
    inspect eval graphniah_inspect/yesno -T dataset=sample --model graphniah/constant -M answer=NO
    inspect eval graphniah_inspect/yesno --model graphniah/replay -M file=responses.jsonl   (see `replay`)

`oracle` answers from the prompt's text alone. `chance` and `constant` never read it: they look at the sample's
format and options only. Usage is reported as an estimate (a token for every three bytes), so that
nothing has to be tokenised.
"""

import hashlib
from inspect import signature
from typing import Any, cast

from inspect_ai._util.error import (
    PrerequisiteError,
)  # inspect-evals-lint: ignore[private_api_imports] -- no public name
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.solver import TaskState
from inspect_ai.solver._task_state import (
    sample_state,
)  # inspect-evals-lint: ignore[private_api_imports] -- no public name
from inspect_ai.tool import ToolChoice, ToolInfo
from rich.markup import escape

from graphniah_inspect import oracle
from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks import truth
from graphniah_inspect.graphwalks.layout import UnreadablePromptError
from graphniah_inspect.replay import Replay

BYTES_PER_TOKEN = 3
LARGEST_COMPONENT = 250  # papers, the source included, in the published data; so a guesser's counts end at 249


@modelapi(name="graphniah")
def baseline() -> type[ModelAPI]:
    """The provider behind `graphniah/oracle`, `graphniah/chance`, `graphniah/constant` and `graphniah/replay`."""
    return cast(type[ModelAPI], _model)


def _model(model_name: str, **arguments: Any) -> ModelAPI:
    model = Replay if model_name == "replay" else Baseline
    taken = list(signature(model).parameters)
    try:
        if unknown := sorted(set(arguments) - set(taken)):
            known = ", ".join(taken[taken.index("config") + 1 :])
            raise UserError(f"graphniah/{model_name} has no -M {', '.join(unknown)}. Known: {known}.")
        return model(model_name, **arguments)
    except UserError as error:
        raise PrerequisiteError(escape(str(error))) from error


class Baseline(ModelAPI):
    """One of the baseline models, by name.

    Args:
        model_name: `oracle`, `chance` or `constant`.
        seed: Of `chance`; an answer depends on the seed, the sample and the epoch alone.
        answer: Of `constant`: what it always says (default `YES`, the first option, `100`, or `[]`, by
            format).
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 (the signature that Inspect calls)
        seed: int = 1,
        answer: str | int | bool | None = None,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        answers = {"oracle": self.oracle, "chance": self.chance, "constant": self.constant}
        if model_name not in answers:
            known = ", ".join(sorted([*answers, "replay"]))
            raise UserError(f"The baseline model graphniah/{model_name} is unknown. Known: {known}.")
        if answer is not None and model_name != "constant":
            raise UserError(f"-M answer is for graphniah/constant; graphniah/{model_name} takes none.")
        self.reply = answers[model_name]
        self.seed = seed
        # YAML turns -M answer=NO into False, and YES into True
        self.answer = {True: "YES", False: "NO"}.get(answer, answer) if isinstance(answer, bool) else answer

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Answer the sample that is being evaluated."""
        state = sample_state()
        if state is None:
            raise UserError(f"graphniah/{self.model_name} answers samples of an evaluation only; there is none here.")
        text = self.reply(input, state)
        output = ModelOutput.from_content(f"graphniah/{self.model_name}", text)
        read = sum(len(message.text.encode("utf-8", "replace")) for message in input) // BYTES_PER_TOKEN
        said = max(1, len(text) // BYTES_PER_TOKEN)
        output.usage = ModelUsage(input_tokens=read, output_tokens=said, total_tokens=read + said)
        return output

    def oracle(self, messages: list[ChatMessage], state: TaskState) -> str:
        """Rebuild the graph from the prompt's text and answer; say so where that cannot be done."""
        if is_graphwalks(state):
            try:
                return truth.answer_text(truth.solve(messages[-1].text))
            except UnreadablePromptError as reason:
                return f"I cannot answer from this text: {reason}"
        try:
            verdict = oracle.solve(messages[-1].text)
        except oracle.CannotRead as reason:
            return f"I cannot answer from this text: {reason}"
        if verdict.malformed:
            return f"I will not answer, for the question is malformed: {verdict.malformed}"
        return f"{verdict.evidence}\n\\answer{{{verdict.answer}}}"

    def chance(self, messages: list[ChatMessage], state: TaskState) -> str:
        """Guess uniformly among the labels, or among the counts from 1 to 249."""
        if is_graphwalks(state):
            raise UserError("graphniah/chance has nothing to guess among in GraphWalks; use graphniah/constant.")
        key = f"{self.seed}/{state.sample_id}/{state.epoch}"
        draw = int.from_bytes(hashlib.sha256(key.encode("utf-8")).digest()[:8], "big")
        known = possible_answers(state)
        return f"\\answer{{{known[draw % len(known)]}}}"

    def constant(self, messages: list[ChatMessage], state: TaskState) -> str:
        """Say the same whatever is asked."""
        if is_graphwalks(state):
            return f"Final Answer: {self.answer if self.answer is not None else '[]'}"
        default = "100" if is_counting(state) else possible_answers(state)[0]
        return f"\\answer{{{self.answer if self.answer is not None else default}}}"


def is_graphwalks(state: TaskState) -> bool:
    """Whether the sample is one of GraphWalks."""
    return "problem_type" in state.metadata


def is_counting(state: TaskState) -> bool:
    """Whether the sample asks for a number."""
    return bool(state.metadata["reachability_task"] == "counting")


def possible_answers(state: TaskState) -> list[Any]:
    """The answers that a sample allows: its labels, or the counts that the published components have."""
    if is_counting(state):
        return list(range(1, LARGEST_COMPONENT))
    if state.metadata["reachability_task"] == "yes-no":
        return ["YES", "NO"]
    return [chr(ord("A") + index) for index in range(len(state.choices))]
