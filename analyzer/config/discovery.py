"""Configuration files: which one speaks for a file, and what it says.

In: the path of a file or folder. Out: the `Configuration` of the nearest `warplint.toml`,
`.warplint.toml` or `pyproject.toml` with a `[tool.warplint]` table, in its folder or above it;
files further up say nothing unless that one extends them. A file that cannot be read or
understood is a `UsageError`: settings are never left out silently.
"""

from __future__ import annotations

import os
import re
from functools import cache
from typing import Any

from ..source.files import SETTINGS, read_regular
from .configuration import Configuration, read_table
from .errors import UsageError

# tomllib takes memory by the square of the parts of `a.b.c`.
_LONG_KEY = r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){64}"""

NAMES = ("warplint.toml", ".warplint.toml", "pyproject.toml")


def nearest_configuration(folder: str) -> Configuration:
    """The configuration that holds in a folder; an empty one when there is none."""
    path = nearest_file(os.path.abspath(folder))
    return read_configuration(path) if path is not None else Configuration()


def nearest_file(folder: str) -> str | None:
    """The configuration file that holds in a folder."""
    while (found := _own_file(folder)) is None:
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return found


def forget_configurations() -> None:
    """Read all configuration files anew when they are asked for again."""
    for read in (_own_file, read_configuration, _table):
        read.cache_clear()


@cache
def _own_file(folder: str) -> str | None:
    """The configuration file in a folder."""
    for name in NAMES:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and _table(path) is not None:
            return path
    return None


@cache
def read_configuration(path: str) -> Configuration:
    """The configuration in a file that was found or named, with all that it extends."""
    shown = _shown(path)
    chain = [os.path.realpath(path)]
    table = _table(path)
    if table is None:
        raise UsageError(f"{shown}: no table [tool.warplint]", "add one, or pass a warplint.toml")
    result, extended = read_table(table, shown)
    while extended is not None:
        real = os.path.realpath(extended)
        if real in chain:
            raise UsageError(
                f"{shown}: `extend` forms a cycle through {_shown(real)}", "break the cycle"
            )
        chain.append(real)
        table = _table(extended)
        if table is None:
            raise UsageError(f"{_shown(extended)}: no table [tool.warplint]", f"{shown} extends it")
        below, extended = read_table(table, _shown(extended))
        result = result.on_top(below)
    return result


@cache
def _table(path: str) -> dict[str, Any] | None:
    """The table of a file; None for a pyproject.toml that is not about us."""
    shown = _shown(path)
    shared = os.path.basename(path) == "pyproject.toml"
    try:
        data = read_regular(path, SETTINGS)
    except OSError as error:
        reason = error.strerror or str(error)
        advice = "make it readable, or pass --isolated"
        raise UsageError(f"{shown}: cannot be read: {reason}", advice) from None
    if shared and b"warplint" not in data:
        return None  # nothing of ours, so that nothing in it is our concern
    document = _parsed(data, shown)
    if not shared:
        return document
    tool = document.get("tool")
    table = tool.get("warplint") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UsageError(f"{shown}: `tool.warplint` is not a table", "write [tool.warplint]")
    return table


def _parsed(data: bytes, shown: str) -> dict[str, Any]:
    import tomllib

    try:
        text = data.decode("utf-8")
        if not re.search(_LONG_KEY, text):
            return tomllib.loads(text)
        what = "a key of more than 64 parts"
    except (ValueError, RecursionError) as error:  # a number may have too many digits, too
        what = str(error) or "nested too deeply"
    raise UsageError(f"{shown}: not TOML: {what}", "fix it, or pass --isolated") from None


def _shown(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative
