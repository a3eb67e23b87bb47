"""Which comments say nothing that anything rests on."""

from __future__ import annotations

import pytest

from warplint.analyzer.server.kept.comments import insides


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "// a\nint x;  // b\n/* c */ /**/ int y;\n#define N 1  // d\n// e",
            [" a", " b", " c ", "", " e"],
        ),
        ("int x = 1 /* no */ + // no\n 2; // yes", [" yes"]),
        ('const char *s = "// no"; // yes\n', [" yes"]),
        ("// no \\\nint x;\n// nor this", []),
        ("struct S { // no\n int x; /* yes */ };", [" yes "]),
        ("int x; /* never ends", []),
    ],
)
def test_comments_after_declarations_are_found(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in insides(text, [])] == found


def test_comments_in_functions_are_left() -> None:
    text = "// a\nvoid f() { ; // b\n}\n// c\n"
    function = (text.index("void"), text.index("}") + 1)
    assert [text[start:end] for start, end in insides(text, [function])] == [" a", " c"]
