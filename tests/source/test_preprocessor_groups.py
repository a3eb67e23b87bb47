"""Conditional groups: which flags choose one of two numbers, however the groups are nested."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.source import preprocessor_groups
from warplint.analyzer.source.preprocessor_groups import (
    Group,
    choices_of_numbers,
    condition_key,
    conditional_groups,
    directive_word,
    sizes_by_condition,
)
from warplint.analyzer.source.tokens import tokenize

if TYPE_CHECKING:
    import re

LINES = (
    "#ifdef A", "#ifdef B", "#ifndef C", "#if defined(D)", "#if N > 1", "#elif 1", "#else", "#else",
    "#endif", "#endif", "#define X 3", "#define X 4", "#define Y 5", "#undef X", "int v;",
    "__global__ void k();",
)  # fmt: skip


def read(text: str) -> tuple[list[Group], list[int], list[str]]:
    """The groups of a text, the indices of its directives, and its tokens."""
    tokens = tokenize(text, 0)[0]
    lines = [i for i, kind in enumerate(tokens.kinds) if kind == "DIRECTIVE"]
    words = {i: directive_word(tokens.texts[i]) for i in lines}
    groups, _ = conditional_groups(lines, words, len(tokens))
    return [*groups.values()], lines, tokens.texts


def looked_through(groups: list[Group], texts: list[str]) -> set[str]:
    """The same as `choices_of_numbers`, by looking through each arm of each group."""
    found: set[str] = set()
    needed: set[str] = set()
    for group in groups:
        arms = [texts[each.index : each.index + each.size] for each in group.branches]
        key, positive = condition_key(arms[0][0])
        if not positive or not key.startswith("defined"):
            continue
        if "__global__" in arms[0]:
            needed.add(key)
        if len(arms) == 2 and directive_word(arms[1][0]) == "else":
            one, other = (
                {text.split()[1] for text in arm if text.startswith("#define")} for arm in arms
            )
            found |= {key} if one & other else set()
    return found - needed


def test_a_flag_that_chooses_a_number() -> None:
    text = "#ifdef A\n#define X 1\n#ifdef B\nint v;\n#endif\n#else\n#define X 2\n#endif\n"
    assert choices_of_numbers(*read(text)) == {"defined ( A )"}


@given(st.lists(st.sampled_from(LINES), max_size=24))
def test_it_is_what_the_arms_say(lines: list[str]) -> None:
    groups, indices, texts = read("\n".join(lines) + "\n")
    assert choices_of_numbers(groups, indices, texts) == looked_through(groups, texts)


def test_each_line_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    number = preprocessor_groups._NUMBER

    def counted(text: str) -> re.Match[str] | None:
        nonlocal asked
        asked += 1
        return number(text)

    monkeypatch.setattr(preprocessor_groups, "_NUMBER", counted)
    depth = 300
    text = "#ifdef A\n#define X 1\n" * depth + "#else\n#define X 2\n#endif\n" * depth
    assert choices_of_numbers(*read(text)) == {"defined ( A )"}
    assert asked == 5 * depth


def kept(text: str) -> dict[str, list[int]]:
    """For each condition of a text what is kept when it holds, and when it does not."""
    tokens, _ = tokenize(text, 0)
    lines = [at for at, kind in enumerate(tokens.kinds) if kind == "DIRECTIVE"]
    words = {at: directive_word(tokens.texts[at]) for at in lines}
    groups, _ = conditional_groups(lines, words, len(tokens))
    return sizes_by_condition(groups.values(), tokens.texts)


FALLBACK = "#define atomicAdd(x, y) (*x += y)\n#define COUNT(x) atomicAdd(x, 1)\n#define MORE 2\n"
NATIVE = "#define COUNT(x) atomicAdd(x, 1)\n"


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        pytest.param(f"#ifdef A\n{FALLBACK}#else\n{NATIVE}#endif\n", False, id="first arm"),
        pytest.param(f"#ifdef A\n{NATIVE}#else\n{FALLBACK}#endif\n", True, id="second arm"),
        pytest.param(f"#ifndef A\n{NATIVE}#else\n{FALLBACK}#endif\n", False, id="negated"),
        pytest.param(f"#ifdef A\n{FALLBACK}#else\n;\n#endif\n", True, id="not used there"),
        pytest.param(
            f"#ifdef A\n{FALLBACK}#else\n{FALLBACK[:35]}#endif\n", True, id="both have it"
        ),
        pytest.param(f"#ifdef A\n{FALLBACK}#endif\n", True, id="no other arm"),
        pytest.param(
            f"#ifdef A\n{FALLBACK}#else\nvoid f(int *n) {{ atomicAdd(n, 1); }}\n#endif\n",
            False,
            id="used in code",
        ),
    ],
)
def test_an_arm_that_defines_what_the_other_uses_stands_in_for_it(text: str, holds: bool) -> None:
    (sizes,) = kept(text).values()
    assert (sizes[0] > sizes[1]) is holds
