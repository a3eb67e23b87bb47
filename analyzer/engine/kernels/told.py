"""What findings of a kernel say of the file that was checked, and of no other.

In: a finding, the file's path and the headers that were not found for it, then and now. Out: the
finding as a check of the other file would say it: the command that shows it compiles that file, and
doubts name its headers.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ...findings.doubts import named_headers

if TYPE_CHECKING:
    from ...findings.finding import Finding
    from ...ir.kernel import Module

_FILE = "\0"


class Told(NamedTuple):
    """The words of a kernel's findings that depend on the file which was checked."""

    path: str
    headers: str


def told_by(module: Module) -> Told:
    """The words of findings that depend on the file of this module."""
    return Told(shlex.quote(module.source.path), named_headers(module.unseen))


def kept(finding: Finding, told: Told) -> Finding:
    """The finding of a kernel to keep for other files: a mark instead of the path in its
    command.
    """
    return replace(finding, verify=_at_end(finding.verify, told.path, _FILE))


def retold(finding: Finding, before: Told, now: Told) -> Finding:
    """A kept finding of a kernel in the words of another file, or of the edited one."""
    doubts = finding.doubts
    if before.headers and before.headers != now.headers:
        doubts = tuple(
            replace(each, reason=each.reason.removesuffix(before.headers) + now.headers)
            if each.reason.endswith(before.headers)
            else each
            for each in doubts
        )
    return replace(finding, verify=_at_end(finding.verify, _FILE, now.path), doubts=doubts)


def _at_end(command: str, old: str, new: str) -> str:
    """The command for another file, which its last word names."""
    words, mark, note = command.partition("  # ")
    if words.endswith(f" {old}"):
        words = words.removesuffix(old) + new
    return words + mark + note
