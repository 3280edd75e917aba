"""Token counts, counted again where the tokenizer is at hand: system prompt plus user prompt, text as text."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

from graphniah_inspect.audit.findings import Checks
from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.rows import Row

TIKTOKEN = {"gpt-5.4": "o200k_base"}
"""Keys of `token_counts` whose tokenizer is tiktoken's; others are given as `NAME=FILE`."""

Counters = Mapping[str, Callable[[str], int]]


@lru_cache(maxsize=1)
def counters(files: tuple[tuple[str, str], ...]) -> tuple[dict[str, Callable[[str], int]], tuple[str, ...]]:
    """Counters by key of `token_counts`, and a note on each that is not at hand.

    Args:
        files: (name, path of a `tokenizer.json`), a tuple so that it can be remembered.

    Raises:
        UserError: A file that is no tokenizer.
    """
    import tiktoken

    found: dict[str, Callable[[str], int]] = {}
    notes: list[str] = []
    for name, encoding in TIKTOKEN.items():
        try:
            encode = tiktoken.get_encoding(encoding).encode_ordinary
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0][:120]
            notes.append(f"Counts of {name} were not checked: {encoding} cannot be had ({reason}).")
            continue
        found[name] = lambda text, encode=encode: len(encode(text))  # type: ignore[misc]
    for name, path in files:
        found[name] = _from_file(path)
    return found, tuple(notes)


def _from_file(path: str) -> Callable[[str], int]:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise UserError("--tokenizer needs the package tokenizers: pip install 'graphniah-inspect[build]'.") from error
    if not Path(path).is_file():
        raise UserError(f"--tokenizer: there is no file {path}. Expected a tokenizer.json.")
    try:
        tokenizer = Tokenizer.from_file(path)
    except Exception as error:  # the library raises nothing narrower
        raise UserError(f"--tokenizer: {path} is no tokenizer.json ({error}).") from error
    tokenizer.no_truncation()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def check_tokens(row: Row[str], by_name: Counters, checks: Checks) -> None:
    """Every stored count whose tokenizer is at hand."""
    for name, stored in (row.token_counts or {}).items():
        if name in by_name:
            counted = by_name[name](row.system_prompt) + by_name[name](row.user_prompt)
            checks.equal("tokens", f"token_counts.{name}", stored, counted)
