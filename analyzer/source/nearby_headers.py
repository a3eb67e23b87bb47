"""Macros of a project's headers that nobody named with -I.

In: the path of a file, the names in its `#include` lines that were not found, and the macros that
kept something from being read. Out: the definitions of those macros, and of the macros that these
use in turn, as they stand in the headers that the names lead to from the folders above the file (up
to the root of the repository, `.git`) and from `include` folders in them.
Of a macro that is defined in two ways, those under `#ifdef NAME` do not count where no header at
hand defines the name; one that is still defined in two ways is left out: which one counts, only a
preprocessor that sees every condition can tell. Never raises.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .file_probes import exists, is_file, note, recorded
from .reader import read_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .file_probes import Look

LEVELS = 8  # folders above the file
FILES = 300  # headers looked into for one file
_SUBFOLDERS = ("", "include")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_DIRECTIVE = re.compile(
    r"^[ \t]*#[ \t]*(define|if|ifdef|ifndef|elif\w*|else|endif)\b(?:[ \t]+(\w+))?"
    r"((?:[^\n\\]|\\[\s\S])*)",
    re.MULTILINE,
)
_CONTINUED = re.compile(r"[ \t]*\\\r?\n[ \t]*")
_WORD = re.compile(r"[A-Za-z_]\w*")


class _Definition(NamedTuple):
    """The text after one `#define NAME`, and the names that must be defined for it to count."""

    text: str
    needs: frozenset[str]


class _Header(NamedTuple):
    """What a header includes, and the definitions in it by name."""

    look: Look  # that was taken to read it
    includes: tuple[str, ...]
    definitions: Mapping[str, tuple[_Definition, ...]]


def nearby_definitions(path: str, missing: Iterable[str], wanted: Iterable[str]) -> dict[str, str]:
    """The text after `#define NAME` of the wanted macros, as far as it is certain."""
    if "\0" in path:
        return {}
    headers = list(_headers(path, missing))
    defined = frozenset().union(*(header.definitions for header in headers))
    found: dict[str, str] = {}
    waiting = sorted(wanted)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        definitions = [each for header in headers for each in header.definitions.get(name, ())]
        texts = {each.text for each in definitions}
        if len(texts) > 1:
            texts = {each.text for each in definitions if each.needs <= defined}
        if len(texts) == 1:
            found[name] = texts.pop()
            waiting += _WORD.findall(found[name])
    return found


def _headers(path: str, missing: Iterable[str]) -> Iterator[_Header]:
    """The headers that the missing names lead to, and those that they include."""
    folders = list(_folders(path))
    waiting = [(name, folders[0]) for name in dict.fromkeys(missing)] if folders else []
    seen: set[str] = set()
    while waiting and len(seen) < FILES:
        name, beside = waiting.pop(0)
        place = next((p for f in (beside, *folders) if (p := _file(f / name))), None)
        if place is None or place[0] in seen:
            continue
        seen.add(place[0])
        header = _header(*place)
        note(header.look)
        yield header
        waiting += [(each, Path(place[0]).parent) for each in header.includes]


def _folders(path: str) -> Iterator[Path]:
    folder = Path(os.path.abspath(path)).parent
    for _ in range(LEVELS):
        if folder == folder.parent:
            return
        yield from (folder / name for name in _SUBFOLDERS)
        if exists(str(folder / ".git")):
            return
        folder = folder.parent


def _file(path: Path) -> tuple[str, int] | None:
    """The path and the time of the last change; None when there is no such file."""
    try:
        return (str(path), path.stat().st_mtime_ns) if is_file(str(path)) else None
    except (OSError, ValueError):
        return None


@lru_cache(maxsize=1000)
def _header(path: str, _changed: int) -> _Header:
    with recorded() as looks:
        source, _ = read_source(path)
    text = source.text if source is not None else ""
    return _Header(looks.pop(), tuple(_INCLUDE.findall(text)), _definitions(text))


def _definitions(text: str) -> dict[str, tuple[_Definition, ...]]:
    """By name, with what `#ifdef` and the `#else` of `#ifndef` ask for around them.

    Names of the compiler's own begin with an underscore, and may be defined.
    """
    found: dict[str, tuple[_Definition, ...]] = {}
    around: list[tuple[str, str]] = []  # for each open condition its directive, and a name
    for match in _DIRECTIVE.finditer(text):
        word, name = match[1], match[2] or ""
        if word == "define":
            body = _CONTINUED.sub(" ", match[3]).rstrip()
            needs = frozenset(asked for kind, asked in around if kind == "ifdef")
            found[name] = (*found.get(name, ()), _Definition(body, needs))
        elif word in ("if", "ifdef", "ifndef"):
            around.append(("if" if name.startswith("_") else word, name))
        elif word == "endif":
            around[-1:] = []
        elif around:
            kind, asked = around[-1]
            around[-1] = ("ifdef" if (word, kind) == ("else", "ifndef") else "if", asked)
    return found
