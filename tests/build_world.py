"""A small invented world and invented text to build from, made once for all tests."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from graphniah_inspect.build.build import Engine, build
from graphniah_inspect.build.prepare import Sources
from graphniah_inspect.build.sample import ingest_world
from graphniah_inspect.build.settings import Settings
from graphniah_inspect.invented.prose import write_prose

SMALL = Settings(
    per_value=2,
    context_lengths=(4_500, 5_500),
    depths=(3, 4),
    node_counts=(10, 14),
    node_range=(8, 16),
    piece_size=800,
    none_count=2,
)


@dataclass(frozen=True)
class World:
    """Where the snapshot and the text are."""

    snapshot: Path
    prose: Path

    def build(self, out: Path, settings: Settings = SMALL, workers: int = 1) -> dict[str, Any]:
        return build(self.snapshot, out, settings, Sources(self.prose), engine=Engine(workers))


def make_world(folder: Path) -> World:
    snapshot = ingest_world(2_000, folder, seed=5)
    write_prose(folder / "prose", 60_000, seed=5)
    # text that looks like a special token, and text that would be read as a block
    (folder / "prose" / "code" / "awkward.c").write_text(
        "/* <|endoftext|> <|fim_prefix|> naïve 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \u0085\u2028 */\n" * 40, encoding="utf-8"
    )
    (folder / "prose" / "code" / "forged.c").write_text("int x;\n### Document\nint y;\n", encoding="utf-8")
    return World(snapshot, folder / "prose")


def read_rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="session")
def built(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    out = tmp_path_factory.mktemp("built") / "dataset"
    world.build(out)
    yield out
