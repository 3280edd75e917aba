"""DuckDB as the ingest uses it: sorting and removing repeats out of core, from Parquet to Parquet."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphniah_inspect.errors import UserError

_PARQUET = "(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 100000)"


@contextmanager
def database(temporary: Path, memory: int, threads: int) -> Iterator[Any]:
    """A DuckDB connection that spills to ``temporary`` beyond ``memory`` bytes.

    Raises:
        UserError: DuckDB is not installed, or cannot do with the memory or the disk there is.
    """
    try:
        import duckdb
    except ImportError as error:
        raise UserError("Ingest needs DuckDB: pip install 'graphniah-inspect[build]'") from error
    spill = temporary / "spill"
    spill.mkdir(exist_ok=True)
    connection = duckdb.connect(
        config={
            "memory_limit": f"{memory >> 20}MiB",
            "threads": threads,
            "temp_directory": str(spill),
            "preserve_insertion_order": False,
        }
    )
    try:
        connection.execute("SET enable_progress_bar = false")
        yield connection
    except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
        raise UserError(
            f"DuckDB stopped: {error}. Give more with --memory or free space on the disk of {temporary}; "
            "the same command then goes on where it stopped."
        ) from error
    finally:
        connection.close()


def copy_sorted(connection: Any, query: str, target: Path) -> None:
    """Write the rows of an ordered query to a Parquet file."""
    connection.execute(f"COPY ({query}) TO {quoted(target)} {_PARQUET}")


def quoted(*paths: Path) -> str:
    """A path as an SQL string; several as a list of them."""
    texts = ["'" + str(path).replace("'", "''") + "'" for path in paths]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
