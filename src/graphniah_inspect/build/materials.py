"""What examples are made from, prepared once a build and opened by every worker.

A worker opens snapshot, pools and word counts by memory map from their folders; nothing large is sent to it.
"""

from dataclasses import dataclass
from pathlib import Path

from graphniah_inspect.build.graph import CitationGraph
from graphniah_inspect.build.length import Count, named_counter, token_counter
from graphniah_inspect.build.settings import Settings
from graphniah_inspect.build.similarity import TitleWords
from graphniah_inspect.build.text_pool import TextPool
from graphniah_inspect.citations.text import SYSTEM_PROMPT
from graphniah_inspect.snapshots.snapshot import Snapshot

WORDS = "title-words.json"


@dataclass(frozen=True)
class Places:
    """Where the materials are, small enough to send anywhere.

    Attributes:
        snapshot: Folder of the snapshot.
        work: Folder of word counts and pools (``pool-<type>``).
        settings: The build's settings.
        tokenizers: Name and place of each further tokenizer to count with.
    """

    snapshot: str
    work: str
    settings: Settings
    tokenizers: tuple[tuple[str, str], ...] = ()


class Materials:
    """The opened materials.

    Attributes:
        settings: The build's settings.
        graph: The snapshot's citation graph.
        words: Weights of title words.
        pools: The text pools, by type.
        count: The ``o200k_base`` token counter.
        counters: Further token counters, by name.
        system_tokens: Tokens of the system prompt.
        cutoff: The snapshot's cutoff date.
    """

    def __init__(self, places: Places) -> None:
        work = Path(places.work)
        self.settings = places.settings
        self.snapshot = Snapshot.open(places.snapshot)
        self.graph = CitationGraph(self.snapshot)
        self.words = TitleWords.load(work / WORDS)
        self.pools = {kind: TextPool(pool_folder(work, kind)) for kind in places.settings.text_types}
        self.count: Count = token_counter()
        self.counters = {name: named_counter(where) for name, where in places.tokenizers}
        self.system_tokens = self.count(SYSTEM_PROMPT)
        self.cutoff = cutoff_date(self.snapshot)


def pool_folder(work: Path, kind: str) -> Path:
    """Where the pool of a type is kept during a build."""
    return work / f"pool-{kind}"


def cutoff_date(snapshot: Snapshot) -> str:
    """The date from which on papers are recent."""
    return str(snapshot.manifest["options"]["cutoff"])
