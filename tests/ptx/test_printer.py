"""Printing a syntax tree gives back every token of its text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from ptx.support import FIXTURES, HEAD, parsed, wrap

from warplint.analyzer.ptx.syntax.printer import print_module
from warplint.analyzer.ptx.syntax.scanner import blank_comments

if TYPE_CHECKING:
    from pathlib import Path

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[\w$%]+|\S')


def tokens(text: str) -> list[str]:
    return _TOKEN.findall(blank_comments(text))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_files_come_back_token_by_token(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert tokens(print_module(parsed(text))) == tokens(text)


@pytest.mark.parametrize(
    "text",
    [
        '.file 1 "a.cu", 12, 34',
        '.pragma "nounroll", "other";',
        ".alias f, g;",
        ".visible .global .align 16 .v4 .f32 v[2][], w = 0f00000000, x[2] = {{1}, {2}};",
        ".global .attribute(.managed, .unified(1, 2)) .u32 m;",
        ".const .u64 p[2] = {generic(v) + 8, 0xFF(f)};",
        ".weak .func .attribute(.unified(3, 4)) (.reg .b32 d) f (.param .align 8 .b8 s[16],"
        " .param .u64 .ptr .const .align 2 q) .noreturn;",
        '.entry k .maxntid 32, 1 .pragma "nounroll"; { ret; }',
        ".entry k() .reqntid 1 .explicitcluster .maxclusterrank 8 { }",
        ".section .debug_str { L: .b8 97, 98 .b64 L+4 }",
    ],
)
def test_directives(text: str) -> None:
    module = parsed(HEAD + text)
    assert module.problems == []
    assert tokens(print_module(module)) == tokens(HEAD + text)


@pytest.mark.parametrize(
    "text",
    [
        "@!%p1 bra L; L:",
        "{ .reg .v2 .f32 v<4>; { ret; } }",
        "call (r), f, (a, 1, %r1), p;",
        "t: .branchtargets A, B; brx.idx %r1, t; A: B:",
        "p: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 4 .b8 _[8]);",
        ".loc 1 2 3, function_name $L + 4, inlined_at 1 5 6\n ret;",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, s, {%f5, %f6}];",
        "ld.global.u32 %r1, [%rd1+-4].unified;",
    ],
)
def test_statements(text: str) -> None:
    module = parsed(wrap(text))
    assert module.problems == []
    assert tokens(print_module(module)) == tokens(wrap(text))
