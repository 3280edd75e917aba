"""The options of ``graphniah build``, a group for each question: which text, what, how, and who builds.

A default is given as one would type it, so that the help shows just that.
"""

import argparse
import os
from pathlib import Path
from typing import Any

from graphniah_inspect.build.distractors import HUB_SOURCES, TEXT_TYPES
from graphniah_inspect.build.settings import EXPERIMENTS, Settings
from graphniah_inspect.notation import typed, whole_number

_DEFAULT = Settings()


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add everything that has a default."""
    _add_text(parser.add_argument_group("distracting text"))
    _add_what(parser.add_argument_group("what to build"))
    _add_how(parser.add_argument_group("how"))
    who = parser.add_argument_group("who builds")
    who.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (default: all cores)"
    )
    who.add_argument(
        "--engine", choices=("local", "ray"), default="local", help="this machine, or a Ray cluster (default: local)"
    )
    who.add_argument(
        "--ray-address", default="auto", metavar="ADDRESS", help="auto, local, or host:port (default: auto)"
    )


def _add_text(text: argparse._ArgumentGroup) -> None:
    text.add_argument(
        "--distractors",
        type=Path,
        metavar="DIR",
        help="a folder with a folder of files for each type of text: " + ", ".join(TEXT_TYPES),
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
        type=whole_number,
        default="50m",
        metavar="N",
        help="how much to take from each hub data set (default: %(default)s)",
    )
    text.add_argument(
        "--distractor-types",
        type=_names,
        default=",".join(_DEFAULT.distractor_types),
        metavar="TYPES",
        help="those to use (default: all of them, %(default)s)",
    )
    text.add_argument(
        "--piece-size",
        type=whole_number,
        default=typed(_DEFAULT.piece_size),
        metavar="N",
        help="most characters of a piece of text (default: %(default)s)",
    )
    text.add_argument(
        "--allow-repeats", action="store_true", help="a text may come twice in a prompt if the pool is small"
    )


def _add_what(what: argparse._ArgumentGroup) -> None:
    numbers: dict[str, Any] = {"type": _numbers, "metavar": "N,..."}
    what.add_argument(
        "--experiments",
        type=_names,
        default="all",
        metavar="NAMES",
        help=f"all, or some of {', '.join(EXPERIMENTS)} (default: all)",
    )
    what.add_argument(
        "--per-value",
        type=int,
        default=_DEFAULT.per_value,
        metavar="N",
        help="entries for each varied value (default: %(default)s)",
    )
    what.add_argument(
        "--context-lengths",
        default=typed(_DEFAULT.context_lengths),
        help="tokens of the prompts: those of every experiment, then those of context_length besides (default: "
        "%(default)s)",
        **numbers,
    )
    what.add_argument(
        "--depths",
        default=typed(_DEFAULT.depths),
        help="papers on the true path, both ends included (default: %(default)s)",
        **numbers,
    )
    what.add_argument(
        "--node-counts",
        default=typed(_DEFAULT.node_counts),
        help="component sizes of node-count (default: %(default)s)",
        **numbers,
    )
    what.add_argument(
        "--node-range",
        type=_range,
        default="-".join(map(typed, _DEFAULT.node_range)),
        metavar="N-N",
        help="smallest and largest component elsewhere (default: %(default)s)",
    )
    what.add_argument(
        "--none-count",
        type=int,
        default=_DEFAULT.none_count,
        metavar="N",
        help="None variants of multiple-choice examples (default: %(default)s)",
    )
    what.add_argument(
        "--none-lists",
        type=_names,
        default=",".join(_DEFAULT.none_lists),
        metavar="NAMES",
        help="their lists, question-format/none-option/NAME (default: %(default)s)",
    )
    what.add_argument(
        "--seed", type=int, default=_DEFAULT.seed, metavar="N", help="of everything (default: %(default)s)"
    )


def _add_how(how: argparse._ArgumentGroup) -> None:
    how.add_argument(
        "--components",
        type=int,
        default=_DEFAULT.components,
        metavar="N",
        help="components of an example (default: %(default)s)",
    )
    how.add_argument(
        "--alpha",
        type=float,
        default=_DEFAULT.alpha,
        metavar="X",
        help="of preferential attachment: a paper's weight besides its degree (default: %(default)s)",
    )
    how.add_argument(
        "--growth-dates",
        choices=("cutoff", "any"),
        default="cutoff",
        help="growth takes papers from the cutoff on, or of any date (default: cutoff)",
    )
    how.add_argument("--equal-sizes", action="store_true", help="all components have the size of the source's")
    how.add_argument(
        "--balance",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="let topic, years and authors tell nothing about the answer (default: --balance)",
    )
    how.add_argument(
        "--seed-hops",
        type=int,
        default=_DEFAULT.seed_hops,
        metavar="N",
        help="backbones start within so many citations of one paper; 0: anywhere (default: %(default)s)",
    )
    how.add_argument(
        "--tokenizer",
        action="append",
        default=[],
        metavar="NAME=ID-OR-FILE",
        help="count tokens with a Hugging Face tokenizer too, under this name",
    )


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(whole_number(part) for part in _names(text))


def _range(text: str) -> tuple[int, int]:
    low, dash, high = text.partition("-")
    return whole_number(low), whole_number(high if dash else low)
