"""The audit of one line of a data file: everything that can be said of an example without the others."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import networkx as nx

from graphniah_inspect.audit.answers import check_answer, check_fields
from graphniah_inspect.audit.dataset import Digest
from graphniah_inspect.audit.features import PairFeatures
from graphniah_inspect.audit.findings import Checks, Finding, Outcome
from graphniah_inspect.audit.leaks import check_leaks
from graphniah_inspect.audit.lines import Span, read_row
from graphniah_inspect.audit.structure import check_structure
from graphniah_inspect.audit.tokens import check_tokens, counters
from graphniah_inspect.citations.parse import CannotRead, ReadPrompt, read_prompt
from graphniah_inspect.citations.text import render_question
from graphniah_inspect.graphniah.index import Example
from graphniah_inspect.graphniah.rows import Row
from graphniah_inspect.oracle import citation_graph, verdict


@dataclass(frozen=True)
class Options:
    """What to do besides the checks that are always made.

    Attributes:
        recount: Count tokens again.
        tokenizers: (name, `tokenizer.json`) of further tokenizers.
        shortcuts: Compute features for the test for shortcuts.
    """

    recount: bool = True
    tokenizers: tuple[tuple[str, str], ...] = ()
    shortcuts: bool = True


@dataclass(frozen=True)
class Audited:
    """What one line came to.

    Attributes:
        line: Its number.
        qid: Its id; empty where the line is no row.
        task: Its format; empty likewise.
        outcome: Of its answer.
        reason: Why the answer cannot be read.
        made: Checks made.
        findings: What is wrong.
        digest: What is kept of it to compare with others; None where the line is no row.
        features: One row of `features.FEATURES` for each target or option; empty where not wanted.
        labels: 1 for YES or the right option, beside `features`.
        size: Bytes of the line.
    """

    line: int
    qid: str
    task: str
    outcome: Outcome
    reason: str
    made: frozenset[str]
    findings: tuple[Finding, ...]
    digest: Digest | None
    features: tuple[tuple[float, ...], ...]
    labels: tuple[int, ...]
    size: int


def audit_line(span: Span, path: Path, options: Options) -> Audited:
    """Audit one line; a line that is no row is a finding like any other."""
    try:
        row = read_row(path, span)
    except (ValueError, RecursionError) as error:
        reason = f"the line is no row: {error}"
        checks = Checks("", span.number)
        checks.fault("schema", "the line", str(error)[:200], "one JSON object with the published fields")
        return _audited(span, "", checks, "cannot be read", reason)
    checks = Checks(row.qid, span.number)
    check_fields(row, checks)
    if options.recount:
        check_tokens(row, counters(options.tokenizers)[0], checks)
    try:
        prompt = read_prompt(row.user_prompt)
    except CannotRead as error:
        return _audited(span, row.reachability_task, checks, "cannot be read", str(error), _digest(row, span, None))
    graph, derived = citation_graph(prompt), verdict(prompt)
    agrees = check_answer(row, prompt, derived, checks)
    check_structure(row, prompt, derived, graph, checks)
    check_leaks(row, prompt, graph, checks)
    features: tuple[tuple[float, ...], ...] = ()
    labels: tuple[int, ...] = ()
    if options.shortcuts and agrees and not (row.config or {}).get("none_option"):
        features, labels = _features(row, prompt, graph)
    return _audited(
        span,
        row.reachability_task,
        checks,
        "agrees" if agrees else "disagrees",
        "",
        _digest(row, span, prompt),
        features,
        labels,
    )


def _audited(
    span: Span,
    task: str,
    checks: Checks,
    outcome: Outcome,
    reason: str,
    digest: Digest | None = None,
    features: tuple[tuple[float, ...], ...] = (),
    labels: tuple[int, ...] = (),
) -> Audited:
    made, findings = frozenset(checks.made), tuple(checks.findings)
    return Audited(
        span.number, checks.qid, task, outcome, reason, made, findings, digest, features, labels, span.length
    )


def _features(
    row: Row[str], prompt: ReadPrompt, graph: "nx.Graph[str]"
) -> tuple[tuple[tuple[float, ...], ...], tuple[int, ...]]:
    question = prompt.question
    if question.kind == "counting":
        return (), ()
    pair = PairFeatures(row.user_prompt, prompt, graph)
    if question.target is not None:
        return (tuple(pair.of(question.target)),), (int(row.answer == "YES"),)
    labels = [label for label, _ in question.labelled_options][: len(question.options)]
    return (
        tuple(tuple(pair.of(title, number)) for number, title in enumerate(question.options)),
        tuple(int(label == row.answer) for label in labels),
    )


def _digest(row: Row[str], span: Span, prompt: ReadPrompt | None) -> Digest:
    config = row.config or {}
    prompts = without_none = _hash(row.system_prompt, row.user_prompt)
    if config.get("none_option") and row.options:
        last = row.options[-1]
        without = row.user_prompt.replace(f"{last.label}. {last.text}\n", "", 1)
        without_none = _hash(row.system_prompt, without)
    graph = None
    if prompt is not None:
        blocks = sorted(row.user_prompt[block.start : block.end] for block in prompt.blocks)
        graph = _hash(render_question(prompt.question), *blocks)
    example = Example.of(row, offset=span.offset, length=span.length, line=span.number)
    return Digest(example, prompts, without_none, graph)


def _hash(*texts: str) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.digest()
