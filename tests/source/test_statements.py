"""Statements found in text, and assignments taken apart."""

from __future__ import annotations

import pytest

from warplint.analyzer.source.statements import FunctionText, Statement, assignment

_HEADER = "__global__ void k(int *s, int n)"


def around(body: str) -> tuple[str, Statement | None]:
    """The statement around `@` in a function with this body, and its text."""
    text = f"{_HEADER} {{ {body} }}"
    place = text.index("@")
    text = text.replace("@", "")
    found = FunctionText(text, 0, len(text)).statement_at(place)
    return ("" if found is None else text[found.start : found.end]), found


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a = 1; b[@i] = 2; c = 3;", "b[i] = 2;"),
        ("if (n) { a = 1; @b = 2; }", "b = 2;"),
        ("float4 v = {1, 2, 3, @s[0]}; b = 2;", "float4 v = {1, 2, 3, s[0]};"),
        ("auto f = [&](int i) { a = 1; return @i; };", "return i;"),
        ("switch (n) { case 1: a = 1; case 2: @b = 2; }", "b = 2;"),
        ("again: @a = 1; goto again;", "a = 1;"),
        ('f("}"); /* } */ @a = 1; // }\n', "a = 1;"),
        ("a = 1;\n#ifdef X\n @b = 2;\n#endif\n", "b = 2;"),
        ("\n#pragma unroll\nfor (int i = @0; i < n; i++) s[i] = 0;",
         "#pragma unroll\nfor (int i = 0; i < n; i++) s[i] = 0;"),
        ("if (n) a = 1; else if (@n > 2) b = 1; else c = 1;", "if (n > 2) b = 1; else c = 1;"),
    ],
)  # fmt: skip
def test_innermost(body: str, expected: str) -> None:
    assert around(body)[0] == expected


@pytest.mark.parametrize(
    ("body", "keyword", "in_block", "in_header"),
    [
        ("@a = 1;", "", True, False),
        ("if (n) @a = 1;", "", False, False),
        ("if (@n) a = 1;", "if", True, True),
        ("if (n) a = 1; else if (@m) b = 1;", "if", False, True),
        ("do a = 1; while (@n);", "do", True, True),
        ("for (;;) while (@n) a = 1;", "while", False, True),
    ],
)
def test_where_it_stands(body: str, keyword: str, in_block: bool, in_header: bool) -> None:
    _, found = around(body)
    assert found is not None
    assert (found.keyword, found.in_block, found.in_header) == (keyword, in_block, in_header)


@pytest.mark.parametrize(
    ("body", "repeated"),
    [
        ("for (i = 0; @i < n; i++) s[i] = 0;", "s[i] = 0;"),
        ("while (@n) { a = 1; b = 2; }", "{ a = 1; b = 2; }"),
        ("do { a = 1; } while (@n);", "{ a = 1; }"),
    ],
)
def test_what_a_loop_repeats(body: str, repeated: str) -> None:
    text = f"{_HEADER} {{ {body} }}".replace("@", "")
    _, found = around(body)
    assert found is not None
    assert found.body is not None
    assert text[slice(*found.body)] == repeated


@pytest.mark.parametrize(
    "body",
    [
        "a = (1; @b = 2;",  # brackets that do not match
        "if (n)\n#ifdef X\n a = @1;\n#else\n a = 2;\n#endif\n",
        "a = 1 +\n#ifdef X\n @2;\n#else\n 3;\n#endif\n",
        "SWITCH(n) @a",  # a statement without an end
    ],
)
def test_no_answer(body: str) -> None:
    assert around(body)[1] is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s[t] += s[t + 8];", ("s[t]", "+", "s[t + 8]")),
        ("a.b[i]->c = x == y;", ("a.b[i]->c", "", "x == y")),
        ("s[i <= 2] <<= 1 ;", ("s[i <= 2]", "<<", "1")),
        ("sum = f(a = 1);", ("sum", "", "f(a = 1)")),
    ],
)
def test_assignments(text: str, expected: tuple[str, str, str]) -> None:
    assert assignment(text) == expected


@pytest.mark.parametrize(
    "text",
    ["float x = s[t];", "float *p = s;", "*p += 1;", "s[i++] += 1;", "f(x)[0] = 1;", "f(x);", "a;"],
)
def test_no_assignments(text: str) -> None:
    assert assignment(text) is None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a();\n    b();\nc();", "a();\nc();"),
        ("a();\r\n    b();\r\nc();", "a();\r\nc();"),
        ("a(); b(); c();", "a();  c();"),
        ("if (x) { // why\n    b();\n}", "if (x) { // why\n}"),
        ("a();\n#ifdef X\nb();\n#endif\n", "a();\n#ifdef X\n#endif\n"),
        ("if (x)\n    b();\nc();", None),
        ("for (;;) b();", None),
        ("if (x) // a;\n    b();\n", None),
        ("if (x) a(); else b();", None),
        ("x = b();", None),
        ("a();\nb() + 1;", None),
        ("again: b();", None),
    ],
)
def test_only_statements_of_their_own_are_cut_out(body: str, expected: str | None) -> None:
    text = f"{_HEADER} {{ {body} }}"
    start = text.index("b()")
    cut = FunctionText(text, 0, len(text)).cut_out(start, start + 3)
    rest = None if cut is None else text[: cut[0]] + text[cut[1] :]
    assert rest == (None if expected is None else f"{_HEADER} {{ {expected} }}")
