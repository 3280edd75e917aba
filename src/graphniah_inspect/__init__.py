"""GraphNIAH (arXiv 2610.41704) for Inspect: does a model reason over a graph spread across a long context?"""

from graphniah_inspect.tasks import counting, graphniah, multiple_choice, none_option, yesno

__all__ = ["counting", "graphniah", "multiple_choice", "none_option", "yesno"]
