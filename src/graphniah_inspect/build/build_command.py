"""``graphniah build``: a snapshot and distracting text to new examples."""

import argparse
from pathlib import Path
from typing import Any

from graphniah_inspect.build.build_options import add_options
from graphniah_inspect.build.distractors import TEXT_TYPES, HubSource
from graphniah_inspect.build.settings import EXPERIMENTS, Settings
from graphniah_inspect.errors import UserError


def add_build_parser(subparsers: Any) -> None:
    """Add ``build`` to the ``graphniah`` command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "build",
        help="a snapshot to new examples",
        description="Build examples from a snapshot made by `graphniah ingest`. A build that was stopped goes on "
        "when the same command is given again. The number of workers and the engine never change a byte.",
    )
    parser.add_argument("snapshot", type=Path, metavar="SNAPSHOT", help="folder that `graphniah ingest` wrote")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write")
    add_options(parser)
    parser.set_defaults(run=run_build)


def run_build(arguments: argparse.Namespace) -> int:
    """Build and say where it is."""
    from graphniah_inspect.build.build import Engine, build
    from graphniah_inspect.build.prepare import Sources

    if arguments.workers < 1:
        raise UserError(f"--workers {arguments.workers}: expected at least 1.")
    sources = Sources(arguments.distractors, dict(_hub_source(x, arguments.hub_characters) for x in arguments.hub))
    engine = Engine(arguments.workers, arguments.ray_address if arguments.engine == "ray" else None)
    manifest = build(
        arguments.snapshot,
        arguments.out,
        _settings(arguments),
        sources,
        tokenizers=tuple(_pair(x, "--tokenizer NAME=ID-OR-FILE") for x in arguments.tokenizer),
        engine=engine,
    )
    counts = manifest["counts"]
    print(f"{counts['rows']:,} examples, {counts['list_entries']:,} list entries in {arguments.out}")
    print(f"inspect eval graphniah_inspect/graphniah -T dataset={arguments.out}")
    return 0


def _settings(arguments: argparse.Namespace) -> Settings:
    lengths = arguments.context_lengths
    return Settings(
        experiments=_experiments(arguments.experiments, lengths),
        per_value=arguments.per_value,
        context_lengths=lengths,
        depths=arguments.depths,
        node_counts=arguments.node_counts,
        node_range=arguments.node_range,
        distractor_types=arguments.distractor_types,
        components=arguments.components,
        alpha=arguments.alpha,
        any_date_growth=arguments.growth_dates == "any",
        equal_sizes=arguments.equal_sizes,
        balance=arguments.balance,
        seed_hops=arguments.seed_hops,
        allow_repeats=arguments.allow_repeats,
        piece_size=arguments.piece_size,
        none_count=arguments.none_count,
        none_lists=arguments.none_lists,
        seed=arguments.seed,
    )


def _experiments(names: tuple[str, ...], lengths: tuple[int, ...]) -> tuple[str, ...]:
    """The asked experiments in the order of the card; ``all`` leaves out ``context_length`` where only one is given."""
    if names == ("all",):
        return tuple(name for name in EXPERIMENTS if name != "context_length" or len(lengths) > 1)
    spelled = {name.replace("_", "-"): name for name in EXPERIMENTS}
    asked = [spelled.get(name.replace("_", "-"), name) for name in names]
    known = tuple(name for name in EXPERIMENTS if name in asked)
    return known + tuple(name for name in asked if name not in EXPERIMENTS)


def _hub_source(text: str, characters: int) -> tuple[str, HubSource]:
    kind, place = _pair(text, "--hub TYPE=ID@REVISION")
    if kind not in TEXT_TYPES:
        raise UserError(f"--hub {text}: unknown type {kind!r}. Known: {', '.join(TEXT_TYPES)}.")
    name, _, revision = place.partition("@")
    return kind, HubSource(name, revision or "main", characters)


def _pair(text: str, shape: str) -> tuple[str, str]:
    name, equals, place = text.partition("=")
    if not (name and equals and place):
        raise UserError(f"{text!r}: expected {shape}.")
    return name, place
