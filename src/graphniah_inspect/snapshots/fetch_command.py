"""``graphniah fetch``: download Semantic Scholar's bulk files."""

import argparse
import os
from pathlib import Path
from typing import Any


def add_fetch_parser(subparsers: Any) -> None:
    """Add ``fetch`` to the ``graphniah`` command."""
    from graphniah_inspect.snapshots.datasets_api import BASE_URL

    parser: argparse.ArgumentParser = subparsers.add_parser(
        "fetch",
        help="download Semantic Scholar's bulk files",
        description="Download the shards of a release into a folder. The API key is read from the environment variable "
        "S2_API_KEY. A download that was stopped goes on when the same command is given again.",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="folder to write")
    parser.add_argument("--release", default="latest", metavar="DATE", help="of a release, or latest (default: latest)")
    parser.add_argument(
        "--datasets",
        default="papers,citations",
        metavar="NAMES",
        help="names, separated by commas (default: papers,citations)",
    )
    parser.add_argument("--base-url", default=BASE_URL, metavar="URL", help=f"where the API is (default: {BASE_URL})")
    parser.set_defaults(run=run_fetch)


def run_fetch(arguments: argparse.Namespace) -> int:
    """Do what the command says and print what there is."""
    from graphniah_inspect.snapshots.fetch import fetch

    names = [name.strip() for name in arguments.datasets.split(",") if name.strip()]
    key = os.environ.get("S2_API_KEY", "").strip()
    fetched = fetch(arguments.out, key, release=arguments.release, datasets=names, base_url=arguments.base_url)
    for dataset, files in fetched.datasets.items():
        size = sum(file["bytes"] for file in files.values())
        print(f"{dataset}: {len(files)} files, {size / 1e9:,.2f} GB, in {arguments.out / dataset}")
    print(f"release {fetched.release} ({fetched.licence})")
    return 0
