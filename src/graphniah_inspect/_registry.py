"""What Inspect loads when it looks into this package: tasks, solver, scorer and baseline models."""

from graphniah_inspect.asking import ask
from graphniah_inspect.baselines import baseline
from graphniah_inspect.graphniah.scoring import reachability
from graphniah_inspect.prompting import full_prompt
from graphniah_inspect.replay import match_replay
from graphniah_inspect.tasks import counting, graphniah, multiple_choice, none_option, yesno

__all__ = [
    "ask",
    "baseline",
    "counting",
    "full_prompt",
    "graphniah",
    "match_replay",
    "multiple_choice",
    "none_option",
    "reachability",
    "yesno",
]
