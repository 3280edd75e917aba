"""`graphniah report`: its numbers are the logs' own, nothing is pooled, nothing from a log is more than text."""

import csv
import hashlib
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval, score
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage
from inspect_ai.scorer import match
from inspect_ai.solver import TaskState

from graphniah_inspect import tasks
from graphniah_inspect.cli import main
from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.scoring import reachability
from graphniah_inspect.graphwalks.scoring import graphwalks_grader
from graphniah_inspect.report.content import Content, Result, read_content
from graphniah_inspect.report.report_command import write
from graphniah_inspect.report.tables import numbers_csv, runs_json, to_json
from tests.report_logs import examples, make_log, often_right, say


def results(content: Content) -> list[Result]:
    return [result for chapter in content.chapters for result in chapter.results]


def numbers(content: Content, figure: str) -> list[dict[str, str]]:
    return [row for row in csv.DictReader(io.StringIO(numbers_csv(content))) if figure in row["figure"]]


def metric(log: EvalLog, name: str) -> Any:
    assert log.results is not None
    return next(score.metrics[name].value for score in log.results.scores if name in score.metrics)


def troubled(state: TaskState) -> str | ModelOutput:
    """Some of everything that may become of a response."""
    slot = state.metadata["slot"]
    if slot == 0 and state.epoch == 1:
        raise ConnectionError("broken <b>pipe</b>")
    stops = {1: "max_tokens", 2: "model_length", 3: "content_filter"}
    if slot in stops:
        return ModelOutput.from_content("mockllm/model", "YES", stop_reason=stops[slot])  # type: ignore[arg-type]
    if slot == 4:
        return ""
    if slot == 5:
        return "hard to say, " * 30
    return often_right(0.6)(state)


def test_accuracy_is_the_logs_own_with_errors_unread_answers_and_epochs(tmp_path: Path) -> None:
    log = make_log(tmp_path, troubled, epochs=3)
    content = read_content([str(tmp_path)])
    (result,) = results(content)
    (run,) = runs_json(content)

    assert result.accuracy.mean == pytest.approx(metric(log, "accuracy"))
    assert (result.accuracy.n, result.accuracy.failed, result.responses, result.epochs) == (24, 1, 72, 3)
    assert result.unread == 15
    assert run["errors_as_wrong"] <= run["accuracy"]
    assert content.frame["outcome"].value_counts()[["error", "truncated", "context_overflow", "refusal"]].tolist() == [
        *(1, 3, 3, 3)
    ]
    assert "r01 1 of 72" in content.warnings[0]
    for row in numbers(content, "by-value"):
        assert float(row["value"]) == pytest.approx(metric(log, f"accuracy_value_{row['samples']}"))
    for row in numbers(content, "by-format"):
        assert float(row["value"]) == pytest.approx(metric(log, f"accuracy_format_{row['samples']}"))
    yes, no = numbers(content, "yes-no")[:2]
    assert float(yes["value"]) == pytest.approx(metric(log, "accuracy_label_YES"))
    assert float(no["value"]) == pytest.approx(metric(log, "accuracy_label_NO"))
    shares = [float(row["value"]) for row in numbers(content, "outcomes")]
    assert sum(shares) == pytest.approx(1)


def test_answers_to_cut_prompts_are_told_and_keep_what_became_of_them(tmp_path: Path) -> None:
    def answer(state: TaskState) -> ModelOutput:
        text = "no idea, " * 30 if state.metadata["slot"] == 0 else f"\\answer{{{state.target.text}}}"
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsage(input_tokens=100, output_tokens=5, total_tokens=105)
        return output

    make_log(tmp_path, answer, samples=examples(6, prompt_tokens_min=1000))
    content = read_content([str(tmp_path)])
    assert content.frame["outcome"].tolist() == ["invalid_response_format"] + ["right"] * 5
    assert results(content)[0].cut == 6
    assert "r01 6 of 6" in content.warnings[0]


def test_samples_of_one_component_widen_the_interval(tmp_path: Path) -> None:
    def by_component(state: TaskState) -> str:
        right = state.metadata["component_id"] in ("c0", "c1", "c2")
        return f"\\answer{{{state.target.text if right else 'none'}}}"

    samples = examples(24)
    for number, sample in enumerate(samples):
        sample.metadata = {**(sample.metadata or {}), "component_id": f"c{number % 6}"}
    make_log(tmp_path / "clustered", by_component, samples=samples)
    make_log(tmp_path / "independent", often_right(0.5, seed=5), samples=examples(24))
    clustered, independent = (
        results(read_content([str(tmp_path / name)]))[0].accuracy for name in ("clustered", "independent")
    )
    assert clustered.high - clustered.low > 1.5 * (independent.high - independent.low)


