"""A report from logs with long prompts: time and peak memory, beside reading the logs as one would in a notebook.

    python bench/report.py [--logs 20] [--samples 40] [--chars 850000] [--at DIR]

Runs one log of the chance baseline with prompts of invented words, copies it under the names of four models and several
settings, and then, in a process each, reads all logs: `graphniah report` (with every figure and the page), `samples_df`
with full samples, and `read_eval_log` one log after the other. `--samples 400` is the size of a real set: 20 logs
of 400 prompts of 200k tokens. Peak memory is the process's own (Linux), imports included.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MODELS = ("small", "medium", "large", "huge")
WAYS = {
    "graphniah report": """
from graphniah_inspect.cli import main
assert main(["report", str(logs), "--out", str(out)]) == 0
""",
    "samples_df(full=True)": """
from inspect_ai.analysis import samples_df
assert len(samples_df(str(logs), full=True, quiet=True))
""",
    "read_eval_log": """
from inspect_ai.log import list_eval_logs, read_eval_log
assert sum(len(read_eval_log(info).samples) for info in list_eval_logs(str(logs)))
""",
}
FRAME = """
import json, re, sys, time
from pathlib import Path
logs, out = Path(sys.argv[1]), Path(sys.argv[2])
start = time.perf_counter()
WAY
seconds = time.perf_counter() - start
peak = int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]) / 1024
print(json.dumps([seconds, peak]), file=sys.stderr)
"""


def first_log(folder: Path, samples: int, chars: int) -> Path:
    """A real log of this many samples with prompts of this many characters."""
    from inspect_ai import Task, eval, task
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import TaskState, generate

    from graphniah_inspect.graphniah.scoring import reachability
    from graphniah_inspect.prompting import full_prompt

    draw = random.Random(1)
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(20_000)]

    def prompt(state: TaskState) -> tuple[str | None, str]:
        own = random.Random(str(state.sample_id))
        return None, " ".join(own.choices(words, k=chars // 6))

    def sample(slot: int) -> Sample:
        kind = ("yes-no", "multiple-choice", "counting")[slot % 3]
        size = (100, 150, 200, 250)[slot % 4]
        metadata = {
            "qid": f"{slot:064x}",
            "slot": slot,
            "value": size,
            "component_node_count": size,
            "reachability_task": kind,
            "prompt_tokens": 199_000 + slot,
            "context_length": 200_000,
            "source_position": draw.random(),
            "target_position": draw.random(),
        }
        answer = {"yes-no": "YES", "multiple-choice": "A", "counting": str(size - 1)}[kind]
        options = [f"paper {label}" for label in "ABCD"] if kind == "multiple-choice" else None
        return Sample(
            id=f"node-count-{slot:04d}", input="Reachable?", target=answer, choices=options, metadata=metadata
        )

    selection = {"experiment": "node-count", "context_length": 200_000, "sha256": "0" * 64, "context": "full"}

    @task(name="graphniah_inspect/graphniah")
    def long_prompts() -> Task:
        return Task(
            dataset=[sample(slot) for slot in range(samples)],
            setup=full_prompt(prompt),
            solver=generate(),
            scorer=reachability(),
            version="1-A",
            metadata={"selection": selection},
        )

    (log,) = eval(long_prompts(), model="graphniah/chance", log_dir=str(folder), display="none", log_buffer=100)
    assert log.status == "success", log.error
    return Path(log.location)


def copies(first: Path, logs: int) -> None:
    """Further logs with the same samples and another header: other models, and rows of their own."""
    with zipfile.ZipFile(first) as archive:
        header = json.loads(archive.read("header.json"))
    for number in range(1, logs):
        header["eval"] |= {"eval_id": f"eval{number}", "task_id": f"task{number}"}
        header["eval"]["model"] = f"bench/{MODELS[number % len(MODELS)]}"
        header["eval"]["metadata"]["selection"]["subset"] = str(number // len(MODELS))
        path = first.with_name(f"2026-01-01T00-00-{number:02d}_graphniah_{number}.eval")
        shutil.copyfile(first, path)
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.filelist.remove(archive.NameToInfo.pop("header.json"))
            archive.writestr("header.json", json.dumps(header))


def measure(way: str, logs: Path, out: Path) -> tuple[float, float]:
    """Seconds, and MB at the peak."""
    code = FRAME.replace("WAY", WAYS[way])
    done = subprocess.run(
        [sys.executable, "-c", code, str(logs), str(out)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{way} failed:\n{done.stderr}")
    seconds, peak = json.loads(done.stderr.strip().splitlines()[-1])
    return float(seconds), float(peak)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=int, default=20)
    parser.add_argument("--samples", type=int, default=40, help="in every log")
    parser.add_argument("--chars", type=int, default=850_000, help="of every prompt")
    parser.add_argument("--only", choices=tuple(WAYS), action="append", help="measure this way only; may be repeated")
    parser.add_argument("--at", type=Path, help="folder to work in (default: a temporary one)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.at) as name:
        logs = Path(name) / "logs"
        copies(first_log(logs, arguments.samples, arguments.chars), arguments.logs)
        size = sum(path.stat().st_size for path in logs.iterdir()) / 1e6
        print(
            f"{arguments.logs} logs of {arguments.samples} samples, {arguments.chars:,} characters each: {size:,.0f} MB"
        )
        ways = arguments.only or list(WAYS)
        found = {way: measure(way, logs, Path(name) / "out") for way in ways}
        base = found[ways[0]]
        for way, (seconds, peak) in found.items():
            print(f"{way:24} {seconds:7.1f} s ({seconds / base[0]:.1f} x)  {peak:7.0f} MB ({peak / base[1]:.1f} x)")


if __name__ == "__main__":
    main()
