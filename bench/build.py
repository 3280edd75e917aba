"""How long an example takes to build, beside one tokenizer pass over its finished prompt; workers; memory.

    python bench/build.py [--papers 80000] [--megabytes 50] [--examples 8] [--lengths 200000,922000]

A world is invented, and a pool of so much invented text is tokenised once (timed apart). Then examples of each kind of
haystack are built, rows and oracle check included, in this process, and each finished prompt is encoded once with
tiktoken. Draws that balance topic and years are timed apart: the ratio is without them. Times are of processor time,
so that a busy machine changes little, but for the comparison of one and two workers, which is of wall time.
"""

import argparse
import json
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

import psutil
import tiktoken

from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.engine import opened, run_pool
from graphniah_inspect.build.example import build_job
from graphniah_inspect.build.graph import Taken
from graphniah_inspect.build.materials import Materials, Places
from graphniah_inspect.build.plan import Job, Variables, identity
from graphniah_inspect.build.prepare import Sources, prepare
from graphniah_inspect.build.sample import CUTOFF
from graphniah_inspect.build.settings import FORMATS, Settings
from graphniah_inspect.build.subgraph import draw_subgraph
from graphniah_inspect.invented.invent import invent_snapshot
from graphniah_inspect.invented.prose import write_prose
from graphniah_inspect.snapshots.ingest import Machine
from graphniah_inspect.snapshots.snapshot import Snapshot

KINDS = ("books", "code", "disjoint-tree")


def jobs(settings: Settings, kind: str, length: int, count: int) -> list[Job]:
    low, high = settings.node_range
    made = []
    for number in range(count):
        depth = settings.depths[number % len(settings.depths)]
        size = low + (number * 37) % (high - low + 1)
        variables = Variables(FORMATS[1], depth, size, kind, length, "ABCD"[number % 4], number)
        made.append(Job(identity(settings, variables, {}), variables))
    return made


def ratios(materials: Materials, kind: str, length: int, count: int) -> None:
    encoding = tiktoken.get_encoding("o200k_base")
    found, milliseconds, draws = [], [], []
    plain = replace(materials.settings, balance=False)
    for job in jobs(plain, kind, length, count):
        materials.settings = plain
        start = time.process_time()
        rows = build_job(materials, job)
        built = time.process_time() - start
        prompt = json.loads(rows[0][0])["user_prompt"]
        start = time.process_time()
        encoding.encode_ordinary(prompt)
        found.append(built / (time.process_time() - start))
        milliseconds.append(1000 * built)
        each = []
        for settings in (plain, replace(plain, balance=True)):
            start = time.process_time()
            taken = Taken(materials.graph, lambda key: False)
            draw_subgraph(materials.graph, materials.words, settings, job.variables, taken, Draws(int(job.qid, 16)))
            each.append(time.process_time() - start)
        draws.append(1000 * (each[1] - each[0]))
    print(
        f"{length:>9,} {kind:<14} {median(found):5.2f} times one encoding (worst {max(found):.2f}); "
        f"{median(milliseconds):6.0f} ms; balancing draws {sum(draws) / len(draws):.0f} ms more"
    )


def workers(places: Places, todo: list[Job]) -> None:
    """Wall time and memory of one and of two worker processes."""
    took: dict[int, float] = {}
    for number in (1, 2):
        peak = [0]
        done = threading.Event()

        def watch(peak: list[int] = peak, done: threading.Event = done) -> None:
            while not done.wait(1.0):
                for child in psutil.Process().children(recursive=True):
                    try:
                        peak[0] = max(peak[0], child.memory_full_info().uss)
                    except psutil.Error:
                        continue

        watcher = threading.Thread(target=watch)
        watcher.start()
        rows = run_pool(places, todo, number)
        for _ in range(4 * number):  # until every worker has opened its materials
            next(rows)
        start = time.perf_counter()
        for _ in rows:
            pass
        took[number] = time.perf_counter() - start
        done.set()
        watcher.join()
        print(f"{number} worker(s): {took[number]:.1f} s, a worker's own memory at most {peak[0] / 1e6:.0f} MB")
    print(f"two workers are {took[1] / took[2]:.2f} times as fast as one")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=80_000)
    parser.add_argument("--megabytes", type=float, default=50.0, help="of invented text")
    parser.add_argument("--examples", type=int, default=8)
    parser.add_argument("--lengths", default="200000,922000")
    parser.add_argument("--folder", type=Path, help="keep world, text and pool here")
    arguments = parser.parse_args()
    lengths = tuple(int(length) for length in arguments.lengths.split(","))
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        invent_snapshot(arguments.papers, folder / "world", cutoff=CUTOFF, machine=Machine())
        if not (folder / "prose").exists():
            write_prose(folder / "prose", int(arguments.megabytes * 1e6 / 2))
        settings = Settings(
            experiments=("reasoning_effort",),
            context_lengths=lengths,
            distractor_types=KINDS,
            allow_repeats=True,
        )
        start = time.process_time()
        pools = prepare(Snapshot.open(folder / "world"), settings, Sources(folder / "prose"), folder / "work")
        tokens = sum(pool["tokens"] for pool in pools.values())
        print(f"pools of {tokens:,} tokens and word counts: {time.process_time() - start:.1f} s, once")
        places = Places(str(folder / "world"), str(folder / "work"), settings)
        materials = opened(places)
        for length in lengths:
            for kind in KINDS:
                ratios(materials, kind, length, arguments.examples)
        many = [job for kind in KINDS for job in jobs(settings, kind, lengths[0], 8 * arguments.examples)]
        workers(places, many)


if __name__ == "__main__":
    main()
