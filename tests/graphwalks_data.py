"""What the GraphWalks tests share: data files, a model that answers by a function, metrics by name."""

import json
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage, StopReason, get_model

from graphniah_inspect.graphwalks.generate import Settings, generate
from graphniah_inspect.graphwalks.layout import (
    Edge,
)
from graphniah_inspect.graphwalks.source import SAMPLE_FILE
from graphniah_inspect.graphwalks.truth import answer_text, solve

A, B, C, D, E, F = (letter * 10 for letter in "abcdef")


def sample_records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in SAMPLE_FILE.read_text(encoding="utf-8").splitlines()]


def write_parquet(path: Path, records: list[dict[str, Any]], **options: Any) -> Path:
    pq.write_table(pa.Table.from_pylist(records), path, **options)
    return path


def real_rows(shared: Path) -> list[dict[str, Any]]:
    lines = (shared / "cases" / "graphwalks_rows.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line]


def distances(edges: list[Edge], node: str, depth: int) -> set[str]:
    """Nodes at exactly that distance, by a queue: a second opinion on networkx's."""
    found, queue = {node: 0}, deque([node])
    while queue:
        current = queue.popleft()
        for a, b in edges:
            if a == current and b not in found:
                found[b] = found[current] + 1
                queue.append(b)
    return {other for other, distance in found.items() if distance == depth}


def model(answer: Callable[[str], str], stop_reason: StopReason = "stop", tokens: int | None = None) -> Any:
    """A model that answers each prompt by a function of its text."""

    def output(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        text = messages[-1].text
        made = ModelOutput.from_content("mock", answer(text), stop_reason)
        read = len(text) // 2 if tokens is None else tokens
        made.usage = ModelUsage(input_tokens=read, output_tokens=1, total_tokens=read + 1)
        return made

    return get_model("mockllm/model", custom_outputs=output)


def oracle(prompt: str) -> str:
    return answer_text(solve(prompt))


def run_task(task: Task, model: Any, **options: Any) -> EvalLog:
    log = eval(task, model=model, **options)[0]
    assert log.status == "success", log.error
    return log


def values(log: EvalLog) -> dict[str, float]:
    """Metrics by `score.metric`, those of the groups by their own names."""
    assert log.results
    return {
        name if one.name == one.scorer else f"{one.name}.{name}": metric.value
        for one in log.results.scores
        for name, metric in one.metrics.items()
    }


def ids(task: Task) -> list[str]:
    return [str(sample.id) for sample in task.dataset]


def record(task: Task) -> dict[str, Any]:
    found = (task.metadata or {})["selection"]
    assert isinstance(found, dict)
    return found


def plain_file(folder: Path, rows: int = 8) -> Path:
    """A data file without counts beside it."""
    path = folder / "plain.jsonl"
    made = generate(Settings(rows=rows, tokens=(700, 900)))
    path.write_text("".join(json.dumps(one.record) + "\n" for one in made), encoding="utf-8")
    return path


def sha256_of(path: Path) -> str:
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()
