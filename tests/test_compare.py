"""`graphniah compare` on real Inspect logs: pairing, refusals, groups, outputs."""

import argparse
import csv
import io
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inspect_ai import Task, eval, score
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Score, Scorer, Target, accuracy, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from graphniah_inspect import cli, tasks
from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.scoring import reachability
from graphniah_inspect.report.compare import compare
from graphniah_inspect.report.compare_command import add_compare_parser, run_compare
from graphniah_inspect.report.compare_tables import FORMATS, render
from graphniah_inspect.report.logs import gather
from graphniah_inspect.report.pairing import pair
from graphniah_inspect.report.runs import Wanted, read_run, tell_apart
from tests.report_logs import examples, make_log, often_right

FORTY = tuple(f"s{number:02d}" for number in range(40))
SELECTION = {
    "experiment": "question-depth",
    "subset": "paper",
    "dataset": "minhnam/GraphNIAH",
    "file": "/somewhere/examples.jsonl",
    "sha256": "ab" * 32,
    "rule": "paper",
    "context": "full",
    "values": {"4": 10},
}


@solver
def says(right: frozenset[str], broken: frozenset[str]) -> Solver:
    """Answers right on some samples, and breaks on some, named `id/epoch`, or `id` for every epoch."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        names = {str(state.sample_id), f"{state.sample_id}/{state.epoch}"}
        if names & broken:
            raise RuntimeError("the provider hung up")
        state.output.completion = "right" if names & right else "wrong"
        return state

    return solve


@scorer(metrics=[accuracy()])
def marks(rule: str = "paper") -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value="C" if state.output.completion == "right" else "I")

    return score


@scorer(metrics={"f1": [mean()], "exact": [mean()]})
def graded() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        right = state.output.completion == "right"
        return Score(value={"f1": 0.8 if right else 0.25, "exact": int(right)})

    return score


def run(
    folder: Path,
    right: Iterable[str],
    *,
    model: str = "mockllm/a",
    ids: Iterable[str] = FORTY,
    broken: Iterable[str] = (),
    selection: dict[str, Any] | None = None,
    epochs: int = 1,
    scoring: Scorer | None = None,
    version: str = "1-A",
    target: str = "YES",
    components: int | None = None,
    log_format: Any = "eval",
    config: GenerateConfig | None = None,
) -> str:
    """Run a small task and return its log's file."""
    samples = [
        Sample(
            id=name,
            input="?",
            target=target,
            metadata={"qid": f"q-{name}", "value": 4 if index % 2 else 8, "distractor_type": "code"}
            | ({"component_id": f"c{index % components}"} if components else {}),
        )
        for index, name in enumerate(ids)
    ]
    task = Task(
        dataset=samples,
        solver=says(frozenset(right), frozenset(broken)),
        scorer=scoring or marks(),
        metadata={"selection": SELECTION | (selection or {})},
        version=version,
        name="graphniah",
        config=config or GenerateConfig(),
    )
    (log,) = eval(
        task,
        model=model,
        log_dir=str(folder),
        log_format=log_format,
        epochs=epochs,
        fail_on_error=False,
        display="none",
    )
    return str(log.location)


def names(numbers: Iterable[int]) -> list[str]:
    return [f"s{i:02d}" for i in numbers]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    """Three models on 40 samples: 30, 18 and 29 right; the second is right on none that the first missed."""
    folder = tmp_path_factory.mktemp("logs")
    return (
        run(folder / "a", names(range(30))),
        run(folder / "b", names(range(18)), model="mockllm/b", log_format="json"),
        run(folder / "c", names(range(1, 30)), model="mockllm/c", selection={"file": "/elsewhere/x.jsonl"}),
    )


def report_of(*files: str, **options: Any) -> Any:
    split = {key: options.pop(key) for key in ("intersect", "cluster") if key in options}
    return compare(pair(tell_apart([read_run(file) for file in files]), **split), **options)


def test_two_models_by_hand(logs: tuple[str, str, str]) -> None:
    report = report_of(*logs[:2])
    (found,) = report.comparisons
    assert (found.n, found.clusters, report.cluster_by) == (40, 40, "qid")
    assert (found.first_better, found.second_better) == (12, 0)
    assert found.difference == pytest.approx(0.3)
    # By hand: sd of twelve ones among forty, over the square root of forty.
    assert found.standard_error == pytest.approx(np.sqrt(0.3 * 0.7 / 39))
    assert found.mcnemar_p == found.p == found.p_holm == pytest.approx(2 * 0.5**12)
    assert [a.accuracy for a in report.accuracies] == [0.75, 0.45]
    assert found.verdict.startswith("mockllm/a is better than mockllm/b by 30.0 points (95 % interval ")


