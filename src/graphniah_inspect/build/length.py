"""How long a prompt may be, counted as its system prompt plus its user prompt."""

from collections.abc import Callable
from pathlib import Path

import tiktoken

from graphniah_inspect.build.settings import TOKENIZER
from graphniah_inspect.errors import UserError

Count = Callable[[str], int]


class MisfitError(Exception):
    """This draw cannot be brought to length; another one may."""


def tolerance(context_length: int) -> int:
    """Tokens by which a prompt may fall short of its target: 0.5 % or 64, whichever is more."""
    return max(context_length // 200, 64)


def token_counter() -> Count:
    """Counts ``o200k_base`` tokens; text that looks like a special token is text.

    Raises:
        UserError: The tokenizer is neither at hand nor to be downloaded.
    """
    try:
        encode = tiktoken.get_encoding(TOKENIZER).encode_ordinary
    except OSError as error:
        raise UserError(
            f"tiktoken cannot download {TOKENIZER} ({error}). Connect once, or put its file into a folder named by "
            "TIKTOKEN_CACHE_DIR."
        ) from error
    return lambda text: len(encode(text))


def named_counter(where: str) -> Count:
    """Counts tokens of a Hugging Face tokenizer, without the special tokens of a chat.

    Args:
        where: A ``tokenizer.json``, a folder holding one, or a model id on the hub.

    Raises:
        UserError: There is no such tokenizer, or the package that reads it is missing.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise UserError("--tokenizer needs a package more: pip install 'graphniah-inspect[build]'.") from error
    path = Path(where) / "tokenizer.json" if Path(where).is_dir() else Path(where)
    try:
        tokenizer = Tokenizer.from_file(str(path)) if path.is_file() else Tokenizer.from_pretrained(where)
    except Exception as error:  # the package raises bare ones
        raise UserError(
            f"--tokenizer {where}: neither a tokenizer.json, nor a folder with one, nor a model on the hub that can be "
            f"read ({error})."
        ) from error
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
