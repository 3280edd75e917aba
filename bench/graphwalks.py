"""GraphWalks rows of a million tokens: time and peak memory, beside what a user would do instead.

    python bench/graphwalks.py [--rows 60]

Writes one Parquet file with all rows in one row group, as pandas and `datasets` write it, then in a process each:
every prompt once by this package (first time, and again from the cache), by `pandas.read_parquet`, by
`datasets.load_dataset`. Peak memory is the process's own (Linux), less what imports take.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

WAYS = {
    "graphniah-inspect, first time": """
from graphniah_inspect.graphwalks.rows import DataFile
begin()
file = DataFile(path)
chars = sum(len(file.prompt(row.number)) for row in file.rows)
""",
    "graphniah-inspect, again": """
from graphniah_inspect.graphwalks.rows import DataFile
begin()
file = DataFile(path)
chars = sum(len(file.prompt(row.number)) for row in file.rows)
""",
    "pandas.read_parquet": """
import pandas
import pyarrow.parquet
begin()
chars = int(pandas.read_parquet(path).prompt.str.len().sum())
""",
    "datasets.load_dataset": """
import datasets
begin()
data = datasets.load_dataset("parquet", data_files=str(path), split="train")
chars = sum(len(row["prompt"]) for row in data)
""",
}
FRAME = """
import json, re, sys, time
from pathlib import Path
path = Path(sys.argv[1])
def peak(): return int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]) / 1024
started = {}
def begin(): started.update(time=time.perf_counter(), memory=peak())
WAY
print(json.dumps([chars, time.perf_counter() - started["time"], peak() - started["memory"]]))
"""


def write_rows(path: Path, rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from graphniah_inspect.graphwalks.layout import operation_text, write_prompt

    rng = random.Random(0)
    prompts = []
    for _ in range(rows):
        nodes = [f"{rng.getrandbits(40):010x}" for _ in range(30_000)]
        edges = [(node, rng.choice(nodes)) for node in nodes for _ in range(2)]
        edges += [(rng.choice(nodes), rng.choice(nodes)) for _ in range(8_000)]
        prompts.append(write_prompt(edges, operation_text("parents", nodes[0])))
    table = pa.table(
        {
            "prompt": prompts,
            "answer_nodes": [["0" * 10]] * rows,
            "prompt_chars": [len(prompt) for prompt in prompts],
            "problem_type": ["parents"] * rows,
            "date_added": ["generated"] * rows,
        }
    )
    pq.write_table(table, path, row_group_size=rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=60, help="rows of 1.7 MB (default 60; the published file has 200)")
    rows: int = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        write_rows(path, rows)
        print(f"{rows} rows, {path.stat().st_size / 1e6:.0f} MB of Parquet in one row group")
        environment = os.environ | {"GRAPHNIAH_CACHE_DIR": f"{folder}/cache", "HF_HOME": f"{folder}/hf"}
        base: list[float] = []
        for name, way in WAYS.items():
            code = FRAME.replace("WAY", way)
            done = subprocess.run(
                [sys.executable, "-c", code, str(path)], env=environment, capture_output=True, text=True, check=True
            )
            chars, seconds, memory = json.loads(done.stdout.splitlines()[-1])
            base = base or [seconds, memory]
            print(
                f"{name:32} {chars / 1e6:7.0f} M chars {seconds:7.2f} s ({seconds / base[0]:5.2f}x) "
                f"{memory:7.0f} MB ({memory / base[1]:5.2f}x)"
            )


if __name__ == "__main__":
    main()
