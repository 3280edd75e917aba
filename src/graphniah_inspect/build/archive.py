"""The finished folder: rows, the raw layout of the published archive, the dataset card."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from tqdm import tqdm

from graphniah_inspect.build.card import dataset_card
from graphniah_inspect.build.journal import EXAMPLES, POOL
from graphniah_inspect.build.plan import ExperimentList, Plan
from graphniah_inspect.build.settings import Settings
from graphniah_inspect.written import write_json, written

RAW = "output/experiments.v1"
_CHUNK = 8 << 20


def finish(out: Path, work: Path, plan: Plan, settings: Settings, manifest: dict[str, Any]) -> dict[str, Any]:
    """Move the rows into place and write everything around them.

    Args:
        out: The dataset folder.
        work: Where the rows were built.
        plan: What was built.
        settings: How.
        manifest: What is known so far.

    Returns:
        The manifest, with counts and files.
    """
    for name, place in ((EXAMPLES, out / EXAMPLES), (POOL, out / RAW / POOL)):
        place.parent.mkdir(parents=True, exist_ok=True)
        if (work / name).exists():
            (work / name).replace(place)
    for experiment in plan.lists:
        _write_list(out, experiment, settings, manifest)
    manifest = {**manifest, "counts": counts(plan)}
    card = dataset_card(plan, settings, manifest)
    with written(out / "README.md") as file:
        file.write(card.encode())
    files = sorted(path for path in out.rglob("*") if path.is_file() and work not in path.parents)
    return {**manifest, "files": {path.relative_to(out).as_posix(): _described(path) for path in files}}


def counts(plan: Plan) -> dict[str, Any]:
    """How many rows there are, of which kinds, and how long each list is."""
    formats: dict[str, dict[str, int]] = {}
    distractors: dict[str, int] = {}
    for job in plan.jobs:
        labels = formats.setdefault(job.variables.question_format, {})
        label = job.variables.answer_condition or "counted"
        labels[label] = labels.get(label, 0) + 1
        distractors[job.variables.distractor_type] = distractors.get(job.variables.distractor_type, 0) + job.rows
    return {
        "rows": plan.rows,
        "list_entries": sum(len(experiment.qids) for experiment in plan.lists),
        "none_rows": sum(job.rows - 1 for job in plan.jobs),
        "labels": {kind: dict(sorted(labels.items())) for kind, labels in sorted(formats.items())},
        "distractor_types": dict(sorted(distractors.items())),
    }


def _write_list(out: Path, experiment: ExperimentList, settings: Settings, manifest: dict[str, Any]) -> None:
    path = out / experiment.path
    path.parent.mkdir(parents=True, exist_ok=True)
    with written(path) as file:
        for slot, qid in enumerate(experiment.qids):
            row: dict[str, Any] = {"slot": slot, "qid": qid}
            if experiment.values:
                row["value"] = experiment.values[slot]
            file.write(msgspec.json.encode(row) + b"\n")
    write_json(
        path.with_name(f"{path.name}.settings.json"),
        {
            "name": experiment.name,
            "context_length": experiment.context_length,
            "random_seed": settings.seed,
            "slots": len(experiment.qids),
            "values": list(dict.fromkeys(experiment.values)),
            "settings": settings.record(),
            "snapshot": manifest["snapshot"],
            "generator_version": manifest["generator_version"],
        },
    )


def _described(path: Path) -> dict[str, Any]:
    digest, size = sha256(), path.stat().st_size
    with (
        path.open("rb") as file,
        tqdm(
            total=size,
            desc=f"Checksum of {path.name}",
            unit="B",
            unit_scale=True,
            disable=None if size > 1 << 30 else True,
        ) as bar,
    ):
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            bar.update(len(chunk))
    return {"bytes": size, "sha256": digest.hexdigest()}
