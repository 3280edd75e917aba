"""What the package says of itself: eval.yaml, versions, exports, the command line."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import graphniah_inspect
from graphniah_inspect import _registry, cli
from graphniah_inspect.graphniah.task import VERSION

ROOT = Path(__file__).resolve().parents[1]


def listed() -> dict[str, Any]:
    data = yaml.safe_load((ROOT / "eval.yaml").read_text(encoding="utf-8"))
    assert isinstance(data, dict)
    return data


def test_eval_yaml_is_valid_for_the_register() -> None:
    metadata = pytest.importorskip("inspect_evals.metadata")
    entry = metadata.InternalEvalMetadata(id="graphniah_inspect", **listed())
    assert str(entry.version) == VERSION


def test_the_draft_register_entry_is_valid() -> None:
    metadata = pytest.importorskip("inspect_evals.metadata")
    data = yaml.safe_load((ROOT / "register" / "graphniah" / "eval.yaml").read_text(encoding="utf-8"))
    entry = metadata.ExternalEvalMetadata(id="graphniah", **data)
    assert [task.name for task in entry.tasks] == ["graphniah"]


def test_every_task_is_listed_exported_and_registered() -> None:
    names = [task["name"] for task in listed()["tasks"]]
    assert sorted(names) == sorted(graphniah_inspect.__all__)
    assert set(names) <= set(_registry.__all__)


def test_the_linked_eval_yaml_is_the_one_at_the_top() -> None:
    link = ROOT / "src" / "graphniah_inspect" / "eval.yaml"
    assert link.is_symlink()
    assert link.resolve() == ROOT / "eval.yaml"


@pytest.mark.parametrize("command", sorted(cli.COMMANDS))
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        cli.main([command, "--help"])
    assert done.value.code == 0
    assert len(capsys.readouterr().out) > 200


def test_loading_the_registry_leaves_heavy_libraries_alone() -> None:
    heavy = ("datasets", "pandas", "matplotlib", "duckdb", "sklearn", "scipy", "ray", "torch", "tokenizers")
    code = f"import sys, graphniah_inspect._registry; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_tasks_win_over_the_folders_of_their_names() -> None:
    code = "import graphniah_inspect._registry; from graphniah_inspect import graphniah, graphwalks; "
    code += "print(callable(graphniah), callable(graphwalks))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True True"