def test_three_models_all_pairs_or_against_one(logs: tuple[str, str, str]) -> None:
    report = report_of(*logs)
    assert [(c.first[-1], c.second[-1]) for c in report.comparisons] == [("a", "b"), ("a", "c"), ("b", "c")]
    by_pair = {c.first[-1] + c.second[-1]: c for c in report.comparisons}
    assert by_pair["ab"].p_holm == pytest.approx(3 * by_pair["ab"].p)
    assert by_pair["ac"].p_holm == 1
    assert "not distinguishable at this n" in by_pair["ac"].verdict
    assert "the smallest difference that n=40 pairs show with 80 % power is" in by_pair["ac"].verdict
    against = report_of(*logs, baseline="mockllm/b").comparisons
    assert [(c.first[-1], c.second[-1], c.family) for c in against] == [("a", "b", 2), ("c", "b", 2)]
    with pytest.raises(UserError, match=r"none of the runs. Known: mockllm/a, mockllm/b"):
        report_of(*logs[:2], baseline="gpt")


def test_groups_are_one_family(logs: tuple[str, str, str]) -> None:
    report = report_of(*logs[:2], by="value")
    groups = [c for c in report.comparisons if c.group != "all"]
    assert [(c.group, c.n, c.family) for c in groups] == [("value=4", 20, 2), ("value=8", 20, 2)]
    assert all(c.p_holm == pytest.approx(2 * c.p) for c in groups)
    assert groups[0].difference == pytest.approx(0.3)
    assert groups[0].p == pytest.approx(2 * 0.5**6)
    assert "not distinguishable" in groups[0].verdict
    assert "p = 0.062 after Holm over 2 comparisons, 0.031 without" in groups[0].verdict
    with pytest.raises(UserError, match=r"No sample has the metadata 'colour'.*distractor_type, qid, value"):
        report_of(*logs[:2], by="colour")


def test_samples_of_one_component_are_one_cluster(tmp_path: Path) -> None:
    files = [
        run(tmp_path / "a", names(i for i in range(40) if i % 8 < 6), components=8),
        run(tmp_path / "b", names(i for i in range(40) if i % 8 < 3), components=8, model="mockllm/b"),
    ]
    report = report_of(*files)
    (found,) = report.comparisons
    assert (found.clusters, report.cluster_by) == (8, "component_id")
    assert found.mcnemar_p == pytest.approx(2 * 0.5**15)
    assert found.p == pytest.approx(2 * 0.5**3), "three components differ, not fifteen samples"
    assert "not distinguishable" in found.verdict
    assert "8 clusters by component_id" in report.method
    assert report_of(*files, cluster="qid").comparisons[0].p == found.mcnemar_p


def test_a_variant_and_its_source_are_one_cluster(tmp_path: Path) -> None:
    files = []
    for model, right in (("a", names(range(8))), ("b", names(range(3)))):
        log = read_eval_log(run(tmp_path / model, right, ids=names(range(8)), model=f"mockllm/{model}"))
        assert log.samples is not None
        for sample in log.samples[4:]:
            sample.metadata["source_qid"] = f"q-s{int(str(sample.id)[1:]) - 4:02d}"
        files.append(str(tmp_path / f"{model}.eval"))
        write_eval_log(log, files[-1])
    report = report_of(*files)
    assert (report.n, report.clusters, report.cluster_by) == (8, 4, "qid or source_qid")


def test_a_sample_may_not_occur_twice(tmp_path: Path, logs: tuple[str, str, str]) -> None:
    log = read_eval_log(logs[0])
    assert log.samples is not None
    file = str(tmp_path / "twice.json")
    write_eval_log(log.model_copy(update={"samples": [*log.samples, log.samples[7]]}), file)
    with pytest.raises(UserError, match="sample s07 occurs twice in epoch 1"):
        read_run(file)


