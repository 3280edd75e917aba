"""Same settings, same bytes: whatever is killed, however many build, on any engine; and nothing written is lost."""

import hashlib
import random
import resource
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from graphniah_inspect.build import engine as engines
from graphniah_inspect.build import example as examples
from graphniah_inspect.build import question
from graphniah_inspect.build.build import Engine, build
from graphniah_inspect.build.journal import Journal
from graphniah_inspect.build.prepare import Sources
from graphniah_inspect.errors import UserError
from tests.build_world import SMALL, World, built, world

__all__ = ["built", "world"]

FLAGS = [
    "--per-value",
    "2",
    "--context-lengths",
    "4500,5500",
    "--depths",
    "3,4",
    "--node-counts",
    "10,14",
    "--node-range",
    "8-16",
    "--piece-size",
    "800",
    "--none-count",
    "2",
    "--workers",
    "1",
]


def digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def command(world: World, out: Path) -> list[str]:
    arguments = ["build", str(world.snapshot), "--distractors", str(world.prose), "--out", str(out), *FLAGS]
    return [sys.executable, "-c", "from graphniah_inspect.cli import entry; entry()", *arguments]


def test_killed_at_random_moments_and_resumed(world: World, built: Path, tmp_path: Path) -> None:
    out, moments = tmp_path / "out", random.Random(7)
    kills = 0
    for _ in range(60):
        process = subprocess.Popen(command(world, out), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        begun = out / "work" / "journal.jsonl"
        while process.poll() is None and not begun.exists():
            time.sleep(0.01)
        try:
            assert process.wait(moments.uniform(0.01, 0.25) if kills < 4 else 120) == 0
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
    assert kills >= 2
    assert digests(out) == digests(built)


def test_interrupted_by_the_user(world: World, built: Path, tmp_path: Path) -> None:
    for attempt in range(5):
        out = tmp_path / f"out{attempt}"
        process = subprocess.Popen(command(world, out), stderr=subprocess.PIPE, text=True)
        begun = out / "work" / "examples.jsonl"
        while process.poll() is None and not (begun.exists() and begun.stat().st_size):
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        if process.returncode != 0:  # else a busy machine let it finish before the signal was sent
            break
    assert process.returncode == 130
    assert "Traceback" not in said
    world.build(out)
    assert digests(out) == digests(built)


def test_half_written_rows_are_cut_off(world: World, built: Path, tmp_path: Path) -> None:
    jobs = 5
    with Journal(tmp_path, jobs) as journal:
        for number in range(3):
            journal.append([(b"example %d\n" % number, b"pool %d\n" % number)])
    with (tmp_path / "examples.jsonl").open("ab") as file:
        file.write(b"half an exam")
    with (tmp_path / "pool.jsonl").open("r+b") as file:
        file.truncate(len(b"pool 0\npool 1\npo"))
    with Journal(tmp_path, jobs) as journal:
        assert journal.done == 2
        journal.append([(b"example 2\n", b"pool 2\n")])
    assert (tmp_path / "examples.jsonl").read_bytes() == b"example 0\nexample 1\nexample 2\n"
    assert (tmp_path / "pool.jsonl").read_bytes() == b"pool 0\npool 1\npool 2\n"
    assert len((tmp_path / "journal.jsonl").read_bytes().splitlines()) == 3


def test_a_full_disk_loses_nothing(world: World, built: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    small = 200_000

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (small, resource.RLIM_INFINITY))

    stopped = subprocess.run(command(world, out), preexec_fn=limit, capture_output=True, text=True, check=False)
    assert stopped.returncode == 2, stopped.stderr
    assert "They are safe" in stopped.stderr
    assert (out / "work" / "examples.jsonl").stat().st_size > 100_000
    world.build(out)
    assert digests(out) == digests(built)


def test_two_workers_write_the_same(world: World, built: Path, tmp_path: Path) -> None:
    world.build(tmp_path / "out", workers=2)
    assert digests(tmp_path / "out") == digests(built)


def test_a_worker_that_dies_is_replaced(
    world: World, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[int] = []
    append = Journal.append

    def append_and_kill(journal: Journal, rows: list[tuple[bytes, bytes]]) -> None:
        append(journal, rows)
        if not killed:
            victim = psutil.Process().children()[-1]
            killed.append(victim.pid)
            victim.kill()

    monkeypatch.setattr(Journal, "append", append_and_kill)
    world.build(tmp_path / "out", workers=2)
    assert killed
    assert digests(tmp_path / "out") == digests(built)


def test_ray_writes_the_same_though_a_worker_is_killed(
    world: World, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = pytest.importorskip("ray")
    ray.init(address="local", num_cpus=2, log_to_driver=False, include_dashboard=False)
    killed: list[int] = []
    append = Journal.append

    def append_and_kill(journal: Journal, rows: list[tuple[bytes, bytes]]) -> None:
        append(journal, rows)
        if not killed:
            ours = psutil.Process().children(recursive=True)
            victim = next(process for process in ours if process.name().startswith(("ray::_build", "ray::IDLE")))
            killed.append(victim.pid)
            victim.kill()

    monkeypatch.setattr(Journal, "append", append_and_kill)
    try:
        build(world.snapshot, tmp_path / "out", SMALL, Sources(world.prose), engine=Engine(ray_address="local"))
    finally:
        ray.shutdown()
    assert killed
    assert digests(tmp_path / "out") == digests(built)


def test_other_settings_are_refused(world: World, built: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="other alpha, seed"):
        world.build(built, replace(SMALL, seed=3, alpha=0.2))
    before = digests(built)
    assert world.build(built)["counts"]["rows"] > 0
    assert digests(built) == before
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="holds other files"):
        world.build(tmp_path)


def test_what_cannot_work_is_refused_before_building(world: World, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(
        UserError, match=r"too short for 4 components of up to 250 papers.*What fits.*at most \d+ papers"
    ):
        world.build(out, replace(SMALL, node_range=(100, 250)))
    with pytest.raises(UserError, match=r"The pool of code has [\d,]+ tokens.*are missing"):
        world.build(out, replace(SMALL, context_lengths=(4_500, 40_000), distractor_types=("code",)))
    with pytest.raises(UserError, match="No text for the distractor type code"):
        build(world.snapshot, out, SMALL, Sources(tmp_path))
    with pytest.raises(UserError, match=r"papers that may be used.*are missing"):
        world.build(out, replace(SMALL, context_lengths=(4_500, 400_000), distractor_types=("disjoint-tree",)))
    assert not (out / "examples.jsonl").exists()


def test_repeats_are_permitted_on_demand(world: World, tmp_path: Path) -> None:
    settings = replace(
        SMALL,
        context_lengths=(30_000,),
        experiments=("reasoning_effort",),
        distractor_types=("code",),
        allow_repeats=True,
    )
    manifest = world.build(tmp_path / "out", settings)
    assert manifest["settings"]["allow_repeats"] is True


def test_a_wrong_label_stops_the_build(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = question.ask

    def lie(*arguments: object) -> object:
        asked, answer, target = ask(*arguments)  # type: ignore[arg-type]
        return asked, {"YES": "NO", "NO": "YES"}.get(answer, answer), target

    engines.opened.cache_clear()
    monkeypatch.setattr(examples, "ask", lie)
    with pytest.raises(UserError, match=r'The oracle disagrees.*"question_depth":'):
        world.build(tmp_path / "out")
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_the_bundled_sample_is_reproduced(tmp_path: Path) -> None:
    from importlib.resources import files

    from graphniah_inspect.build.sample import write_sample

    bundled = files("graphniah_inspect").joinpath("graphniah/sample.jsonl").read_bytes()
    assert len(bundled) <= 2_000_000
    assert write_sample(tmp_path).read_bytes() == bundled, (
        "the builder or its wording has changed: run python -m graphniah_inspect.build.sample"
    )
