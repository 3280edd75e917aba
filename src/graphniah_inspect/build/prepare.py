"""Before anything is built: word counts and pools are made, and what cannot work is refused with what would."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from graphniah_inspect.build.blocks import component_blocks, count_blocks
from graphniah_inspect.build.distractors import (
    TEXT_TYPES,
    Document,
    HubSource,
    folder_files,
    read_folder,
    read_hub,
)
from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.graph import CitationGraph, Taken
from graphniah_inspect.build.length import token_counter
from graphniah_inspect.build.materials import WORDS, pool_folder
from graphniah_inspect.build.plan import Variables, length_name
from graphniah_inspect.build.settings import FORMATS, Settings
from graphniah_inspect.build.similarity import TitleWords
from graphniah_inspect.build.subgraph import draw_subgraph
from graphniah_inspect.build.text_pool import TextPool, write_pool
from graphniah_inspect.errors import UserError
from graphniah_inspect.snapshots.snapshot import Snapshot
from graphniah_inspect.written import write_json

_TRIALS = 4
_FRAME_TOKENS = 700
"""System prompt, question and answer format, generously."""
_SPREAD = 1.1
"""How far the tokens of an example's components may exceed those of the trials."""

_ROOM = 2
"""Papers to choose from for each that a context takes, or walks get stuck among the taken ones."""


@dataclass(frozen=True)
class Sources:
    """Where distracting text comes from.

    Attributes:
        folder: Holds a folder for each type of text.
        hub: Types read from the hub instead.
    """

    folder: Path | None = None
    hub: Mapping[str, HubSource] = field(default_factory=dict)


def prepare(snapshot: Snapshot, settings: Settings, sources: Sources, work: Path, threads: int = 1) -> dict[str, Any]:
    """Make word counts and pools in ``work``, those that are there and still fit aside.

    Returns:
        The manifest of each pool, by type.

    Raises:
        UserError: A source is missing, a length cannot hold the components asked for, a pool or the snapshot cannot
            fill the longest context.
    """
    for kind in settings.text_types:
        _refuse_missing(kind, sources)
    words = TitleWords.count(snapshot)
    tokens_a_paper = _tokens_a_paper(snapshot, settings, words)
    _refuse_short(settings, tokens_a_paper)
    if "disjoint-tree" in settings.distractor_types:
        _refuse_small_graph(snapshot, settings, tokens_a_paper)
    work.mkdir(parents=True, exist_ok=True)
    words.save(work / WORDS)
    pools = {kind: _pool(kind, settings, sources, work, threads) for kind in settings.text_types}
    for kind, pool in pools.items():
        _refuse_small_pool(kind, pool["tokens"], settings)
    return pools


def _refuse_missing(kind: str, sources: Sources) -> None:
    if kind in sources.hub:
        return
    folder = sources.folder / kind if sources.folder else None
    if folder is None or not folder.is_dir() or not folder_files(folder):
        there = [t for t in TEXT_TYPES if sources.folder and (sources.folder / t).is_dir()]
        raise UserError(
            f"No text for the distractor type {kind}: expected files in {folder or f'DIR/{kind}'}. Add them, read a "
            f"hub data set with --hub {kind}=ID@REVISION, or choose from what is there with --distractor-types "
            f"{','.join([*there, 'disjoint-tree'])}."
        )


def _tokens_a_paper(snapshot: Snapshot, settings: Settings, words: TitleWords) -> float:
    """Tokens that a paper of a component costs, by drawing some components without writing them."""
    graph, count = CitationGraph(snapshot), token_counter()
    depth = min(settings.depths)
    size = settings.sizes(depth)[1]
    trial = replace(settings, balance=False)
    papers = tokens = 0
    for number in range(_TRIALS):
        draws = Draws(settings.seed, number)
        taken = Taken(graph, lambda key: False)
        variables = Variables(FORMATS[2], depth, size, "disjoint-tree", settings.base_length, None)
        for component in draw_subgraph(graph, words, trial, variables, taken, draws).components:
            papers += len(component.papers)
            tokens += count_blocks(component_blocks(graph, component.citations), count)
    return tokens / papers