def test_runs_that_measured_something_else_are_rows_that_say_why(tmp_path: Path) -> None:
    make_log(tmp_path, often_right(1.0))
    make_log(tmp_path, often_right(0.0), rule="tolerant")
    make_log(tmp_path, often_right(0.0), version="2-A")
    make_log(tmp_path, often_right(0.0), selection={"sha256": "cd" * 32})
    make_log(tmp_path, often_right(0.0), selection={"context": "none"})
    make_log(tmp_path, often_right(0.0), selection={"subset": "all", "slots_below": 99})
    make_log(tmp_path, often_right(0.0), temperature=0.7)
    found = results(read_content([str(tmp_path)]))
    assert sorted(result.accuracy.mean for result in found) == [0.0] * 6 + [1.0]
    told = " | ".join(result.apart for result in found)
    for words in (
        "rule tolerant",
        "version 2-A",
        "data cdcdcdcdcdcd",
        "without context",
        "subset all",
        "temperature 0.7",
    ):
        assert words in told
    assert len({result.label for result in found}) == 7


def test_how_fast_a_model_was_asked_sets_no_runs_apart(tmp_path: Path) -> None:
    make_log(tmp_path, often_right(1.0))
    make_log(tmp_path, often_right(0.0), max_connections=2, timeout=600)
    assert [result.apart for result in results(read_content([str(tmp_path)]))] == ["", ""]


def test_graphwalks_data_is_its_hash_wherever_it_lies(tmp_path: Path) -> None:
    rows = (Path(tasks.__file__).parent / "graphwalks" / "sample.jsonl").read_bytes()
    for name, held in (("a", rows), ("b", rows), ("c", b"".join(rows.splitlines(keepends=True)[:-1]))):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.jsonl").write_bytes(held)
        task = tasks.graphwalks(dataset=str(tmp_path / name / f"{name}.jsonl"))
        eval(task, model="graphniah/oracle", limit=2, log_dir=str(tmp_path / "logs"), display="none")
    data = [result.run.conditions["data"] for result in results(read_content([str(tmp_path / "logs")]))]
    assert len(data) == 3 and data.count(f"hash {hashlib.sha256(rows).hexdigest()}") == 2


def test_two_equal_runs_stay_two_rows(tmp_path: Path) -> None:
    make_log(tmp_path, often_right(1.0))
    make_log(tmp_path, often_right(0.0))
    content = read_content([str(tmp_path)])
    assert sorted(result.accuracy.mean for result in results(content)) == [0.0, 1.0]
    assert len({row["name"] for row in numbers(content, "by-value")}) == 2


def test_a_log_scored_by_two_rules_is_two_rows_and_its_copy_none(tmp_path: Path) -> None:
    log = make_log(tmp_path, lambda state: f"\\answer\\{{{state.target.text}\\}}")
    both = score(log, reachability("tolerant"), action="append", display="none")
    write_eval_log(both, tmp_path / "2026-01-01T00-00-00_again_x.eval")
    found = [(result.run.rule, result.accuracy.mean) for result in results(read_content([str(tmp_path)]))]
    assert sorted(found) == [("paper", 0.0), ("tolerant", 1.0)]


def test_context_lengths_and_efforts_become_points_of_one_line(tmp_path: Path) -> None:
    for length in (200_000, 922_000):
        for effort in ("high", "low"):
            make_log(tmp_path, often_right(0.5), selection={"context_length": length}, reasoning_effort=effort)
    content = read_content([str(tmp_path)])
    lengths = numbers(content, "by-context-length")
    assert [(row["name"], row["samples"]) for row in lengths] == [
        ("mockllm/model (effort low)", "200k"),
        ("mockllm/model (effort high)", "200k"),
        ("mockllm/model (effort low)", "922k"),
        ("mockllm/model (effort high)", "922k"),
    ]
    assert {row["name"] for row in numbers(content, "by-reasoning-effort")} == {
        "mockllm/model (length 200k)",
        "mockllm/model (length 922k)",
    }


