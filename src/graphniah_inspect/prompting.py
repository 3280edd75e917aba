"""How a long prompt reaches the model, and how the log keeps it once: shared by every task of the package."""

from collections.abc import Awaitable, Callable

import anyio.to_thread
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver

ReadPrompt = Callable[[TaskState], tuple[str | None, str]]

# Up to about this many characters the log's compression stores a repeated prompt once by itself.
REPEATED_CHARS = 1_000_000


@solver
def full_prompt(read: ReadPrompt) -> Solver:
    """Put the sample's system prompt and whole user prompt into the messages, byte for byte, without any template.

    A `Task(setup=...)` solver: `Sample.input` stays short, and a solver of the user's own still gets the whole prompt.
    Half a character (a lone surrogate) is kept too, but Inspect's log writes it as the six characters of its escape,
    and a provider's client that cannot encode it makes it the error of that sample, before anything is sent.

    Args:
        read: Reads (system prompt or None, user prompt) of the sample, from disk, when its sample starts.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        system, user = await anyio.to_thread.run_sync(read, state)
        messages: list[ChatMessage] = [ChatMessageSystem(content=system)] if system else []
        state.messages = [*messages, ChatMessageUser(content=user)]
        return state

    return solve


def keep_prompt_once() -> Callable[[TaskState], Awaitable[None]]:
    """A `Task(cleanup=...)` that leaves very long prompts to the transcript alone, once the sample is scored.

    The transcript's model call holds the prompt anyway; a second copy in the messages would double the log.
    """

    async def cleanup(state: TaskState) -> None:
        for index, message in enumerate(state.messages):
            if message.role == "user" and len(message.text) > REPEATED_CHARS:
                stub = (
                    f"{state.input_text}\n\n(The whole prompt, {len(message.text):,} characters, is in this sample's "
                    "transcript, under the model call. It is kept there once, to halve the log.)"
                )
                state.messages[index] = ChatMessageUser(content=stub, id=message.id)

    return cleanup
