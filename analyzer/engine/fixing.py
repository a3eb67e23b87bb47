"""Fixes: edits that findings offer, made one after the other and kept only when they help.

In: a file, the findings of a run that are to be fixed, and how to check one file. Out: the text of
the file after the fixes, and what was fixed. The first finding wins where two fixes touch the same
text; the other gets its turn in the next round. After each change the file is read and checked
again: the findings that were to go must be gone, no other may appear, and nothing that was read
before may be lost. What fails this is taken back, so that a fix never leaves worse text than it
found; but where all that appears can be fixed as well, that is done first: a barrier in the right
place may leave another one without a purpose. Comments of no use go first, and unchecked: all
tokens stay. Nothing is written here.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING

from ..findings.finding import Applicability
from ..findings.identity import Identity, identity
from ..findings.rule import Subject
from ..source.problem import Damage
from ..source.records import dataclass
from ..source.tokens import same_tokens
from .edits import EditError, edited, encoded_like, overlap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ..findings.finding import Edit, Finding
    from .inputs import InputFile
    from .result import RunResult

_ROUNDS = 20  # of fixes that make room for others
_SEQUELS = 3  # times that what a fix brought up is fixed


@dataclass(frozen=True, slots=True)
class FixedFile:
    """A file whose text changed: what it held, and what it shall hold."""

    path: str
    before: bytes
    after: bytes
    fixed: tuple[Finding, ...]


@dataclass(slots=True)
class Fixer:
    """Fixes one file after the other; `check` runs one file alone, `offers` are fixes to try."""

    check: Callable[[InputFile], RunResult]
    offers: Callable[[Finding], Iterable[tuple[Edit, ...]]]
    problems: list[tuple[str, str]] = field(default_factory=list)  # path, why it was not fixed

    def fix(self, file: InputFile, data: bytes, findings: Sequence[Finding]) -> FixedFile | None:
        """The fixes that one file takes; None when there is none.

        Only what is among `findings` is fixed: checked alone, a header can show more, or less.
        Which suppressions are unused, only the whole run knows: another file can be using one.
        """
        original = data
        data, done = self._without_comments(file, data, findings)
        others = [item for item in findings if not _of_comments(item)]
        if not any(any(self.offers(item)) for item in others):
            return FixedFile(file.path, original, data, tuple(done)) if done else None
        wanted = set(map(identity, others))
        current = self.check(replace(file, data=data))
        refused: set[tuple[Identity, str]] = set()
        for _ in range(_ROUNDS):
            found = (item for item in current.findings if identity(item) in wanted)
            batch = self._batch(file.path, found, refused)
            if not batch:
                break
            step = self._step(file, data, current, batch)
            if step is None and len(batch) > 1:
                batch, step = self._one_by_one(file, data, current, batch, refused)
            if step is None:
                refused |= {_fix_key(finding, edits) for finding, edits in batch}
                continue
            data, current = step
            done += [finding for finding, _ in batch]
        return FixedFile(file.path, original, data, tuple(done)) if data != original else None

    def _without_comments(
        self, file: InputFile, data: bytes, findings: Sequence[Finding]
    ) -> tuple[bytes, list[Finding]]:
        """The text without suppressions that are of no use, and these; no need to check again."""
        batch = self._batch(file.path, filter(_of_comments, findings), set())
        if not batch:
            return data, []
        text = batch[0][0].span.source.text
        try:
            new = edited(text, [edit for _, edits in batch for edit in edits])
            if same_tokens(text, new):
                return encoded_like(data, text, new), [finding for finding, _ in batch]
        except EditError as error:
            self.problems.append((file.path, str(error)))
        return data, []

    def _batch(
        self, path: str, findings: Iterable[Finding], refused: set[tuple[Identity, str]]
    ) -> list[tuple[Finding, tuple[Edit, ...]]]:
        """The first fix of each finding, as long as they do not touch one another."""
        taken: list[tuple[Finding, tuple[Edit, ...]]] = []
        real = os.path.realpath(path)
        for finding in findings:
            edits = next(
                (e for e in self.offers(finding) if _fix_key(finding, e) not in refused), ()
            )
            inside = all(os.path.realpath(edit.span.path) == real for edit in edits)
            others = [edit for _, chosen in taken for edit in chosen]
            if edits and inside and not any(overlap(a, b) for a in edits for b in others):
                taken.append((finding, edits))
        return taken

    def _one_by_one(
        self,
        file: InputFile,
        data: bytes,
        current: RunResult,
        batch: Sequence[tuple[Finding, tuple[Edit, ...]]],
        refused: set[tuple[Identity, str]],
    ) -> tuple[list[tuple[Finding, tuple[Edit, ...]]], tuple[bytes, RunResult] | None]:
        """The first fix of a batch that holds on its own; those before it are refused."""
        for finding, edits in batch:
            step = self._step(file, data, current, [(finding, edits)])
            if step is not None:
                return [(finding, edits)], step
            refused.add(_fix_key(finding, edits))
        return list(batch), None

    def _step(
        self,
        file: InputFile,
        data: bytes,
        current: RunResult,
        batch: Sequence[tuple[Finding, tuple[Edit, ...]]],
    ) -> tuple[bytes, RunResult] | None:
        """The text after some fixes and what is found in it; None when it is no better."""
        new_data, text = data, batch[0][1][0].span.source.text
        edits = [edit for _, each in batch for edit in each]
        for _ in range(1 + _SEQUELS):
            try:
                new_data = encoded_like(new_data, text, edited(text, edits))
            except EditError as error:
                self.problems.append((file.path, str(error)))
                return None
            outcome = self.check(replace(file, data=new_data))
            if _is_better(current, outcome, batch):
                return new_data, outcome
            sequel = self._batch(file.path, _appeared(current, outcome), set())
            if not sequel:
                break
            text = sequel[0][1][0].span.source.text
            edits = [edit for _, each in sequel for edit in each]
        return None


def _of_comments(finding: Finding) -> bool:
    return finding.rule.subject is Subject.SUPPRESSIONS


def _appeared(before: RunResult, after: RunResult) -> list[Finding]:
    """The findings that were not there."""
    known = Counter(map(identity, before.findings))
    known.subtract(map(identity, after.findings))
    return [finding for finding in after.findings if known[identity(finding)] < 0]


def _is_better(
    before: RunResult, after: RunResult, batch: Sequence[tuple[Finding, tuple[Edit, ...]]]
) -> bool:
    """Whether what was to go is gone, nothing came, and as much was read as before."""
    old = Counter(map(identity, before.findings))
    new = Counter(map(identity, after.findings))
    gone = Counter(identity(finding) for finding, _ in batch)
    return new <= old - gone and _worth(after) >= _worth(before)


def _worth(result: RunResult) -> tuple[int, int, int, int]:
    """How much of a file was read: more is better, from the first number on."""
    item = result.inputs[0]
    damaged = sum(problem.damage is not Damage.NOTICE for problem in item.problems)
    return (
        ("none", "partial", "full").index(item.status),
        -damaged,
        -len(item.problems),
        -item.unanalysed_count,
    )


def _fix_key(finding: Finding, edits: Iterable[Edit]) -> tuple[Identity, str]:
    return identity(finding), "\0".join(f"{edit.span.text}\0{edit.text}" for edit in edits)


def offered(finding: Finding, *, unsafe: bool) -> Iterator[tuple[Edit, ...]]:
    """The edits of each fix of a finding that may be made."""
    for fix in finding.fixes:
        safe = fix.applicability is Applicability.SAFE
        if fix.edits and (safe or (unsafe and fix.applicability is Applicability.UNSAFE)):
            yield fix.edits
