"""GraphNIAH (arXiv 2610.41704) for Inspect: does a model reason over a graph spread across a long context?"""

# The tasks `graphniah` and `graphwalks` must win over the folders of these names, so they are imported here and now.
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
