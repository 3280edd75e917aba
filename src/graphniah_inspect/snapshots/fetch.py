"""``graphniah fetch``: the shards of a release, into a folder each data set, resumable at any moment.

``fetch.json`` in the folder names the release and the files that are whole; ``manifest.json`` is the same, written when
all that was asked for is there.
"""

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import msgspec
from tqdm import tqdm

from graphniah_inspect.errors import UserError
from graphniah_inspect.snapshots.datasets_api import BASE_URL, DatasetsApi
from graphniah_inspect.snapshots.download import download
from graphniah_inspect.snapshots.retry import Patience
from graphniah_inspect.written import write_json

LICENCE = "ODC-BY 1.0; cite Kinney et al. 2023, arXiv 2301.10140"


class Fetched(msgspec.Struct):
    """What has been fetched: data set -> file name -> size and ETag."""

    release: str
    licence: str
    datasets: dict[str, dict[str, dict[str, Any]]]


def fetch(
    out: Path,
    key: str,
    *,
    release: str = "latest",
    datasets: Sequence[str] = ("papers", "citations"),
    base_url: str = BASE_URL,
    sleep: Callable[[float], None] = time.sleep,
) -> Fetched:
    """Download data sets of a release; what is there already is not asked for again.

    Args:
        out: Folder; each data set gets a subfolder.
        key: Semantic Scholar API key.
        release: A date, or ``latest``.
        datasets: Names of data sets.
        base_url: Where the API lives.
        sleep: Waits between attempts.

    Returns:
        What the manifest holds.

    Raises:
        UserError: No key, no such release or data set, the folder holds another release, or a transfer failed.
    """
    # httpx logs every link it opens, and signed links are secrets
    logging.getLogger("httpx").setLevel(logging.WARNING)
    with httpx.Client(timeout=httpx.Timeout(30, read=60)) as client:
        api = DatasetsApi(client, key, base_url, sleep)
        release = api.release(release)
        out.mkdir(parents=True, exist_ok=True)
        state = out / "fetch.json"
        fetched = msgspec.json.decode(state.read_bytes(), type=Fetched) if state.exists() else None
        if fetched is not None and fetched.release != release:
            raise UserError(
                f"{out} holds release {fetched.release}, and {release} is asked for. "
                f"Go on with --release {fetched.release}, or give another folder with --out."
            )
        fetched = fetched or Fetched(release, LICENCE, {})
        write_json(state, fetched)
        (out / "manifest.json").unlink(missing_ok=True)
        for dataset in datasets:
            _fetch_dataset(api, client, fetched, dataset, out, sleep)
        write_json(out / "manifest.json", fetched)
    return fetched


def _fetch_dataset(
    api: DatasetsApi,
    client: httpx.Client,
    fetched: Fetched,
    dataset: str,
    out: Path,
    sleep: Callable[[float], None],
) -> None:
    links = api.links(fetched.release, dataset)
    folder = out / dataset
    folder.mkdir(exist_ok=True)
    done = fetched.datasets.setdefault(dataset, {})

    def link_of(name: str) -> Callable[[bool], str]:
        def link(renew: bool) -> str:
            if renew:
                renewed = api.links(fetched.release, dataset)
                if name not in renewed:
                    raise UserError(f"{name} is no longer listed for {dataset} of release {fetched.release}.")
                links.update(renewed)
            return links[name]

        return link

    for number, name in enumerate(sorted(links), 1):
        file = folder / name
        if name in done and file.exists() and file.stat().st_size == done[name]["bytes"]:
            continue
        title = f"{dataset} {number}/{len(links)}"
        with tqdm(unit="B", unit_scale=True, unit_divisor=1024, desc=title, disable=None) as bar:

            def show(have: int, total: int, bar: Any = bar) -> None:
                bar.total = total
                bar.update(have - bar.n)

            remote = download(client, link_of(name), file, patience=Patience(sleep), progress=show)
        # noted before it is moved: a kill between the two leaves a whole .part, which is found again
        done[name] = {"bytes": remote.bytes, "etag": remote.etag}
        write_json(out / "fetch.json", fetched)
        part = file.with_name(f"{name}.part")
        part.replace(file)
        part.with_name(f".{part.name}.json").unlink(missing_ok=True)
