"""The text of a file that an option names, `-` for stdin; what cannot be read is a usage error."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ...config.errors import UsageError
from ...source.reader import LARGEST, decode_source, read_source

if TYPE_CHECKING:
    from ...source.text import SourceText


def given_text(path: str) -> SourceText:
    """The text of a file that an option names, `-` for stdin; empty when there is none."""
    if path == "-":
        source, problems = decode_source("<stdin>", sys.stdin.buffer.read(LARGEST + 1))
    else:
        source, problems = read_source(path)
    if source is None:
        raise UsageError(f"`{path}`: {problems[0].message}", problems[0].advice)
    return source
