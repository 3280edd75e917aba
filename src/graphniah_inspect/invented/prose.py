"""Invented distracting text of the four kinds that GraphNIAH uses, for tests, demonstrations and the bundled sample.

``write_prose`` makes a folder that ``graphniah build --distractors`` reads: ``code`` (C), ``essays`` and ``books`` as
text files, ``wikipedia`` as JSON lines of passages of at most a hundred words. It is grammatical nonsense; for a
benchmark that counts, give real text.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from graphniah_inspect.invented.prose_grammars import BOOKS, CODE, ESSAYS, WIKIPEDIA
from graphniah_inspect.written import written

DOCUMENT = 24_000
"""Characters of a document, about; a Wikipedia passage is shorter."""
PASSAGE_WORDS = 100
_SUBJECTS = ("settlement", "biography", "species", "event", "work")

_AN = re.compile(r"\b([Aa])(?= (?!use|uni[tfov]|one|eu)[aeiou])")
_SYMBOL = re.compile(r"\{([=^]?\w+)\}")


class Grammar:
    """Expands the symbols of a grammar, choosing by a stream of random numbers.

    Args:
        rules: Symbol -> alternatives, as in ``prose_grammars``.
        seed: Any sequence of non-negative integers.
    """

    def __init__(self, rules: dict[str, str], seed: list[int]) -> None:
        self._rules = {
            symbol: [_SYMBOL.split(alternative) for alternative in text.split("|")] for symbol, text in rules.items()
        }
        self._rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
        self._numbers: list[int] = []
        self._kept: dict[str, str] = {}

    def forget(self, *symbols: str) -> None:
        """Forget what ``{=symbol}`` stood for: of these symbols, or of all."""
        for symbol in symbols or tuple(self._kept):
            self._kept.pop(f"={symbol}" if symbols else symbol, None)

    def expand(self, symbol: str) -> str:
        """One way to read a symbol."""
        return _AN.sub(r"\1n", self._expand(symbol))

    def below(self, limit: int) -> int:
        """A random number from 0 to ``limit - 1``."""
        if not self._numbers:
            self._numbers = self._rng.integers(0, 1 << 30, 4096).tolist()
        return self._numbers.pop() % limit

    def _expand(self, symbol: str) -> str:
        if symbol[0] == "=":
            if symbol not in self._kept:
                self._kept[symbol] = self._expand(symbol[1:])
            return self._kept[symbol]
        if symbol[0] == "^":
            text = self._expand(symbol[1:])
            return text[:1].upper() + text[1:]
        alternatives = self._rules[symbol]
        pieces = alternatives[self.below(len(alternatives))]
        # re.split puts the symbols at odd places
        return "".join([self._expand(piece) if i % 2 else piece for i, piece in enumerate(pieces)])


def prose(kind: str, characters: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Invented documents of one kind, as ``(title, text)``, until they have ``characters`` characters together.

    Args:
        kind: ``code``, ``essays``, ``books`` or ``wikipedia``.
        characters: How much text.
        seed: The same seed gives the same text.

    Raises:
        KeyError: There is no such kind.
    """
    rules, document = _KINDS[kind]
    grammar = Grammar(rules, [seed, *kind.encode()])
    made = 0
    while made < characters:
        grammar.forget()
        title, text = document(grammar)
        made += len(text)
        yield title, text


def write_prose(folder: Path, characters: int, seed: int = 1) -> None:
    """Write about ``characters`` characters of each kind into ``folder``, a subfolder each."""
    for kind in _KINDS:
        target = folder / kind
        target.mkdir(parents=True, exist_ok=True)
        if kind == "wikipedia":
            with written(target / "passages.jsonl") as file:
                for number, (title, text) in enumerate(prose(kind, characters, seed)):
                    line = json.dumps({"id": number, "title": title, "text": text}, ensure_ascii=False)
                    file.write(line.encode() + b"\n")
            continue
        suffix = "c" if kind == "code" else "txt"
        for number, (_, text) in enumerate(prose(kind, characters, seed)):
            with written(target / f"{number:05d}.{suffix}") as file:
                file.write(text.encode())


def _code(grammar: Grammar) -> tuple[str, str]:
    parts = [grammar.expand("header")]
    size = 0
    while size < DOCUMENT // 2:
        # names of arguments belong to one function
        grammar.forget("v", "arg", "self")
        parts.append(grammar.expand("function").replace("<%", "{").replace("%>", "}"))
        size += len(parts[-1])
    parts[0] = parts[0].replace("<%", "{").replace("%>", "}")
    return grammar.expand("=mod"), "\n".join(parts)


def _essay(grammar: Grammar) -> tuple[str, str]:
    title = _capital(grammar.expand("title"))
    return title, "\n\n".join([title, *_paragraphs(grammar, DOCUMENT // 2, 4, 9)]) + "\n"


def _book(grammar: Grammar) -> tuple[str, str]:
    title = _capital(grammar.expand("title"))
    parts = [title]
    for chapter in range(1, 5):
        parts.append(f"CHAPTER {chapter}. {_capital(grammar.expand('chapter'))}")
        parts += _paragraphs(grammar, DOCUMENT // 4, 2, 8)
    return title, "\n\n".join(parts) + "\n"


def _passage(grammar: Grammar) -> tuple[str, str]:
    subject = _SUBJECTS[grammar.below(len(_SUBJECTS))]
    sentences: dict[str, None] = {}
    size = 0
    while True:
        sentence = _capital(grammar.expand(subject))
        size += len(sentence.split())
        if size > PASSAGE_WORDS:
            return _capital(grammar.expand("title")), " ".join(sentences)
        sentences[sentence] = None


def _paragraphs(grammar: Grammar, characters: int, shortest: int, longest: int) -> list[str]:
    paragraphs: list[str] = []
    while characters > 0:
        count = shortest + grammar.below(longest - shortest + 1)
        paragraphs.append(" ".join(_capital(grammar.expand("sentence")) for _ in range(count)))
        characters -= len(paragraphs[-1])
    return paragraphs


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_KINDS: dict[str, tuple[dict[str, str], Callable[[Grammar], tuple[str, str]]]] = {
    "code": (CODE, _code),
    "essays": (ESSAYS, _essay),
    "books": (BOOKS, _book),
    "wikipedia": (WIKIPEDIA, _passage),
}
