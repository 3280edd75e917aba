"""Who builds: this process, a pool of processes, or Ray. Rows come back in the order of the jobs, always the same.

Workers open the materials by memory map and return finished lines. No more jobs are under way than keep the workers
busy, so that finished prompts do not pile up. A worker that dies takes no result with it: its jobs are given out again.
"""

import gc
import multiprocessing
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from typing import Any

from graphniah_inspect.build.example import build_job
from graphniah_inspect.build.materials import Materials, Places
from graphniah_inspect.build.plan import Job
from graphniah_inspect.errors import UserError

Rows = list[tuple[bytes, bytes]]
_DEATHS = 3
_AHEAD = 3
"""Jobs under way for each worker."""


@lru_cache(1)
def opened(places: Places) -> Materials:
    """The materials, opened once a process, which is told to look for garbage less often: prompts make none."""
    materials = Materials(places)
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    return materials


def run_local(places: Places, jobs: Sequence[Job], workers: int) -> Iterator[Rows]:
    """Build jobs in processes of this machine; with one worker, in this process.

    Raises:
        UserError: An example cannot be built, or workers keep dying.
    """
    if workers > 1:
        return run_pool(places, jobs, workers)
    return (_build(places, job) for job in jobs)


def run_pool(places: Places, jobs: Sequence[Job], workers: int) -> Iterator[Rows]:
    """Build jobs in so many processes.

    Raises:
        UserError: An example cannot be built, or workers keep dying.
    """
    waiting, under_way = deque(jobs), deque[tuple[Job, Future[Rows]]]()
    deaths = 0
    pool = _pool(workers)
    try:
        while waiting or under_way:
            while waiting and len(under_way) < _AHEAD * workers:
                job = waiting.popleft()
                try:
                    under_way.append((job, pool.submit(_build, places, job)))
                except BrokenProcessPool:
                    waiting.appendleft(job)
                    break
            try:
                rows = under_way[0][1].result()
            except BrokenProcessPool as error:
                deaths += 1
                if deaths > _DEATHS:
                    raise UserError(
                        f"Workers died {deaths} times, perhaps for lack of memory. What is written is safe: "
                        "give the same command again, with fewer --workers."
                    ) from error
                pool.shutdown(wait=False, cancel_futures=True)
                pool = _pool(workers)
                waiting.extendleft(reversed([job for job, _ in under_way]))
                under_way.clear()
                continue
            under_way.popleft()
            deaths = 0
            yield rows
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _pool(workers: int) -> ProcessPoolExecutor:
    # spawned, not forked: this process has threads (progress bar, tokenizer)
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"), initializer=_ignore_interrupts)


def _ignore_interrupts() -> None:
    """Ctrl-C is for the main process, which tells the workers to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _build(places: Places, job: Job) -> Rows:
    return build_job(opened(places), job)


def run_ray(places: Places, jobs: Sequence[Job], address: str) -> Iterator[Rows]:
    """Build jobs on Ray, which retries those whose worker dies.

    Args:
        places: The materials; every node must see their folders at the same paths.
        jobs: What to build.
        address: Of the cluster, ``auto`` for the one this machine belongs to, ``local`` to start one here.

    Raises:
        UserError: Ray is not installed or there is no cluster, or an example cannot be built.
    """
    try:
        import ray
    except ImportError as error:
        raise UserError("--engine ray needs Ray: pip install 'graphniah-inspect[ray]'.") from error
    started = not ray.is_initialized()
    if started:
        try:
            ray.init(address=address, log_to_driver=False)
        except ConnectionError as error:
            raise UserError(
                f"--ray-address {address}: no cluster there ({error}). Start one with `ray start --head`, or give "
                "--ray-address local."
            ) from error
    try:
        build: Any = ray.remote(num_cpus=1, max_retries=_DEATHS)(_build)
        ahead = _AHEAD * max(1, int(sum(node["Resources"].get("CPU", 0) for node in ray.nodes())))  # type: ignore[no-untyped-call]
        waiting, under_way = deque(jobs), deque[Any]()
        while waiting or under_way:
            while waiting and len(under_way) < ahead:
                under_way.append(build.remote(places, waiting.popleft()))
            try:
                yield ray.get(under_way.popleft())
            except ray.exceptions.RayTaskError as error:
                if isinstance(error.cause, UserError):
                    raise error.cause from None
                raise
    finally:
        if started:
            ray.shutdown()
