"""Text that the log of a CI cannot take for commands.

In: a report, which may hold names and lines of a stranger's files. Out: the same, with nothing in
it that GitHub (`::name …` at the start of a line, `##[name]` anywhere), Azure (`##vso[…]`) or
TeamCity (`##teamcity[…]`) would carry out. One character becomes `·`, as control characters do, so
that carets stay where they are; JSON and XML have escapes and keep their meaning. The annotations
of `github.py` are commands on purpose, and escape what they hold themselves.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_ANYWHERE = re.compile(r"#(?=#[A-Za-z]*\[)")
_AT_START = re.compile(r"^(\s*):(?=:)", re.MULTILINE)

#: What stands for the first character, by how a document begins.
_ESCAPES = {"{": "\\u0023", "[": "\\u0023", "<": "&#35;"}
_DOT = "\N{MIDDLE DOT}"

#: Variables that tell of the CI whose log reads commands.
_READERS = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")


def harmless(text: str) -> str:
    """A printed text without log commands of a CI; JSON and XML hold the same as before."""
    if "##" in text:
        # Whatever a text that is no JSON begins with: no escape leaves a command.
        escape = _ESCAPES.get(text[:1], _DOT)
        text = _ANYWHERE.sub(lambda _: escape, text)
    return _AT_START.sub(rf"\1{_DOT}", text) if "::" in text else text


def is_read(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a CI carries out log commands (`::error`, `##vso`) in what is printed here."""
    return any(environment.get(name) for name in _READERS)
