"""A whole data file: every line by one or several workers, then what needs all of them."""

import hashlib
import multiprocessing
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from graphniah_inspect.audit.dataset import LABELS, Digest, check_dataset, label_counts, uncompared
from graphniah_inspect.audit.example import Audited, Options, audit_line
from graphniah_inspect.audit.features import FEATURES
from graphniah_inspect.audit.findings import Finding
from graphniah_inspect.audit.lines import Span, spans
from graphniah_inspect.audit.shortcuts import Verdict, find_shortcuts
from graphniah_inspect.audit.tokens import counters
from graphniah_inspect.errors import UserError

_LINES_AT_ONCE = 4


@dataclass(frozen=True)
class Unread:
    """An example whose answer cannot be re-derived, and why."""

    line: int
    qid: str
    reason: str


@dataclass(frozen=True)
class Report:
    """What an audit found.

    Attributes:
        dataset: As the user gave it.
        file: The data file.
        sha256: Of the file.
        outcomes: (format, outcome) -> number of examples; the format is empty for lines that are no rows.
        made: Check -> number of examples on which it was made (1 for checks of the whole data set).
        labels: Format -> label -> number of examples.
        unread: Examples whose answer cannot be read.
        findings: Everything that is wrong.
        shortcuts: One verdict a format; empty where not asked for.
        notes: What was not checked, and why.
    """

    dataset: str
    file: str
    sha256: str
    outcomes: dict[tuple[str, str], int]
    made: dict[str, int]
    labels: dict[str, dict[str, int]]
    unread: tuple[Unread, ...]
    findings: tuple[Finding, ...]
    shortcuts: tuple[Verdict, ...]
    notes: tuple[str, ...]

    @property
    def wrong(self) -> bool:
        """Whether anything disagrees, a shortcut included."""
        return bool(self.findings) or any(verdict.found == "a shortcut" for verdict in self.shortcuts)

    def count(self, outcome: str) -> int:
        """Examples with this outcome, of all formats."""
        return sum(number for (_, held), number in self.outcomes.items() if held == outcome)


def audit_file(
    dataset: str, path: Path, options: Options | None = None, *, workers: int = 1, progress: bool = True
) -> Report:
    """Audit every line of a file, in as little memory as its longest line needs.

    Args:
        dataset: Its name, for the report.
        path: A JSON Lines file of examples.
        options: What to do besides the checks that are always made.
        workers: Processes; the report is the same for any number.
        progress: Show a progress bar.

    Raises:
        UserError: The file cannot be read, or holds nothing.
    """
    options = options or Options()
    notes = list(counters(options.tokenizers)[1]) if options.recount else ["Tokens were not counted again."]
    digest = hashlib.sha256()
    outcomes: Counter[tuple[str, str]] = Counter()
    made: Counter[str] = Counter()
    findings: list[Finding] = []
    unread: list[Unread] = []
    digests: list[Digest] = []
    tables: dict[str, tuple[list[tuple[float, ...]], list[int], list[int]]] = {}
    try:
        for audited in _with_progress(_audit_all(path, options, workers, digest), path, progress):
            outcomes[audited.task, audited.outcome] += 1
            made.update(audited.made)
            findings += audited.findings
            if audited.outcome == "cannot be read":
                unread.append(Unread(audited.line, audited.qid, audited.reason))
            if audited.digest is not None:
                digests.append(audited.digest)
            if audited.features:
                rows, labels, questions = tables.setdefault(audited.task, ([], [], []))
                questions += [questions[-1] + 1 if questions else 0] * len(audited.features)
                rows += audited.features
                labels += audited.labels
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
    if not outcomes:
        raise UserError(f"{path} holds no examples. Download or build it again.")
    whole, faults = check_dataset(digests)
    made.update(whole)
    if number := uncompared(digests):
        notes.append(f"Prompts of {number} None variants were not compared with their sources': unknown layout.")
    verdicts = [_shortcuts(task, *tables.get(task, ([], [], []))) for task in LABELS if options.shortcuts]
    return Report(
        dataset=dataset,
        file=str(path),
        sha256=digest.hexdigest(),
        outcomes=dict(sorted(outcomes.items())),
        made=dict(sorted(made.items())),
        labels={task: dict(sorted(label_counts(digests, task).items())) for task in LABELS},
        unread=tuple(unread),
        findings=(*findings, *faults),
        shortcuts=tuple(verdicts),
        notes=tuple(notes),
    )


def _audit_all(path: Path, options: Options, workers: int, digest: "hashlib._Hash") -> Iterator[Audited]:
    audit = partial(audit_line, path=path, options=options)
    lines: Iterator[Span] = spans(path, digest)
    if workers == 1:
        yield from map(audit, lines)
        return
    # New processes rather than copies of this one, which may hold threads and locks.
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield from pool.imap(audit, lines, chunksize=_LINES_AT_ONCE)


def _with_progress(audited: Iterator[Audited], path: Path, show: bool) -> Iterator[Audited]:
    from tqdm import tqdm

    hidden = None if show else True  # None: hidden unless on a terminal
    with tqdm(
        total=path.stat().st_size, desc=f"Auditing {path.name}", unit="B", unit_scale=True, disable=hidden
    ) as bar:
        for one in audited:
            bar.update(one.size + 1)
            yield one


def _shortcuts(task: str, rows: list[tuple[float, ...]], labels: list[int], questions: list[int]) -> Verdict:
    features = np.array(rows, dtype=float).reshape(len(labels), len(FEATURES))
    grouped = np.array(questions, dtype=np.intp) if task == "multiple-choice" else None
    return find_shortcuts(task, features, np.array(labels, dtype=np.intp), grouped)
