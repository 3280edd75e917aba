"""Tokens of each prompt in a named tiktoken encoding: counted once, kept in the cache or beside the data.

A builder that counted while it wrote leaves the counts beside its file, in `FILE.ENCODING.tokens.json`; the
bundled sample has such a file, so its limits work offline.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks.cache import by_row, graphwalks_folder, read_by_row
from graphniah_inspect.graphwalks.parameters import one_of
from graphniah_inspect.graphwalks.rows import DataFile

if TYPE_CHECKING:
    import tiktoken

DEFAULT_TOKENIZER = "o200k_base"


def check_tokenizer(name: object) -> str:
    """The name of an encoding, without loading it.

    Raises:
        UserError: No such encoding, with the list.
    """
    import tiktoken

    return one_of("tokenizer", name, tiktoken.list_encoding_names())


def encoding(name: object) -> "tiktoken.Encoding":
    """The encoding of a name.

    Raises:
        UserError: No such encoding, or its ranks can be neither found nor downloaded.
    """
    import tiktoken

    checked = check_tokenizer(name)
    try:
        return tiktoken.get_encoding(checked)
    except (OSError, ValueError) as error:
        raise UserError(
            f"The ranks of tokenizer {checked} cannot be had ({error}). tiktoken downloads them once: "
            "connect to the network for it, or set TIKTOKEN_CACHE_DIR to a folder that holds them. An "
            "evaluation without min_tokens and max_tokens needs none."
        ) from error


def count(text: str, tokens: "tiktoken.Encoding") -> int:
    """Tokens of a text; `<|endoftext|>` and its like count as the text that they are."""
    return len(tokens.encode_ordinary(text))


def token_counts(file: DataFile, numbers: list[int], tokenizer: str) -> dict[int, int]:
    """Tokens of the prompts of these rows: as stored, else counted now and stored.

    Raises:
        UserError: As `encoding`; or the cache cannot be written.
    """
    stored = stored_counts(file, tokenizer)
    if all(number in stored for number in numbers):
        return {number: stored[number] for number in numbers}
    tokens = encoding(tokenizer)
    return by_row(
        _key(file, tokenizer),
        numbers,
        lambda number: count(file.prompt(number), tokens),
        f"Counting {tokenizer} tokens (once)",
    )


def stored_counts(file: DataFile, tokenizer: str) -> dict[int, int]:
    """Counts at hand without counting: of all rows beside the data, else of some in the cache."""
    beside = counts_path(file.path, tokenizer)
    if beside.exists():
        record = json.loads(beside.read_text(encoding="utf-8"))
        if record["sha256"] == file.sha256 and len(record["counts"]) == len(file.rows):
            return dict(enumerate(record["counts"]))
    return read_by_row(graphwalks_folder() / f"{_key(file, tokenizer)}.jsonl")


def counts_path(path: Path, tokenizer: str) -> Path:
    """Where a data file's counts lie beside it."""
    return path.with_name(f"{path.name}.{tokenizer}.tokens.json")


def write_counts(path: Path, sha256: str, tokenizer: str, counts: list[int]) -> None:
    """Put the counts of a whole data file beside it."""
    record = {"sha256": sha256, "tokenizer": tokenizer, "counts": counts}
    counts_path(path, tokenizer).write_text(json.dumps(record) + "\n", encoding="utf-8")


def _key(file: DataFile, tokenizer: str) -> str:
    return f"{file.sha256}.{tokenizer}.tokens"
