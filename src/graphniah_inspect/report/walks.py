"""GraphWalks: F1 and exact matches, by problem type, length band and size of the true answer."""

from graphniah_inspect.report.section import Family, Section


def sections(family: Family) -> list[Section]:
    """Figures of a GraphWalks family."""
    return []
