"""Ingest of an invented world's bulk files, beside what one would write instead; peak memory is that of all processes.

    python bench/ingest.py --papers 1000000 --compare 150000 --memory 1GB --threads 2

The alternatives do less: they clean no titles, find no malformed line, count nothing, survive no kill. Each way runs in
a process of its own on the same shards, `--compare` papers; the full size is then ingested under the memory limit.
"""

import argparse
import datetime as dt
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from graphniah_inspect.invented.invent import invent_shards

CUTOFF = "2026-04-01"


def plain_python(folder: Path) -> None:
    """A loop over json.loads, with dicts and sets."""
    kept: dict[int, dict[str, Any]] = {}
    for shard in sorted((folder / "papers").iterdir()):
        with gzip.open(shard, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if (row["publicationdate"] or "") >= CUTOFF:
                    kept.setdefault(int(row["corpusid"]), row)
    neighbours: dict[int, set[int]] = {}
    for shard in sorted((folder / "citations").iterdir()):
        with gzip.open(shard, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                a, b = row["citingcorpusid"], row["citedcorpusid"]
                if a in kept and b in kept and a != b:
                    neighbours.setdefault(a, set()).add(b)
                    neighbours.setdefault(b, set()).add(a)
    print(len(kept), sum(map(len, neighbours.values())) // 2)


def pandas_frames(folder: Path) -> None:
    """read_json(lines=True), isin, drop_duplicates."""
    import pandas as pd

    def read(name: str) -> pd.DataFrame:
        shards = sorted((folder / name).iterdir())
        return pd.concat([pd.read_json(shard, lines=True) for shard in shards])

    papers = read("papers")
    papers = papers[papers["publicationdate"] >= CUTOFF].drop_duplicates("corpusid")
    citations = read("citations")
    inside = citations["citingcorpusid"].isin(papers["corpusid"]) & citations["citedcorpusid"].isin(papers["corpusid"])
    ends = citations.loc[inside, ["citingcorpusid", "citedcorpusid"]]
    ends = pd.DataFrame({"low": ends.min(axis=1), "high": ends.max(axis=1)})
    print(len(papers), len(ends[ends["low"] != ends["high"]].drop_duplicates()))


def duckdb_sql(folder: Path) -> None:
    """read_json straight into tables."""
    import duckdb

    connection = duckdb.connect(config={"threads": 2})
    connection.execute(
        "CREATE TABLE papers AS SELECT DISTINCT ON (corpusid) "
        "corpusid, title, authors, year, venue, journal, externalids "
        f"FROM read_json('{folder}/papers/*.gz') WHERE publicationdate::VARCHAR >= '{CUTOFF}'"
    )
    connection.execute(
        "CREATE TABLE edges AS SELECT DISTINCT least(citingcorpusid, citedcorpusid) AS low, "
        "greatest(citingcorpusid, citedcorpusid) AS high "
        f"FROM read_json('{folder}/citations/*.gz') c JOIN papers a ON a.corpusid = c.citingcorpusid "
        "JOIN papers b ON b.corpusid = c.citedcorpusid WHERE citingcorpusid <> citedcorpusid"
    )
    print(*connection.execute("SELECT (SELECT count(*) FROM papers), (SELECT count(*) FROM edges)").fetchone() or ())


WAYS: dict[str, Callable[[Path], None]] = {
    "json.loads in a loop": plain_python,
    "pandas.read_json": pandas_frames,
    "DuckDB read_json": duckdb_sql,
}


@dataclass
class Figures:
    """What a command took; processor seconds and memory are those of all its processes together."""

    seconds: float
    processor: float
    megabytes: float
    printed: str


def measured(command: list[str]) -> Figures:
    start, used = time.perf_counter(), _processor()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    watched = psutil.Process(process.pid)
    peak = 0
    while process.poll() is None:
        try:
            # resident sizes added up: pages that processes share count more than once
            members = [watched, *watched.children(recursive=True)]
            peak = max(peak, sum(member.memory_info().rss for member in members))
        except psutil.NoSuchProcess:
            pass
        time.sleep(0.1)
    if process.returncode:
        raise SystemExit(f"{command} failed")
    printed = process.stdout.read() if process.stdout else ""
    return Figures(time.perf_counter() - start, _processor() - used, peak / 1e6, printed)


def _processor() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def ingest_command(folder: Path, out: Path, memory: str, threads: int) -> list[str]:
    script = "from graphniah_inspect.cli import entry; entry()"
    command = [sys.executable, "-c", script, "ingest", "--papers", str(folder / "papers")]
    command += ["--citations", str(folder / "citations"), "--cutoff", CUTOFF, "--out", str(out)]
    return [*command, "--memory", memory, "--threads", str(threads)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=1_000_000)
    parser.add_argument("--compare", type=int, default=150_000, help="papers for the comparison")
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--way", choices=sorted(WAYS), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.way:
        WAYS[arguments.way](arguments.folder)
        return
    with tempfile.TemporaryDirectory() as name:
        small, large = Path(name, "small"), Path(name, "large")
        cutoff = dt.date.fromisoformat(CUTOFF)
        invent_shards(arguments.compare, small, cutoff=cutoff)
        ours = measured(ingest_command(small, Path(name, "out"), arguments.memory, arguments.threads))
        print(ours.printed)
        print(
            f"{arguments.compare:,} papers: graphniah ingest {ours.processor:.1f} s of processor time "
            f"({ours.seconds:.1f} s by the clock), {ours.megabytes:,.0f} MB at most"
        )
        for way in WAYS:
            other = measured([sys.executable, __file__, "--way", way, "--folder", str(small)])
            print(
                f"  {way}: {other.processor:.1f} s ({other.processor / ours.processor:.2f} times ours), "
                f"{other.megabytes:,.0f} MB ({other.megabytes / ours.megabytes:.2f} times ours); "
                f"papers, edges: {other.printed.strip()}"
            )
        invent_shards(arguments.papers, large, cutoff=cutoff)
        size = sum(file.stat().st_size for file in large.rglob("*.gz"))
        out = Path(name, "large-out")
        full = measured(ingest_command(large, out, arguments.memory, arguments.threads))
        lines = sum(int(line.split()[1].replace(",", "")) for line in full.printed.splitlines() if " lines, " in line)
        disk = sum(file.stat().st_size for file in out.iterdir())
        print(full.printed)
        print(
            f"{arguments.papers:,} papers: {lines / full.processor:,.0f} lines/s of processor time, "
            f"{lines / full.seconds:,.0f} by the clock ({full.processor:.1f} and {full.seconds:.1f} s, "
            f"{size / 1e6:,.0f} MB of gzip), peak {full.megabytes:,.0f} MB under --memory {arguments.memory}, "
            f"{disk / 1e6:,.0f} MB written"
        )


if __name__ == "__main__":
    main()
