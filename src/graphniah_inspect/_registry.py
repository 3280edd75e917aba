"""What Inspect loads when it looks into this package: tasks, solvers, scorers, metrics and baseline models."""

from graphniah_inspect.asking import ask
from graphniah_inspect.baselines import baseline
from graphniah_inspect.graphniah.scoring import reachability
from graphniah_inspect.graphwalks.metrics import bootstrap_ci, by_band, by_truth_size, by_type, prompt_truncated
from graphniah_inspect.graphwalks.scoring import graphwalks_grader
from graphniah_inspect.prompting import full_prompt
from graphniah_inspect.replay import match_replay
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
    "ask",
    "baseline",
    "bootstrap_ci",
    "by_band",
    "by_truth_size",
    "by_type",
    "counting",
    "full_prompt",
    "graphniah",
    "graphwalks",
    "graphwalks_bfs",
    "graphwalks_grader",
    "graphwalks_parents",
    "match_replay",
    "multiple_choice",
    "none_option",
    "prompt_truncated",
    "reachability",
    "yesno",
]
