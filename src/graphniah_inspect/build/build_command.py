"""``graphniah build``: a snapshot and distracting text to new examples."""

import argparse
import os
from pathlib import Path
from typing import Any

from graphniah_inspect.build.distractors import HUB_SOURCES, TEXT_TYPES, HubSource
from graphniah_inspect.build.settings import EXPERIMENTS, Settings
from graphniah_inspect.errors import UserError

_DEFAULT = Settings()


def add_build_parser(subparsers: Any) -> None:
    """Add ``build`` to the ``graphniah`` command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "build",
        help="a snapshot to new examples",
        description="Build examples from a snapshot made by `graphniah ingest`. A build that was stopped goes on "
        "when the same command is given again. The number of workers and the engine never change a byte.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("snapshot", type=Path, metavar="SNAPSHOT", help="folder that `graphniah ingest` wrote")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write")
    text = parser.add_argument_group("distracting text")
    text.add_argument(
        "--distractors",
        type=Path,
        metavar="DIR",
        help="a folder of files for each type of text: " + ", ".join(TEXT_TYPES),
    )
    text.add_argument(
        "--hub",
        action="append",
        default=[],
        metavar="TYPE=ID[@REVISION]",
        help="read a type from a data set on the hub instead, e.g. "
        + ", ".join(f"{kind}={name}@main" for kind, name in HUB_SOURCES.items()),
    )
    text.add_argument(
        "--hub-characters",
        type=_tokens,
        default=50_000_000,
        metavar="N",
        help="how much to take from each hub data set",
    )
    text.add_argument("--distractor-types", type=_names, default=_DEFAULT.distractor_types, metavar="TYPES")
    text.add_argument(
        "--piece-size", type=_tokens, default=_DEFAULT.piece_size, metavar="N", help="characters of a piece"
    )
    text.add_argument(
        "--allow-repeats", action="store_true", help="a text may come twice in a prompt if the pool is small"
    )
    what = parser.add_argument_group("what to build")
    what.add_argument(
        "--experiments",
        type=_names,
        default=("all",),
        metavar="NAMES",
        help="all, or some of " + ", ".join(EXPERIMENTS),
    )
    what.add_argument(
        "--per-value", type=int, default=_DEFAULT.per_value, metavar="N", help="entries for each varied value"
    )
    what.add_argument("--context-lengths", type=_lengths, default=_DEFAULT.context_lengths, metavar="N,...")
    what.add_argument("--depths", type=_lengths, default=_DEFAULT.depths, metavar="N,...")
    what.add_argument("--node-counts", type=_lengths, default=_DEFAULT.node_counts, metavar="N,...")
    what.add_argument("--node-range", type=_range, default=_DEFAULT.node_range, metavar="N-N")
    what.add_argument("--none-count", type=int, default=_DEFAULT.none_count, metavar="N", help="None variants")
    what.add_argument(
        "--none-lists",
        type=_names,
        default=_DEFAULT.none_lists,
        metavar="NAMES",
        help="their lists: question-format/none-option/NAME",
    )
    what.add_argument("--seed", type=int, default=_DEFAULT.seed)
    how = parser.add_argument_group("how")
    how.add_argument(
        "--components", type=int, default=_DEFAULT.components, metavar="N", help="components of an example"
    )
    how.add_argument("--alpha", type=float, default=_DEFAULT.alpha, help="of preferential attachment")
    how.add_argument(
        "--growth-dates",
        choices=("cutoff", "any"),
        default="cutoff",
        help="growth takes papers from the cutoff on, or of any date",
    )
    how.add_argument("--equal-sizes", action="store_true", help="all components have the size of s's")
    how.add_argument(
        "--balance",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="let topic, years and authors tell nothing",
    )
    how.add_argument(
        "--seed-hops",
        type=int,
        default=_DEFAULT.seed_hops,
        metavar="N",
        help="backbones start this near one paper; 0: anywhere",
    )
    how.add_argument(
        "--tokenizer",
        action="append",
        default=[],
        metavar="NAME=ID-OR-FILE",
        help="count with a Hugging Face tokenizer too, under this name",
    )
    who = parser.add_argument_group("who builds")
    who.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N")
    who.add_argument("--engine", choices=("local", "ray"), default="local")
    who.add_argument("--ray-address", default="auto", metavar="ADDRESS", help="auto, local, or host:port")
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


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _tokens(text: str) -> int:
    """An integer, with ``k`` for thousands and underscores allowed."""
    thousands = text.lower().endswith("k")
    try:
        number = int(text[:-1] if thousands else text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no number; write 200000 or 200k") from error
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a positive number")
    return number * 1000 if thousands else number


def _lengths(text: str) -> tuple[int, ...]:
    return tuple(_tokens(part) for part in _names(text))


def _range(text: str) -> tuple[int, int]:
    low, dash, high = text.partition("-")
    return _tokens(low), _tokens(high if dash else low)
