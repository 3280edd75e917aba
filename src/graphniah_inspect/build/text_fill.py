"""The haystack of text: random pieces of a pool, to the token."""

import numpy as np
import tiktoken

from graphniah_inspect.build.blocks import Block
from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.length import Count, MisfitError
from graphniah_inspect.build.settings import TOKENIZER
from graphniah_inspect.build.text_pool import TextPool
from graphniah_inspect.citations.text import BLOCK_HEADING, contains_delimiter


def text_fill(
    pool: TextPool, budget: int, draws: Draws, count: Count, *, allow_repeats: bool = False
) -> tuple[list[Block], int]:
    """Random blocks of a pool, the last one cut at a word so that they fill the budget.

    Args:
        pool: Where they come from.
        budget: Tokens to fill.
        draws: The example's stream.
        count: Token counter.
        allow_repeats: Go through the pool again, in another order, when it is used up; else no block comes twice.

    Returns:
        The blocks, and their tokens together.

    Raises:
        MisfitError: The pool is used up.
    """
    chosen: list[int] = []
    last: int | None = None
    room = budget
    while last is None:
        order = draws.permutation(pool.n)
        sums = np.cumsum(pool.tokens[order])
        whole = int(np.searchsorted(sums, room, side="right"))
        chosen += order[:whole].tolist()
        room -= int(sums[whole - 1]) if whole else 0
        if whole < pool.n:
            last = int(order[whole])
        elif not allow_repeats:
            raise MisfitError(f"the pool of {pool.total} tokens is used up, {room} tokens before the end")
    blocks = [Block(pool.block(i), source=pool.source(i)) for i in chosen]
    rest = cut_block(pool.block(last), room, count)
    if rest:
        blocks.append(Block(rest, source=pool.source(last)))
        room -= count(rest)
    return blocks, budget - room


def cut_block(block: str, budget: int, count: Count) -> str:
    """The beginning of a block of text, cut after a word, in at most ``budget`` tokens; empty where none fits."""
    encoding = tiktoken.get_encoding(TOKENIZER)
    ids = encoding.encode_ordinary(block)
    for kept in range(budget - 1, len(encoding.encode_ordinary(BLOCK_HEADING)), -1):
        beginning = encoding.decode(ids[:kept])
        words = beginning[: max(beginning.rfind(" "), beginning.rfind("\n"))].rstrip()
        text = f"{words}\n\n"
        if len(words) <= len(BLOCK_HEADING):
            return ""
        if count(text) <= budget and not contains_delimiter(words[len(BLOCK_HEADING) :]):
            return text
    return ""
