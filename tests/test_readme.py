"""The README shows what the program really prints, and commands that work."""

from __future__ import annotations

import doctest
import shlex

import pytest
from click.testing import CliRunner
from documents import marked_blocks
from source_tree import ROOT

from warplint.analyzer.cli.main import command_line

README = (ROOT / "README.md").read_text(encoding="utf-8")
OUTPUTS = marked_blocks("README.md", "output")


@pytest.mark.parametrize("command", OUTPUTS)
def test_the_output_is_a_piece_of_the_real_one(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    program, *arguments = shlex.split(command)
    assert program == "warplint"
    result = CliRunner().invoke(command_line, arguments, standalone_mode=False)
    assert OUTPUTS[command].strip()
    assert OUTPUTS[command].strip() in result.output


def test_the_commands_that_continuous_integration_runs_are_there() -> None:
    commands = marked_blocks("README.md", "command")
    assert set(commands) == {"try", "test"}
    assert all(command.count("\n") == 1 for command in commands.values())


def test_the_python_examples_work() -> None:
    examples = doctest.DocTestParser().get_doctest(README, {}, "README.md", "README.md", 0)
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0
