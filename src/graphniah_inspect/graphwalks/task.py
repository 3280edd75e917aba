"""From checked parameters to an Inspect task: what the three GraphWalks tasks share."""

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
from graphniah_inspect.graphwalks.bands import BANDS
from graphniah_inspect.graphwalks.graders import GRADERS
from graphniah_inspect.graphwalks.layout import ProblemType
from graphniah_inspect.graphwalks.parameters import depths, one_of, token_limits
from graphniah_inspect.graphwalks.samples import VIEWER, make_dataset, prompt_reader
from graphniah_inspect.graphwalks.scoring import graphwalks_grader
from graphniah_inspect.graphwalks.selection import select, selection_record, with_truth
from graphniah_inspect.graphwalks.source import open_source
from graphniah_inspect.graphwalks.tokens import check_tokenizer
from graphniah_inspect.prompting import full_prompt, keep_prompt_once
from graphniah_inspect.replay import match_replay

VERSION = "1-A"

PARAMETERS = (
    *("min_tokens", "max_tokens", "tokenizer", "band", "depth"),
    *("grader", "answers", "dataset", "revision"),
)

logger = getLogger(__name__)


def graphwalks_task(
    title: str,
    problem_type: ProblemType | None,
    *,
    min_tokens: Any,
    max_tokens: Any,
    tokenizer: Any,
    band: Any,
    depth: Any,
    grader: Any,
    answers: Any,
    dataset: Any,
    revision: Any,
    unknown: Mapping[str, Any],
) -> Task:
    """Build one of the GraphWalks tasks from its parameters, which are documented there.

    Raises:
        PrerequisiteError: A parameter that cannot be meant, or data that is missing or damaged.
    """
    try:
        refuse_unknown(unknown, [name for name in PARAMETERS if (name, problem_type) != ("depth", "parents")])
        low, high = token_limits(min_tokens, max_tokens)
        check_tokenizer(tokenizer)
        band = None if band is None else one_of("band", band, BANDS)
        wanted_depths = depths(depth)
        one_of("grader", grader, GRADERS)
        one_of("answers", answers, ("published", "recomputed"))
        source = open_source(dataset, revision, long_file=band != "0-128k")
        filtered, left_out = select(
            source,
            problem_type=problem_type,
            band=band,
            depths=wanted_depths,
            min_tokens=low,
            max_tokens=high,
            tokenizer=tokenizer,
        )
        chosen, recomputed = with_truth(source, filtered, answers)
    except UserError as error:
        raise PrerequisiteError(escape(str(error))) from error
    if left_out:
        logger.warning(f"Token limits leave out {left_out} problems; {len(chosen)} remain.")
    if recomputed and recomputed["differ_from_published"]:
        logger.warning(f"answers=recomputed: {recomputed['differ_from_published']} published answers differ.")
    record = selection_record(source, chosen) | {
        "problem_type": problem_type or "any",
        "min_tokens": low,
        "max_tokens": high,
        "tokenizer": tokenizer,
        "left_out_by_tokens": left_out,
        "band": band,
        "depth": sorted(wanted_depths) if wanted_depths else None,
        "grader": grader,
        "answers": answers,
        "recomputed": recomputed,
    }
    samples = make_dataset(chosen, source.name)
    return Task(
        dataset=samples,
        setup=[match_replay(samples), full_prompt(prompt_reader(chosen))],
        solver=ask(),
        cleanup=keep_prompt_once(),
        scorer=graphwalks_grader(grader),
        # One sample's error ends the run for no other; the log's status is "error" until a retry has them all.
        continue_on_fail=True,
        display_name=f"{title} ({band or 'all bands'}, {grader})",
        headline_metric=HeadlineMetric(score="f1", metric="mean"),
        version=VERSION,
        metadata={"selection": record},
        viewer=VIEWER,
    )
