"""From checked parameters to an Inspect task: what every GraphNIAH task of `tasks` shares."""

from collections.abc import Mapping
from logging import getLogger
from typing import Any

from inspect_ai import Task
from inspect_ai._util.error import (
    PrerequisiteError,
)  # inspect-evals-lint: ignore[private_api_imports] -- no public name
from inspect_ai.log import HeadlineMetric
from rich.markup import escape

from graphniah_inspect.asking import ask
from graphniah_inspect.errors import UserError, refuse_unknown
from graphniah_inspect.graphniah.answers import RULES
from graphniah_inspect.graphniah.experiments import NONE_OPTION, Format, parse_tokens
from graphniah_inspect.graphniah.samples import VIEWER, fit, make_dataset, prompt_reader, selection_record
from graphniah_inspect.graphniah.scoring import reachability
from graphniah_inspect.graphniah.selection import select
from graphniah_inspect.graphniah.source import open_source
from graphniah_inspect.prompting import full_prompt, keep_prompt_once
from graphniah_inspect.replay import match_replay

VERSION = "1-A"

PARAMETERS = (
    *("experiment", "context_length", "subset", "value", "dataset", "revision"),
    *("rule", "context", "max_prompt_tokens", "tokenizer"),
)

logger = getLogger(__name__)


def reachability_task(
    title: str,
    format: Format | None,
    experiment: Any,
    *,
    context_length: Any,
    subset: Any,
    value: Any,
    dataset: Any,
    revision: Any,
    rule: Any,
    context: Any,
    max_prompt_tokens: Any,
    tokenizer: Any,
    unknown: Mapping[str, Any],
) -> Task:
    """Build any GraphNIAH task of `tasks` from its parameters, once they are checked.

    Raises:
        PrerequisiteError: A parameter that cannot be meant, or data that is missing or damaged.
    """
    try:
        fixed = ("experiment", "value") if experiment == NONE_OPTION else ()
        refuse_unknown(unknown, [name for name in PARAMETERS if name not in fixed])
        if rule not in RULES:
            raise UserError(f"rule={rule!r} is unknown. Known: {', '.join(RULES)}.")
        if context not in ("full", "none"):
            raise UserError(f"context={context!r} is unknown. Known: full, none.")
        source = open_source(dataset, revision)
        selection = select(
            source.examples,
            experiment,
            context_length=context_length,
            subset=subset,
            value=value,
            format=format,
        )
        if selection.note:
            logger.warning(selection.note)
        max_prompt_tokens = parse_tokens("max_prompt_tokens", max_prompt_tokens)
        selection, left_out = fit(selection, tokenizer, max_prompt_tokens)
        if left_out and left_out["count"]:
            logger.warning(
                f"max_prompt_tokens={max_prompt_tokens} leaves out {left_out['count']} examples "
                f"(by value: {left_out['by_value']}); {len(selection.entries)} remain."
            )
        samples = make_dataset(source, selection, tokenizer, context)
    except UserError as error:
        raise PrerequisiteError(escape(str(error))) from error
    record = selection_record(source, selection) | {
        "format": format or "any",
        "subset": subset,
        "value": value,
        "rule": rule,
        "context": context,
        "max_prompt_tokens": max_prompt_tokens,
        "tokenizer": tokenizer,
        "left_out": left_out,
    }
    if context == "none":
        record["prompt_tokens"] = {}  # what is stored is the size of prompts that are not sent
    return Task(
        dataset=samples,
        setup=[match_replay(samples), full_prompt(prompt_reader(source, selection, context))],
        solver=ask(),
        cleanup=keep_prompt_once(),
        scorer=reachability(rule),
        # One sample's error ends the run for no other; the log's status is "error" until a retry has them all.
        continue_on_fail=True,
        display_name=f"{title} ({selection.experiment}, {selection.context_length})",
        headline_metric=HeadlineMetric(metric="accuracy"),
        version=VERSION,
        metadata={"selection": record},
        viewer=VIEWER,
    )
