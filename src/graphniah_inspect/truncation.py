"""Notice prompts that a server cut without a word.

Some servers drop the middle or the beginning of a long prompt and answer all the same. What they report as
input tokens tells on them: tokenizers differ by some tens of per cent, not by half.
"""

from collections.abc import Mapping
from logging import getLogger
from typing import Any

from inspect_ai.hooks import Hooks, TaskEnd, hooks
from inspect_ai.model import ModelUsage

LEAST_SHARE = 0.6
"""A prompt of fewer input tokens than this share of its smallest stored count was cut."""

PROMPT_TRUNCATED = "prompt_truncated"

logger = getLogger(__name__)


def missing_tokens(usage: ModelUsage | None, metadata: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the input tokens that the provider reports and those stored, where the first fall short.

    Args:
        usage: Of the last call. Inspect counts cached input tokens apart from the others.
        metadata: Of the sample; `prompt_tokens_min` is its smallest stored count, absent where the prompt is
            not sent whole on purpose.
    """
    stored = metadata.get("prompt_tokens_min")
    if usage is None or not stored:
        return None
    sent = usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    return (sent, stored) if 0 < sent < LEAST_SHARE * stored else None


def warn_at_end() -> None:
    """See to it that the run ends with a warning that says how many prompts were cut.

    The hook is registered when the first cut prompt is met, so that no evaluation without one is bothered.
    """
    global _registered
    if not _registered:
        hooks("prompt_truncation", "Warns of prompts that were cut")(_PromptTruncation)
        _registered = True


_registered = False


class _PromptTruncation(Hooks):
    async def on_task_end(self, data: TaskEnd) -> None:
        for score in data.log.results.scores if data.log.results else ():
            share = score.metrics.get(PROMPT_TRUNCATED)
            if share is not None and share.value > 0:
                responses = score.scored_samples or 0
                logger.warning(
                    "%s: %d of %d prompts were cut before they reached the model (reason %s): it reports fewer "
                    "than %.0f%% of the input tokens that the example has. Look at the server's context length.",
                    data.log.eval.task,
                    round(share.value * responses),
                    responses,
                    PROMPT_TRUNCATED,
                    100 * LEAST_SHARE,
                )