def _refuse_short(settings: Settings, tokens_a_paper: float) -> None:
    shortest = min(settings.context_lengths)
    a_paper = settings.components * tokens_a_paper * _SPREAD
    fits = int((shortest - _FRAME_TOKENS) / a_paper)
    if fits < settings.largest:
        needed = int(settings.largest * a_paper) + _FRAME_TOKENS
        raise UserError(
            f"--context-lengths {length_name(shortest)} is too short for {settings.components} components of up to "
            f"{settings.largest} papers: a paper takes {tokens_a_paper:.0f} tokens here, so they may need {needed:,}. "
            f"What fits: components of at most {max(fits, 0)} papers (--node-range, --node-counts), or a length of at "
            f"least {needed:,}."
        )


def _refuse_small_graph(snapshot: Snapshot, settings: Settings, tokens_a_paper: float) -> None:
    longest = max(settings.context_lengths)
    needed, recent = int(_ROOM * longest / tokens_a_paper), int(snapshot.recent.sum())
    there = snapshot.n if settings.any_date_growth else recent
    if needed > there:
        raise UserError(
            f"{snapshot.path} holds {there:,} papers that may be used, and a disjoint-tree context of "
            f"{length_name(longest)} needs about {needed:,} to choose "
            f"from: {needed - there:,} are missing. Use a larger snapshot, "
            "shorter --context-lengths, or --distractor-types without disjoint-tree."
        )


def _refuse_small_pool(kind: str, tokens: int, settings: Settings) -> None:
    longest = max(settings.context_lengths)
    if tokens == 0:
        raise UserError(f"The pool of {kind} is empty: its files hold no text that can be used.")
    if tokens < longest and not settings.allow_repeats:
        raise UserError(
            f"The pool of {kind} has {tokens:,} tokens, and a context of {length_name(longest)} may need {longest:,}: "
            f"{longest - tokens:,} are missing. Add text, use shorter --context-lengths, leave the type out with "
            "--distractor-types, or permit text to come twice in a prompt with --allow-repeats."
        )


def _pool(kind: str, settings: Settings, sources: Sources, work: Path, threads: int) -> dict[str, Any]:
    """The manifest of a type's pool, which is made unless one of the same sources is there."""
    folder = pool_folder(work, kind)
    hub = sources.hub.get(kind)
    inputs = _inputs(sources, kind, settings)
    made, manifest = folder / "inputs.json", folder / "manifest.json"
    if not (manifest.exists() and made.exists() and msgspec.json.decode(made.read_bytes()) == inputs):
        manifest.unlink(missing_ok=True)
        left_out: Counter[str] = Counter()
        documents: Iterable[Document]
        if hub:
            documents = read_hub(hub)
        else:
            assert sources.folder is not None  # refused before
            documents = read_folder(sources.folder / kind, left_out)
        write_pool(folder, documents, settings.piece_size, left_out, threads)
        write_json(made, inputs)
        pool = TextPool(folder)
        print(f"{kind}: {pool.n:,} pieces, {pool.total:,} tokens", file=sys.stderr)
        for reason, number in left_out.items():
            print(f"  left out: {number:,} {reason}", file=sys.stderr)
    found: dict[str, Any] = msgspec.json.decode(manifest.read_bytes())
    return found


def _inputs(sources: Sources, kind: str, settings: Settings) -> list[Any]:
    """What a pool is made from, as far as one can see without reading it."""
    if hub := sources.hub.get(kind):
        return [settings.piece_size, hub.dataset, hub.revision, hub.characters]
    assert sources.folder is not None  # refused before
    folder = sources.folder / kind
    files = [[str(p.relative_to(folder)), p.stat().st_size, p.stat().st_mtime_ns] for p in folder_files(folder)]
    return [settings.piece_size, *files]
