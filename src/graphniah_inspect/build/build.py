"""A build from start to end: prepare, plan, build what is not there yet, finish the folder."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from tqdm import tqdm

from graphniah_inspect.build.archive import finish
from graphniah_inspect.build.engine import Rows, run_local, run_ray
from graphniah_inspect.build.journal import Journal
from graphniah_inspect.build.length import named_counter
from graphniah_inspect.build.materials import Places, cutoff_date
from graphniah_inspect.build.plan import Job, Plan, make_plan
from graphniah_inspect.build.prepare import Sources, prepare
from graphniah_inspect.build.settings import GENERATOR_VERSION, TOKENIZER, Settings
from graphniah_inspect.errors import UserError
from graphniah_inspect.snapshots.snapshot import Snapshot
from graphniah_inspect.written import write_json

MANIFEST = "manifest.json"
_BEGUN = "build.json"


@dataclass(frozen=True)
class Engine:
    """Who builds; none of it changes a byte.

    Attributes:
        workers: Processes of this machine.
        ray_address: Build on this Ray cluster instead.
    """

    workers: int = 1
    ray_address: str | None = None

    def run(self, places: Places, jobs: list[Job]) -> Iterator[Rows]:
        """Build jobs, in order."""
        if self.ray_address is not None:
            return run_ray(places, jobs, self.ray_address)
        return run_local(places, jobs, self.workers)


def build(
    snapshot_path: Path,
    out: Path,
    settings: Settings,
    sources: Sources,
    *,
    tokenizers: tuple[tuple[str, str], ...] = (),
    engine: Engine | None = None,
) -> dict[str, Any]:
    """Build a dataset folder, or go on with one that was stopped.

    Args:
        snapshot_path: What ``graphniah ingest`` wrote.
        out: The folder to write.
        settings: What to build.
        sources: Where distracting text comes from.
        tokenizers: Name and place of each further tokenizer to count with.
        engine: Who builds.

    Returns:
        The manifest.

    Raises:
        UserError: The settings cannot be met, ``out`` holds something else, or the oracle disagrees.
    """
    engine = engine or Engine()
    snapshot = Snapshot.open(snapshot_path)
    work = out / "work"
    asked = _asked(snapshot, settings, tokenizers)
    for _, place in tokenizers:
        named_counter(place)
    if (out / MANIFEST).exists():
        return _complete(out, asked)
    _refuse_other(out, work, asked)
    pools = prepare(snapshot, settings, sources, work, engine.workers)
    asked["pools"] = {kind: pool["sha256"] for kind, pool in pools.items()}
    _refuse_other(out, work, asked)
    write_json(work / _BEGUN, asked)
    plan = make_plan(settings, cutoff_date(snapshot), snapshot.id, asked["pools"])
    places = Places(str(snapshot_path), str(work), settings, tokenizers)
    _build_rest(plan, places, engine, work)
    manifest = {**asked, "release": snapshot.manifest.get("release"), "cutoff": cutoff_date(snapshot), "pools": pools}
    manifest = finish(out, work, plan, settings, manifest)
    write_json(out / MANIFEST, manifest)
    shutil.rmtree(work)
    return manifest


def _build_rest(plan: Plan, places: Places, engine: Engine, work: Path) -> None:
    if not (work / "built").exists():
        with Journal(work, len(plan.jobs)) as journal:
            if journal.done > len(plan.jobs):
                raise UserError(f"{work} holds more examples than planned: it is damaged. Give an empty --out.")
            rest = plan.jobs[journal.done :]
            with tqdm(
                total=len(plan.jobs), initial=journal.done, desc="Building", unit=" examples", disable=None
            ) as bar:
                for rows in engine.run(places, rest):
                    journal.append(rows)
                    bar.update()
        (work / "built").touch()


def _asked(snapshot: Snapshot, settings: Settings, tokenizers: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    return {
        "format": 1,
        "generator_version": GENERATOR_VERSION,
        "tokenizer": TOKENIZER,
        "settings": msgspec.json.decode(msgspec.json.encode(settings.record())),
        "snapshot": snapshot.id,
        "tokenizers": dict(tokenizers),
    }


def _complete(out: Path, asked: dict[str, Any]) -> dict[str, Any]:
    manifest: dict[str, Any] = msgspec.json.decode((out / MANIFEST).read_bytes())
    if differing := _differing(manifest, asked):
        raise UserError(f"{out} is complete, but was built with other {differing}. Give another --out.")
    if (out / "work").exists():  # stopped while tidying up
        shutil.rmtree(out / "work")
    return manifest


def _refuse_other(out: Path, work: Path, asked: dict[str, Any]) -> None:
    begun = work / _BEGUN
    if begun.exists():
        found = msgspec.json.decode(begun.read_bytes(), type=dict[str, Any])
        if differing := _differing(found, asked):
            raise UserError(
                f"{out} was begun with other {differing}. Give the same command to go on with it, or another --out."
            )
    elif out.is_dir() and any(path.name != "work" for path in out.iterdir()):
        raise UserError(f"{out} holds other files. Give an empty or new folder with --out.")


def _differing(found: dict[str, Any], asked: dict[str, Any]) -> str:
    """What differs, by name; settings one by one."""
    names = []
    for name, wanted in asked.items():
        there = found.get(name)
        if name == "settings" and isinstance(there, dict):
            names += [key for key in wanted if there.get(key) != wanted[key]]
        elif there != wanted and name in found:
            names.append({"snapshot": "citation data", "pools": "distractor text"}.get(name, name))
    return ", ".join(names)
