"""GraphNIAH (arXiv 2610.41704) for Inspect: does a model reason over a graph spread across a long context?

The tasks are imported when they are asked for: the `graphniah` command and its workers do without Inspect.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphniah_inspect.tasks import (
        counting,
        graphniah,
        graphwalks,
        graphwalks_bfs,
        graphwalks_parents,
        multiple_choice,
        none_option,
        yesno,
    )

__all__ = [
    "counting",
    "graphniah",
    "graphwalks",
    "graphwalks_bfs",
    "graphwalks_parents",
    "multiple_choice",
    "none_option",
    "yesno",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from graphniah_inspect import tasks

        return getattr(tasks, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
