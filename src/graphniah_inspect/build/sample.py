"""The bundled sample: one build of a small invented world, with invented text around it.

Nothing in it is real. It has every experiment, format, label and distractor type of the benchmark at lengths that
cost nothing: ``python -m graphniah_inspect.build.sample`` writes ``graphniah/sample.jsonl`` again, byte for byte.
"""

import datetime as dt
import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

import msgspec

from graphniah_inspect.build.build import Engine, build
from graphniah_inspect.build.prepare import Sources
from graphniah_inspect.build.settings import Settings
from graphniah_inspect.invented.prose import write_prose
from graphniah_inspect.invented.synthetic import World
from graphniah_inspect.snapshots.ingest import ingest
from graphniah_inspect.snapshots.paper_rules import Rules

PAPERS = 4_000
CUTOFF = dt.date(2026, 4, 1)
PROSE_CHARACTERS = 120_000
SETTINGS = Settings(
    per_value=5,
    context_lengths=(6_000, 7_500),
    depths=(4, 8),
    node_counts=(12, 16, 20),
    node_range=(12, 24),
    piece_size=1_200,
    none_count=5,
    none_lists=("sample-a", "sample-b"),
)


def write_sample(folder: Path) -> Path:
    """Build the sample's dataset folder.

    Args:
        folder: Where to work; the dataset is in ``dataset`` inside it.

    Returns:
        The file of examples.
    """
    ingest_world(PAPERS, folder, SETTINGS.seed)
    write_prose(folder / "prose", PROSE_CHARACTERS, SETTINGS.seed)
    build(folder / "world", folder / "dataset", SETTINGS, Sources(folder / "prose"), engine=Engine(workers=1))
    return folder / "dataset" / "examples.jsonl"


def ingest_world(papers_count: int, folder: Path, seed: int) -> Path:
    """Ingest an invented world whose papers have a first author only and no venue, to keep references short.

    Returns:
        The snapshot, ``world`` in ``folder``.
    """
    world = World(papers_count, seed, CUTOFF)
    papers, citations = folder / "papers.jsonl", folder / "citations.jsonl"
    with papers.open("wb") as file:
        for block in world.papers():
            for paper in block:
                paper.authors, paper.journal, paper.externalids = (paper.authors or [])[:1], None, None
                file.write(msgspec.json.encode(paper) + b"\n")
    with citations.open("wb") as file:
        for lines in world.citation_lines():
            file.writelines(msgspec.json.encode(line) + b"\n" for line in lines)
    ingest([papers], [citations], folder / "world", Rules(CUTOFF))
    return folder / "world"


def main() -> int:
    """Write the bundled file, or the one whose path is given."""
    bundled = Path(str(files("graphniah_inspect"))) / "graphniah" / "sample.jsonl"
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else bundled
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(write_sample(Path(folder)), target)
    print(f"{target}: {target.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
