"""What a run costs in memory and log: 400 samples at 200k tokens, 100 at 922k, and 50 requests at once.

    python -m bench.run                  everything, about 2 GB in a temporary folder
    python -m bench.run --scale 0.1      a tenth of the samples
    python -m bench.run --only at_once

Every run is a process of its own; its peak is what the operating system saw, imports included.
Prompts are source code of Python's own library, cut and mixed anew for every sample: they compress like the
published text does (to about a third). `graphniah plan` estimates log and memory from the figures printed here.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import sysconfig
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from tests.openai_server import KEY, MODEL, answer, serving
from tests.replica import rows

CHARACTERS_PER_TOKEN = 4.2
LOG_BUFFER = 25
MB = 1e6
CASES = {
    # name: (experiment, context length, samples, parallel, bound of the peak in MB)
    "200k": ("question-depth", 200_000, 400, 10, 1200),
    "922k": ("context-length", 922_000, 100, 10, 2000),
    "at_once": ("context-length", 922_000, 50, 50, 2000),
}


def main() -> int:
    parser = argparse.ArgumentParser("bench.run", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the samples (default 1)")
    parser.add_argument("--only", choices=sorted(CASES), action="append", help="this case (may be repeated)")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        case, data, logs = arguments.child
        print(json.dumps(evaluate(case, data, logs)))
        return 0
    missed = 0
    for case in arguments.only or CASES:
        missed += not measure(case, arguments.scale)
    return missed


def measure(case: str, scale: float) -> bool:
    """Run one case in a process of its own and print its figures."""
    experiment, length, samples, parallel, bound = CASES[case]
    samples = max(parallel, round(samples * scale))
    with (
        tempfile.TemporaryDirectory(prefix="graphniah-bench-") as folder,
        serving(lambda _: answer("?", delay=2)) as server,
    ):
        data = Path(folder) / "examples.jsonl"
        sizes, compressed = write(data, experiment, length, samples)
        environment = (
            os.environ
            | server.environment(KEY)
            | {
                "XDG_CACHE_HOME": f"{folder}/cache",
                "XDG_DATA_HOME": f"{folder}/data",
                "INSPECT_DISPLAY": "none",
            }
        )
        command = [sys.executable, "-m", "bench.run", "--child", case, str(data), f"{folder}/logs"]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        figures = json.loads(done.stdout.splitlines()[-1])
        if case == "at_once":
            print(f"{case}: the server held {server.most_open} requests at once")
    log, held = figures["log_bytes"], min(samples, parallel + LOG_BUFFER) * sum(sizes) / samples
    times = (figures["peak"] - figures["before"]) / held
    print(
        f"{case}: {samples} samples, {parallel} at once, prompts of {max(sizes) / MB:.2f} MB, "
        f"{figures['seconds']:.0f} s\n"
        f"  peak memory {figures['peak'] / MB:,.0f} MB (bound {bound:,} MB): "
        f"{figures['before'] / MB:,.0f} MB before the run, then "
        f"{times:.1f} times the prompts in flight and in the log buffer\n"
        f"  log {log / MB:,.1f} MB: {log / compressed:.2f} times the prompts compressed once (bound 1.2), "
        f"{log / sum(sizes):.3f} times the prompts as they are",
        flush=True,
    )
    return bool(figures["peak"] <= bound * MB and log <= 1.2 * compressed)


def write(path: Path, experiment: str, length: int, samples: int) -> tuple[list[int], int]:
    """Write a data file of one list; returns the bytes of every prompt, and of all compressed one by one."""
    text = source_text()
    wanted = [
        (entry["slot"], row)
        for row in rows(0.2)
        for entry in row["experiments"]
        if entry["name"].replace("_", "-") == experiment and entry["context_length"] == length
    ]
    sizes: list[int] = []
    compressed = 0
    with path.open("wb") as file:
        for slot, row in sorted(wanted, key=lambda item: int(item[0]))[:samples]:
            row["user_prompt"] = "".join(pieces(text, random.Random(slot), int(length * CHARACTERS_PER_TOKEN)))
            row["experiments"] = [e for e in row["experiments"] if e["name"].replace("_", "-") == experiment]
            prompt = row["user_prompt"].encode("utf-8")
            sizes.append(len(prompt))
            compressed += len(zlib.compress(prompt))
            file.write(msgspec.json.encode(row) + b"\n")
    return sizes, compressed


def source_text() -> str:
    """About 15 MB of Python's own library, in characters of at most two bytes, as prompts of papers have them."""
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py"))
    text = "".join(file.read_text(encoding="utf-8", errors="replace") for file in files[:2500])[:15_000_000]
    return "".join(character for character in text if character < "\U00010000")


def pieces(text: str, draw: random.Random, characters: int) -> Iterator[str]:
    """Passages of 4,000 characters up to a total."""
    for left in range(characters, 0, -4000):
        start = draw.randrange(len(text) - 4000)
        yield f"“{text[start : start + min(left, 4000)]}”"


def evaluate(case: str, data: str, logs: str) -> dict[str, Any]:
    """Run the task in this process."""
    from inspect_ai import eval

    from graphniah_inspect.tasks import graphniah

    experiment, length, _, parallel, _ = CASES[case]
    task = graphniah(experiment=experiment, context_length=length, subset="all", dataset=data)
    before, start = peak(), time.perf_counter()
    model = MODEL if case == "at_once" else "graphniah/constant"
    log = eval(
        task,
        model=model,
        log_dir=logs,
        log_buffer=LOG_BUFFER,
        log_header_only=True,  # as the command line has it
        max_samples=parallel,
        max_connections=parallel,
    )[0]
    if log.status != "success":
        raise SystemExit(f"The run ended as {log.status}: {log.error}")
    size = sum(file.stat().st_size for file in Path(logs).glob("*.eval"))
    return {"seconds": time.perf_counter() - start, "before": before, "peak": peak(), "log_bytes": size}


def peak() -> int:
    """Bytes of memory that this process held at most (Linux; `ru_maxrss` would begin with the parent's)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


if __name__ == "__main__":
    sys.exit(main())
