"""One file over a connection that breaks: resumed where it stopped, checked for size, then moved into place."""

import errno
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx

from graphniah_inspect.errors import UserError
from graphniah_inspect.snapshots.retry import TRANSIENT, Patience
from graphniah_inspect.written import write_json

EXPIRED = frozenset({400, 401, 403})
"""What storage answers to a signed link whose time is over."""
_RANGE = re.compile(r"bytes (?:(\d+)-\d+|\*)/(\d+)")


@dataclass
class Remote:
    """What the server says of the file; kept beside a partial download, to resume the same file only."""

    bytes: int
    etag: str | None


def download(
    client: httpx.Client,
    link: Callable[[bool], str],
    file: Path,
    *,
    patience: Patience,
    progress: Callable[[int, int], None],
) -> Remote:
    """Download a file into ``file.part``; the caller moves it into place.

    Args:
        client: Makes the requests; no header of it may carry a secret.
        link: Gives the link; called with True when the last one has expired.
        file: Where the file will go.
        patience: Waits between attempts, and knows when to give up.
        progress: Told the bytes on disk and the bytes there will be.

    Returns:
        Size and ETag.

    Raises:
        UserError: The server keeps failing, or will not tell the size, or the disk is full.
    """
    part = file.with_name(f"{file.name}.part")
    renew = False
    while True:
        known, have = _kept(part)
        if known is not None and have == known.bytes:
            return known
        headers = {"accept-encoding": "identity", "range": f"bytes={have}-"}
        if known is not None and known.etag and not known.etag.startswith("W/"):
            headers["if-range"] = known.etag
        response = None
        try:
            with client.stream("GET", link(renew), headers=headers, follow_redirects=True) as response:
                reason = f"the server answered {response.status_code}"
                renew = response.status_code in EXPIRED
                if response.status_code in (200, 206):
                    gained = _receive(response, part, known, have, progress)
                    if gained:
                        patience.progress()
                    reason = "the connection ended early"
                elif response.status_code == 416:
                    # what is on disk is not a beginning of what is there now
                    _discard(part)
                elif not renew and response.status_code not in TRANSIENT:
                    raise UserError(f"{file.name}: {reason}; expected 200 or 206.")
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.TooManyRedirects) as error:
            # the message of the cause would show the link
            raise UserError(f"{file.name}: the API gave a link that leads nowhere ({type(error).__name__}).") from None
        except httpx.TransportError as error:
            reason = type(error).__name__
            if _kept(part)[1] > have:
                patience.progress()
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise UserError(f"{file}: the disk is full. Free space and run the same command again.") from error
        finished = _kept(part)
        if finished[0] is not None and finished[1] == finished[0].bytes:
            return finished[0]
        if not patience.wait(response):
            raise UserError(
                f"{file.name}: gave up at {_kept(part)[1]:,} bytes ({reason}). "
                "Run the same command again later; it goes on from there."
            )


def _receive(
    response: httpx.Response,
    part: Path,
    known: Remote | None,
    have: int,
    progress: Callable[[int, int], None],
) -> int:
    total, start = _extent(response, part)
    remote = Remote(total, response.headers.get("etag"))
    same = known is None or (remote.bytes == known.bytes and remote.etag == known.etag)
    if start > 0 and (start != have or not same):
        _discard(part)
        return 0
    if known is None or not same:
        write_json(_note(part), remote)
    with part.open("ab" if start else "wb") as target:
        # raw: stored as sent, compressed or not; without a chunk size, so that a break loses nothing
        for data in response.iter_raw():
            target.write(data)
            start += len(data)
            progress(start, total)
    if start > total:
        _discard(part)
    return start - have


def _extent(response: httpx.Response, part: Path) -> tuple[int, int]:
    """How long the file is, and where in it this answer begins."""
    found = _RANGE.fullmatch(response.headers.get("content-range", ""))
    if response.status_code == 206 and found and found[1] is not None:
        return int(found[2]), int(found[1])
    length = response.headers.get("content-length", "")
    if response.status_code == 200 and length.isdecimal():
        return int(length), 0
    raise UserError(f"{part.stem}: the server does not tell the file's size, so a download cannot be checked.")


def _kept(part: Path) -> tuple[Remote | None, int]:
    if not part.exists() or not _note(part).exists():
        return None, 0
    return Remote(**json.loads(_note(part).read_bytes())), part.stat().st_size


def _discard(part: Path) -> None:
    part.unlink(missing_ok=True)
    _note(part).unlink(missing_ok=True)


def _note(part: Path) -> Path:
    return part.with_name(f".{part.name}.json")
