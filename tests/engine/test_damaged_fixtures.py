"""Fixtures with words lost, doubled, swapped: all rules, and none of them fails.

Which words is drawn with a fixed seed: the same damage in each run.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest
from source_tree import ROOT

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import InputFile, Inputs
from warplint.analyzer.findings.rule import Input
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

_WORD = re.compile(r"\w+|\s+|.")
_LARGEST = 4000  # bytes
_LANGUAGES = {".cu": Input.CUDA, ".ptx": Input.PTX}


def small_fixtures() -> list[Path]:
    """Fixtures that are checked in an instant."""
    found = (ROOT / "tests/fixtures").rglob("*")
    return sorted(
        path for path in found if path.suffix in _LANGUAGES and path.stat().st_size < _LARGEST
    )


def damaged(text: str, draw: random.Random) -> str:
    """A text with one to four words lost, doubled, replaced or swapped."""
    words = _WORD.findall(text)
    for _ in range(draw.randint(1, 4)):
        place, other = draw.randrange(len(words)), draw.randrange(len(words))
        match draw.randrange(4):
            case 0:
                words[place] = ""
            case 1:
                words[place] += words[other]
            case 2:
                words[place] = words[other]
            case _:
                words[place], words[other] = words[other], words[place]
    return "".join(words)


@pytest.mark.parametrize("seed", range(60))
def test_no_rule_fails_on_a_damaged_file(seed: int) -> None:
    draw = random.Random(seed)
    path = draw.choice(small_fixtures())
    text = damaged(path.read_text(encoding="utf-8"), draw)
    file = InputFile(str(path), _LANGUAGES[path.suffix], text.encode())
    result = check(Inputs((file,)), Settings(), [*load_rules().values()])
    messages = [problem.message for each in result.inputs for problem in each.problems]
    assert not [message for message in messages if "internal error" in message], text
