"""The tasks on a replica with the published list sizes: what each selects, and what each refuses."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from inspect_ai import Task, eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import Sample

import graphniah_inspect.tasks as tasks
from graphniah_inspect.graphniah.index import Example
from graphniah_inspect.graphniah.rows import Option, Placement
from graphniah_inspect.graphniah.samples import record_to_sample
from tests.replica import write_replica


@pytest.fixture(scope="module")
def replica(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_replica(tmp_path_factory.mktemp("replica") / "examples.jsonl"))


def selected(task: Task) -> dict[str, Any]:
    record = (task.metadata or {})["selection"]
    assert isinstance(record, dict)
    assert record["examples"] == len(task.dataset)
    return record


def ids(task: Task) -> list[str]:
    return [str(sample.id) for sample in task.dataset]


def metadata(task: Task) -> list[dict[str, Any]]:
    return [sample.metadata or {} for sample in task.dataset]


@pytest.mark.parametrize(
    ("experiment", "context_length", "examples", "values"),
    [
        ("question-depth", None, 400, {"4": 100, "8": 100, "16": 100, "32": 100}),
        ("node_count", None, 400, {"100": 100, "150": 100, "200": 100, "250": 100}),
        ("question-format", None, 300, {"yes-no": 100, "multiple-choice": 100, "counting": 100}),
        (
            "distractor-type",
            None,
            500,
            dict.fromkeys(("code", "essays", "books", "wikipedia", "disjoint-tree"), 100),
        ),
        ("reasoning_effort", None, 100, {"all": 100}),
        ("context-length", "500k", 50, {"all": 50}),
        ("context_length", 922000, 50, {"all": 50}),
        ("context_length", None, 100, {"all": 100}),
    ],
)
def test_the_papers_subsets(
    replica: str, experiment: str, context_length: Any, examples: int, values: dict[str, int]
) -> None:
    record = selected(tasks.graphniah(experiment=experiment, context_length=context_length, dataset=replica))
    assert (record["examples"], record["values"]) == (examples, values)
    if experiment == "context_length" and context_length is None:
        assert record["lists"] == ["reasoning-effort"]
        assert record["context_length"] == 200_000


def test_none_option_holds_each_example_once(replica: str) -> None:
    task = tasks.none_option(dataset=replica)
    assert selected(task)["examples"] == len({data["qid"] for data in metadata(task)}) == 100
    assert all(len(sample.choices or []) == 5 for sample in task.dataset)
    assert ids(task)[42] == "none-option-0042"


def test_formats_share_an_experiment(replica: str) -> None:
    whole = tasks.graphniah(experiment="node-count", dataset=replica)
    parts = [
        task(experiment="node-count", dataset=replica) for task in (tasks.yesno, tasks.multiple_choice, tasks.counting)
    ]
    assert sorted(ids(whole)) == sorted(name for part in parts for name in ids(part))
    assert [data["slot"] for data in metadata(whole)] == list(range(400))
    for part, kind in zip(parts, ("yes-no", "multiple-choice", "counting"), strict=True):
        assert {data["reachability_task"] for data in metadata(part)} == {kind}


def test_all_takes_the_whole_list(replica: str) -> None:
    assert len(tasks.graphniah(experiment="distractor-type", subset="all", dataset=replica).dataset) == 2500


def test_a_number_takes_the_first_of_every_value(replica: str) -> None:
    record = selected(tasks.graphniah(experiment="question-depth", subset=7, dataset=replica))
    assert record["slots_below"] == 28
    assert record["values"] == dict.fromkeys(("4", "8", "16", "32"), 7)


@pytest.mark.parametrize("value", [8, "8"])
def test_one_value(replica: str, value: Any) -> None:
    task = tasks.graphniah(experiment="question-depth", value=value, subset=3, dataset=replica)
    assert {data["question_depth"] for data in metadata(task)} == {8}
    assert len(task.dataset) == 3


def test_ids_say_where_an_example_stands(replica: str) -> None:
    assert ids(tasks.graphniah(experiment="question_depth", dataset=replica))[7] == "question-depth-0007"
    long = tasks.graphniah(experiment="context_length", context_length="500k", dataset=replica)
    assert ids(long)[3] == "context-length-500k-0003"
    assert ids(tasks.graphniah(experiment="context-length", dataset=replica))[0] == "context-length-200k-0000"


def test_max_prompt_tokens_says_what_it_leaves_out(replica: str) -> None:
    everything = metadata(tasks.graphniah(dataset=replica))
    limit = sorted(data["prompt_tokens"] for data in everything)[100]
    record = selected(tasks.graphniah(dataset=replica, max_prompt_tokens=limit))
    assert selected(tasks.graphniah(dataset=replica, max_prompt_tokens="200k"))["max_prompt_tokens"] == 200_000
    kept = sum(data["prompt_tokens"] <= limit for data in everything)
    assert record["examples"] == kept
    assert record["left_out"]["count"] == sum(record["left_out"]["by_value"].values()) == 300 - kept


@pytest.mark.parametrize(
    ("task", "arguments", "said"),
    [
        ("yesno", {"experiment": "depth"}, "question-depth"),
        ("yesno", {"experiment": False}, "node-count"),
        ("yesno", {"experiment": ["question-depth", "node-count"]}, "Known: context-length"),
        ("yesno", {"experiment": {"question-depth": 8}}, "Known: context-length"),
        ("yesno", {"context_length": "2" * 5000}, "200k"),
        ("yesno", {"context_length": 300000}, "question-format at 200000"),
        ("yesno", {"experiment": "node-count", "context_length": "500k"}, "context-length at 500000"),
        ("yesno", {"context_length": "long"}, "200k"),
        ("yesno", {"context_length": True}, "200k"),
        ("yesno", {"subset": "half"}, "paper, all"),
        ("yesno", {"subset": 0}, "paper, all"),
        ("yesno", {"subset": True}, "paper, all"),
        ("yesno", {"subset": 501}, "at most 500"),
        ("yesno", {"experiment": "question-depth", "value": 5}, "4, 8, 16, 32"),
        ("yesno", {"experiment": "question-depth", "value": True}, "4, 8, 16, 32"),
        ("yesno", {"experiment": "reasoning_effort", "value": "low"}, "varies nothing"),
        ("yesno", {"value": "counting"}, "Nothing is left"),
        ("yesno", {"rule": "strict"}, "answer-block"),
        ("yesno", {"context": "half"}, "full, none"),
        ("yesno", {"revision": "main"}, "revision"),
        ("yesno", {"revision": 1234567}, "revision"),
        ("yesno", {"max_prompt_tokens": "many"}, "positive number"),
        ("yesno", {"max_prompt_tokens": 10}, "leaves nothing"),
        ("yesno", {"max_prompt_tokens": 0}, "max_prompt_tokens=0 is no positive number"),
        ("yesno", {"tokenizer": "gpt2"}, "gpt-5.4"),
        ("yesno", {"experimnt": "node-count"}, "experimnt: there is no such parameter. Known: experiment, "),
        ("none_option", {"experiment": "node-count"}, "Known: context_length, subset, dataset"),
        ("none_option", {"subset": 101}, "at most 100"),
        ("none_option", {"context_length": "500k"}, "none-option"),
    ],
)
def test_what_cannot_be_meant_is_refused(replica: str, task: str, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(PrerequisiteError) as refused:
        getattr(tasks, task)(dataset=replica, **arguments)
    assert said in str(refused.value.message).replace("\\[", "[")


def change(replica: str, path: Path, edit: Any) -> str:
    """The first 60 slots of question-depth, with one edit of the parsed rows."""
    rows = [json.loads(line) for line in Path(replica).read_text(encoding="utf-8").splitlines()]
    kept = [row for row in rows if any(e["name"] == "question-depth" and e["slot"] < 60 for e in row["experiments"])]
    kept.sort(key=lambda row: next(e["slot"] for e in row["experiments"] if e["name"] == "question-depth"))
    edit(kept)
    path.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    return str(path)


def entry(row: dict[str, Any]) -> dict[str, Any]:
    return next(e for e in row["experiments"] if e["name"] == "question-depth")


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda rows: rows.pop(5), "Slot 5"),
        (lambda rows: entry(rows[5]).update(slot=6), "taken twice"),
        (lambda rows: entry(rows[-1]).update(slot=10**15), "Slot 59"),
        (lambda rows: rows[5]["config"].update(question_depth=16), "round-robin"),
        (lambda rows: rows[5]["config"].pop("question_depth"), "question_depth=None"),
        (lambda rows: rows[5]["config"].update(question_depth=5), "round-robin"),
        (lambda rows: rows[5].update(answer="perhaps"), "perhaps"),
        (lambda rows: rows[5].update(reachability_task="yes/no"), "yes/no"),
    ],
)
def test_damaged_lists_stop_the_task(replica: str, tmp_path: Path, edit: Any, said: str) -> None:
    path = change(replica, tmp_path / "damaged.jsonl", edit)
    with pytest.raises(PrerequisiteError) as refused:
        tasks.graphniah(experiment="question-depth", dataset=path, subset="all")
    assert said in str(refused.value.message)


def test_a_list_that_no_task_reads_needs_nothing(replica: str, tmp_path: Path) -> None:
    def edit(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            del row["config"]["context_length"]
            row["experiments"].append({"name": "pilot", "slot": 0})

    path = change(replica, tmp_path / "other.jsonl", edit)
    assert len(tasks.graphniah(experiment="question-depth", dataset=path, subset=10).dataset) == 40


def test_a_gap_behind_the_selection_does_no_harm(replica: str, tmp_path: Path) -> None:
    path = change(replica, tmp_path / "short.jsonl", lambda rows: rows.pop(50))
    assert len(tasks.graphniah(experiment="question-depth", dataset=path, subset=10).dataset) == 40


def test_a_short_list_is_taken_whole_and_said_to_be_short(
    replica: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = change(replica, tmp_path / "short.jsonl", lambda rows: None)
    assert len(tasks.graphniah(experiment="question-depth", dataset=path).dataset) == 60
    assert "evaluated 400" in caplog.text


def test_missing_count_with_a_limit_is_an_error(replica: str, tmp_path: Path) -> None:
    path = change(replica, tmp_path / "uncounted.jsonl", lambda rows: rows[3]["token_counts"].pop("gpt-5.4"))
    with pytest.raises(PrerequisiteError, match="no count"):
        tasks.graphniah(experiment="question-depth", dataset=path, subset=2, max_prompt_tokens=10**6)


def test_record_to_sample() -> None:
    example = Example(
        qid="ab" * 32,
        reachability_task="multiple-choice",
        question="Which?",
        answer="B",
        experiments=(Placement("node-count", 3, 200_000),),
        question_type="reachability-multiple",
        options=(Option("A", "One"), Option("B", "Two")),
        config={"question_depth": 8, "component_node_count": 150, "context_length": 200_000, "extra": [1]},
        token_counts={"gpt-5.4": 199_000, "gemma-4-31b": 190_000},
        offset=0,
        length=1,
        line=1,
    )
    arguments: dict[str, Any] = {
        "sample_id": "node-count-0003",
        "experiment": "node-count",
        "slot": 3,
        "value": 150,
        "tokenizer": "gpt-5.4",
    }
    sample: Sample = record_to_sample(example, **arguments)
    assert (sample.id, sample.input, sample.target, sample.choices) == (
        "node-count-0003",
        "Which?",
        "B",
        ["One", "Two"],
    )
    assert sample.metadata == {
        "qid": "ab" * 32,
        "experiment": "node-count",
        "slot": 3,
        "value": 150,
        "reachability_task": "multiple-choice",
        "question_format": "reachability-multiple",
        "context_length": 200_000,
        "none_option": 0,
        "prompt_tokens": 199_000,
        "prompt_tokens_min": 190_000,
        "question_depth": 8,
        "component_node_count": 150,
    }
    swapped = msgspec.structs.replace(example, options=(Option("B", "Two"), Option("A", "One")))
    with pytest.raises(ValueError, match="option labels"):
        record_to_sample(swapped, **arguments)


def test_full_prompt_reaches_the_model_byte_for_byte(tmp_path: Path, replica: str) -> None:
    awkward = "\\answer{} {braces} {{x}} \u2028\u0085\0 {metadata.qid} 𝔘 \r\n end"

    def edit(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row["user_prompt"] = row["question"] + awkward
            row["system_prompt"] = "sys" + awkward

    path = change(replica, tmp_path / "awkward.jsonl", edit)
    for context, has_context in (("full", True), ("none", False)):
        task = tasks.yesno(experiment="question-depth", dataset=path, subset=3, context=context)
        log = eval(task, model="mockllm/model", log_dir=str(tmp_path / "logs"), limit=1)[0]
        assert log.samples
        system, user = (message.text for message in log.samples[0].messages[:2])
        assert system == "sys" + awkward
        assert user == str(log.samples[0].input) + (awkward if has_context else "")
