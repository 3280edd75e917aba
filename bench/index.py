"""From a data file of the published size to the samples of a task, beside what a user would do instead.

    python bench/index.py [--scale 0.1] [--folder DIR]

Writes a replica (8,686 rows, 9.5 GB; a tenth of every list with `--scale 0.1`) into a temporary folder, measures,
and removes it again; `datasets` needs the same space once more. Each figure is taken in a process of its own, its
imports left out of time and memory, with the file in the page cache, so that no disk hides the work. Processor
seconds are those of all threads: on a busy machine they say more than the clock does.

- the index, built, beside one pass of a typed msgspec decoder that keeps nothing (bound: 1.5 times, 100 MB);
- a task with the `question-depth` samples of the paper's subset, the index being cached, beside `load_dataset` and
  `.filter`, the Arrow files being cached, the result of the filter not (bound: 1/20, 200 MB);
- all of its prompts read once, beside reading their bytes (bound: 3 times), from the disk and from the page cache.
  From the cache the bytes come at memory speed, so that the ratio says how fast JSON text becomes `str`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

EXPERIMENT, SUBSET = "question-depth", 400


def measured(work: Callable[[], int]) -> None:
    """Runs the work and prints its seconds, its count, and the megabytes at its peak beyond those before it."""
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins here
    start, processor = time.perf_counter(), time.process_time()
    count = work()
    seconds, processor = time.perf_counter() - start, time.process_time() - processor
    peak = resident("VmHWM") - before
    print(json.dumps({"seconds": seconds, "processor": processor, "megabytes": peak, "count": count}))


def resident(field: str) -> float:
    """`VmRSS` or `VmHWM` (its peak) of this process, in megabytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"/proc/self/status has no {field}")


def decoder(path: Path) -> None:
    """One pass of the fastest typed decoder: two fields, everything else skipped."""
    import msgspec

    row = msgspec.defstruct("Row", [("qid", str), ("question", str)])

    def work() -> int:
        decode = msgspec.json.Decoder(row).decode
        count = 0
        with path.open("rb") as file:
            for line in file:
                decode(line)
                count += 1
        return count

    measured(work)


def index(path: Path) -> None:
    """The index, built and cached."""
    import tqdm  # noqa: F401

    from graphniah_inspect.graphniah.index_cache import load_index

    measured(lambda: len(load_index(path).examples))


def task(path: Path) -> None:
    """A task whose samples are ready."""
    from graphniah_inspect.tasks import graphniah

    measured(lambda: len(graphniah(experiment=EXPERIMENT, dataset=str(path)).dataset))


def prompts(path: Path) -> None:
    """Every prompt of those samples, read once."""
    from graphniah_inspect.graphniah.source import open_source

    source = open_source(str(path))
    chosen = [source.examples[number] for number in subset(path)]
    measured(lambda: sum(source.prompt(example).user != "" for example in chosen))


def read(path: Path) -> None:
    """The bytes of those prompts' lines."""
    from graphniah_inspect.graphniah.source import open_source

    source = open_source(str(path))
    places = [(source.examples[number].offset, source.examples[number].length) for number in subset(path)]

    def work() -> int:
        with path.open("rb") as file:
            for offset, length in places:
                file.seek(offset)
                file.read(length)
        return len(places)

    measured(work)


def subset(path: Path) -> list[int]:
    """Positions in the file of the rows that the subset holds."""
    from graphniah_inspect.graphniah.source import open_source

    return [
        number
        for number, example in enumerate(open_source(str(path)).examples)
        if any(place.name == EXPERIMENT and place.slot < SUBSET for place in example.experiments)
    ]


def arrow(path: Path) -> None:
    """The same samples as the dataset card gets them."""
    import datasets

    datasets.disable_progress_bars()
    datasets.disable_caching()  # of filters: a new selection; loading still finds its Arrow files

    def work() -> int:
        rows = datasets.load_dataset("json", data_files=str(path), split="train")
        chosen = rows.filter(
            lambda row: any(each["name"] == EXPERIMENT and each["slot"] < SUBSET for each in row["experiments"])
        )
        return len(chosen)

    measured(work)


MEASURES = {work.__name__: work for work in (decoder, index, task, prompts, read, arrow)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="share of every list (default: 1)")
    parser.add_argument("--folder", type=Path, help="where the temporary folder is made")
    parser.add_argument("--measure", nargs=2, metavar=("WHAT", "FILE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        MEASURES[arguments.measure[0]](Path(arguments.measure[1]))
        return
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        compare(Path(folder), arguments.scale)


def compare(folder: Path, scale: float) -> None:
    """Writes the replica, takes every figure, prints the table."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from replica import REAL, write_replica  # type: ignore[import-not-found]

    path = write_replica(folder / "examples.jsonl", characters_per_token=REAL, scale=scale)
    size = path.stat().st_size / 1e9
    environment = os.environ | {
        "GRAPHNIAH_CACHE_DIR": str(folder / "index"),
        "HF_DATASETS_CACHE": str(folder / "arrow"),
        "HF_HUB_OFFLINE": "1",
    }

    def take(what: str) -> dict[str, float]:
        command = [sys.executable, __file__, "--measure", what, str(path)]
        done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
        figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        return figures

    take("decoder")  # brings the file into the page cache
    floor = take("decoder")
    built = take("index")
    cached = sum(file.stat().st_size for file in (folder / "index").iterdir()) / 1e6
    ready, whole, raw = take("task"), take("prompts"), take("read")
    forget(path)
    raw_disk = take("read")
    forget(path)
    whole_disk = take("prompts")
    take("arrow")
    arrow_again = take("arrow")
    if not ready["count"] == whole["count"] == raw["count"] == arrow_again["count"]:
        raise RuntimeError("The ways compared do not yield the same number of samples.")
    print(f"{floor['count']:.0f} rows, {size:.2f} GB; index on disk {cached:.1f} MB")
    print(f"{'':34}{'seconds':>9}{'cpu s':>9}{'peak MB':>9}{'ratio':>9}{'bound':>9}")
    show("typed decoder, one pass", floor)
    show("index built", built, built["seconds"] / floor["seconds"], "1.5")
    show("load_dataset + filter, again", arrow_again)
    show(f"task with {ready['count']:.0f} samples", ready, ready["seconds"] / arrow_again["seconds"], "0.05")
    show("bytes of its prompts, from disk", raw_disk)
    show("prompts read, from disk", whole_disk, whole_disk["seconds"] / raw_disk["seconds"], "3")
    show("bytes of its prompts, cached", raw)
    show("prompts read, cached", whole, whole["seconds"] / raw["seconds"])


def forget(path: Path) -> None:
    """Takes the file out of the page cache."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def show(name: str, figures: dict[str, float], ratio: float | None = None, bound: str = "") -> None:
    """One line of the table."""
    shown = "" if ratio is None else f"{ratio:.3f}"
    times = f"{figures['seconds']:9.3f}{figures['processor']:9.3f}"
    print(f"{name:34}{times}{figures['megabytes']:9.0f}{shown:>9}{bound:>9}")


if __name__ == "__main__":
    main()
