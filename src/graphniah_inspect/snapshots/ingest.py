"""Bulk shards to a snapshot: papers, then citations, then the graph; a killed run goes on where it stopped.

The folder ``work`` inside the snapshot holds the steps done so far: ``settings.json`` (what was asked), a
part and a count for each shard, and a count for each merge. It is removed once ``manifest.json`` is written.
"""

import hashlib
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from graphniah_inspect.errors import UserError
from graphniah_inspect.snapshots.database import database
from graphniah_inspect.snapshots.merge_citations import merge_citations
from graphniah_inspect.snapshots.merge_papers import merge_papers
from graphniah_inspect.snapshots.paper_rules import Rules
from graphniah_inspect.snapshots.pool import write_parts
from graphniah_inspect.snapshots.snapshot import FORMAT, MANIFEST
from graphniah_inspect.written import write_json

MIN_MEMORY = 512 << 20
BESIDE_DUCKDB = 320 << 20
"""What a merge needs beside DuckDB: libraries, and the rows that are being written."""
FILES = (
    *("papers.parquet", "citations.parquet", "records.jsonl", "record_offsets.npy", "corpus_ids.npy"),
    *("year.npy", "date.npy", "recent.npy", "indptr.npy", "indices.npy", "direction.npy"),
)

Counts = dict[str, int]


@dataclass(frozen=True)
class Machine:
    """What an ingest may use; none of it changes a byte of the result."""

    memory: int = 4 << 30
    threads: int = 1


def ingest(
    papers: Sequence[Path],
    citations: Sequence[Path],
    out: Path,
    rules: Rules,
    *,
    release: str | None = None,
    machine: Machine | None = None,
) -> dict[str, Any]:
    """Read bulk shards into a snapshot.

    Args:
        papers: Shards of the ``papers`` data set; of papers with one id the first is kept.
        citations: Shards of the ``citations`` data set.
        out: The snapshot folder; a stopped ingest of the same sources and settings goes on.
        rules: What is kept.
        release: Name of the Semantic Scholar release, for the manifest.
        machine: Memory and threads.

    Returns:
        The manifest.

    Raises:
        UserError: A source is malformed or cut off, nothing is left, or ``out`` holds something else.
    """
    machine = machine or Machine()
    settings = {
        "options": rules.options(),
        "release": release,
        "sources": {"papers": [p.name for p in papers], "citations": [c.name for c in citations]},
    }
    _refuse_changed(out, [*papers, *citations])

    def parts(dataset: str, shards: Sequence[Path]) -> Callable[[Path], Counts]:
        return lambda work: write_parts(dataset, shards, rules, work, threads=machine.threads, memory=machine.memory)

    return assemble(out, settings, parts("papers", papers), parts("citations", citations), machine=machine)


