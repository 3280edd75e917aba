"""How a model is asked, as by Inspect's `generate()`, and in which way it did not answer.

Errors stay short at prompts of megabytes, and no error is ever scored as a wrong answer.
"""

from inspect_ai.model import ContentText, ModelOutput
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState, solver

REFUSED = {401: "the key is wrong", 403: "the key has no right to it", 404: "there is no such model or address"}
"""HTTP status codes that every other request would meet as well."""

PATIENCE = 10
"""After so many requests that met such a code, and none that was answered, nothing more is sent."""

_SHOWN = 2000


class AskingError(RuntimeError):
    """A request without an answer; says what the provider said."""


@solver
def ask() -> Solver:
    """Ask the model once, like `generate()`, the default solver of every task.

    Inspect puts the whole request into the error of a request that the provider rejects: at 922k tokens, 4 MB of
    prompt in the terminal, in the sample's error and in the log's summaries. Here the provider's message alone
    is kept. And where the first requests of a run all meet a wrong key or model name, the rest is not sent.

    Raises:
        AskingError: The provider rejected the request, or the first ones of this run to this model. In a run it
            becomes the error of the sample.
    """
    answered: set[str] = set()
    refused: dict[str, list[int]] = {}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = str(state.model)
        codes = refused.setdefault(model, [])
        if model not in answered and len(codes) >= PATIENCE:
            raise AskingError(
                f"Not sent: the first {len(codes)} requests to {model} all met HTTP {codes[0]} "
                f"({REFUSED[codes[0]]}). Mend that, then go on with `inspect eval-retry`."
            )
        try:
            state = await generate(state)
        except IndexError:
            # A response with no choice at all is one that says nothing. It came where the time that it took is known.
            if not state.output.empty or never_answered(state.output):
                raise
        except Exception as error:
            code = getattr(error, "status_code", None)
            if code in REFUSED:
                codes.append(code)
            message = getattr(error, "provider_message", None)
            if message is None:
                raise
            raise AskingError(f"{model}: {_shortened(message)}") from None
        answered.add(model)
        return state

    return solve


def never_answered(output: ModelOutput) -> bool:
    """Whether no response came: Inspect notes the time of every one that did, even of an empty one."""
    return output.empty and output.time is None


def unscored_error() -> Score:
    """The score of a sample that ended in an error: none, also when `inspect score` comes back to it."""
    return Score.unscored(reason="error", explanation="No response: the sample ended in an error.")


def stop_reason(output: ModelOutput) -> str:
    """Why the response ended; `content_filter` also where the provider marks its text as a refusal."""
    if output.empty:
        return "unknown"
    content = output.message.content
    if isinstance(content, list) and any(isinstance(part, ContentText) and part.refusal for part in content):
        return "content_filter"
    return output.stop_reason


def _shortened(message: str) -> str:
    return message if len(message) <= _SHOWN else f"{message[:_SHOWN]} … ({len(message):,} characters)"
