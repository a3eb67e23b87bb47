"""The diff that `check --diff` prints is that of `difflib`, for small texts."""

from __future__ import annotations

from difflib import unified_diff

from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.report.text.difference import unified
from warplint.analyzer.report.text.palette import Palette

TEXT = st.lists(st.integers(0, 20), unique=True).map(
    lambda lines: "".join(f"{each}\n" for each in lines)
)


def hunks(before: str, after: str) -> list[str]:
    lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return list(unified_diff(*lines, "a/x.cu", "b/x.cu"))


@given(TEXT)
def test_a_changed_line(text: str) -> None:
    after = text.replace("3\n", "new\n", 1)
    found = unified("x.cu", text.encode(), after.encode(), Palette())
    assert found.splitlines(keepends=True) == hunks(text, after)


def test_a_last_line_without_an_end() -> None:
    found = unified("x.cu", b"a\nb", b"a\nc\n", Palette()).splitlines()
    assert found[2:] == ["@@ -1,2 +1,2 @@", " a", "-b", "\\ No newline at end of file", "+c"]