def test_epochs_are_averaged_within_a_sample_first(tmp_path: Path) -> None:
    files = [
        run(tmp_path / "a", ["s00", "s01/1", "s01/2", "s02/1"], ids=names(range(6)), epochs=3),
        run(tmp_path / "b", ["s01/3"], ids=names(range(6)), epochs=3, model="mockllm/b"),
    ]
    report = report_of(*files)
    (found,) = report.comparisons
    differences = np.array([1, 1 / 3, 1 / 3, 0, 0, 0])
    assert (found.n, report.epochs) == (6, 3)
    assert found.difference == pytest.approx(differences.mean())
    assert found.standard_error == pytest.approx(differences.std(ddof=1) / np.sqrt(6))
    assert (found.first_better, found.second_better) == (3, 0)
    assert found.p == pytest.approx(0.25), "three signs, all alike: 2 of 8 flips"
    assert "a mean over up to 3 epochs" in report.method


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"selection": {"sha256": "cd" * 32}}, "data: hash abab.* against hash cdcd"),
        (
            {"selection": {"sha256": None}},
            "data: hash abab.* against minhnam/GraphNIAH .revision None, no hash",
        ),
        ({"selection": {"context": "none"}}, "context: full against none"),
        ({"scoring": marks(rule="tolerant")}, "scorer: marks against marks rule=tolerant"),
        ({"version": "2-A"}, "task version: 1-A against 2-A"),
    ],
)
def test_what_was_not_measured_alike_is_refused(
    tmp_path: Path, logs: tuple[str, str, str], change: dict[str, Any], told: str
) -> None:
    other = run(tmp_path, names(range(9)), **change)
    for intersect in (False, True):
        with pytest.raises(UserError, match=f"do not match:\n(.*\n)*  {told}(.*\n)*Such runs cannot be compared"):
            report_of(logs[0], other, intersect=intersect)


def test_other_samples_are_refused_or_intersected(tmp_path: Path, logs: tuple[str, str, str]) -> None:
    other = run(tmp_path, names(range(5)), ids=names(range(20)), selection={"subset": 10})
    with pytest.raises(
        UserError, match=r"subset: paper against 10\n  samples: 20 only in the first .s20, .*\n.*--intersect"
    ):
        report_of(logs[0], other)
    report = report_of(logs[0], other, intersect=True)
    assert (report.n, report.comparisons[0].first_better) == (20, 15)
    assert "Compared on the 20 samples that have a score in all 2 runs." in report.notes
    assert any("subset: paper against 10" in note for note in report.notes)
    with pytest.raises(UserError, match="share no sample"):
        report_of(logs[0], run(tmp_path, [], ids=["other"]), intersect=True)


def test_fewer_epochs_are_refused_or_intersected(tmp_path: Path, logs: tuple[str, str, str]) -> None:
    other = run(tmp_path, ["s00/2"], epochs=2)
    with pytest.raises(UserError, match=r"epochs: 1 only in the second .2."):
        report_of(logs[0], other)
    assert report_of(logs[0], other, intersect=True).comparisons[0].first_better == 30


def test_one_id_must_be_one_example(tmp_path: Path, logs: tuple[str, str, str]) -> None:
    other = run(tmp_path, [], target="NO")
    with pytest.raises(UserError, match=r'Sample s00 is not the same example.*target "YES" against "NO"'):
        report_of(logs[0], other, intersect=True)


def test_errored_samples_are_never_left_out_silently(tmp_path: Path, logs: tuple[str, str, str]) -> None:
    other = run(tmp_path, names(range(30)), broken=["s03", "s39"], model="mockllm/b")
    with pytest.raises(
        UserError, match=r"2 of 40 without a score, e.g. s03 .epoch 1.: error: .*hung up.*\n.*eval-retry"
    ):
        report_of(logs[0], other)
    report = report_of(logs[0], other, intersect=True)
    assert report.n == 38
    assert any("2 of 40 without a score" in note for note in report.notes)


def test_a_cancelled_log_counts_what_was_not_run(tmp_path: Path, logs: tuple[str, str, str]) -> None:
    log = read_eval_log(logs[0])
    assert log.samples is not None
    cut = log.model_copy(update={"samples": log.samples[:25], "status": "cancelled"})
    file = str(tmp_path / "cut.eval")
    write_eval_log(cut, file)
    with pytest.raises(UserError, match=r"cancelled.: 15 of 40 without a score, e.g. s25 .epoch 1.: not run"):
        report_of(logs[1], file)
    assert report_of(logs[1], file, intersect=True).n == 25


