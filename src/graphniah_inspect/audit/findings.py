"""What an audit says about one example: three outcomes, never mixed, and what was found where."""

from dataclasses import dataclass, field
from typing import Literal

Outcome = Literal["agrees", "disagrees", "cannot be read"]


@dataclass(frozen=True)
class Finding:
    """Something that is not as it should be.

    Attributes:
        check: Which check found it, e.g. `answer`, `depth`, `title in a text`.
        qid: The example; empty where the row has none, or the whole data set is meant.
        line: Line of the data file, from 1; 0 for the whole data set.
        field: Field of the row that is wrong, e.g. `answer`, `config.question_depth`.
        found: What the data says.
        expected: What its own text, or the published rules, say.
        evidence: A path, or the size of the component in which there is none; a place in the text.
    """

    check: str
    qid: str
    line: int
    field: str
    found: str
    expected: str
    evidence: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}" if self.line else "the data set"
        name = f" ({self.qid[:16]})" if self.qid else ""
        evidence = f"; {self.evidence}" if self.evidence else ""
        return f"{place}{name}: {self.field} is {self.found}, expected {self.expected}{evidence}"


@dataclass
class Checks:
    """Findings of one example, and which checks were made at all: a check not made is not a check passed."""

    qid: str
    line: int
    made: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)

    def equal(self, check: str, field: str, found: object, expected: object, evidence: str = "") -> bool:
        """Record a check that two values are equal; says whether they are."""
        self.made.add(check)
        if found == expected:
            return True
        self.fault(check, field, shown(found), shown(expected), evidence)
        return False

    def fault(self, check: str, field: str, found: str, expected: str, evidence: str = "") -> None:
        """Record that a check was made and failed."""
        self.made.add(check)
        self.findings.append(Finding(check, self.qid, self.line, field, found, expected, evidence))


def shown(value: object, limit: int = 200) -> str:
    """A value as text, cut where it is long."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"