def test_logs_that_cannot_be_used_are_named_and_the_rest_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "logs"
    whole = make_log(logs, often_right(0.5))
    data = Path(whole.location).read_bytes()
    (logs / "cut.eval").write_bytes(data[: len(data) // 2])
    (logs / "empty.eval").write_bytes(b"")
    (logs / "text.eval").write_text("not a log", encoding="utf-8")
    damaged = bytearray(data)
    damaged[200:-400] = b"x" * (len(data) - 600)
    (logs / "damaged.eval").write_bytes(damaged)
    stopped = read_eval_log(make_log(tmp_path / "elsewhere", often_right(0.5)).location)
    stopped.status = "cancelled"
    write_eval_log(stopped, logs / "stopped.eval")
    eval(
        Task(dataset=[Sample(input="?", target="YES")], solver=say(lambda _: "YES"), scorer=match(), name="other"),
        model="mockllm/model",
        log_dir=str(logs),
        display="none",
    )
    assert main(["report", str(logs), "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().err
    for name in ("cut.eval", "empty.eval", "text.eval", "damaged.eval", "stopped.eval", "_other_"):
        assert name in told, name
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "stopped.eval: not finished (status cancelled)" in page
    assert len(json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))["left_out"]) == 6

    Path(whole.location).unlink()
    with pytest.raises(UserError, match=r"(?s)no finished log.*empty\.eval"):
        read_content([str(logs)])
    with pytest.raises(UserError, match="no such file"):
        read_content([str(tmp_path / "nowhere")])


def test_the_attempt_before_a_retry_is_left_out(tmp_path: Path) -> None:
    first = read_eval_log(make_log(tmp_path, often_right(0.5)).location)
    first.eval.eval_id = "another"
    first.eval.created = "2020-01-01T00:00:00+00:00"
    write_eval_log(first, tmp_path / "earlier.eval")
    first.status = "error"
    write_eval_log(first, tmp_path / "failed.eval")
    content = read_content([str(tmp_path)])
    assert len(content.runs) == 1
    assert [(Path(log.file).name, " ".join(log.why.split()[:3])) for log in content.left_out] == [
        ("earlier.eval", "an earlier attempt;"),
        ("failed.eval", "an attempt that"),
    ]


class Tags(HTMLParser):
    """Collects elements and links."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), (tag, attrs)
            if name in ("href", "src", "xlink:href") and value:
                self.links.append(value)
            if name == "id" and value and tag == "tr":
                self.ids.append(value)


def test_the_page_takes_nothing_from_a_log_for_markup_and_nothing_from_the_net(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)> $^$ | `x` --> ]]> '\" & e\u0301\u202e"

    def answer(state: TaskState) -> ModelOutput:
        if state.metadata["slot"] == 0:
            raise ValueError(evil)
        return ModelOutput.from_content("m", f"\\answer{{{evil}}}")

    samples = examples(12, values=[evil, "<b>"], distractor_type=evil)
    samples[1].id = f"question-{evil}".replace(",", "").replace(":", "")
    make_log(
        tmp_path / "logs",
        answer,
        samples=samples,
        model=f"mockllm/{evil}",
        rule="answer-block",
        selection={"experiment": "question-depth", "subset": evil, "sha256": evil},
    )
    make_log(tmp_path / "logs", answer, samples=samples, model=f"mockllm/{evil}2", rule="paper")
    (tmp_path / "logs" / "<script>.eval").write_bytes(b"")
    assert main(["report", str(tmp_path / "logs"), "--out", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(page)
    assert tags.tags.count("script") == 1
    assert "img" not in tags.tags
    assert not [link for link in tags.links if re.match(r"(?i)\s*(https?:|//|javascript:|data:)", link)]
    local = [link for link in tags.links if not link.startswith("#")]
    assert local and all((tmp_path / "out" / link).is_file() for link in local)
    assert "<script>alert" not in (tmp_path / "out" / "tables.md").read_text(encoding="utf-8")
    # Every point of every figure leads to a row of numbers that is there.
    anchors = {link[1:] for link in tags.links if re.fullmatch(r"#[a-z-]+-\d+", link)}
    assert anchors and anchors <= set(tags.ids)
    told = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert evil.strip() in {sample["answer"] for sample in told["samples"]}


def test_the_same_logs_give_the_same_bytes(tmp_path: Path) -> None:
    samples = examples(12, formats=["yes-no", "counting"])
    make_log(tmp_path / "logs", often_right(0.7), samples=samples)
    make_log(tmp_path / "logs", often_right(0.4), samples=samples, model="mockllm/other")
    files = sorted(str(path) for path in (tmp_path / "logs").iterdir())
    written = []
    for number, places in enumerate((files[::-1], [str(tmp_path / "logs")])):
        out = tmp_path / f"out{number}"
        assert main(["report", *places, "--out", str(out), "--parquet"]) == 0
        written.append({str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()})
    assert written[0] == written[1]
    assert {"index.html", "samples.csv", "samples.parquet", "tables.md", "numbers.csv"} < set(written[0])
    assert len([name for name in written[0] if name.endswith(".svg")]) > 6


def fail(state: TaskState) -> str:
    raise TimeoutError("no answer")


@pytest.mark.parametrize(
    ("answer", "samples"),
    [
        (fail, examples(3)),
        (lambda _: "no idea, " * 40, examples(3)),
        (often_right(1.0), examples(1, formats=["yes-no"])),
        (often_right(0.0), [Sample(id="bare-1", input="?", target="YES", metadata={"reachability_task": "yes-no"})]),
        (lambda _: "\\answer{0}", examples(6, formats=["counting"])),
        (lambda _: "\\answer{-5}", examples(6, formats=["counting"], component_node_count=None)),
        (lambda _: "\\answer{999999999999999999}", examples(6, formats=["counting"])),
    ],
    ids=["all failed", "none read", "one sample", "no metadata", "zero", "negative", "huge"],
)
def test_there_is_a_report_however_little_there_is_to_draw(tmp_path: Path, answer: Any, samples: list[Sample]) -> None:
    make_log(tmp_path / "logs", answer, samples=samples)
    assert main(["report", str(tmp_path / "logs"), "--out", str(tmp_path / "out")]) == 0
    json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))


def test_counts_and_options_are_those_of_the_log(tmp_path: Path) -> None:
    samples = examples(12)
    log = make_log(tmp_path, often_right(0.0), samples=samples)
    content = read_content([str(tmp_path)])
    chosen = {row["samples"].split(",")[0]: float(row["value"]) for row in numbers(content, "-options")}
    right = [str(sample.target) for sample in samples if sample.choices]
    assert chosen["option A"] == sum(target != "A" for target in right)
    assert chosen["option B"] == right.count("A")
    errors = {row["measure"]: float(row["value"]) for row in numbers(content, "-counts")}
    assert errors["mean absolute error"] == pytest.approx(metric(log, "mean_absolute_error"))
    assert errors["median absolute error"] == pytest.approx(metric(log, "median_absolute_error"))


def test_graphwalks_logs_have_f1_and_exact_matches(tmp_path: Path) -> None:
    def answer(state: TaskState) -> str:
        truth = json.loads(state.target.text)
        said = truth if state.metadata["slot"] % 2 else [*truth, "ffffffffff"]
        return "dunno" if state.metadata["slot"] == 3 else f"Final Answer: [{', '.join(said)}]"

    samples = [
        Sample(
            id=f"walk-{slot}",
            input="?",
            target=json.dumps([f"{node:010x}" for node in range(slot)]),
            metadata={
                "slot": slot,
                "problem_type": "bfs" if slot % 3 else "parents",
                "band": "0-128k" if slot < 6 else "1m",
                "truth_size": slot,
                "truth_size_band": "2-9",
            },
        )
        for slot in range(2, 10)
    ]
    (log,) = eval(
        Task(dataset=samples, solver=say(answer), scorer=graphwalks_grader("tolerant"), name="graphwalks"),
        model="mockllm/model",
        log_dir=str(tmp_path),
        display="none",
    )
    content = read_content([str(tmp_path)])
    (result,) = results(content)
    assert (result.run.rule, result.unread) == ("tolerant", 1)
    f1, exact = numbers(content, "-scores")
    assert log.results is not None
    means = {score.name: score.metrics["mean"].value for score in log.results.scores if "mean" in score.metrics}
    assert float(f1["value"]) == pytest.approx(means["f1"])
    assert float(exact["value"]) == pytest.approx(means["exact"])
    assert {row["name"] for row in numbers(content, "by-band")} == {"mockllm/model, bfs", "mockllm/model, parents"}


def test_figures_of_an_earlier_report_go_but_nothing_else_is_deleted(tmp_path: Path) -> None:
    make_log(tmp_path / "logs", often_right(0.5))
    content = read_content([str(tmp_path / "logs")])
    out = tmp_path / "out"
    write(content, out)
    (out / "figures" / "old.png").write_bytes(b"")
    write(content, out)
    assert not (out / "figures" / "old.png").exists()
    (out / "figures" / "thesis.tex").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match=r"thesis\.tex"):
        write(content, out)
    assert (out / "figures" / "thesis.tex").exists()


def test_json_is_strict(tmp_path: Path) -> None:
    make_log(tmp_path, fail, samples=examples(2))
    assert "NaN" not in to_json(read_content([str(tmp_path)]))


def test_the_rule_told_is_that_of_the_score_not_of_the_task(tmp_path: Path) -> None:
    log = make_log(tmp_path / "first", often_right(1.0), rule="tolerant")
    again = score(log, reachability(), action="overwrite", display="none")
    write_eval_log(again, tmp_path / "again" / "2026-01-01T00-00-00_again_x.eval")
    assert [result.run.rule for result in results(read_content([str(tmp_path / "again")]))] == ["paper"]