def test_nan_is_no_score_and_other_numbers_are_refused(tmp_path: Path, logs: tuple[str, str, str]) -> None:
    def with_value(value: Any) -> str:
        log: EvalLog = read_eval_log(logs[0]).model_copy(deep=True)
        assert log.samples is not None
        log.samples[0].scores = {"marks": Score(value=value)}
        file = str(tmp_path / f"{value}.eval")
        write_eval_log(log, file)
        return file

    with pytest.raises(UserError, match=r"1 of 40 without a score, e.g. s00 .epoch 1.: score is NaN"):
        report_of(logs[1], with_value(float("nan")))
    with pytest.raises(UserError, match=r"score 17.0 is outside 0..1"):
        report_of(logs[1], with_value(17.0))
    with pytest.raises(UserError, match="score 'fine' is no number"):
        report_of(logs[1], with_value("fine"))


def test_a_score_of_several_values_needs_a_measure(tmp_path: Path) -> None:
    files = [
        run(tmp_path / "a", names(range(9)), ids=names(range(12)), scoring=graded()),
        run(tmp_path / "b", names(range(5)), ids=names(range(12)), scoring=graded(), model="mockllm/b"),
    ]
    with pytest.raises(UserError, match="the score has f1, exact; choose one with --measure"):
        read_run(files[0])
    f1, exact = (
        compare(pair([read_run(file, Wanted(measure=m)) for file in files])).comparisons[0] for m in ("f1", "exact")
    )
    assert f1.difference == pytest.approx(0.55 * exact.difference)
    assert exact.p == pytest.approx(0.125)
    assert f1.p == pytest.approx(0.125, abs=0.01), "graded scores, whose flips are drawn at random"


def test_runs_of_one_model_are_told_apart(tmp_path: Path) -> None:
    files = [
        run(tmp_path / str(i), [], ids=["s0"], config=GenerateConfig(temperature=temperature))
        for i, temperature in enumerate((0.0, 0.5, 0.5))
    ]
    labels = [found.label for found in tell_apart([read_run(file) for file in files])]
    assert labels[0] == "mockllm/a temperature=0.0"
    assert labels[1].startswith("mockllm/a temperature=0.5 [")
    assert len(set(labels)) == 3


def test_of_several_attempts_in_a_folder_the_last_good_one_counts(tmp_path: Path) -> None:
    first = run(tmp_path, names(range(3)), ids=names(range(6)))
    log = read_eval_log(first)
    later = log.eval.model_copy(update={"created": "2099-01-01T00:00:00+00:00"})
    write_eval_log(log.model_copy(update={"status": "error", "eval": later}), str(tmp_path / "2099-later.eval"))
    run(tmp_path, names(range(2)), ids=names(range(6)), model="mockllm/b")
    headers, left_out = gather([str(tmp_path)], every=True)
    assert len(headers) == 2
    assert Path(first).name in {Path(header.location).name for header in headers}
    [later_one] = left_out
    assert later_one.file.endswith("2099-later.eval")
    assert later_one.why == f"an attempt that {Path(first).name} went on with"


def test_unreadable_logs_are_named(tmp_path: Path, logs: tuple[str, str, str]) -> None:
    broken = tmp_path / "broken.eval"
    broken.write_bytes(Path(logs[0].removeprefix("file://")).read_bytes()[:500])
    for file, told in (
        (broken, "cannot be read as an Inspect log"),
        (tmp_path / "absent.eval", "no such file or folder"),
    ):
        with pytest.raises(UserError, match=f"{file.name}: {told}"):
            run_compare(command(*logs[:2], str(file)))
    # Nor is it left out where it lies in a folder of good ones.
    for log in logs[:2]:
        shutil.copy(log, tmp_path)
    with pytest.raises(UserError, match=r"cannot be used:\n.*broken.eval: cannot be read.*\nMove them away"):
        run_compare(command(str(tmp_path)))


def test_samples_marked_invalid_are_refused(tmp_path: Path, logs: tuple[str, str, str]) -> None:
    log = read_eval_log(logs[0])
    log.invalidated = True
    write_eval_log(log, str(tmp_path / "invalid.eval"))
    with pytest.raises(UserError, match=r"invalid\.eval: some of its samples were marked invalid"):
        report_of(logs[1], str(tmp_path / "invalid.eval"))


@pytest.fixture(scope="module")
def scored_twice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models under the rule `paper` that `tolerant` was appended to, the first's original beside them."""
    folder = tmp_path_factory.mktemp("twice")
    for model in ("a", "b"):
        log = make_log(folder, often_right(0.5, seed=ord(model)), samples=examples(12), model=f"mockllm/{model}")
        both = score(log, reachability("tolerant"), action="append", display="none")
        write_eval_log(both, str(folder / f"{model}-both.eval"))
        if model == "b":
            Path(log.location).unlink()
    return folder


