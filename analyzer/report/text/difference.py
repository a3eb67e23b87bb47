"""Changes of files as a unified diff, which `patch -p1` and `git apply` take.

In: the bytes of a file before and after. Out: the diff as text, decoded as UTF-8 where the file is,
else as Latin-1. Lines end at LF; a CR before it is part of the line.
"""

from __future__ import annotations

from .palette import Palette, Role


def unified(path: str, before: bytes, after: bytes, palette: Palette) -> str:
    """The diff of one file."""
    from difflib import unified_diff

    lines = unified_diff(_lines(before), _lines(after), f"a/{path}", f"b/{path}", lineterm="\n")
    return "".join(_painted(line, palette) for line in lines)


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
