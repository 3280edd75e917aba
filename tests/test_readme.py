"""The README's promises: its tree is the package, its commands and their parameters exist, its walk-through runs."""

import ast
import inspect
import itertools
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from graphniah_inspect import cli, tasks

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "graphniah_inspect"
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIRST = [
    *(
        "tasks",
        "prompting",
        "asking",
        "hub",
        "truncation",
        "viewing",
        "oracle",
        "baselines",
        "replay",
        "replay_file",
        "cli",
        "notation",
    ),
    *("caching", "written", "errors", "_registry"),
]
ROOMS = ["graphniah", "graphwalks", "citations", "snapshots", "invented", "build", "audit", "plan", "report"]


def first_line(path: Path) -> str:
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0].rstrip(".")


def tree() -> str:
    """Every module with the first line of its docstring; `python tests/test_readme.py` prints it for the README."""

    def line(indent: str, name: str, path: Path) -> str:
        return f"{indent}{name:<{30 - len(indent)}}{first_line(path)}".rstrip()

    found = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    assert found == set(FIRST), "a module at the top is not in FIRST, or one of FIRST is gone"
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert rooms == set(ROOMS), "a room is not in ROOMS, or one of ROOMS is gone"
    lines = ["src/graphniah_inspect/", *(line("  ", f"{name}.py", PACKAGE / f"{name}.py") for name in FIRST)]
    for room in ROOMS:
        lines.append(line("  ", f"{room}/", PACKAGE / room / "__init__.py"))
        modules = sorted(path for path in (PACKAGE / room).glob("*.py") if path.name != "__init__.py")
        lines += [line("    ", path.name, path) for path in modules]
    return "\n".join(lines)


def commands() -> list[str]:
    """Lines of code blocks that call `graphniah` or `inspect`, continued lines joined, comments taken off."""
    joined = re.sub(r"\\\n\s*", "", README)
    found = re.findall(r"^(?: {4}|\s{0,3})(?:\.venv/bin/)?((?:graphniah|inspect) .*)$", joined, re.MULTILINE)
    inline = re.findall(r"`((?:graphniah|inspect eval) [^`]*)`", joined)
    return sorted({re.sub(r"\s+#.*$", "", command).rstrip() for command in [*found, *inline]})


def test_the_tree_is_the_package() -> None:
    assert tree() in README, "run `python tests/test_readme.py` and put its output into the README's tree"


def test_there_are_commands() -> None:
    assert len(commands()) > 30


@pytest.mark.parametrize("command", [each for each in commands() if each.startswith("graphniah ")])
def test_options_of_graphniah_exist(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(command.replace("...", ""))[1:]
    name = words[0]
    if name.startswith("-"):
        return
    assert name in cli.COMMANDS
    with pytest.raises(SystemExit):
        cli.main([name, "--help"])
    shown = capsys.readouterr().out
    for word in words[1:]:
        if word.startswith("--"):
            assert word.split("=")[0] in shown, f"{command}: graphniah {name} has no {word}"


@pytest.mark.parametrize("command", [each for each in commands() if each.startswith("inspect eval ")])
def test_parameters_of_tasks_exist(command: str) -> None:
    words = shlex.split(command)
    named = re.search(r"graphniah_inspect/(\w+)", command)
    if named is None:
        return
    parameters = inspect.signature(getattr(tasks, named[1])).parameters
    for flag, word in itertools.pairwise(words):
        if flag == "-T":
            assert word.split("=")[0].rstrip(".") in parameters, f"{command}: {named[1]} has no {word}"


def test_the_walk_through_of_an_invented_world_runs(tmp_path: Path) -> None:
    start = README.index("    graphniah ingest --synthetic 20000")
    block = README[start : README.index("\n\n", start)]
    bin_folder = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-e", "-c", block], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    audited = subprocess.run(
        ["graphniah", "audit", "fresh"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "0 disagrees, 0 cannot be read" in " ".join(audited.stdout.split())
    assert audited.returncode == 0


if __name__ == "__main__":
    print(tree())
