"""The GitHub Action runs in a folder that may be a stranger's."""

from __future__ import annotations

import re
import shlex

import pytest
from source_tree import ROOT

RUNS = re.findall(r"run: (.*)", (ROOT / "action.yml").read_text(encoding="utf-8"))


def test_python_never_imports_from_the_checkout() -> None:
    started = [shlex.split(line) for line in RUNS if line.startswith("python")]
    assert len(started) == 1
    assert all(words[1] in ("-P", "-I") for words in started)


@pytest.mark.parametrize("line", [line for line in RUNS if line.startswith("warplint")])
def test_no_file_name_is_an_option(line: str) -> None:
    assert line.endswith(" -- $PATHS")


def test_all_steps_are_known() -> None:
    assert [line.split()[0] for line in RUNS] == ["python", "warplint", "warplint"]
