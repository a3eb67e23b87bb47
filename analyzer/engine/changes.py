"""Lines that changed since a commit, for a linter that speaks of new code only.

In: a commit, branch or tag, and the inputs. Out: for each file the lines that differ, as
`git diff --unified=0` tells; a file that git does not know is new as a whole. Findings whose own
lines are untouched are counted and left out. Where git is missing, or does not know the commit, the
command line is wrong: nothing is guessed.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

from ..config.errors import UsageError
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..findings.finding import Finding
    from .inputs import Inputs
    from .result import RunResult

Lines = frozenset[int]

_HUNK = re.compile(r"@@ -[0-9,]+ \+([0-9]+)(?:,([0-9]+))? @@")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


@dataclass(frozen=True, slots=True)
class Changes:
    """The changed lines of each file, by real path; None for a file that is new."""

    by_file: Mapping[str, Lines | None]

    def only(self, result: RunResult) -> RunResult:
        """The run with the findings on changed lines."""
        kept = tuple(finding for finding in result.findings if self._touches(finding))
        left_out = len(result.findings) - len(kept)
        return replace(result, findings=kept, unchanged=left_out)

    def _touches(self, finding: Finding) -> bool:
        path = os.path.realpath(finding.span.path)
        lines = self.by_file.get(path, frozenset())
        if lines is None:
            return True
        return any(n in lines for n in range(finding.span.line, finding.span.end_line + 1))


def changed_lines(ref: str, inputs: Inputs) -> Changes:
    """What changed in the repositories of the inputs since `ref`."""
    if ref.startswith("-"):
        raise UsageError(f"`{ref}` is not a commit", "name a commit, branch or tag")
    paths = [os.path.realpath(file.path) for file in inputs.files]
    known: dict[str, Lines | None] = {}
    for root, inside in _by_repository(paths).items():
        changed = _parsed(_git(root, "diff", "--unified=0", "--no-color", "--no-ext-diff",
                               "--no-renames", "--no-prefix", ref, "--"), root)  # fmt: skip
        untracked = _git(root, "ls-files", "--others", "-z").split("\0")
        new = {os.path.join(root, name) for name in untracked if name}
        known |= {path: None if path in new else changed.get(path, frozenset()) for path in inside}
    return Changes(known)


def _by_repository(paths: Iterable[str]) -> dict[str, list[str]]:
    roots: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for path in paths:
        folder = os.path.dirname(path)
        if folder not in roots:
            roots[folder] = os.path.realpath(_git(folder, "rev-parse", "--show-toplevel")[:-1])
        found.setdefault(roots[folder], []).append(path)
    return found


def _parsed(diff: str, root: str) -> dict[str, Lines]:
    """The lines that each file of a diff has now and had not before.

    Where lines were only taken away, the line before the gap counts as changed.
    """
    lines: dict[str, set[int]] = {}
    current: set[int] = set()
    body = 0  # lines of a hunk still to come, which can look like anything
    for line in diff.split("\n"):
        if body:
            body -= line[:1] in ("+", "-")
        elif line.startswith("+++ "):
            current = lines.setdefault(os.path.join(root, _unquoted(line[4:])), set())
        elif match := _HUNK.match(line):
            start, count = int(match[1]), int(match[2] or 1)
            current.update(range(start, start + max(count, 1)))
            body = _removed(line) + count
    return {path: frozenset(numbers) for path, numbers in lines.items()}


def _removed(hunk: str) -> int:
    match = re.match(r"@@ -[0-9]+(?:,([0-9]+))? ", hunk)
    return int(match[1] or 1) if match else 0


def _unquoted(name: str) -> str:
    """A path as git prints it: in quotes with escapes of bytes when it is unusual."""
    if not name.startswith('"'):
        return name.rstrip("\t")
    data = bytearray()
    for part in re.findall(r"\\[0-7]{3}|\\.|[^\\]", name.strip()[1:-1]):
        if part.startswith("\\") and len(part) == 4:
            data.append(int(part[1:], 8))
        else:
            data += (_ESCAPES.get(part[1], part[1]) if part[0] == "\\" else part).encode()
    return os.fsdecode(bytes(data))


def _git(folder: str, *arguments: str) -> str:
    command: Sequence[str] = ("git", "-C", folder or ".", *arguments)
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise UsageError(
            f"--diff-base needs git: {error.strerror or error}", "install git"
        ) from None
    if done.returncode != 0:
        said = os.fsdecode(done.stderr).strip().splitlines()
        reason = said[0].removeprefix("fatal: ") if said else "it failed"
        raise UsageError(f"--diff-base: git says: {reason}", "name a commit, branch or tag")
    return os.fsdecode(done.stdout)
