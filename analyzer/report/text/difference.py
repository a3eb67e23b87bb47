"""Changes of files as a unified diff, which `patch -p1` and `git apply` take.

In: the bytes of a file before and after. Out: the diff as text, decoded as UTF-8 where the file is,
else as Latin-1. Lines end at LF; a CR before it is part of the line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .palette import Palette, Role

if TYPE_CHECKING:
    from collections.abc import Iterator


def unified(path: str, before: bytes, after: bytes, palette: Palette) -> str:
    """The diff of one file."""
    return "".join(_painted(line, palette) for line in _unified(path, before, after))


def _unified(path: str, before: bytes, after: bytes) -> Iterator[str]:
    from .line_difference import LineMatcher  # `difflib`, which few runs need

    old, new = _lines(before), _lines(after)
    names = [f"--- a/{path}\n", f"+++ b/{path}\n"]
    for group in LineMatcher(old, new).get_grouped_opcodes():
        yield from names
        names = []
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[i1:i2])
                continue
            yield from (f"-{line}" for line in old[i1:i2])
            yield from (f"+{line}" for line in new[j1:j2])


def _range(first: int, last: int) -> str:
    """Lines as a hunk names them: the first, from one on, and how many; of none the one before."""
    count = last - first
    return f"{first + 1}" if count == 1 else f"{first + (count > 0)},{count}"


def _lines(data: bytes) -> list[str]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    pieces = text.split("\n")
    return [piece + "\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def _painted(line: str, palette: Palette) -> str:
    role = {"+": Role.HELP, "-": Role.ERROR, "@": Role.NOTE}.get(line[:1])
    whole = line.endswith("\n")
    shown = palette.paint(line[:-1] if whole else line, role) if role else line.rstrip("\n")
    return shown + ("\n" if whole else "\n\\ No newline at end of file\n")
