"""A file of responses, for `graphniah/replay`.

JSON Lines or CSV (by the suffix), a response a row:
    qid or id: Of the example as in the data, or of the sample as in a log (`question-depth-0007`).
    response: The whole text of the response; empty or null where there was none.
    epoch: 1, 2, ... where there are several responses to an example (then run with `--epochs`). Default: 1.
    stop_reason: Why it ended, in Inspect's words: `stop` (default), `max_tokens`, `model_length`,
        `content_filter` or `unknown`. Without it, a response that was cut off is read like a whole one.
    input_tokens, output_tokens: As the provider reported them. Default: nothing is reported.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from inspect_ai.model import ModelUsage, StopReason

from graphniah_inspect.errors import UserError

FIELDS = ("qid", "id", "response", "epoch", "stop_reason", "input_tokens", "output_tokens")
STOP_REASONS: tuple[str, ...] = get_args(StopReason)

Key = tuple[str, int]
"""A qid or a sample id, and an epoch."""


@dataclass(frozen=True)
class Response:
    """A response as the file has it."""

    text: str
    stop_reason: StopReason
    usage: ModelUsage | None


@lru_cache(maxsize=8)
def read_responses(file: Path, state: tuple[int, int]) -> Mapping[Key, Response]:
    """Read a file of responses.

    Args:
        file: `.jsonl` or `.csv`.
        state: Its time and size, so that a changed file is read again.

    Raises:
        UserError: A row that cannot be meant, with its line; two responses for one example and epoch; no row.
    """
    responses: dict[Key, Response] = {}
    for line, row in rows(file):
        where = f"{file}, line {line}"
        key, response = parse(row, where)
        if key in responses:
            raise UserError(f"{where}: a second response to {key[0]}, epoch {key[1]}. Number them by `epoch`.")
        responses[key] = response
    if not responses:
        raise UserError(f"{file} holds no response.")
    return responses


def rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a file with their line numbers; empty fields of a CSV file are left out."""
    if file.suffix.lower() not in (".jsonl", ".csv"):
        raise UserError(f"{file}: expected a .jsonl or a .csv file.")
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            if file.suffix.lower() == ".csv":
                csv.field_size_limit(1 << 30)
                reader = csv.DictReader(text, strict=True)
                for row in reader:
                    yield reader.line_num, {name: held for name, held in row.items() if held not in ("", None)}
                return
            for line, one in enumerate(text, 1):
                if one.strip():
                    row = json.loads(one)
                    if not isinstance(row, dict):
                        raise UserError(f"{file}, line {line}: expected an object, found {one.strip()[:80]}.")
                    yield line, row
    except json.JSONDecodeError as error:
        raise UserError(f"{file}, line {line}: not JSON ({error.msg}, column {error.colno}).") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{file}: cannot be read ({error}).") from error


def parse(row: Mapping[Any, Any], where: str) -> tuple[Key, Response]:
    """One row, checked."""
    unknown = sorted(str(name) for name in row if name not in FIELDS)
    if unknown:
        raise UserError(f"{where}: unknown fields {', '.join(unknown)}. Known: {', '.join(FIELDS)}.")
    ids = [row[name] for name in ("qid", "id") if row.get(name) is not None]
    if len(ids) != 1 or not isinstance(ids[0], str) or not ids[0]:
        raise UserError(f"{where}: expected either a `qid` or an `id`, a text; found {ids or 'neither'}.")
    text = row.get("response") or ""
    if not isinstance(text, str):
        raise UserError(f"{where}: `response` is {text!r}; expected a text.")
    stop_reason = row.get("stop_reason", "stop")
    if stop_reason not in STOP_REASONS:
        raise UserError(f"{where}: stop_reason={stop_reason!r} is unknown. Known: {', '.join(STOP_REASONS)}.")
    read, said = whole(row, "input_tokens", where), whole(row, "output_tokens", where)
    usage = None
    if read is not None or said is not None:
        usage = ModelUsage(input_tokens=read or 0, output_tokens=said or 0, total_tokens=(read or 0) + (said or 0))
    epoch = whole(row, "epoch", where)
    if epoch == 0:
        raise UserError(f"{where}: epoch=0; epochs are numbered from 1.")
    return (ids[0], 1 if epoch is None else epoch), Response(text, stop_reason, usage)


def whole(row: Mapping[Any, Any], name: str, where: str) -> int | None:
    """A field that is a number of something; digits in a CSV file."""
    value = row.get(name)
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise UserError(f"{where}: {name}={value!r}; expected a whole number.")
    return value
