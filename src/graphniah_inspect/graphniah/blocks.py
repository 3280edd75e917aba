r"""Find ``\answer{...}`` blocks in a response, and drop reasoning that leaked into it; both in linear time.

A block is a command, optional white space, ``{``, content with balanced braces, ``}``. An escaped brace is no
brace; of ``\\{`` the two backslashes are a LaTeX line break, and the brace counts. ``\\answer{`` opens a block
all the same.
"""

import re
from collections.abc import Iterator
from itertools import accumulate

_REASONING_TAG = re.compile(r"(?P<opens><think(?:ing)?>|\[THINK\])|</think(?:ing)?>|\[/THINK\]")
_NUMBER_GOES_ON = re.compile(r"(?:[0-9][.,]?|[+-])\Z")
_DEPTH_STEP = tuple({"{": 1, "}": -1}.get(chr(byte), 0) for byte in range(256))


def drop_reasoning(text: str) -> str:
    """Put a line break in place of tagged reasoning, or a space where it split a number: no line begins there.

    A tag that is never closed drops everything after it, one that was never opened everything before it.
    """
    kept: list[str] = []
    start, inside = 0, False
    for tag in _REASONING_TAG.finditer(text):
        if tag["opens"]:
            if not inside:
                kept.append(text[start : tag.start()])
            inside = True
            continue
        if inside:
            splits = text[tag.end() : tag.end() + 1].isdigit() and _NUMBER_GOES_ON.search(kept[-1][-2:])
            kept.append(" " if splits else "\n")
        else:
            kept.clear()
        start, inside = tag.end(), False
    if not inside:
        kept.append(text[start:])
    return "".join(kept)


class Blocks:
    """The blocks of one command in a text.

    A block opened at one depth of braces closes where the depth first falls below it; so it closes at all
    exactly when the lowest depth of everything behind it is lower. Walking the openings from the last one back,
    the lowest depth is at hand, and no text is read twice.
    """

    def __init__(self, text: str, command: str = "answer") -> None:
        opening = re.compile(rf"\\{command}\s*\{{")
        # Not by spaces: `\answer\{{YES}}` is no block, for all that a space may stand before its brace.
        masked = re.sub(rf"\\(?:[{{}}]|\\(?!{command}\s*\{{))", "--", text)
        self._text = text
        self._openings = [match.end() - 1 for match in opening.finditer(masked)]
        self._depth: list[int] = []
        if self._openings:  # one byte a character: only ASCII matters here
            self._depth = list(accumulate(map(_DEPTH_STEP.__getitem__, masked.encode("ascii", "replace"))))

    def _from_last(self) -> Iterator[tuple[int, bool]]:
        """Give the position of each opening brace, the last first, and whether the block is closed."""
        depth = self._depth
        lowest = end = len(depth)
        for brace in reversed(self._openings):
            lowest = min(lowest, min(depth[brace:end]))
            end = brace
            yield brace, lowest < depth[brace]

    def left_open(self) -> bool:
        """Tell whether any block is never closed, as in a response that was cut off inside one."""
        return not all(closed for _, closed in self._from_last())

    def contents(self) -> Iterator[str]:
        """Give the contents of the closed blocks, the last to start first: of nested ones the innermost."""
        for brace, closed in self._from_last():
            if closed:
                yield self._text[brace + 1 : self._depth.index(self._depth[brace] - 1, brace)]
