r"""How long reading a response takes, beside the card's one-line function (`re.findall` and `strip`) on the same text.

    python bench/reading.py

Prints, for an ordinary response of 4 kB and for hostile ones of 1 MB, the CPU time of the slowest question kind by
each rule, and its ratio to the one-line function.
"""

import re
import time
from collections.abc import Callable

from graphniah_inspect.graphniah.answers import KINDS, RULES, read

OPTIONS = ["p", "q", "r", "s"]
ORDINARY = "The source cites the third paper, which is cited by the fourth.\n" * 62 + "\\answer{\\textbf{YES}}\n"
UNITS = (
    *(r"\answer{", "{", "}", r"\text{", "<think>", "</think>", "<think></think>", "**", "7", "\u0301", r"\boxed{"),
    *("\n", "$", "(", r"\answer{}", "{}", "\\", r"\answer ", r"\answer{...}", r"\answer\{", "\u200b", "\ud800"),
)


def seconds(call: Callable[[], object], times: int) -> float:
    """Return the CPU time of one call, the best of `times`."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def one_line(text: str) -> str | None:
    """Read a response as the card's simplified function does."""
    found = re.findall(r"\\answer\{([^{}]*)\}", text)
    return found[-1].strip() if found else None


def row(name: str, text: str, times: int) -> None:
    """Print one text's times."""
    base = seconds(lambda: one_line(text), times)
    cells = []
    for rule in RULES:
        slowest = max(
            seconds(lambda kind=kind, rule=rule: read(text, kind, rule, options=OPTIONS), times)  # type: ignore[misc]
            for kind in KINDS
        )
        cells.append(f"{1000 * slowest:9.2f} ms {slowest / base:7.1f}x")
    print(f"{name:28} {1000 * base:9.3f} ms   {'   '.join(cells)}")


def main() -> None:
    """Print the table."""
    print(f"{'text':28} {'one line':>12}   " + "   ".join(f"{rule:>21}" for rule in RULES))
    row("ordinary, 4 kB", ORDINARY, 50)
    for unit in UNITS:
        many = unit * (1_000_000 // len(unit))
        row(f"1 MB of {unit!r}", many, 2)
        row(f"  in a block, {unit!r}", rf"\answer{{{many}}}", 2)


if __name__ == "__main__":
    main()