def assemble(
    out: Path,
    settings: dict[str, Any],
    paper_parts: Callable[[Path], Counts],
    citation_parts: Callable[[Path], Counts],
    *,
    machine: Machine,
) -> dict[str, Any]:
    """Merge parts into a snapshot, whoever writes them: shards that were read, or an invented world.

    Args:
        out: The snapshot folder.
        settings: Goes into the manifest; a folder begun with other settings is refused.
        paper_parts: Writes ``papers-*.parquet`` into the folder it is given; returns its counts.
        citation_parts: The same for ``citations-*.parquet``; ``corpus_ids.npy`` is there by then.
        machine: Memory and threads.

    Returns:
        The manifest.
    """
    if machine.memory < MIN_MEMORY:
        raise UserError(f"--memory {machine.memory >> 20}MB is too little: give at least {MIN_MEMORY >> 20}MB.")
    work = out / "work"
    if (out / MANIFEST).exists():
        manifest = _same(msgspec.json.decode((out / MANIFEST).read_bytes()), settings, out)
        shutil.rmtree(work, ignore_errors=True)
        return manifest
    if out.is_dir() and any(out.iterdir()) and not (work / "settings.json").exists():
        raise UserError(f"{out} holds other files. Give an empty or new folder with --out.")
    work.mkdir(parents=True, exist_ok=True)
    if (work / "settings.json").exists():
        _same(msgspec.json.decode((work / "settings.json").read_bytes()), settings, out)
    else:
        write_json(work / "settings.json", settings)

    def merged(name: str, merge: Callable[..., Counts]) -> Callable[[Path], Counts]:
        def run(folder: Path) -> Counts:
            parts = sorted(folder.glob(f"{name}-*.parquet"))
            # DuckDB holds some buffers beyond its limit
            limit = (machine.memory - BESIDE_DUCKDB) * 9 // 10
            with database(folder, limit, machine.threads) as connection:
                return merge(connection, parts, folder, out)

        return run

    read_papers = paper_parts(work)
    merged_papers = _once(work, "papers.merged", merged("papers", merge_papers))
    if not merged_papers["kept"]:
        raise UserError(
            f"No paper is left of {read_papers.get('lines', 0)} lines ({describe(read_papers)}). "
            "An earlier --cutoff, --date-field year, or --keep-older would keep some."
        )
    read_citations = citation_parts(work)
    merged_citations = _once(work, "citations.merged", merged("citations", merge_citations))
    manifest = {
        "format": FORMAT,
        "id": content_id(out, settings["options"]),
        "papers": merged_papers["kept"],
        "citations": merged_citations["kept"],
        **settings,
        "shards": [
            msgspec.json.decode(marker.read_bytes())
            for dataset in ("papers", "citations")
            for marker in sorted(work.glob(f"{dataset}-*.json"))
        ],
        "counts": {"papers": read_papers | merged_papers, "citations": read_citations | merged_citations},
        "files": {name: (out / name).stat().st_size for name in FILES},
    }
    write_json(out / MANIFEST, manifest)
    shutil.rmtree(work)
    return manifest


def content_id(out: Path, options: dict[str, Any]) -> str:
    """SHA-256 over records, dates, graph, and the options that shaped them: the identity of a snapshot."""
    digest = hashlib.sha256(msgspec.json.encode(options, order="sorted"))
    for name in ("records.jsonl", "date.npy", "recent.npy", "indptr.npy", "indices.npy", "direction.npy"):
        with (out / name).open("rb") as file:
            digest.update(f"\n{name} {hashlib.file_digest(file, 'sha256').hexdigest()}".encode())
    return digest.hexdigest()


def describe(counts: Counts) -> str:
    """Counts in one line, zeros left out."""
    return ", ".join(f"{name}: {count:,}" for name, count in counts.items() if count)


def _once(work: Path, step: str, run: Callable[[Path], Counts]) -> Counts:
    done = work / f"{step}.json"
    if done.exists():
        return msgspec.json.decode(done.read_bytes(), type=Counts)
    counts = run(work)
    write_json(done, counts)
    return counts


def _same(found: dict[str, Any], settings: dict[str, Any], out: Path) -> dict[str, Any]:
    # one level of nesting, flattened so that the message names the option
    flat = [
        {**{k: v for k, v in side.items() if k != "options"}, **side.get("options", {})} for side in (found, settings)
    ]
    for key in sorted({*settings, *flat[0].get("options", ()), *flat[1]} - {"options"}):
        if flat[0].get(key) != flat[1].get(key):
            raise UserError(
                f"{out} was begun with {key} {flat[0].get(key)!r}; now it is {flat[1].get(key)!r}. "
                "Repeat the first command to go on, or give another folder with --out."
            )
    return found


def _refuse_changed(out: Path, shards: Sequence[Path]) -> None:
    if (out / MANIFEST).exists():
        read = msgspec.json.decode((out / MANIFEST).read_bytes())["shards"]
        for part, shard in zip(read, shards, strict=False):
            if (part["name"], part["bytes"]) != (shard.name, shard.stat().st_size):
                raise UserError(
                    f"{out} was made from {part['name']} of {part['bytes']} bytes; "
                    f"{shard} has {shard.stat().st_size}. Give another folder with --out."
                )
