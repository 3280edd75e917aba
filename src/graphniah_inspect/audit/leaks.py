"""Text that gives an answer away, or makes a title mean two things.

It can not claim that nothing leaks: it looks for titles in other documents, titles that two papers share, and
answers that are announced as such. What the answer has to do with the rest of the text is for `shortcuts`.
"""

import re
from collections.abc import Iterable

from graphniah_inspect.audit.findings import Checks, shown
from graphniah_inspect.audit.titles import TitleFinder
from graphniah_inspect.citations.paper import title_key
from graphniah_inspect.citations.parse import ReadPrompt
from graphniah_inspect.graphniah.rows import Row

_ANNOUNCERS = ("nswer", "NSWER", "abel", "ABEL", "olution", "OLUTION", "round truth", "eachable", "EACHABLE")
_ANNOUNCED = re.compile(
    r"(?<!\w)(?i:answer|label|solution|ground truth|reachable)[\"'*_`]{0,3}\s{0,2}(?:(?i:is)\b|[:={])"
    r"[:\s\"'*_`({\[\\]{0,6}(?P<said>(?:YES|NO)\b|(?:[A-E]|\d{1,6})(?=[\"'*_`)}\].,;!]{0,4}\s*(?:\n|$)))"
)
"""Letters and numbers only at the end of a line: "answer is A" goes on as prose too often."""
_SHOWN = 60


def check_leaks(row: Row[str], prompt: ReadPrompt, titles: Iterable[str], checks: Checks) -> None:
    """Leaks of one example, in its context and its system prompt."""
    by_key = _check_distinct(titles, checks)
    checks.made.add("title in a text")
    text = "\n\n".join(row.user_prompt[start:end] for start, end in prompt.texts)
    for title, around in TitleFinder(by_key).find(text) if text else ():
        checks.fault(
            "title in a text",
            "user_prompt",
            f"the title “{title}” in a document of another kind",
            "titles in paper blocks alone",
            f"...{around}...",
        )
    checks.made.add("answer in the text")
    head = prompt.blocks[0].start if prompt.blocks else 0
    head = min([head, *(start for start, _ in prompt.texts[:1])])
    tail = max([*(block.end for block in prompt.blocks[-1:]), *(end for _, end in prompt.texts[-1:])])
    for name, whole, start, end in (
        ("user_prompt", row.user_prompt, head, tail),
        ("system_prompt", row.system_prompt, 0, len(row.system_prompt)),
    ):
        for place in announced(whole, row.answer, start, end):
            checks.fault(
                "answer in the text",
                name,
                f"the answer {row.answer} announced at character {place}",
                "no answer in the context",
                shown(whole[max(start, place - _SHOWN) : place + _SHOWN]),
            )


def _check_distinct(titles: Iterable[str], checks: Checks) -> dict[str, str]:
    """Titles by their key, the first where several share it."""
    checks.made.add("distinct titles")
    first: dict[str, str] = {}
    for title in titles:
        other = first.setdefault(title_key(title), title)
        if other != title:
            checks.fault(
                "distinct titles", "user_prompt", f"“{other}” and “{title}”", "titles that differ by their words"
            )
    return first


def announced(text: str, answer: str, start: int, end: int) -> list[int]:
    """Where, between two characters, a text announces this very answer ("Answer: YES", a line `YES`)."""
    places = []
    for word in _ANNOUNCERS:
        at = text.find(word, start, end)
        while at >= 0:
            begin = max(start, at - 12)
            for match in _ANNOUNCED.finditer(text, begin, min(end, at + 40)):
                if match["said"] == answer and match.start() <= at < match.end():
                    places.append(match.start())
            at = text.find(word, at + 1, end)
    if answer in ("YES", "NO"):
        at = text.find(f"\n{answer}\n", start, end)
        while at >= 0:
            places.append(at + 1)
            at = text.find(f"\n{answer}\n", at + 1, end)
    return sorted(set(places))
