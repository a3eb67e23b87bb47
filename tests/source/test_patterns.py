"""Repeats that give nothing back, and that no pattern writes them as some Pythons misread."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.grammars.patterns import possessive

if TYPE_CHECKING:
    from pathlib import Path

# Names the patterns that are compiled while all modules are imported and two files are checked, if
# they repeat more than one character by `*+`, `++`, `?+` or `{m,n}+`.
SPY = r"""
import importlib, pkgutil, sys
from re import _compiler, _constants, _parser

real, seen = _compiler.compile, {}

def spy(pattern, flags=0):
    if isinstance(pattern, str):
        seen[pattern] = _parser.parse(pattern, flags)
    return real(pattern, flags)

def repeats(part):
    part = part.data if isinstance(part, _parser.SubPattern) else part
    if not isinstance(part, list | tuple):
        return
    if len(part) == 2 and part[0] is _constants.POSSESSIVE_REPEAT:
        if not _compiler._simple(part[1][2]):
            yield part
    for each in part:
        yield from repeats(each)

_compiler.compile = spy
import warplint
for room in ("analyzer", "grammars", "rules"):
    package = importlib.import_module(f"warplint.{room}")
    for module in pkgutil.walk_packages(package.__path__, f"warplint.{room}."):
        importlib.import_module(module.name)
from warplint.analyzer.cli.main import main
code = main(["check", "--isolated", "--no-cache", "--exit-zero", *sys.argv[1:]])
assert code == 0, code
assert len(seen) > 200
for pattern, parts in seen.items():
    if any(repeats(parts)):
        print(repr(pattern), file=sys.stderr)
"""
KERNEL = "__global__ void scale(float *out) { out[threadIdx.x] = 2; }\n"
PTX = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n"


def test_no_pattern_repeats_what_some_pythons_misread(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(KERNEL)
    (tmp_path / "k.ptx").write_text(PTX)
    done = subprocess.run(
        [sys.executable, "-c", SPY, tmp_path], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("pattern", "text", "matched"),
    [
        (possessive(r"a\d*+,") + "ac", "a1,a2,ac", True),  # `(?:...)*+` fails before 3.11.5
        (possessive("a(?!;),") + "a;", "a,a,a;", True),
        (r"/\*[^*]*+" + possessive(r"\*(?!/)[^*]*+") + r"\*/", "/* a * b **/", True),
        (possessive("a|ab") + "b", "ab", True),
        (possessive("ab|a") + "b", "ab", False),  # nothing is given back
        (possessive("a") + "a", "a" * 600, False),
        (possessive("a", least=1) + "$", "a" * 600, True),
        (possessive("a", least=1), "", False),
        (possessive("a"), "", True),
    ],
)
def test_repeats(pattern: str, text: str, matched: bool) -> None:
    assert (re.match(pattern, text) is not None) is matched


@given(st.text("ab,;", max_size=8), st.integers(0, 600))
def test_as_one_repetition_after_another(end: str, often: int) -> None:
    text = "ab," * often + end
    at = 0
    while found := re.compile(r"a(?:b|;)(?!;),").match(text, at):
        at = found.end()
    whole = re.match(possessive(r"a(?:b|;)(?!;),"), text)
    assert whole is not None
    assert whole.end() == at
