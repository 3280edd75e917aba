"""Rows go to disk in the order of the plan; a journal says how far they are whole, so that any kill can be resumed."""

import errno
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import msgspec

from graphniah_inspect.errors import UserError

EXAMPLES = "examples.jsonl"
POOL = "pool.jsonl"
_JOURNAL = "journal.jsonl"


class Journal:
    """The growing files of a build.

    Args:
        work: Their folder.
        jobs: How many jobs there are in all, for messages.

    Attributes:
        done: Jobs whose rows are on disk.
    """

    def __init__(self, work: Path, jobs: int) -> None:
        self._jobs = jobs
        self._paths = (work / EXAMPLES, work / POOL)
        self._journal = work / _JOURNAL
        for path in (*self._paths, self._journal):
            path.touch()
        self.done, self._sizes = self._last_whole()
        self._cut()
        # unbuffered: what is written is in the file when the journal says so
        self._files: list[BinaryIO] = [path.open("ab", buffering=0) for path in (*self._paths, self._journal)]

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in self._files:
            file.close()

    def append(self, rows: list[tuple[bytes, bytes]]) -> None:
        """Add the rows of the next job.

        Raises:
            UserError: The disk is full; every job before is safe.
        """
        examples, pool = (b"".join(part) for part in zip(*rows, strict=True))
        sizes = [self._sizes[0] + len(examples), self._sizes[1] + len(pool)]
        line = msgspec.json.encode([self.done + 1, *sizes]) + b"\n"
        try:
            for file, content in zip(self._files, (examples, pool, line), strict=True):
                _write_all(file, content)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            raise UserError(
                f"{self._paths[0].parent}: {error.strerror} after {self.done} of {self._jobs} examples. They are "
                "safe: make room and give the same command again; it goes on from there."
            ) from error
        self.done, self._sizes = self.done + 1, sizes

    def _last_whole(self) -> tuple[int, list[int]]:
        """The last line of the journal that is whole and covered by the files."""
        there = [path.stat().st_size for path in self._paths]
        done, sizes = 0, [0, 0]
        for line in self._journal.read_bytes().split(b"\n")[:-1]:
            number, *ends = msgspec.json.decode(line, type=tuple[int, int, int])
            if any(end > size for end, size in zip(ends, there, strict=True)):
                break
            done, sizes = number, list(ends)
        return done, sizes

    def _cut(self) -> None:
        """Drop half-written rows and journal lines."""
        for path, size in zip(self._paths, self._sizes, strict=True):
            _truncate(path, size)
        lines = self._journal.read_bytes().split(b"\n")[: self.done]
        _truncate(self._journal, sum(len(line) + 1 for line in lines))


def _truncate(path: Path, size: int) -> None:
    if path.stat().st_size > size:
        with path.open("r+b") as file:
            file.truncate(size)


def _write_all(file: BinaryIO, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
