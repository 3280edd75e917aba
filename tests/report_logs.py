"""Small logs of the real scorers, made by real Inspect runs of models that answer as told."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from graphniah_inspect.graphniah.scoring import reachability

Answer = Callable[[TaskState], str | ModelOutput]
FORMATS = ("yes-no", "multiple-choice", "counting")


def examples(n: int, *, values: Sequence[Any] = (4, 8), formats: Sequence[str] = FORMATS, **more: Any) -> list[Sample]:
    """Samples with the metadata of the real tasks; answers and values are drawn with a fixed seed."""
    draw = random.Random(7)
    found = []
    for slot in range(n):
        kind = formats[slot % len(formats)]
        options = [f"paper {letter}" for letter in "ABCD"] if kind == "multiple-choice" else None
        target = {
            "yes-no": draw.choice(["YES", "NO"]),
            "multiple-choice": draw.choice("ABCD"),
            "counting": str(draw.randint(90, 240)),
        }[kind]
        metadata = {
            "qid": f"q{slot:03d}",
            "experiment": "question-depth",
            "slot": slot,
            "value": values[slot % len(values)],
            "reachability_task": kind,
            "component_node_count": draw.choice([100, 250]),
            "context_length": 200_000,
            "prompt_tokens": draw.randint(150_000, 200_000),
            "source_position": draw.random(),
        }
        sample = Sample(id=f"question-depth-{slot:04d}", input="Reachable?", target=target, choices=options)
        sample.metadata = metadata | more
        found.append(sample)
    return found


@solver
def say(answer: Answer) -> Solver:
    """Put an answer where a model's would be."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        said = answer(state)
        state.output = said if isinstance(said, ModelOutput) else ModelOutput.from_content("mockllm/model", said)
        return state

    return solve


def often_right(share: float, seed: int = 1) -> Answer:
    """Right with this probability, else wrong; decided by seed, sample and epoch."""

    def answer(state: TaskState) -> str:
        right = random.Random(f"{seed}/{state.sample_id}/{state.epoch}").random() < share
        wrong = {"yes-no": "NO" if state.target.text == "YES" else "YES", "counting": "77"}
        letter = "B" if state.target.text == "A" else "A"
        return f"\\answer{{{state.target.text if right else wrong.get(state.metadata['reachability_task'], letter)}}}"

    return answer


def make_log(
    folder: Path,
    answer: Answer,
    *,
    samples: Sequence[Sample] | None = None,
    model: str = "mockllm/model",
    rule: str = "paper",
    name: str = "graphniah_inspect/graphniah",
    version: str = "1-A",
    selection: dict[str, Any] | None = None,
    **options: Any,
) -> EvalLog:
    """Run and return the log; `selection` changes what the task records about its data."""
    record = {
        "experiment": "question-depth",
        "context_length": 200_000,
        "slots_below": 24,
        "subset": "paper",
        "context": "full",
        "rule": rule,
        "dataset": "minhnam/GraphNIAH",
        "sha256": "ab" * 32,
    }

    # not registered: it would take the place of the real task for every later test
    task = Task(
        name=name,
        dataset=MemoryDataset(list(samples if samples is not None else examples(24))),
        solver=say(answer),
        scorer=reachability(rule),
        version=version,
        metadata={"selection": record | (selection or {})},
    )
    settings: dict[str, Any] = {"log_dir": str(folder), "display": "none", "fail_on_error": False} | options
    (log,) = eval(task, model=model, **settings)
    return log
