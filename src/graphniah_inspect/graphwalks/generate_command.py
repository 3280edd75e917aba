"""`graphniah build-graphwalks`: fresh problems in the layout of GraphWalks.

    graphniah build-graphwalks --out DIR --rows 200 --tokens 8k,128k,1m --seed 7
    inspect eval graphniah_inspect/graphwalks -T dataset=DIR --model ...

The same settings give the same problems. Token counts go beside the data, so
limits need no counting.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from rich.console import Console
from rich.progress import track

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks.cache import written_beside
from graphniah_inspect.graphwalks.generate import Generated, Settings, generate
from graphniah_inspect.graphwalks.layout import ProblemType
from graphniah_inspect.graphwalks.parameters import one_of, token_limit
from graphniah_inspect.graphwalks.tokens import DEFAULT_TOKENIZER, check_tokenizer, write_counts

if TYPE_CHECKING:
    # A generic class only to type checkers.
    SubParsers = argparse._SubParsersAction[argparse.ArgumentParser]

FILES = {"parquet": "graphwalks.parquet", "jsonl": "graphwalks.jsonl"}
_ROW_GROUP_CHARS = 8 << 20


def add_generate_parser(subparsers: "SubParsers") -> None:
    """Add `build-graphwalks` to the command line."""
    parser = subparsers.add_parser(
        "build-graphwalks", help="make fresh GraphWalks-like problems of any size", description=__doc__
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write into")
    parser.add_argument("--rows", type=int, default=24, metavar="N", help="number of problems (default: 24)")
    parser.add_argument(
        "--tokens", default="1k,2k,4k,8k", metavar="N,...", help="sizes, taken in turn (default: 1k,2k,4k,8k)"
    )
    parser.add_argument(
        "--types", default="bfs,parents", metavar="TYPES", help="problem types, in turn (default: bfs,parents)"
    )
    parser.add_argument(
        "--depths", default="1,2,3,4", metavar="N,...", help="depths of searches, at random (default: 1,2,3,4)"
    )
    parser.add_argument(
        "--empty", type=float, default=0.15, metavar="SHARE", help="share of empty answers (default: 0.15)"
    )
    parser.add_argument("--no-self-loops", action="store_true", help="no edge from a node to itself")
    parser.add_argument("--no-repeats", action="store_true", help="no edge more than once")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of everything (default: 0)")
    parser.add_argument(
        "--tokenizer",
        default=DEFAULT_TOKENIZER,
        metavar="NAME",
        help="tiktoken encoding of the sizes (default: %(default)s)",
    )
    parser.add_argument(
        "--format", choices=sorted(FILES), default="parquet", help="of the data file (default: parquet)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the problems; 0 when all went well.

    Raises:
        UserError: A value that cannot be meant, or a folder that cannot be written.
    """
    settings = _settings(arguments)
    path = write(arguments.out, settings, arguments.format)
    print(f"{settings.rows} problems in {path}")
    print(f"inspect eval graphniah_inspect/graphwalks -T dataset={arguments.out} --model graphniah/oracle")
    return 0


def write(folder: Path, settings: Settings, format: Literal["parquet", "jsonl"] = "parquet") -> Path:
    """Write the problems and their token counts, and last `manifest.json` with the settings and the hash.

    Raises:
        UserError: The folder holds other settings' problems, or cannot be written.
    """
    path, manifest = folder / FILES[format], folder / "manifest.json"
    made_from = json.loads(json.dumps({"settings": asdict(settings), "format": format}))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if manifest.exists():
            there = json.loads(manifest.read_text(encoding="utf-8"))
            if {key: there.get(key) for key in made_from} != made_from:
                raise UserError(f"{folder} holds problems made with other settings. Take another folder.")
        elif path.exists():
            raise UserError(f"{path} exists and no manifest says where it is from. Take another folder.")
    except (OSError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        raise UserError(f"{folder} cannot be used: {error}.") from error
    counts: list[int] = []
    with written_beside(path) as temporary:
        problems = track(
            generate(settings),
            "Problems",
            total=settings.rows,
            console=Console(stderr=True),
            disable=settings.rows < 50,
        )
        (_write_parquet if format == "parquet" else _write_jsonl)(temporary, _counted(problems, counts))
        sha256 = hashlib.sha256()
        with temporary.open("rb") as file:
            while block := file.read(1 << 20):
                sha256.update(block)
    write_counts(path, sha256.hexdigest(), settings.tokenizer, counts)
    with written_beside(manifest) as temporary:
        record = made_from | {"file": path.name, "sha256": sha256.hexdigest(), "rows": len(counts)}
        temporary.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return path


def _counted(problems: Any, counts: list[int]) -> Iterator[dict[str, Any]]:
    for problem in cast(Iterator[Generated], problems):
        counts.append(problem.tokens)
        yield problem.record


def _write_jsonl(path: Path, records: Iterator[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for record in records:
            file.write(json.dumps(record) + "\n")


def _write_parquet(path: Path, records: Iterator[dict[str, Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [
            ("prompt", pa.string()),
            ("answer_nodes", pa.list_(pa.string())),
            ("prompt_chars", pa.int64()),
            ("problem_type", pa.string()),
            ("date_added", pa.string()),
        ]
    )
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        group: list[dict[str, Any]] = []
        chars = 0
        for record in records:
            group.append(record)
            chars += len(record["prompt"])
            if chars >= _ROW_GROUP_CHARS:
                writer.write_table(pa.Table.from_pylist(group, schema=schema))
                group, chars = [], 0
        if group:
            writer.write_table(pa.Table.from_pylist(group, schema=schema))


def _settings(arguments: argparse.Namespace) -> Settings:
    sizes = [token_limit("--tokens", size) for size in arguments.tokens.split(",")]
    types = [one_of("--types", one, get_args(ProblemType)) for one in arguments.types.split(",")]
    depths = arguments.depths.split(",")
    if not all(depth.isascii() and depth.isdigit() and 1 <= int(depth) < 10**6 for depth in depths):
        raise UserError(f"--depths {arguments.depths}: expected whole numbers from 1, such as 1,2,3.")
    if arguments.rows < 1:
        raise UserError(f"--rows {arguments.rows}: expected 1 or more.")
    if not 0 <= arguments.empty <= 1:
        raise UserError(f"--empty {arguments.empty}: expected a share between 0 and 1.")
    return Settings(
        rows=arguments.rows,
        tokens=tuple(size for size in sizes if size is not None),
        types=cast(tuple[ProblemType, ...], tuple(types)),
        depths=tuple(map(int, depths)),
        empty=arguments.empty,
        self_loops=not arguments.no_self_loops,
        repeats=not arguments.no_repeats,
        seed=arguments.seed,
        tokenizer=check_tokenizer(arguments.tokenizer),
    )
