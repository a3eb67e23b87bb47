"""Conditional groups: which flags choose one of two numbers, however the groups are nested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.source import preprocessor_groups
from warplint.analyzer.source.preprocessor_groups import (
    Group,
    choices_of_numbers,
    condition_key,
    conditional_groups,
    directive_word,
)
from warplint.analyzer.source.tokens import tokenize

if TYPE_CHECKING:
    import re

    import pytest

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
