"""`graphniah COMMAND --help`: every option says what it is, its default as one types it, at 80 columns."""

import argparse
import re
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphniah_inspect.cli import COMMANDS
from graphniah_inspect.notation import typed, whole_number


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_is_and_its_default(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    module, function, _ = COMMANDS[name]
    main = argparse.ArgumentParser("graphniah")
    commands = main.add_subparsers()
    getattr(import_module(module), function)(commands)
    parser = commands.choices[name]
    told = parser.format_help()
    assert max(map(len, told.splitlines())) <= 80
    assert "%" not in told.replace("95 %", "")
    for action in parser._actions:
        assert action.help, action.option_strings
        if action.default and action.option_strings and not isinstance(action, argparse._HelpAction):
            default = re.search(r"\(default: (?:all of them, )?(.+)\)", action.help)
            assert default, action.option_strings
            assert default[1] in ("all cores", "--balance", "%(default)s", str(action.default)), action.option_strings


@given(st.lists(st.integers(1, 10**12), min_size=1))
def test_numbers_are_read_as_they_are_shown(numbers: list[int]) -> None:
    assert [whole_number(part) for part in typed(numbers).split(",")] == numbers


@pytest.mark.parametrize(
    ("text", "number"), [("400k", 400_000), ("1M", 1_000_000), ("1_000", 1000), ("20,000", 20_000), ("7", 7)]
)
def test_numbers_as_they_are_typed(text: str, number: int) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5k", "k", "1kk", "1 k", "٣"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="no positive number"):
        whole_number(text)
