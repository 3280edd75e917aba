"""Length bands: the clusters in which GraphWalks is published, and the sizes of true answers.

The published short file is `0-128k`. The published long file holds two clusters, at about 257k and 1.03M
tokens (DeepSeek-V4's), and no column tells which: its prompts are split where their lengths in characters
leap by the largest factor, which must be 2 or more (it is about 4). A band names a cluster, not a limit of
any tokenizer.

Rows of any other file go to the nearest cluster by their characters, at 1.7 characters a token (o200k_base):
up to 310,000 `0-128k`, up to 875,000 `256k`, above `1m`.
"""

from collections.abc import Sequence
from itertools import pairwise

from graphniah_inspect.errors import UserError

SHORT_FILE = "graphwalks_128k_and_shorter.parquet"
LONG_FILE = "graphwalks_256k_to_1mil.parquet"

BANDS = {
    "0-128k": ("0-128k",),
    "256k": ("256k",),
    "1m": ("1m",),
    "256k-1m": ("256k", "1m"),
}
"""A band as it can be asked for, and the clusters that it stands for."""

_NEAREST = ((310_000, "0-128k"), (875_000, "256k"))
_TRUTH_SIZES = ((0, "0"), (1, "1"), (9, "2-9"), (99, "10-99"), (999, "100-999"))


def bands_of(file_name: str, chars: Sequence[int]) -> list[str]:
    """The band of every row of a file, from its name and the characters of its prompts.

    Raises:
        UserError: The published long file without a leap between its clusters.
    """
    if file_name == SHORT_FILE:
        return ["0-128k"] * len(chars)
    if file_name != LONG_FILE:
        return [next((band for limit, band in _NEAREST if length <= limit), "1m") for length in chars]
    lengths = sorted(chars)
    factor, first_long = max(
        ((longer / shorter, longer) for shorter, longer in pairwise(lengths)),
        default=(1.0, 0),
    )
    if factor < 2:
        raise UserError(
            f"The prompts of {file_name} have {lengths[0]:,} to {lengths[-1]:,} characters without a leap, "
            "so its rows at 256k and at 1M tokens cannot be told apart. Use the whole published file, or "
            "name the file otherwise: its rows are then put into bands by length alone."
        )
    return ["1m" if length >= first_long else "256k" for length in chars]


def truth_size_band(nodes: int) -> str:
    """The class of a true answer by its number of nodes: `0`, `1`, `2-9`, `10-99`, `100-999`, `1000+`."""
    return next((name for limit, name in _TRUTH_SIZES if nodes <= limit), "1000+")
