"""The tokens of a text, blanks, comments and preprocessor lines among them: joined, they are it.

A lexer of its own, so that what rewrites the fixtures does not rest on what it is to test.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
    (?P<comment>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/)
  | (?P<directive>^[ \t]*\#(?:[^\n\\/]|\\\n|\\.|/(?![/*]))*)
  | (?P<blank>\s+)
  | (?P<literal>(?:u8|[uUL])?R"(?P<end>[^()\s]*)\(.*?\)(?P=end)"
      |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<number>\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)
  | (?P<name>[A-Za-z_$][\w$]*)
  | (?P<symbol><<<|>>>|<<=|>>=|<=>|\.\.\.|->\*?|::|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\|
      |[-+*/%&|^]=|\#\#|.)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

#: A comment with one of these means something to warplint.
MARK = "warplint"


class Token(NamedTuple):
    """A piece of text and what it is."""

    kind: str
    text: str


def tokens_of(text: str) -> list[Token]:
    """All tokens, in order."""
    return [Token(str(match.lastgroup if match.lastgroup != "end" else "literal"), match[0])
            for match in _TOKEN.finditer(text)]  # fmt: skip


def joined(tokens: list[Token]) -> str:
    """The text of tokens."""
    return "".join(token.text for token in tokens)


def is_kept(token: Token) -> bool:
    """Whether a comment speaks to warplint: a suppression."""
    return token.kind == "comment" and f"{MARK}:" in token.text
