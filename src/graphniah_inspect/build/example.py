"""One example: a pure function of its settings, checked by the oracle from its own text."""

from dataclasses import dataclass, replace
from typing import Any

import msgspec

from graphniah_inspect.build.blocks import Block, component_blocks, count_blocks
from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.graph import Taken
from graphniah_inspect.build.length import MisfitError, tolerance
from graphniah_inspect.build.materials import Materials
from graphniah_inspect.build.plan import Job, Variables
from graphniah_inspect.build.question import KINDS, ask
from graphniah_inspect.build.rows import example_row, pool_row
from graphniah_inspect.build.subgraph import Subgraph, draw_subgraph
from graphniah_inspect.build.text_fill import text_fill
from graphniah_inspect.build.tree_fill import TreeFill
from graphniah_inspect.citations.text import Question, frame
from graphniah_inspect.errors import UserError
from graphniah_inspect.oracle import CannotRead, solve

_ATTEMPTS = 30


@dataclass(frozen=True)
class Example:
    """A finished example, before it becomes rows.

    Attributes:
        variables: What was asked for.
        subgraph: What is hidden.
        question: What is asked.
        answer: Its answer.
        target: The paper that the answer is about; None for counting.
        blocks: The context in order.
        fill_components: Components that fill the context, besides the example's own.
        tokens: ``o200k_base`` tokens of system and user prompt.
    """

    variables: Variables
    subgraph: Subgraph
    question: Question
    answer: str
    target: int | None
    blocks: list[Block]
    fill_components: int
    tokens: int

    @property
    def user_prompt(self) -> str:
        """The whole user message."""
        head, tail = frame(self.question)
        return "".join((head, *(block.text for block in self.blocks), tail))


def build_job(materials: Materials, job: Job) -> list[tuple[bytes, bytes]]:
    """Build an example, and its None variant where one is planned.

    Returns:
        For each, its lines of ``examples.jsonl`` and of ``pool.jsonl``, with their newlines.

    Raises:
        UserError: The example cannot be built, or the oracle does not agree with its answer.
    """
    example = build_example(materials, job.qid, job.variables)
    built = [_lines(materials, example, job.qid, None, job.entries)]
    if job.none_qid:
        built.append(_lines(materials, _with_none(materials, example), job.none_qid, job.qid, job.none_entries))
    return built


def build_example(materials: Materials, qid: str, variables: Variables) -> Example:
    """Build an example from the stream of draws that its id seeds.

    Raises:
        UserError: No draw comes to the asked length.
    """
    reasons = []
    for attempt in range(_ATTEMPTS):
        try:
            return _attempt(materials, variables, Draws(int(qid, 16), attempt))
        except MisfitError as error:
            reasons.append(str(error))
    raise UserError(
        f"Example {qid} with {_settings(materials, variables)}: {_ATTEMPTS} draws, and none that fits; the last: "
        f"{reasons[-1]}. Use a longer context, smaller components, or a larger pool."
    )


def _attempt(materials: Materials, variables: Variables, draws: Draws) -> Example:
    pool = materials.pools.get(variables.distractor_type)
    taken = Taken(materials.graph, pool.contains if pool else lambda key: False)
    subgraph = draw_subgraph(materials.graph, materials.words, materials.settings, variables, taken, draws)
    question, answer, target = ask(subgraph, variables, lambda i: materials.graph.paper(i).title, draws)
    blocks = [b for c in subgraph.components for b in component_blocks(materials.graph, c.citations)]
    own = count_blocks(blocks, materials.count)
    # a None variant has the same blocks and must fit too
    reserve = _none_tokens(materials, question)
    fixed = materials.system_tokens + _frame_tokens(materials, question) + own
    budget = variables.context_length - fixed - reserve
    slack = tolerance(variables.context_length)
    if budget < 0:
        raise MisfitError(f"its components alone are {-budget} tokens too long")
    filled: list[list[Block]] = []
    if pool:
        haystack, filling = text_fill(
            pool, budget, draws, materials.count, allow_repeats=materials.settings.allow_repeats
        )
    else:
        papers = sum(len(component.papers) for component in subgraph.components)
        trees = TreeFill(
            materials.graph,
            materials.settings,
            variables.question_depth,
            subgraph.seed,
            own / papers,
            taken,
            draws,
            materials.count,
        )
        filled, left = trees.fill(budget, slack - reserve)
        haystack = [block for component in filled for block in component]
        filling = budget - left
    tokens = fixed + filling
    if not 0 <= variables.context_length - tokens <= slack:
        raise MisfitError(f"{tokens} tokens for a target of {variables.context_length}")
    blocks += haystack
    draws.shuffle(blocks)
    return Example(variables, subgraph, question, answer, target, blocks, len(filled), tokens)


def _frame_tokens(materials: Materials, question: Question) -> int:
    return sum(map(materials.count, frame(question)))


def _none_tokens(materials: Materials, question: Question) -> int:
    """What the None option adds to a multiple-choice question; 0 for others."""
    if not question.options:
        return 0
    without, with_none = (_frame_tokens(materials, replace(question, none_option=n)) for n in (False, True))
    return max(0, with_none - without)


def _with_none(materials: Materials, example: Example) -> Example:
    question = replace(example.question, none_option=True)
    tokens = example.tokens - _frame_tokens(materials, example.question) + _frame_tokens(materials, question)
    return replace(example, question=question, tokens=tokens)


def _lines(
    materials: Materials, example: Example, qid: str, source_qid: str | None, entries: list[dict[str, Any]]
) -> tuple[bytes, bytes]:
    row = example_row(materials, example, qid, source_qid, entries)
    _check(materials, example, row["user_prompt"])
    encode = msgspec.json.encode
    return encode(row) + b"\n", encode(pool_row(materials, example, row)) + b"\n"


def _check(materials: Materials, example: Example, user_prompt: str) -> None:
    """The oracle must find the same answer, by a path of the same length, in a component of the same size.

    Raises:
        UserError: It does not.
    """
    variables = example.variables
    wanted = {
        "kind": KINDS[variables.question_format],
        "answer": example.answer,
        "papers in the component of s": variables.component_node_count,
        "papers on the path": variables.question_depth if example.target == example.subgraph.path[-1] else 0,
        "malformed": "",
    }
    try:
        verdict = solve(user_prompt)
        found = {
            "kind": verdict.kind,
            "answer": verdict.answer,
            "papers in the component of s": verdict.component_size,
            "papers on the path": len(verdict.path),
            "malformed": verdict.malformed,
        }
    except CannotRead as error:
        found = {"cannot be read": str(error)}
    if found != wanted:
        raise UserError(
            f"The oracle disagrees with an example, which is a fault of the builder: please report it. Expected "
            f"{wanted}, found {found}. Example: {_settings(materials, variables)}"
        )


def _settings(materials: Materials, variables: Variables) -> str:
    whole = {**variables.__dict__, **materials.settings.construction(), "snapshot": materials.snapshot.id}
    return msgspec.json.encode(whole).decode()