def test_of_two_scorings_one_must_be_chosen(scored_twice: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = [str(scored_twice / f"{model}-both.eval") for model in "ab"]
    held = r"reachability \(reachability rule=paper\), reachability1 \(reachability rule=tolerant\)"
    with pytest.raises(UserError, match=rf"a-both.eval: scored by {held}; choose one with --rule or --scorer"):
        run_compare(command(*both))
    with pytest.raises(UserError, match=rf"no score is of --rule strict. It has: {held}"):
        run_compare(command(*both, "--rule", "strict"))
    for words in (["--rule", "tolerant"], ["--scorer", "reachability1"]):
        assert run_compare(command(*both, *words, "--format", "json")) == 0
        assert json.loads(capsys.readouterr().out)["n"] == 12
        assert read_run(both[0], Wanted(words[1] if words[0] == "--scorer" else None, "tolerant")).conditions[
            "scorer"
        ] == ("reachability rule=tolerant")
    paper, tolerant = (read_run(both[0], Wanted(rule=rule)) for rule in ("paper", "tolerant"))
    with pytest.raises(UserError, match="scorer: reachability rule=paper against reachability rule=tolerant"):
        pair([paper, tolerant])


def test_copies_of_a_log_count_once_and_are_named(scored_twice: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rule, why in (("paper", "a copy of"), ("tolerant", "a copy of a-both.eval without the wanted score")):
        assert run_compare(command(str(scored_twice), "--rule", rule, "--format", "json")) == 0
        told = json.loads(capsys.readouterr().out)
        assert len(told["files"]) == 2
        assert [note for note in told["notes"] if why in note], told["notes"]


def test_a_score_appended_by_a_rule_matches_one_made_by_it(tmp_path: Path, scored_twice: Path) -> None:
    again = make_log(tmp_path, often_right(0.9), samples=examples(12), model="mockllm/c", rule="tolerant")
    pair([read_run(str(scored_twice / "a-both.eval"), Wanted(rule="tolerant")), read_run(again.location)])


def command(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_compare_parser(parser.add_subparsers())
    return parser.parse_args(["compare", *words])


def test_the_command_prints_and_writes_every_format(
    tmp_path: Path, logs: tuple[str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for suffix in ("md", "csv", "json", "txt"):
        out = tmp_path / f"table.{suffix}"
        assert run_compare(command(*logs, "--by", "value", "--out", str(out))) == 0
        text = out.read_text(encoding="utf-8")
        for needed in ("clusters by qid", "Wilson", "arXiv 2411.00640", "not distinguishable", "value=8"):
            assert needed in " ".join(text.split()), (suffix, needed)
    printed = capsys.readouterr().out
    assert "Paired differences" in printed
    rows = list(csv.DictReader(io.StringIO((tmp_path / "table.csv").read_text(encoding="utf-8"))))
    content = json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))
    assert len(rows) == len(content["comparisons"]) == 9
    assert float(rows[0]["difference"]) == content["comparisons"][0]["difference"] == pytest.approx(0.3)
    assert float(rows[0]["first_accuracy"]) == 0.75
    assert {row["n"] for row in rows} == {"40", "20"}
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"table.{s}" for s in ("csv", "json", "md", "txt")]


def test_a_single_sample_goes_through_every_format(tmp_path: Path) -> None:
    files = [run(tmp_path / m, right, ids=["s0"], model=f"mockllm/{m}") for m, right in (("a", ["s0"]), ("b", []))]
    report = report_of(*files)
    assert "1 pairs are too few to show any difference" in report.comparisons[0].verdict
    for format in FORMATS:
        assert "not distinguishable" in " ".join(render(report, format).split())


@pytest.mark.parametrize(
    ("words", "told"),
    [(["--out", "x.pdf"], "suffix must be one of .md, .csv"), ([], "Two logs are needed")],
)
def test_the_command_refuses(logs: tuple[str, str, str], words: list[str], told: str) -> None:
    files = logs[:1] if not words else logs[:2]
    with pytest.raises(UserError, match=told):
        run_compare(command(*files, *words))


def test_logs_of_two_benchmarks_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for task in (tasks.yesno(dataset="sample"), tasks.graphwalks_parents(dataset="sample")):
        eval(task, model="graphniah/oracle", log_dir=str(tmp_path), limit=2)
    assert cli.main(["compare", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "two benchmarks" in said and "graphwalks-parents" in said
