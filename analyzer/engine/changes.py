"""Lines that changed since a commit, for a linter that speaks of new code only.

In: a commit, branch or tag, or the index; later the findings of a run. Out: the findings on lines
that differ, the others counted. `--diff-base` compares what was read with the merge base of that
commit and HEAD, so that nobody hears of what others did meanwhile; `--staged` speaks of lines that
the index has and HEAD has not, and reads files as they are staged. git only hands out bytes: they
are decoded and compared as the input was, so that attributes, NUL bytes, encodings and line ends
hide nothing.
New as a whole is what the old commit has not, or not as a text: a file that was binary, a link that
leads elsewhere, a file of an inner repository whose commit changed.
"""

from __future__ import annotations

import errno
import os
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from ..config.errors import UsageError
from ..source.files import SOURCE, read_regular
from ..source.links import links_on
from ..source.reader import decode_source
from ..source.records import dataclass
from ..source.stand_ins import standing_in
from ..source.text import text_lines
from .git.line_changes import changed_lines, kept_lines
from .git.repository import (
    FILE,
    LINK,
    REPOSITORY,
    Entry,
    GitError,
    nearest_repository,
    outermost_repository,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from ..findings.finding import Finding
    from ..source.text import SourceText, Span
    from .git.repository import Repository
    from .inputs import Inputs
    from .result import RunResult

Lines = frozenset[int]


class Changes(Protocol):
    """Which lines changed in git, as far as a run has to know."""

    def reading(self) -> AbstractContextManager[None]:
        """Inside of it, files are read in the state that is spoken of."""

    def may_touch(self, path: str, *, is_input: bool) -> bool:
        """Whether a line of a file may have changed: if not, no finding on a line of it is new."""

    def only(self, result: RunResult, inputs: Inputs) -> RunResult:
        """The run with the findings on changed lines."""


def changes_since(name: str) -> Changes:
    """What changed in git since the current branch left the commit (`--diff-base`)."""
    repository = outermost_repository()
    try:
        return _Since(repository, repository.files(_merge_base(repository, name)))
    except GitError as error:
        raise _said(error, "--diff-base") from None


def staged_changes() -> Changes:
    """What the next commit of the repository of the current folder would change."""
    repository = nearest_repository()
    try:
        head = repository.commit("HEAD")
        return _Staged(repository, repository.files(head) if head else {}, repository.index)
    except GitError as error:
        raise _said(error, "--staged") from None


def _merge_base(repository: Repository, name: str) -> str:
    if not name:
        raise UsageError("--diff-base: the name is empty", "pass a commit, branch or tag")
    commit, head = repository.commit(name), repository.commit("HEAD")
    meanings = repository.meanings(name)
    if len(set(meanings.values())) > 1:
        known = ", ".join(f"`{each}`" for each in meanings)
        raise UsageError(f"--diff-base: `{name}` is ambiguous: {known}", "pass one of these")
    if head is None:
        what, advice = "the current branch has no commit", "commit something first"
    elif commit is None:
        what, advice = (
            f"no commit, branch or tag `{name}` here",
            f"fetch `{name}`, or pass another one",
        )
    else:
        base = repository.merge_base(commit, head)
        if base is not None:
            return base
        what, advice = f"`{name}` and HEAD have no commit in common", "pass another commit"
    if repository.is_shallow:
        what += ", and the clone is shallow"
        advice = "fetch the whole history: `fetch-depth: 0`, or `git fetch --unshallow`"
    raise UsageError(f"--diff-base: {what}", advice)


def _said(error: GitError, option: str) -> UsageError:
    return UsageError(
        f"{option}: git says: {error}", "check that `git status` works in this folder"
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """A file that findings speak of."""

    source: SourceText
    inside: str | None  # its path from the root, links resolved; None outside of the repository
    links: tuple[tuple[str, str], ...]  # on the way to it: the path from the root, and the target
    is_input: bool


@dataclass(frozen=True, slots=True)
class _Since:
    """What differs from a commit."""

    repository: Repository
    old: Mapping[str, Entry]

    def reading(self) -> AbstractContextManager[None]:
        """The files as they lie in the folder."""
        return nullcontext()

    def may_touch(self, path: str, *, is_input: bool) -> bool:
        """Whether the file, or a link on the way to it, is not what it was."""
        inside = _inside(self.repository, path)
        if inside is None:
            return is_input
        entry = self.old.get(inside)
        if entry is None or entry.kind != FILE or next(links_on(path), None):
            return True
        try:
            return not self.repository.is_kept(entry, read_regular(path, SOURCE))
        except OSError:
            return True

    def only(self, result: RunResult, inputs: Inputs) -> RunResult:
        """The run with the findings on changed lines."""
        try:
            lines = self._lines(_places(result, inputs, self.repository))
        except GitError as error:
            raise _said(error, "--diff-base") from None
        return _kept(result, lines)

    def _lines(self, places: list[_Place]) -> dict[SourceText, Lines | None]:
        """The changed lines of each file; None for one that is new as a whole."""
        found: dict[SourceText, Lines | None] = {}
        known: list[tuple[_Place, Entry]] = []
        linked = {entry for entry in self.old.values() if entry.kind == LINK}
        targets = self.repository.contents(linked if any(place.links for place in places) else ())
        for place in places:
            entry = None if place.inside is None else self.old.get(place.inside)
            if not self._are_as_they_were(place.links, targets):
                found[place.source] = None
            elif entry is not None and entry.kind == FILE:
                known.append((place, entry))
            else:
                found[place.source] = None if self._is_new(place) else frozenset()
        blobs = self.repository.contents(entry for _, entry in known)
        for place, entry in known:
            old = _text(place, blobs.get(entry.identity))
            new = text_lines(place.source)
            found[place.source] = None if old is None else changed_lines(text_lines(old), new)
        return found

    def _are_as_they_were(
        self, links: tuple[tuple[str, str], ...], targets: Mapping[str, bytes]
    ) -> bool:
        for path, target in links:
            entry = self.old.get(path)
            if entry is None or targets.get(entry.identity) != os.fsencode(target):
                return False
        return True

    def _is_new(self, place: _Place) -> bool:
        """Whether a file that the old commit has not came with the change.

        Headers that nobody named and that are none of the repository's files did not.
        """
        if place.inside is None:
            return place.is_input
        for folder in _folders(place.inside):
            now = self.repository.index.get(folder)
            if now is not None and now.kind == REPOSITORY:
                return self.old.get(folder) != now
        tracked = place.is_input or place.inside in self.repository.index
        return tracked or self.repository.is_new(place.inside)


@dataclass(frozen=True, slots=True)
class _Staged:
    """What the index has and HEAD has not."""

    repository: Repository
    old: Mapping[str, Entry]
    index: Mapping[str, Entry]

    def reading(self) -> AbstractContextManager[None]:
        """The files of the index as the next commit would hold them."""
        return standing_in(self.staged)

    def staged(self, path: str, data: bytes) -> bytes:
        """What the index has of a file; what was found where it has none."""
        entry = self.index.get(self.repository.inside(os.path.realpath(path)))
        if entry is None or entry.kind != FILE or self.repository.is_kept(entry, data):
            return data
        try:
            found = self.repository.contents([entry])
        except (GitError, UsageError) as error:
            raise OSError(errno.EIO, f"git says: {error}") from None
        if entry.identity not in found:
            raise OSError(errno.EIO, "git does not hand out what is staged")
        return found[entry.identity]

    def may_touch(self, path: str, *, is_input: bool) -> bool:
        """Whether the file that a path leads to is staged."""
        inside = _inside(self.repository, path)
        return inside is not None and self.old.get(inside) != self.index.get(inside)

    def only(self, result: RunResult, inputs: Inputs) -> RunResult:
        """The run with the findings on staged lines."""
        places = _places(result, inputs, self.repository)
        pairs = [(place, self.old.get(place.inside or ""), self.index.get(place.inside or ""))
                 for place in places]  # fmt: skip
        try:
            blobs = self.repository.contents(
                entry for _, *both in pairs for entry in both if entry is not None
            )
        except GitError as error:
            raise _said(error, "--staged") from None
        lines: dict[SourceText, Lines | None] = {}
        for place, old, now in pairs:
            staged = _text(place, blobs.get(now.identity) if now else None)
            before = _text(place, blobs.get(old.identity) if old else None)
            lines[place.source] = frozenset() if now is None else _staged(place, before, staged)
        return _kept(result, lines)


def _staged(place: _Place, before: SourceText | None, staged: SourceText | None) -> Lines | None:
    """The lines of what was read that are staged: in the index, and not in HEAD."""
    if staged is None:
        return None
    now = text_lines(staged)
    changed = changed_lines(text_lines(before), now) if before else range(1, len(now) + 1)
    kept = kept_lines(now, text_lines(place.source))
    return frozenset(here + 1 for here, there in kept.items() if there + 1 in changed)


def _text(place: _Place, data: bytes | None) -> SourceText | None:
    """The old text of a file; None where there is none."""
    return None if data is None else decode_source(place.source.path, data)[0]


def _places(result: RunResult, inputs: Inputs, repository: Repository) -> list[_Place]:
    """The files that findings speak of."""
    named = {os.path.realpath(file.path) for file in (*inputs.files, *inputs.headers)}
    spans = [span for item in result.findings for span in (item.span, *_other_places(item))]
    sources = dict.fromkeys(span.source for span in spans)
    places: list[_Place] = []
    for source in sources:
        path = os.path.realpath(source.path)
        links = tuple(
            (repository.inside(link), target)
            for link, target in links_on(source.path)
            if link.startswith(repository.root + os.sep)
        )
        places.append(_Place(source, _inside(repository, path), links, path in named))
    return places


def _inside(repository: Repository, path: str) -> str | None:
    """The path of a file from the root, links resolved; None outside of the repository."""
    path = os.path.realpath(path)
    return repository.inside(path) if path.startswith(repository.root + os.sep) else None


def _folders(path: str) -> Iterable[str]:
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))


def _kept(result: RunResult, lines: Mapping[SourceText, Lines | None]) -> RunResult:
    kept = tuple(finding for finding in result.findings if _touches(finding, lines))
    return replace(result, findings=kept, unchanged=len(result.findings) - len(kept))


def _touches(finding: Finding, lines: Mapping[SourceText, Lines | None]) -> bool:
    """Whether a place that a finding speaks of has changed: all its own lines, or another's first.

    A row that got another length brings up the accesses that now conflict, a store that was put in
    the load that it races with.
    """
    first, last = finding.span.line, finding.span.end_line
    if _is_in(lines[finding.span.source], range(first, last + 1)):
        return True
    return any(_is_in(lines[span.source], (span.line,)) for span in _other_places(finding))


def _is_in(changed: Lines | None, numbers: Iterable[int]) -> bool:
    return changed is None or any(number in changed for number in numbers)


def _other_places(finding: Finding) -> Iterator[Span]:
    yield from (related.span for related in finding.related)
    yield from (step.span for flow in finding.flows for step in flow.steps)
    yield from (part.span for part in finding.message if part.span is not None)
