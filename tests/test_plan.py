"""`graphniah plan`: the figures of a run, computed again by hand, and what it refuses."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ModelCost

from graphniah_inspect.cli import main
from graphniah_inspect.plan.estimate import Run
from graphniah_inspect.plan.estimate import machine as estimate
from graphniah_inspect.tasks import graphniah, graphwalks
from tests.replica import write_replica

PRICES = """
acme/long:
  input: 2
  output: 10
  input_cache_write: 3
  input_cache_read: 0.5
  batch: 0.5
  long_prompt: {above: 199500, input: 4, output: 15, input_cache_write: 6, input_cache_read: 1}
acme/flat: {input: 1, output: 4, input_cache_write: 1, input_cache_read: 0}
"""


@pytest.fixture(scope="module")
def replica(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_replica(tmp_path_factory.mktemp("plan") / "examples.jsonl", scale=0.1))


@pytest.fixture
def prices(tmp_path: Path) -> str:
    path = tmp_path / "prices.yaml"
    path.write_text(PRICES, encoding="utf-8")
    return str(path)


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planning makes no model and opens no connection."""

    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("a model or a connection was asked for")

    monkeypatch.setattr("inspect_ai.model._model.get_model", refuse)
    monkeypatch.setattr("socket.socket.connect", refuse)


def plan(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["plan", *arguments, "--json"]) == 0
    held: dict[str, Any] = json.loads(capsys.readouterr().out)
    return held


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["plan", *arguments]) == 2
    return capsys.readouterr().err


def test_counts_and_costs(replica: str, prices: str, capsys: pytest.CaptureFixture[str]) -> None:
    parameters = ["-T", "experiment=question-depth", "-T", f"dataset={replica}", "-T", "subset=20"]
    held = plan(
        capsys,
        "graphniah",
        *parameters,
        *("--model-cost-config", prices, "--epochs", "3", "--output-tokens", "100-1k"),
        *("--context-window", "200500", "--max-output", "1k", "--model", "acme/long"),
    )
    tokens = [
        s.metadata["prompt_tokens"]
        for s in graphniah("question-depth", subset=20, dataset=replica).dataset
        if s.metadata
    ]
    assert (held["samples"], held["requests"]) == (len(tokens), 3 * len(tokens)) == (80, 240)
    assert held["selection"]["values"] == {"4": 20, "8": 20, "16": 20, "32": 20}
    figures = held["prompt_tokens"]["gpt-5.4"]
    assert set(held["prompt_tokens"]) == {"gpt-5.4", "qwen3.5-397b-a17b", "gemma-4-31b"}
    assert (figures["sum"], figures["max"], figures["counted"]) == (sum(tokens), max(tokens), 80)
    assert figures["mean"] == pytest.approx(sum(tokens) / 80)
    long = [t for t in tokens if t > 199_500]
    short = [t for t in tokens if t <= 199_500]
    assert long and short, "the data no longer has prompts on both sides of the dearer tier"
    assert sum(held["too_long"].values()) == sum(t + 1000 > 200_500 for t in tokens) == len(long)

    def cost(each: int, read_long: float, read_short: float) -> float:
        answers = 3 * each * (15 * len(long) + 10 * len(short))
        return float(read_long * sum(long) + read_short * sum(short) + answers) / 1e6

    assert held["dollars"] == {
        "acme/long": {
            "usual": pytest.approx([cost(100, 12, 6), cost(1000, 12, 6)]),
            "cached": pytest.approx([cost(100, 8, 4), cost(1000, 8, 4)]),
            "batch": pytest.approx([cost(100, 12, 6) / 2, cost(1000, 12, 6) / 2]),
        }
    }
    command = held["command"]
    assert command[:3] == ["inspect", "eval", "graphniah_inspect/graphniah"]
    assert "max_prompt_tokens=199500" in command and "--max-tokens" in command
    buffer = int(command[command.index("--log-buffer") + 1])
    assert 25 <= buffer <= 100


