"""Kernels in the strings of Python programs: of `RawKernel`, `SourceModule`, `load_inline`.

In: the text of a Python file. Out: a text of the same length and lines that has the strings with
CUDA C++ in it, blanks for all else, and blanks for what Python's escapes would make of two or more
characters (`\\n`, `\\"`): every place in it is one of the file. All strings together are one
translation unit. Nothing of the program is run or imported. Not read: f-strings and strings that
are not closed, which are reported; text that is put together of pieces; bodies without
`__global__`, as `ElementwiseKernel` has them.
"""

from __future__ import annotations

import re

from ...grammars.patterns import possessive
from ..source.files import SOURCE
from ..source.problem import Damage, Problem
from ..source.stand_ins import read_source_file
from ..source.text import SourceText, Span

_LONG = possessive(r"""[^"\\]++|\\.|"(?!"")""")
_LONG2 = possessive(r"""[^'\\]++|\\.|'(?!'')""")
_SHORT, _SHORT2 = possessive(r'[^"\\\n]++|\\.'), possessive(r"[^'\\\n]++|\\.")
_LITERAL = re.compile(
    r"#[^\n]*+|(?P<prefix>\b[A-Za-z]{1,2})?(?:"
    rf'"""(?P<long>{_LONG})"""'
    rf"|'''(?P<long2>{_LONG2})'''"
    r'|(?:"""|\'\'\')(?P<open>.*+)'
    rf'|"(?P<short>{_SHORT})"'
    rf"|'(?P<short2>{_SHORT2})')",
    re.DOTALL,
)
_MARK = re.compile(r"__(?:global|device)__\b|<<<|>>>\s*\(|[;{})]")
_ESCAPE = re.compile(r"\\(?:[\\'\"]|[abfnrtv0]|x[0-9a-fA-F]{2})")
_VISIBLE = re.compile(r"[^\s]")
_KEPT = frozenset("\\'\"")  # stand for themselves behind a backslash


def has_kernels(path: str) -> bool:
    """Whether a Python file speaks of kernels; one that cannot be read is for its reader."""
    try:
        return b"__global__" in read_source_file(path, SOURCE)
    except OSError:
        return True


def cuda_of_python(source: SourceText) -> tuple[SourceText, list[Problem]]:
    """The CUDA C++ in the strings of a Python file, each character where it stands."""
    pieces: list[str] = []
    problems: list[Problem] = []
    at = 0
    for found in _LITERAL.finditer(source.text):
        group = found.lastgroup
        if group is None or group == "prefix":
            continue
        body, start = found[group], found.start(group)
        if not _is_code(body):
            continue
        if group == "open":
            problems.append(_open(Span(source, found.start(), start)))
            continue
        prefix = (found["prefix"] or "").lower()
        if "f" in prefix:
            problems.append(_formatted(Span(source, found.start(), found.end())))
            continue
        pieces += [_blank(source.text[at:start]), body if "r" in prefix else _unescaped(body)]
        at = found.end(group)
    text = "".join([*pieces, _blank(source.text[at:])])
    return SourceText(source.path, text), problems


def _is_code(body: str) -> bool:
    """Whether a string holds a function for the device, from its qualifier to its `{`, or a launch;
    text about kernels speaks of their words alone.
    """
    qualified = listed = launching = False
    for mark in _MARK.finditer(body):
        found = mark[0]
        if (found == "{" and listed) or (found.startswith(">") and launching):
            return True
        if found.startswith("_"):
            qualified = True
        elif found == "<<<":
            launching = True
        elif found == ")":
            listed = qualified
        else:
            qualified = listed = launching = False
    return False


def _blank(text: str) -> str:
    return _VISIBLE.sub(" ", text)


def _unescaped(body: str) -> str:
    """A string without Python's escapes, as long as it was."""

    def replaced(escape: re.Match[str]) -> str:
        kept = escape[0][1] if escape[0][1] in _KEPT else ""
        return kept.rjust(len(escape[0]))

    return _ESCAPE.sub(replaced, body)


def _open(span: Span) -> Problem:
    return Problem(
        span.path,
        "a string with a kernel in it is not closed: it was not read",
        "close it with the quotes that it begins with",
        Damage.FATAL,
        span,
    )


def _formatted(span: Span) -> Problem:
    return Problem(
        span.path,
        "a kernel in an f-string was not read: its text is known when the program runs",
        "pass sizes as macros: options=('-DN=32',)",
        Damage.NOTICE,
        span,
    )
