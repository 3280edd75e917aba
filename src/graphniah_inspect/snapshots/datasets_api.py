"""The Datasets API of Semantic Scholar: which release, and links to its shards, which expire after a while."""

import re
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx

from graphniah_inspect.errors import UserError
from graphniah_inspect.snapshots.retry import TRANSIENT, Patience

BASE_URL = "https://api.semanticscholar.org"
_RELEASE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATASET = re.compile(r"[a-z0-9][a-z0-9-]*")


class DatasetsApi:
    """A client of the API.

    The key goes to the API only, never to where the links lead, and neither key nor links appear in messages.

    Args:
        client: Makes the requests.
        key: Semantic Scholar API key.
        base_url: Where the API lives.
        sleep: Waits between attempts.
    """

    def __init__(
        self, client: httpx.Client, key: str, base_url: str = BASE_URL, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        if not key or not key.isascii() or not key.isprintable():
            raise UserError(
                "No usable API key: set S2_API_KEY to the key that Semantic Scholar gave you "
                "(https://www.semanticscholar.org/product/api)."
            )
        if not base_url.startswith(("http://", "https://")):
            raise UserError(f"--base-url {base_url}: expected http:// or https://")
        self._client, self._key, self._sleep = client, key, sleep
        self._base = base_url.rstrip("/").removesuffix("/datasets/v1") + "/datasets/v1"

    def release(self, name: str) -> str:
        """The id of a release, a date; ``latest`` is resolved."""
        if name != "latest" and not _RELEASE.fullmatch(name):
            raise UserError(f"--release {name}: expected latest or a date such as 2026-10-06")
        found = self._get(f"/release/{name}", f"release {name}").get("release_id")
        if not isinstance(found, str) or not _RELEASE.fullmatch(found):
            raise UserError(f"The API describes release {name} by the id {found!r}; expected a date.")
        return found

    def links(self, release: str, dataset: str) -> dict[str, str]:
        """File name -> link of every shard of a data set, fresh from the API."""
        if not _DATASET.fullmatch(dataset):
            raise UserError(f"{dataset!r} is no name of a data set; expected e.g. papers or citations")
        what = f"data set {dataset} of release {release}"
        urls = self._get(f"/release/{release}/dataset/{dataset}", what).get("files")
        if not isinstance(urls, list) or not urls or not all(isinstance(url, str) for url in urls):
            raise UserError(f"The API lists no files for {what}; expected a list of links.")
        names = [file_name(url) for url in urls]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise UserError(f"The API lists two files named {twice} for {what}; cannot tell them apart.")
        return dict(zip(names, urls, strict=True))

    def _get(self, path: str, what: str) -> dict[str, Any]:
        patience = Patience(self._sleep)
        while True:
            response = None
            try:
                response = self._client.get(self._base + path, headers={"x-api-key": self._key})
                reason = f"it answered {response.status_code}"
            except httpx.TransportError as error:
                reason = type(error).__name__
            if response is not None and response.status_code not in TRANSIENT:
                break
            if not patience.wait(response):
                raise UserError(f"The API at {self._base} gave no answer about {what}: {reason}. Try again later.")
        if response.status_code in (401, 403):
            raise UserError(f"The API refused the key ({response.status_code}) for {what}: check S2_API_KEY.")
        if response.status_code == 404:
            raise UserError(f"The API at {self._base} has no {what}. Releases are listed at {self._base}/release/.")
        try:
            found = response.json() if response.status_code == 200 else None
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise UserError(f"The API at {self._base} answered {response.status_code} about {what}, not a JSON object.")
        return found


def file_name(url: str) -> str:
    """A harmless file name from the last part of a link's path.

    >>> file_name("https://host/a/b/papers-0.jsonl.gz?X-Amz-Signature=1"), file_name("https://host/..%2F.ssh")
    ('papers-0.jsonl.gz', 'ssh')
    """
    last = unquote(urlsplit(url).path).replace("\\", "/").rsplit("/", 1)[-1]
    return re.sub(r"[^A-Za-z0-9._-]", "_", last).strip(".")[:200] or "shard"
