"""The configurations of `run_configs/`, each run on the bundled sample through Inspect's command line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from inspect_ai._cli.eval import eval_command
from inspect_ai.log import list_eval_logs, read_eval_log

from graphniah_inspect.graphniah.experiments import EXPERIMENTS

FOLDER = Path(__file__).resolve().parents[1] / "run_configs"
CONFIGS = sorted(FOLDER.glob("*.yaml"))


def test_there_is_one_for_every_experiment() -> None:
    assert {path.stem for path in CONFIGS} == set(EXPERIMENTS)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_runs_on_the_sample(path: Path, tmp_path: Path) -> None:
    arguments = ["--run-config", str(path), "-T", "dataset=sample", "--model", "graphniah/oracle", "--log-buffer", "7"]
    done = CliRunner().invoke(eval_command, [*arguments, "--log-dir", str(tmp_path)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    [found] = list_eval_logs(str(tmp_path))
    log = read_eval_log(found)
    assert log.status == "success" and log.results
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    # the file's settings hold, and the command line's beside them
    assert (log.eval.metadata or {})["selection"]["experiment"] == path.stem
    assert (log.eval.config.max_samples, log.eval.config.log_buffer) == (10, 7)
    assert log.plan.config.max_connections == 10
    expected = yaml.safe_load(path.read_text(encoding="utf-8"))["generate_config"].get("reasoning_effort")
    assert log.plan.config.reasoning_effort == expected


def test_models_sh_runs_again_without_asking_again(tmp_path: Path) -> None:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "MODELS": "graphniah/oracle,graphniah/chance",
        "EXPERIMENTS": "question-depth",
        "LOGS": str(tmp_path / "logs"),
    }
    for _ in range(2):
        done = subprocess.run(
            ["sh", str(FOLDER / "models.sh"), "-T", "dataset=sample", "-T", "value=4"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        logs = [read_eval_log(log, header_only=True) for log in list_eval_logs(str(tmp_path / "logs"))]
        assert sorted(log.eval.model for log in logs) == ["graphniah/chance", "graphniah/oracle"]
        assert all(log.status == "success" for log in logs)
