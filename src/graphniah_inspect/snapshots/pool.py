"""Shards are read in parallel, one a process; parts that are done stay when a run is killed."""

import hashlib
import multiprocessing
from collections import Counter
from collections.abc import Callable, MutableSequence, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from tqdm import tqdm

from graphniah_inspect.errors import UserError
from graphniah_inspect.snapshots.paper_rules import Rules
from graphniah_inspect.snapshots.parts import citation_part, paper_part
from graphniah_inspect.written import write_json

WORKER_MEMORY = 256 << 20
"""What one reading process may need: lines, their objects, a row group being written."""

ALONE = 64 << 20
"""Bytes of shards a process, at least: to start one takes about as long as to read this much."""

PARENT_MEMORY = 128 << 20

_read_bytes: MutableSequence[int] = []


class Part(msgspec.Struct):
    """What is remembered of a shard that has been read; written after its part, so it means done."""

    dataset: str
    name: str
    bytes: int
    sha256: str
    counts: dict[str, int]


def write_parts(
    dataset: str, shards: Sequence[Path], rules: Rules, work: Path, *, threads: int, memory: int
) -> dict[str, int]:
    """Read every shard that has no part yet, or that has changed since.

    Args:
        dataset: ``papers`` or ``citations``.
        shards: The files, in the order that decides between duplicates.
        rules: What is kept.
        work: Where parts and their counts go; for citations ``corpus_ids.npy`` lies in its parent.
        threads: Processes at most; fewer when ``memory`` does not suffice.
        memory: Bytes that all of them together may use.

    Returns:
        The counts of all shards together.

    Raises:
        UserError: A shard is malformed or cut off, or a process died.
    """
    jobs = [
        (dataset, number, shard, rules, work)
        for number, shard in enumerate(shards)
        if not _is_done(marker(work, dataset, number), shard)
    ]
    if jobs:
        # what is read anew makes all that follows from it out of date
        stale = [*work.glob("*.merged.json")] if dataset == "papers" else [work / "citations.merged.json"]
        stale += work.glob("citations-*.json") if dataset == "papers" else []
        for file in stale:
            file.unlink(missing_ok=True)
        _run(jobs, dataset, min(threads, len(jobs), (memory - PARENT_MEMORY) // WORKER_MEMORY))
    counts: Counter[str] = Counter()
    for number in range(len(shards)):
        counts.update(read_marker(marker(work, dataset, number)).counts)
    return dict(counts)


def marker(work: Path, dataset: str, number: int) -> Path:
    """Where the counts of a shard's part are kept."""
    return work / f"{dataset}-{number:05d}.json"


def read_marker(file: Path) -> Part:
    """The counts of a shard's part."""
    return msgspec.json.decode(file.read_bytes(), type=Part)


def _is_done(done: Path, shard: Path) -> bool:
    return done.exists() and read_marker(done).bytes == shard.stat().st_size


def _run(jobs: list[Any], dataset: str, most: int) -> None:
    sizes = [shard.stat().st_size for _, _, shard, _, _ in jobs]
    processes = max(1, min(most, sum(sizes) // ALONE))
    # a fork server imports everything once for all processes
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context: Any = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload([__name__])
    progress: Any = context.Array("q", len(jobs), lock=False)
    with tqdm(total=sum(sizes), unit="B", unit_scale=True, desc=f"Reading {dataset}", disable=None) as bar:
        if processes == 1:
            for place, job in enumerate(jobs):
                _share(progress)
                _read(place, lambda: bar.update(sum(progress) - bar.n), *job)
            return
        with ProcessPoolExecutor(processes, context, _share, (progress,)) as pool:
            futures = [pool.submit(_read, place, None, *job) for place, job in enumerate(jobs)]
            try:
                waiting = set(futures)
                while waiting:
                    done, waiting = wait(waiting, timeout=0.2, return_when="FIRST_EXCEPTION")
                    for future in done:
                        future.result()
                    bar.update(sum(progress) - bar.n)
            except BrokenProcessPool as error:
                raise UserError(
                    "A reading process died, most likely for want of memory. Run the same command again with "
                    "fewer --threads; it goes on where it stopped."
                ) from error
            finally:
                pool.shutdown(wait=True, cancel_futures=True)


def _share(progress: MutableSequence[int]) -> None:
    global _read_bytes
    _read_bytes = progress


def _read(
    place: int,
    tick: Callable[[], object] | None,
    dataset: str,
    number: int,
    shard: Path,
    rules: Rules,
    work: Path,
) -> None:
    size = shard.stat().st_size

    def report(done: int) -> None:
        _read_bytes[place] = done
        if tick is not None:
            tick()

    part = work / f"{dataset}-{number:05d}.parquet"
    if dataset == "papers":
        counts = paper_part(shard, number, rules, part, report)
    else:
        ids = np.load(work.parent / "corpus_ids.npy", mmap_mode="r")
        counts = citation_part(shard, rules, ids, part, report)
    with shard.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    write_json(marker(work, dataset, number), Part(dataset, shard.name, size, digest, counts))