def test_the_page_says_the_same_in_words(prices: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["graphniah", "-T", "dataset=sample", "-T", "value=yes-no", "--model-cost-config", prices]
    held = plan(capsys, *arguments)
    assert main(["plan", *arguments]) == 0
    said = capsys.readouterr().out
    low, high = held["dollars"]["acme/flat"]["usual"]
    for piece in (
        "5 samples x 1 = 5 requests",
        "by value: yes-no: 5",
        f"acme/flat, as requests: {low:,.2f} to {high:,.2f}",
        f"{held['prompt_tokens']['gpt-5.4']['sum']:,}",
        "dearer tier",
        shlex.join(held["command"]),
    ):
        assert piece in said


def test_yaml_means_what_it_means_to_inspect(replica: str, capsys: pytest.CaptureFixture[str]) -> None:
    held = plan(
        capsys, "graphniah", "-T", f"dataset={replica}", "-T", "experiment=context_length", "-T", "context-length=500k"
    )
    assert (held["samples"], held["selection"]["context_length"]) == (50, 500_000)
    assert held["machine"]["log_buffer"] in range(25, 101)


def test_sizes_are_those_that_were_measured() -> None:
    """`python -m bench.run` printed: 1,103 MB and a log of 93 MB; 1,682 MB and 97 MB; of code, which packs well."""
    for samples, size, connections, memory, log in ((400, 840_000, 10, 1103, 93), (100, 3_880_000, 10, 1682, 97)):
        run = Run(samples, 1, {}, "t", [None] * samples, ["all"] * samples, (samples * size, size))
        machine = estimate(run, connections)
        assert machine is not None
        assert machine.memory / 1e6 == pytest.approx(memory, rel=0.05)
        assert log < machine.log / 1e6 < 1.6 * log


def test_graphwalks(capsys: pytest.CaptureFixture[str]) -> None:
    held = plan(capsys, "graphniah_inspect/graphwalks", "-T", "dataset=sample", "--context-window", "5k")
    tokens = [(sample.metadata or {})["tokens"] for sample in graphwalks(dataset="sample").dataset]
    assert held["samples"] == len(tokens)
    assert held["prompt_tokens"]["o200k_base"]["sum"] == sum(tokens)
    assert sum(held["too_long"].values()) == sum(t > 5000 for t in tokens)
    assert not any("max_prompt_tokens" in word for word in held["command"])


def test_without_context_nothing_is_made_up(capsys: pytest.CaptureFixture[str]) -> None:
    held = plan(capsys, "yesno", "-T", "dataset=sample", "-T", "context=none")
    assert held["prompt_tokens"] == {} and held["machine"] is None and held["dollars"] == {}
    assert main(["plan", "yesno", "-T", "dataset=sample", "-T", "context=none"]) == 0
    assert "the context is left out" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["yesno", "-T", "datset=sample"], "no parameter datset"),
        (["yesno", "-T", "dataset"], "NAME=VALUE"),
        (["yesno", "-T", "dataset=sample", "-T", "subset=half"], "paper, all"),
        (["yesno", "-T", "dataset=/nowhere.jsonl"], "/nowhere.jsonl"),
        (["maybe", "-T", "dataset=sample"], "maybe"),
        (["yesno", "-T", "dataset=sample", "--model-cost-config", "/nowhere.yaml"], "/nowhere.yaml"),
        (["yesno", "-T", "dataset=sample", "--max-output", "10", "--output-tokens", "5-20"], "--max-output"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in refusal(capsys, *arguments)


@pytest.mark.parametrize("arguments", [["--context-window", "many"], ["--epochs", "0"], ["--output-tokens", "9-3"]])
def test_numbers_that_are_none(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["plan", "yesno", "-T", "dataset=sample", *arguments])
    assert "is no" in capsys.readouterr().err


FULL = "{input: 1, output: 1, input_cache_write: 1, input_cache_read: 1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a/b: {input: 1, output: 1}", "input_cache_write, input_cache_read missing"),
        (f"a/b: {FULL}, inptu: 1}}", "unknown inptu"),
        ("a/b: {input: one, output: 1, input_cache_write: 1, input_cache_read: 1}", "input='one'"),
        ("a/b: {input: -1, output: 1, input_cache_write: 1, input_cache_read: 1}", "input=-1"),
        ("a/b: {input: .nan, output: 1, input_cache_write: 1, input_cache_read: 1}", "input=nan"),
        ("a/b: {input: true, output: 1, input_cache_write: 1, input_cache_read: 1}", "input=True"),
        (f"a/b: {FULL}, batch: 50}}", "batch=50"),
        (f"a/b: {FULL}, long_prompt: {{above: 200k, input: 1}}}}", "above='200k'"),
        (f"a/b: {FULL}, long_prompt: {{above: 200000, input: 1}}}}", "long_prompt: output"),
        ("a/b: 3", "expected the fields"),
        ("- a", "expected models"),
        ("a: [", "neither YAML nor JSON"),
    ],
)
def test_malformed_prices_are_refused(text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text, encoding="utf-8")
    error = refusal(capsys, "yesno", "-T", "dataset=sample", "--model-cost-config", str(path))
    assert said in error and str(path) in error


def test_a_model_without_a_price_is_refused(prices: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = refusal(capsys, "yesno", "-T", "dataset=sample", "--model-cost-config", prices, "--model", "acme/other")
    assert "acme/long, acme/flat" in said


def test_inspect_reads_the_same_file() -> None:
    import yaml

    for entry in yaml.safe_load(PRICES).values():
        assert ModelCost(**entry).output == entry["output"]
