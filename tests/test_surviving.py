"""Runs that meet trouble, with Inspect's own OpenAI-compatible provider against a local server."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval, eval_retry, eval_set, score
from inspect_ai.log import EvalLog, EvalSample, list_eval_logs, read_eval_log
from inspect_ai.model import Model, get_model
from inspect_ai.scorer import Score

from graphniah_inspect.asking import PATIENCE, ask
from graphniah_inspect.graphniah.scoring import reachability
from graphniah_inspect.graphwalks.scoring import graphwalks_grader
from graphniah_inspect.tasks import graphniah, graphwalks, yesno
from tests.openai_server import (
    KEY,
    MODEL,
    Reply,
    Request,
    Server,
    answer,
    completion,
    error,
    serving,
    stable_answer,
)
from tests.replica import write_replica

Ask = Callable[..., tuple[EvalLog, Server]]


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inspect's buffers of running samples, apart from the user's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def evaluate(
    server: Server, task: Task | None = None, *, key: str = KEY, model: str = MODEL, **options: Any
) -> EvalLog:
    [log] = eval(task or graphniah(dataset="sample"), model=connect(server, key, model), **options)
    return log


def connect(server: Server, key: str = KEY, model: str = MODEL) -> Model:
    return get_model(model, base_url=server.url, api_key=key, memoize=False)


def samples(log: EvalLog) -> dict[str, EvalSample]:
    assert log.samples is not None
    return {str(sample.id): sample for sample in log.samples}


def reading(sample: EvalSample) -> Score:
    [held] = (sample.scores or {}).values()
    return held


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {name: metric.value for held in log.results.scores for name, metric in held.metrics.items()}


TEXT = "\\answer{YES}"
RESPONSES: dict[str, tuple[Reply, str]] = {
    # what the server says -> the reason of the score, `answered`, or `error: ` and a part of the sample's error
    "answer": (answer(TEXT), "answered"),
    "overflow by code": (
        error(400, f"maximum context length {TEXT}", code="context_length_exceeded"),
        "context_overflow",
    ),
    "overflow by words": (error(400, f"input length exceeds the context limit {TEXT}"), "context_overflow"),
    "overflow in other words": (error(400, f"prompt is too long: 9 > 8 {TEXT}"), "error: prompt is too long"),
    "overflow as vLLM has it": (error(422, f"decoder prompt is longer than the maximum {TEXT}"), "error: decoder"),
    "overflow as 413": (error(413, f"Request too large {TEXT}"), "error: too large"),
    "finish_reason length": (answer(f"{TEXT} and then", "length"), "answered"),
    "cut in the block": (answer("\\answer{YES", "length"), "truncated"),
    "empty and cut": (answer(None, "length"), "truncated"),
    "empty": (answer(""), "no_response"),
    "null": (answer(None), "no_response"),
    "no choice": (completion([]), "no_response"),
    "content filter": (answer(TEXT, "content_filter"), "refusal"),
    "refusal": (answer(None, refusal=f"I will not say {TEXT}"), "refusal"),
    "policy": (error(400, f"blocked {TEXT}", code="content_policy_violation"), "refusal"),
}


def test_every_sample_ends_as_an_answer_a_reason_or_an_error() -> None:
    told = iter(RESPONSES.values())
    given: dict[str, str] = {}

    def one_each(request: Request) -> Reply:
        reply, expected = next(told)
        given[request.prompt] = expected
        return reply

    with serving(one_each) as server:
        log = evaluate(server, max_connections=1)
    assert len(given) == len(RESPONSES) == len(samples(log)) == 15
    errors = 0
    for sample in samples(log).values():
        # An error keeps its prompt in the messages; asking put it there before the model was called.
        expected = given[sample.messages[1].text]
        if expected.startswith("error: "):
            errors += 1
            assert sample.error is not None and not sample.scores
            assert expected.removeprefix("error: ").lower() in sample.error.message.lower()
            assert len(sample.error.message) < 300, "the prompt is in the error"
            assert len(sample.error.traceback) < 5000
        else:
            assert sample.error is None
            held = reading(sample)
            if expected == "answered":
                assert held.reason in (None, "invalid_response_format")  # YES is no count and no letter
            else:
                assert (held.reason, held.answer, held.value) == (expected, None, "I")
    assert errors == 3
    # errors are counted beside accuracy, whose denominator is the scored samples
    assert log.status == "error" and log.results is not None
    assert (log.results.total_samples, log.results.completed_samples) == (15, 12)
    assert log.results.scores[0].scored_samples == 12
    right = sum(reading(s).value == "C" for s in samples(log).values() if s.scores)
    assert right > 0 and metrics(log)["accuracy"] == pytest.approx(right / 12)

    # and scoring the log again counts no error as a wrong answer
    os.environ.update(server.environment())
    again = score(log, reachability("tolerant"), action="overwrite")
    assert again.results is not None
    assert (again.results.scores[0].scored_samples, again.results.scores[0].unscored_samples) == (12, 3)
    assert metrics(again)["read"] == pytest.approx(metrics(log)["read"])


def test_graphwalks_keeps_errors_apart_as_well() -> None:
    def behave(request: Request) -> Reply:
        replies = (
            answer("Final Answer: []"),
            error(400, "prompt is too long"),
            completion([]),
            answer(None, refusal="No"),
        )
        return replies[request.number % 4]

    with serving(behave) as server:
        log = evaluate(server, graphwalks(dataset="sample"), max_connections=1, limit=8)
        os.environ.update(server.environment())
        again = score(log, graphwalks_grader("tolerant"), action="overwrite")
    assert log.status == "error" and log.results and again.results
    assert (log.results.total_samples, log.results.completed_samples) == (8, 6)
    reasons = [reading(sample).reason for sample in samples(log).values() if not sample.error]
    assert reasons == [None, "no_response", "refusal"] * 2
    assert {held.scored_samples for held in again.results.scores} == {6}


def test_passing_trouble_is_waited_out() -> None:
    troubles = [
        replace(error(429, "Rate limit reached", code="rate_limit_exceeded"), headers={"Retry-After": "1"}),
        error(500, "The server had an error"),
        replace(answer("\\answer{NO}"), broken=True),
    ]

    def stumble(request: Request) -> Reply:
        if request.earlier == 0 and troubles:
            return troubles.pop(0)
        return replace(stable_answer(request), delay=0.2)

    started = time.monotonic()
    with serving(stumble) as server:
        log = evaluate(server, yesno(dataset="sample"), max_connections=1)
    assert log.status == "success"
    assert sorted(server.asked.values()) == [1, 1, 2, 2, 2]
    assert time.monotonic() - started > 1, "Retry-After was not heeded"
    assert metrics(log)["no_response"] == 0


def fails_first(request: Request) -> Reply:
    """Every third request fails, once."""
    if request.number % 3 == 1 and request.earlier == 0:
        return error(400, "prompt is too long")
    return stable_answer(request)


def test_retry_takes_up_errors_alone_and_equals_an_unbroken_run() -> None:
    with serving() as server:
        whole = evaluate(server)
    with serving(fails_first) as server:
        broken = evaluate(server, max_connections=1)
        assert broken.status == "error"
        assert broken.results and broken.results.completed_samples == 10
        # the provider's address is in the log, its key is not
        os.environ.update(server.environment())
        [mended] = eval_retry(broken)
    assert mended.status == "success"
    assert sum(server.asked.values()) == 20 and max(server.asked.values()) == 2
    assert metrics(mended) == pytest.approx(metrics(whole), nan_ok=True)


def test_a_set_goes_on_until_no_error_is_left(tmp_path: Path) -> None:
    with serving(fails_first) as server:
        success, [log] = eval_set(
            [graphniah(dataset="sample")],
            log_dir=str(tmp_path / "set"),
            model=connect(server),
            max_connections=1,
            retry_wait=0.1,
        )
    assert success and log.status == "success"
    assert sum(server.asked.values()) == 20


@pytest.mark.parametrize(
    ("options", "status", "asked"),
    [({}, "error", 15), ({"fail_on_error": False}, "success", 15), ({"continue_on_fail": False}, "error", 2)],
)
def test_what_an_error_does_is_the_users_choice(options: dict[str, Any], status: str, asked: int) -> None:
    with serving(fails_first) as server:
        log = evaluate(server, max_connections=1, max_samples=1, **options)
    assert log.status == status
    assert sum(server.asked.values()) == asked


@pytest.mark.parametrize(
    ("key", "model", "said"),
    [("wrong", MODEL, "Incorrect API key"), (KEY, "openai-api/local/writer", "does not exist")],
)
def test_a_wrong_key_or_model_is_said_at_once_and_ends_the_sending(key: str, model: str, said: str) -> None:
    refused = 0

    def count(reply: Callable[[str, dict[str, Any]], Reply]) -> Callable[[str, dict[str, Any]], Reply]:
        def counting(authorization: str, body: dict[str, Any]) -> Reply:
            nonlocal refused
            refused += 1
            return reply(authorization, body)

        return counting

    with serving() as server:
        server.reply = count(server.reply)  # type: ignore[assignment,method-assign]
        log = evaluate(server, key=key, model=model, max_connections=1, max_samples=1)
    errors = [sample.error.message for sample in samples(log).values() if sample.error]
    assert log.status == "error" and len(errors) == 15
    assert said in errors[0]
    assert refused == PATIENCE
    assert sum("Not sent" in message for message in errors) == 15 - PATIENCE


def test_an_answer_keeps_the_sending_up() -> None:
    """Once a model has answered, no error of others stops anything: `ask` gives up on hopeless runs alone."""
    assert ask() is not None

    def first_only(request: Request) -> Reply:
        return stable_answer(request) if request.number == 0 else error(404, "gone")

    with serving(first_only) as server:
        evaluate(server, max_connections=1, max_samples=1)
    assert sum(server.asked.values()) == 15


COMMAND = [sys.executable, "-m", "inspect_ai"]


def environment(server: Server, tmp_path: Path) -> dict[str, str]:
    return os.environ | server.environment() | {"INSPECT_DISPLAY": "plain", "INSPECT_LOG_DIR": str(tmp_path / "logs")}


def slow_stable(request: Request) -> Reply:
    return replace(stable_answer(request), delay=0.03)


def test_killed_in_the_middle_no_finished_sample_is_asked_again(tmp_path: Path) -> None:
    data = str(write_replica(tmp_path / "examples.jsonl", scale=0.1))
    parallel = 8
    task = [
        "graphniah_inspect/graphniah",
        "-T",
        "experiment=question-depth",
        "-T",
        "subset=50",
        "-T",
        f"dataset={data}",
    ]
    with serving(slow_stable) as server:
        run = subprocess.Popen(
            [*COMMAND, "eval", *task, "--model", MODEL, "--max-connections", str(parallel), "--log-buffer", "100"],
            env=environment(server, tmp_path),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        )
        while server.asked.total() < 90:
            assert run.poll() is None, "the run ended before it could be killed"
            time.sleep(0.002)
        run.kill()
        run.wait()
        asked = server.asked.total()
        assert asked < 190
        os.environ.update(server.environment())
        [killed] = list_eval_logs(str(tmp_path / "logs"))
        assert read_eval_log(killed, header_only=True).status == "started"
        [mended] = eval_retry(killed, max_connections=parallel)
        repeated = {prompt: times for prompt, times in server.asked.items() if times > 1}
        assert len(server.asked) == 200 and mended.status == "success"
        # Asked again are those alone that were under way, though not one flush (of 100) had reached the log.
        assert len(repeated) <= 2 * parallel and max(server.asked.values()) == 2
        whole = evaluate(server, graphniah(experiment="question-depth", subset=50, dataset=data))
    assert len(samples(mended)) == 200
    assert metrics(mended) == pytest.approx(metrics(whole), nan_ok=True)


def small_files() -> None:
    """As on a full disk: nothing grows beyond 200 kB."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))


@pytest.mark.parametrize("trouble", ["no disk left", "log folder that cannot be"])
def test_trouble_with_the_log_is_said_early(trouble: str, tmp_path: Path) -> None:
    full = trouble == "no disk left"
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    with serving() as server:
        done = subprocess.run(
            [
                *(*COMMAND, "eval", "graphniah_inspect/graphniah", "-T", "dataset=sample", "--model", MODEL),
                *("--max-connections", "1", "--log-dir", str(tmp_path / ("logs" if full else "file/logs"))),
            ],
            env=environment(server, tmp_path),
            preexec_fn=small_files if full else None,
            capture_output=True,
            text=True,
            check=False,
        )
    said = done.stdout + done.stderr
    if full:
        assert server.asked.total() < 15, "the run went on without a log"
        assert "disk I/O error" in said or "File too large" in said or "database or disk is full" in said
        assert "inspect eval-retry" in said
    else:
        assert done.returncode != 0 and server.asked.total() == 0
        assert "Not a directory" in said and str(tmp_path / "file") in said


@pytest.fixture(autouse=True)
def own_environment() -> Iterator[None]:
    """Put back what a test sets for the provider."""
    before = dict(os.environ)
    yield
    for name in set(os.environ) - set(before):
        del os.environ[name]
