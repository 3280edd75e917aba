"""A pool of distracting text, tokenised once: rendered blocks with their token counts, opened by memory map.

| file | content |
|---|---|
| ``blocks.txt`` | every block as it stands in a prompt, one after the other, UTF-8 |
| ``offsets.npy``, ``tokens.npy`` | where each block starts (``int64[n + 1]``); its tokens (``int32[n]``) |
| ``sources.json``, ``source_of.npy`` | names of the documents; which one each block comes from |
| ``grams-1.npy`` .. ``grams-3.npy`` | sorted hashes of every run of one, two and three words |
| ``manifest.json`` | identity and counts; written last |

The runs of words answer whether a title occurs in the pool as whole words without searching the text: a title of at
most three words occurs when its run does; a longer one is taken to occur when each of its runs of three does, which can
err on the safe side only. A paper whose title occurs is not used in an example with this pool.
"""

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import tiktoken
from numpy.typing import NDArray

from graphniah_inspect.build.distractors import Document, pieces
from graphniah_inspect.citations.paper import title_key
from graphniah_inspect.citations.text import render_distractor
from graphniah_inspect.written import write_json

GRAM = 3
_MANIFEST = "manifest.json"
_BATCH = 512
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
_MASK = (1 << 64) - 1
_SHIFT = 29


class TextPool:
    """An opened pool.

    Attributes:
        id: SHA-256 of the blocks, and with them of everything an example can take from the pool.
        n: Number of blocks.
        tokens: ``int32[n]``.
        total: All tokens together.
    """

    def __init__(self, folder: Path) -> None:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        self.id: str = manifest["sha256"]
        self.n: int = manifest["blocks"]
        self.total: int = manifest["tokens"]
        self.tokens: NDArray[np.int32] = np.load(folder / "tokens.npy", mmap_mode="r")
        self._offsets: NDArray[np.int64] = np.load(folder / "offsets.npy", mmap_mode="r")
        self._source_of: NDArray[np.int32] = np.load(folder / "source_of.npy", mmap_mode="r")
        self._sources: list[str] = json.loads((folder / "sources.json").read_text(encoding="utf-8"))
        self._blocks: NDArray[np.uint8] = np.asarray(np.memmap(folder / "blocks.txt", np.uint8, mode="r"))
        grams = (np.load(folder / f"grams-{n}.npy", mmap_mode="r") for n in range(1, GRAM + 1))
        self._grams: list[NDArray[np.uint64]] = [np.asarray(table) for table in grams]
        self.contains = lru_cache(200_000)(self._contains)

    def block(self, i: int) -> str:
        """The rendered block ``i``."""
        return bytes(self._blocks[self._offsets[i] : self._offsets[i + 1]]).decode()

    def source(self, i: int) -> str:
        """The document that block ``i`` was cut from."""
        return self._sources[int(self._source_of[i])]

    def _contains(self, key: str) -> bool:
        """Whether a title, as ``title_key``, may occur in the pool as whole words."""
        words = [_code(word) for word in key.split()]
        run = min(GRAM, len(words))
        table = self._grams[run - 1]
        # nearly every title is cleared by its first run
        for start in range(len(words) - run + 1):
            gram = np.uint64(_run(words[start : start + run]))
            place = table.searchsorted(gram)
            if place == len(table) or table[place] != gram:
                return False
        return True


def write_pool(
    folder: Path, documents: Iterable[Document], piece_size: int, left_out: Counter[str], threads: int = 1
) -> None:
    """Cut, render, count and index documents.

    Args:
        folder: Where to write; made if need be.
        documents: What to put in, in order.
        piece_size: Largest piece in characters.
        left_out: Counts what is left out, by reason.
        threads: Threads of the tokenizer.
    """
    folder.mkdir(parents=True, exist_ok=True)
    encoding = tiktoken.get_encoding("o200k_base")
    digest = hashlib.sha256()
    offsets, tokens, source_of = [0], [], []
    sources: list[str] = []
    codes: list[NDArray[np.uint64]] = []
    cached_code = lru_cache(1_000_000)(_code)
    with (folder / "blocks.txt").open("wb") as file:
        cut = _blocks(documents, piece_size, left_out)
        while batch := list(islice(cut, _BATCH)):
            texts = [block for _, _, block in batch]
            encoded = encoding.encode_ordinary_batch(texts, num_threads=threads)
            for (source, piece, block), ids in zip(batch, encoded, strict=True):
                if not sources or sources[-1] != source:
                    sources.append(source)
                raw = block.encode()
                file.write(raw)
                digest.update(len(raw).to_bytes(8, "little") + raw)
                offsets.append(offsets[-1] + len(raw))
                tokens.append(len(ids))
                source_of.append(len(sources) - 1)
                codes.append(np.array([cached_code(word) for word in title_key(piece).split()], np.uint64))
    np.save(folder / "offsets.npy", np.array(offsets, np.int64))
    np.save(folder / "tokens.npy", np.array(tokens, np.int32))
    np.save(folder / "source_of.npy", np.array(source_of, np.int32))
    (folder / "sources.json").write_text(json.dumps(sources, ensure_ascii=False), encoding="utf-8")
    for run in range(1, GRAM + 1):
        grams = [np.unique(_runs(piece, run)) for piece in codes]
        np.save(folder / f"grams-{run}.npy", np.unique(np.concatenate(grams or [np.zeros(0, np.uint64)])))
    manifest: dict[str, Any] = {
        "sha256": digest.hexdigest(),
        "blocks": len(tokens),
        "documents": len(sources),
        "tokens": sum(tokens),
        "left_out": dict(left_out),
    }
    write_json(folder / _MANIFEST, manifest)


def _blocks(documents: Iterable[Document], size: int, left_out: Counter[str]) -> Iterator[tuple[str, str, str]]:
    for document in documents:
        for piece in pieces(document, size, left_out):
            yield document.source, piece, render_distractor(piece)


def _code(word: str) -> int:
    return zlib.crc32(word.encode())


def _runs(words: NDArray[np.uint64], length: int) -> NDArray[np.uint64]:
    """A hash of every run of ``length`` words; none where there are fewer."""
    count = len(words) - length + 1
    if count <= 0:
        return np.zeros(0, np.uint64)
    total = np.full(count, length, np.uint64)
    for place in range(length):
        total = (total ^ words[place : place + count]) * np.uint64(_MULTIPLIERS[place])
        total ^= total >> np.uint64(_SHIFT)
    return total


def _run(words: list[int]) -> int:
    """The same hash of a single run."""
    total = len(words)
    for word, multiplier in zip(words, _MULTIPLIERS, strict=False):
        total = ((total ^ word) * multiplier) & _MASK
        total ^= total >> _SHIFT
    return total
