"""How long a prompt may be, counted as its system prompt plus its user prompt."""

from collections.abc import Callable

import tiktoken

from graphniah_inspect.build.settings import TOKENIZER

Count = Callable[[str], int]


class MisfitError(Exception):
    """This draw cannot be brought to length; another one may."""


def tolerance(context_length: int) -> int:
    """Tokens by which a prompt may fall short of its target: 0.5 % or 64, whichever is more."""
    return max(context_length // 200, 64)


def token_counter() -> Count:
    """Counts ``o200k_base`` tokens; text that looks like a special token is text."""
    encode = tiktoken.get_encoding(TOKENIZER).encode_ordinary
    return lambda text: len(encode(text))


def named_counter(where: str) -> Count:
    """Counts tokens of a Hugging Face tokenizer, without the special tokens of a chat.

    Args:
        where: A ``tokenizer.json``, a folder holding one, or a model id on the hub.
    """
    from pathlib import Path

    from tokenizers import Tokenizer

    path = Path(where) / "tokenizer.json" if Path(where).is_dir() else Path(where)
    tokenizer = Tokenizer.from_file(str(path)) if path.is_file() else Tokenizer.from_pretrained(where)
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
