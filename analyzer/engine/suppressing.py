"""Suppressions at work: findings that a comment covers are taken out, and comments held to account.

In: the findings of a run, the text of every input and the rules applied to it. Out: the findings
that remain, those suppressed with their comment, and what the rules about suppressions say. A
comment counts as unused only where it could have been used: its rules were applied, and all that
can use it was read (`suppression_coverage.py`).
"""

from __future__ import annotations

import os
from dataclasses import field, replace
from functools import cache
from typing import TYPE_CHECKING

from ..findings.rule import Subject
from ..findings.suppression_use import SelectorUse, SuppressionUse
from ..source.records import dataclass
from .suppression_lookup import FileSuppressions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..findings.finding import Finding
    from ..findings.rule import Rule
    from ..findings.suppressions import Selector, Suppression
    from ..source.text import SourceText, Span


@dataclass(frozen=True, slots=True)
class Scope:
    """An input as suppressions see it: the text, the rules applied, whether all was read."""

    source: SourceText
    rules: tuple[Rule, ...]
    complete: Callable[[], bool]  # asked where something seems to be unused: it can take a while
    unread: tuple[Span, ...] = ()  # text with suppressions that no condition keeps


@dataclass(slots=True)
class Suppressing:
    """The suppressions of all files that a run speaks of."""

    known: Mapping[str, Rule]
    unread: Mapping[str, Sequence[Span]]  # by path: text with suppressions that was left out
    real: Callable[[str], str]  # a path without links
    _files: dict[str, FileSuppressions] = field(default_factory=dict)
    _meanings: dict[str, set[str]] = field(default_factory=dict)

    def suppressor(self, finding: Finding) -> Suppression | None:
        """The first comment that covers a finding; all that do count as used."""
        return self._of(finding.span.source).suppressor(finding.span, finding.rule.code)

    def judge(self, scope: Scope) -> Iterator[Finding]:
        """What the rules about suppressions say of one file."""
        rules = [rule for rule in scope.rules if rule.subject is Subject.SUPPRESSIONS]
        file = self._of(scope.source)
        if not rules or not (file.found or file.flaws):
            return
        applied = {rule.code for rule in scope.rules if rule.subject is not Subject.SUPPRESSIONS}
        complete = cache(scope.complete)

        def use(selector: Selector) -> SelectorUse:
            codes = self.codes_of(selector.text)
            expected = {code for code in codes if self.known[code].default} or codes
            used = selector.span.start in file.used
            possible = bool(expected) and expected <= applied
            tried = used or (possible and file.around(selector.span) is None and complete())
            return SelectorUse(selector, codes, used, tried)

        uses = SuppressionUse(
            scope.source,
            tuple(tuple(map(use, item.selectors)) for item in file.found),
            tuple(file.found),
            tuple(file.flaws),
            self.known,
        )
        for rule in rules:
            if rule.check is not None:
                yield from (replace(finding, rule=rule) for finding in rule.check(uses))

    def codes_of(self, text: str) -> frozenset[str]:
        """The rules that a word of a suppression means."""
        if not self._meanings:
            for code, rule in self.known.items():
                for word in words_for(rule):
                    self._meanings.setdefault(word, set()).add(code)
        by_code, by_name = (self._meanings.get(each, ()) for each in (text.upper(), text.lower()))
        return frozenset([*by_code, *by_name])

    def _of(self, source: SourceText) -> FileSuppressions:
        path = self.real(source.path)
        if path not in self._files:
            self._files[path] = FileSuppressions(source, self.unread.get(path, ()), self.codes_of)
        return self._files[path]


def words_for(rule: Rule) -> set[str]:
    """The words of suppressions that speak of a rule: ALL, how its code begins, its name."""
    beginnings = (rule.code[:length] for length in range(1, len(rule.code) + 1))
    return {"ALL", *beginnings, rule.name}


def means(text: str, rule: Rule) -> bool:
    """Whether a word of a suppression speaks of a rule."""
    return not words_for(rule).isdisjoint((text.upper(), text.lower()))


def apply_suppressions(
    findings: Sequence[Finding], scopes: Iterable[Scope], known: Mapping[str, Rule]
) -> tuple[list[Finding], list[tuple[Finding, Suppression]]]:
    """The findings that remain, and the suppressed ones, each with its comment."""
    scopes = tuple(scopes)
    real = cache(os.path.realpath)
    unread = {real(each.source.path): each.unread for each in scopes if each.unread}
    suppressing = Suppressing(known, unread, real)
    kept: list[Finding] = []
    suppressed: list[tuple[Finding, Suppression]] = []

    def sort(finding: Finding) -> None:
        item = suppressing.suppressor(finding)
        if item is None:
            kept.append(finding)
        else:
            suppressed.append((finding, item))

    for finding in findings:
        sort(finding)
    seen: set[str] = set()
    for scope in scopes:
        path = real(scope.source.path)
        if path not in seen:
            seen.add(path)
            for finding in suppressing.judge(scope):
                sort(finding)
    return kept, suppressed
