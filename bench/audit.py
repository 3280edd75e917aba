"""How fast an audit reads a data set, on one core, and how much memory it takes.

    python bench/audit.py [--megabytes 60] [--length 2.0]

A data set of so many MB is written (rows of `--length` MB: four in five among prose and code, one in five of paper
blocks alone, the mixture of the five distractor types) and audited in a fresh process, token recount and shortcut
test apart. Beside it, in the same run: one pass of `json.loads` with a networkx path search over lines (what a user
would write, which checks nothing but the answer), and the token recount that is left out. MB are 10^6 bytes of the
file; seconds are of processor time, so that a busy machine changes little.
"""

import argparse
import json
import multiprocessing
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import tiktoken

sys.path.insert(0, str(Path(__file__).resolve().parent))
from graphniah_inspect.audit.example import Options
from graphniah_inspect.audit.run import audit_file
from graphniah_inspect.citations.text import SYSTEM_PROMPT
from graphniah_inspect.oracle import solve
from oracle import by_lines, prompts

DISTINCT = 4
"""Prompts of each kind that are made; the file repeats them, since only reading is measured."""


def write(path: Path, size: float, length: float) -> None:
    """A file of `size` MB of rows of `length` MB."""
    made: dict[str, list[bytes]] = {"prose and code": [], "papers alone": []}
    for seed in range(DISTINCT):
        for kind, prompt in prompts(int(length * 1e6), random.Random(seed)).items():
            row = {
                "qid": f"{kind}-{seed}",
                "reachability_task": "yes-no",
                "system_prompt": SYSTEM_PROMPT,
                "user_prompt": prompt,
                "question": prompt.split("# Question\n\n")[1].split("\n\n# Context")[0],
                "answer": str(solve(prompt).answer),
                "config": {},
                "experiments": [],
            }
            made[kind].append(msgspec.json.encode(row) + b"\n")
    written = number = 0
    with path.open("wb") as file:
        while written < size * 1e6:
            kind = "papers alone" if number % 5 == 4 else "prose and code"
            written += file.write(made[kind][number // 5 % DISTINCT])
            number += 1


def audit(path: Path, workers: int) -> tuple[float, float]:
    """Seconds of an audit, imports apart, and its peak memory in MB beyond that of an audit of one row."""
    warm = path.with_name(f"{path.stem}-first.jsonl")
    with path.open("rb") as file:
        warm.write_bytes(file.readline())
    audit_file(str(warm), warm, Options(recount=False, shortcuts=False), progress=False)  # imports what it needs
    before = peak_memory()
    begun = time.process_time()
    report = audit_file(str(path), path, Options(recount=False, shortcuts=False), workers=workers, progress=False)
    taken = time.process_time() - begun
    if report.count("agrees") != sum(report.outcomes.values()):
        raise SystemExit("not every example agrees, so the times mean nothing")
    return taken, peak_memory() - before


def peak_memory() -> float:
    """MB that this process has held at most (Linux; `getrusage` would count the process that started it, too)."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) / 1000


def in_fresh_process(path: Path, workers: int) -> tuple[float, float]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        result = pool.apply(audit, (path, workers))
        pool.close()
        pool.join()
    return result


def seconds(function: Callable[[], object]) -> float:
    begun = time.process_time()
    function()
    return time.process_time() - begun


def paths_alone(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if by_lines(row["user_prompt"]) != (row["answer"] == "YES"):
                raise SystemExit("the two ways disagree, so their times mean nothing")


def recount(path: Path) -> None:
    encoding = tiktoken.get_encoding("o200k_base")
    with path.open(encoding="utf-8") as file:
        for line in file:
            encoding.encode_ordinary(json.loads(line)["user_prompt"])


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast an audit reads a data set, and in how much memory.")
    parser.add_argument("--megabytes", type=float, default=60.0, help="size of the file (default: 60)")
    parser.add_argument("--length", type=float, default=2.0, help="MB of a prompt (default: 2)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "examples.jsonl"
        write(path, arguments.megabytes, arguments.length)
        size = path.stat().st_size / 1e6
        taken, memory = in_fresh_process(path, 1)
        print(f"audit, one core      {size / taken:7.1f} MB/s  peak memory + {memory:.0f} MB")
        half = path.with_name("half.jsonl")
        write(half, arguments.megabytes / 2, arguments.length)
        _, half_memory = in_fresh_process(half, 1)
        print(f"  half the file                      peak memory + {half_memory:.0f} MB")
        searched = seconds(lambda: paths_alone(path))
        print(f"path search by lines {size / searched:7.1f} MB/s  audit takes {taken / searched:.2f} times as long")
        try:
            counted = seconds(lambda: recount(path))
        except OSError as error:
            print(f"token recount: left out, o200k_base cannot be had ({type(error).__name__})")
            return
        print(f"token recount        {size / counted:7.1f} MB/s  {counted / taken:.1f} times as long as the audit")


if __name__ == "__main__":
    main()
