"""Ignore rules against git itself, and patterns that other matchers take for ever on."""

from __future__ import annotations

import random
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.source.globs import Glob
from warplint.analyzer.source.ignore_patterns import ignore_rules

if TYPE_CHECKING:
    from pathlib import Path

_WORDS = [
    "a", "b", "ab", "*", "**", "a*", "*b", "?", "[ab]", "[!a]", "a*b*a", "foo", "*.cu", "[b-a]",
    "\\*", "x[]]", "a**b", "[^a-b]", "[a",
]  # fmt: skip
_NAMES = ["a", "b", "ab", "ba", "aab", "aba", "foo", "x.cu", "*", "x]", "-"]


def patterns(chance: random.Random) -> list[str]:
    found = []
    for _ in range(chance.randint(1, 3)):
        words = [chance.choice(_WORDS) for _ in range(chance.randint(1, 4))]
        words = ["a" if word == "[a" and len(words) > 1 else word for word in words]
        start, end = chance.choice(["", "", "!", "/", "!/"]), chance.choice(["", "", "/", "  "])
        found.append(start + "/".join(words) + end)
    return found


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")
def test_as_git_has_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    chance = random.Random(31)
    for _ in range(60):
        lines = patterns(chance)
        (tmp_path / ".gitignore").write_text("\n".join(lines) + "\n", encoding="utf-8")
        paths = [
            "/".join(chance.choice(_NAMES) for _ in range(chance.randint(1, 4))) for _ in range(40)
        ]
        said = subprocess.run(
            ["git", "check-ignore", "--no-index", "--stdin"],
            cwd=tmp_path, input="\n".join(paths), capture_output=True, text=True, check=False,
        ).stdout.splitlines()  # fmt: skip
        rules = ignore_rules(lines)
        ours = [path for path in paths if rules.verdict(path)]
        assert ours == said, lines


def test_folders() -> None:
    rules = ignore_rules(["build/", "!keep/", "*.tmp", "!last.tmp"])
    assert rules.verdict("build/") is True
    assert rules.verdict("build") is None
    assert rules.verdict("a/build/x.cu") is True
    assert rules.verdict("keep/") is False
    assert rules.verdict("keep/x.tmp") is True
    assert rules.verdict("keep/last.tmp") is False


def test_lines_that_say_nothing() -> None:
    lines = ["", "   ", "# a", "/", "!", "!/", "[", "a\\", "x" * 5_000, "[" * 3_000]
    assert ignore_rules(lines).verdict("a/b.cu") is None


@pytest.mark.parametrize(
    ("pattern", "like", "unlike"),
    [
        ("*" * 2_000, "a" * 4_000, None),
        ("a*" * 2_000 + "b", "a" * 3_000 + "b", "a" * 4_000),
        ("*a" * 1_000 + "?", "a" * 4_000, "a" * 3_000 + "b" * 3),
        ("[ab]*" * 800, "ab" * 2_000, "c" * 4_000),
        ("?*" * 2_000, "x" * 4_000, "x" * 1_999),
    ],
)
def test_many_stars(pattern: str, like: str, unlike: str | None) -> None:
    assert Glob(pattern).matches(like)
    assert unlike is None or not Glob(pattern).matches(unlike)


def test_many_folders() -> None:
    rules = ignore_rules(["**/a/" * 700 + "b", "/".join(["**", "a*a*a*b"] * 400)])
    assert rules.verdict("/".join(["a"] * 1_500 + ["b"])) is True
    assert rules.verdict("/".join(["aaaa"] * 800 + ["c"])) is None


def test_ranges_that_run_backwards() -> None:
    assert Glob("[z-a]").matches("z")
    assert not Glob("[z-a]").matches("b")
    assert Glob("[a-]").matches("-")
    assert Glob("[]-a]").matches("]")
    assert not Glob("[!]-a]").matches("]")
