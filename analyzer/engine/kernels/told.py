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
    """The words that depend on the file."""

    path: str
    headers: str


def told_by(module: Module) -> Told:
    """The words of one module."""
    return Told(shlex.quote(module.source.path), named_headers(module.unseen))


def kept(finding: Finding, told: Told) -> Finding:
    """The finding with a mark in place of the path in its command."""
    return replace(finding, verify=_at_end(finding.verify, told.path, _FILE))


def retold(finding: Finding, before: Told, now: Told) -> Finding:
    """What was `kept` in the words of `before`, in those of now."""
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
