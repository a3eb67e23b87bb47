"""From a line of PTX to the line of CUDA that it was made of, and back.

In: the text of a PTX document, its path, and a line (all lines from 0). Out: where its `.loc` and
`.file` directives lead, or the lines behind those that name a line of a file. A path that is not
absolute is meant from the folder of the PTX. Nothing is analysed: what the compiler did not write
down (`nvcc -lineinfo`) is not known. Not handled: calls that were inlined (`inlined_at`), of which
the innermost line counts.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE = re.compile(r'^[ \t]*\.file[ \t]+(\d+)[ \t]+"([^"\n]+)"', re.MULTILINE)
_LOC = re.compile(r"[ \t]*\.loc[ \t]+(\d+)[ \t]+(\d+)[ \t]+(\d+)")
_OTHER_FUNCTION = re.compile(r"\}|(?:\.\w+[ \t]+)*\.(?:entry|func)\b")


def origin(text: str, path: str, line: int) -> tuple[str, int, int] | None:
    """The CUDA path, line and column of a PTX line in an editor, read from the text's `.loc`."""
    lines = text.split("\n")
    for number in range(min(line, len(lines) - 1), -1, -1):
        found = _LOC.match(lines[number])
        if found is not None:
            file, row, column = map(int, found.groups())
            named = _files(text, path).get(file)
            return None if named is None or row == 0 else (named, row - 1, max(column - 1, 0))
        if number < line and _OTHER_FUNCTION.match(lines[number]):
            return None
    return None


def lines_of(text: str, path: str, source: str, line: int) -> list[int]:
    """The PTX lines that an editor goes to from a CUDA line: the first of each piece."""
    real = os.path.realpath(source)
    numbers = {n for n, each in _files(text, path).items() if os.path.realpath(each) == real}
    return list(_behind(text, numbers, line + 1)) if numbers else []


def _behind(text: str, files: set[int], row: int) -> Iterator[int]:
    for number, each in enumerate(text.split("\n")):
        found = _LOC.match(each)
        if found is not None and int(found[1]) in files and int(found[2]) == row:
            yield number + 1


def _files(text: str, path: str) -> dict[int, str]:
    """The paths of the sources, by their numbers."""
    folder = os.path.dirname(path)
    return {int(each[1]): os.path.join(folder, each[2]) for each in _FILE.finditer(text)}
