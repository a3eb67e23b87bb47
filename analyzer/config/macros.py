"""Macros of the command line: `-D NAME`, `-D NAME=VALUE`, `-U NAME`, as compilers take them."""

from __future__ import annotations

import re

from .errors import UsageError

_NAME = re.compile(r"[A-Za-z_]\w*")


def parse_define(text: str) -> tuple[str, str]:
    """Name and replacement of a macro of `-D` or a configuration; without a value it is 1."""
    name, equals, value = text.partition("=")
    return _checked(name, text, "-D TILE=16"), value if equals else "1"


def parse_undefine(text: str) -> str:
    """The name of a macro of `-U` or a configuration."""
    return _checked(text, text, "-U DEBUG")


def _checked(name: str, text: str, example: str) -> str:
    # `-D 'F(x)=x'` is legal for compilers; the parameter list stays part of the name.
    if not _NAME.match(name) or (not _NAME.fullmatch(name) and "(" not in name):
        raise UsageError(f"`{text}` does not begin with a macro name", f"write {example}")
    return name
