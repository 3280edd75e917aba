"""Where this machine keeps what takes long to work out: indexes of data files, token counts, copies."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """The folder that `GRAPHNIAH_CACHE_DIR` names, else `graphniah_inspect` under `XDG_CACHE_HOME` or `~/.cache`.

    It is made when something is written into it.
    """
    folder = os.environ.get("GRAPHNIAH_CACHE_DIR")
    caches = Path(folder) if folder else Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "graphniah_inspect")
    return caches.expanduser()
