"""What an example asks, and the answer that its construction gives. YES and NO differ only in where t is placed."""

from collections.abc import Callable

from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.plan import Variables
from graphniah_inspect.build.settings import OPTIONS
from graphniah_inspect.build.subgraph import Subgraph
from graphniah_inspect.citations.text import Kind, Question

KINDS: dict[str, Kind] = {
    "reachability-yesno": "yes-no",
    "reachability-multiple": "multiple-choice",
    "reachability-counting": "counting",
}
ANSWER_TYPES = {
    "reachability-yesno": "REACHABILITY_YESNO",
    "reachability-multiple": "REACHABILITY_MULTIPLE",
    "reachability-counting": "REACHABILITY_COUNTING",
}


def ask(
    subgraph: Subgraph, variables: Variables, title: Callable[[int], str], draws: Draws
) -> tuple[Question, str, int | None]:
    """Pose the question.

    Args:
        subgraph: What is hidden.
        variables: Format and planned label.
        title: Looks a title up.
        draws: The example's stream.

    Returns:
        The question, its answer, and the paper t that it is about: the target asked for, or the right option; None
        for counting.
    """
    path, own = subgraph.path, subgraph.cast.source_component
    source, right = title(path[0]), path[-1]
    others = [target for place, target in enumerate(subgraph.targets) if place != own]
    kind = KINDS[variables.question_format]
    if kind == "counting":
        return Question(kind, source), str(len(subgraph.components[own].papers) - 1), None
    label = str(variables.answer_condition)
    if kind == "yes-no":
        target = right if label == "YES" else draws.choice(others)
        return Question(kind, source, target=title(target)), label, target
    options = draws.sample(others, OPTIONS - 1)
    options.insert("ABCD".index(label), right)
    return Question(kind, source, options=tuple(title(option) for option in options)), label, right
