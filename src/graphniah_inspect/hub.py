"""Published files on the Hugging Face hub: downloaded once, by the hub's own client, at a known commit.

The client's settings hold: `HF_HOME`, `HF_TOKEN`, `HF_ENDPOINT`, `HF_HUB_OFFLINE`. Its silent return to an
older copy when the hub cannot be asked does not: that is an error here, and `HF_HUB_OFFLINE=1` asks for it.
"""

import errno
import re
from pathlib import Path
from typing import NamedTuple

from graphniah_inspect.errors import UserError


class HubFile(NamedTuple):
    """A downloaded file.

    Attributes:
        path: Where it lies in the client's cache.
        revision: SHA of the commit that the wanted revision stood for.
        etag: What the hub calls its content (the SHA-256 of a large file); None where the cache does not say.
    """

    path: Path
    revision: str
    etag: str | None


def download(dataset: str, revision: str | None, name: str) -> HubFile:
    """Returns a file of a hub dataset, downloading it where this machine has not got it.

    Args:
        dataset: `owner/name`.
        revision: Branch, tag or commit; the default branch if None.
        name: The file within it.

    Raises:
        UserError: The hub refuses, cannot be reached or sends something else than it announced; the message
            says what to do about it.
    """
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_download, hf_hub_url
    from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]  # of httpx or httpx2, by version

    pinned = re.fullmatch(r"[0-9a-f]{40}", revision or "") is not None
    try:
        head = None
        if not (constants.is_offline_mode() or pinned):
            url = hf_hub_url(dataset, name, repo_type="dataset", revision=revision)
            head = get_hf_file_metadata(url, retry_on_errors=True)
        path = Path(hf_hub_download(dataset, name, repo_type="dataset", revision=revision))
    except (HTTPError, OSError, ValueError, RuntimeError) as error:
        where = f"{dataset}{'' if revision is None else f' at revision {revision!r}'}"
        raise UserError(f"{name} of {where} is not to be had: {_explain(error, dataset)}") from error
    commit = path.parent.name
    if head is not None and head.commit_hash != commit:
        raise UserError(
            f"{dataset} is at commit {head.commit_hash}, but the client returned {commit}: the hub's answer "
            "changed between two requests. Run again, or pin one commit with `revision`."
        )
    etag = path.resolve().name if path.is_symlink() else None  # no symbolic links on some file systems
    return HubFile(path, commit, head.etag if head is not None else etag)


def _explain(error: Exception, dataset: str) -> str:
    """What went wrong and the cure, in words of this project."""
    from huggingface_hub import constants
    from huggingface_hub import errors as hub

    page = f"{constants.ENDPOINT}/datasets/{dataset}"
    token = f"set HF_TOKEN to a token (made at {constants.ENDPOINT}/settings/tokens) that may read it"
    status = error.response.status_code if isinstance(error, hub.HfHubHTTPError) else None
    if isinstance(error, hub.GatedRepoError):
        return f"access needs the owner's consent (HTTP {status}). Accept the terms at {page}, then {token}."
    if isinstance(error, hub.RevisionNotFoundError):
        return f"no such revision. See {page}/commits/main for those that exist, and check the spelling."
    if isinstance(error, hub.RemoteEntryNotFoundError):
        return f"the dataset holds no such file at that revision. See {page}/tree/main."
    if isinstance(error, hub.RepositoryNotFoundError):
        return (
            f"the hub knows no such dataset, or does not show it (HTTP {status}), and no folder here has "
            f"that name. Check the spelling at {page}; if it is private or gated, {token}."
        )
    if status in (401, 403):
        return f"the hub refused (HTTP {status}). Accept the terms at {page} if there are any, then {token}."
    if status == 429:
        return f"too many requests (HTTP 429). Wait some minutes and run again; to be allowed more, {token}."
    if status is not None:
        return f"the hub answered HTTP {status} ({_first_line(error)}). Run again later. {_OFFLINE}"
    if isinstance(error, hub.LocalEntryNotFoundError) and constants.is_offline_mode():
        return (
            "HF_HUB_OFFLINE is set and this machine has no copy of it. Unset it for one run with a network, "
            "which downloads the file; if another folder holds a copy, point HF_HOME to it."
        )
    cause = error.__cause__
    if isinstance(error, hub.LocalEntryNotFoundError) and isinstance(cause, Exception):
        return _explain(cause, dataset)
    if isinstance(error, hub.HFValidationError):
        return f"{_first_line(error)}. A hub dataset is written `owner/name`."
    if isinstance(error, hub.FileMetadataError):
        return f"{_first_line(error)} Check HF_ENDPOINT ({constants.ENDPOINT}), proxies and firewalls."
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk of {constants.HF_HUB_CACHE} is full. Free some of it, or let HF_HOME name a folder elsewhere."
    if isinstance(error, OSError) and (error.filename or error.errno in (errno.EIO, errno.EROFS)):
        return f"the client's cache cannot be used ({error}). Set HF_HOME to a folder that can be written."
    if "Consistency check failed" in str(error):
        return f"the download came out short ({_first_line(error)}). Nothing was kept of it: run again."
    return f"{type(error).__name__}: {_first_line(error)}. Check the network and HF_ENDPOINT. {_OFFLINE}"


_OFFLINE = "HF_HUB_OFFLINE=1 takes the copy that an earlier run downloaded, if there is one."


def _first_line(error: Exception) -> str:
    """The first line of an error that says something."""
    return next((line.strip().rstrip(".") for line in str(error).splitlines() if line.strip()), "no message")
