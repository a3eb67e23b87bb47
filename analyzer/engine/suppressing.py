"""Suppressions at work: findings that a comment covers are taken out, and comments held to account.

In: the findings of a run, the text of every input and the rules applied to it. Out: the findings
that remain, those suppressed with their comment, and what the rules about suppressions say. A
comment counts as unused only where it could have been used: its rules were applied, and all that
can use it was read (`suppression_coverage.py`). One in text that no condition keeps (`#if 0`) is no
part of the program: it covers only what another file that includes it finds there.
"""

from __future__ import annotations

import os
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING

from ..findings.rule import Subject
from ..findings.suppression_use import SelectorUse, SuppressionUse
from ..findings.suppressions import read_suppressions
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..findings.finding import Finding
    from ..findings.rule import Rule
    from ..findings.suppressions import Flaw, Selector, Suppression
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
    """The suppressions of all files that a run speaks of, and which of their words were of use."""

    known: Mapping[str, Rule]
    unread: Mapping[str, Sequence[Span]]  # by path: text with suppressions that was left out
    _files: dict[str, tuple[list[Suppression], list[Flaw]]] = field(default_factory=dict)
    _used: set[tuple[str, int]] = field(default_factory=set)

    def suppressor(self, finding: Finding) -> Suppression | None:
        """The first comment that covers a finding; all that do count as used."""
        path = os.path.realpath(finding.span.path)
        covering = [item for item in self._read(finding.span.source)[0] if self._hit(item, finding)]
        for item in covering:
            for selector in item.selectors:
                if means(selector.text, finding.rule):
                    self._used.add((path, selector.span.start))
        return covering[0] if covering else None

    def judge(self, scope: Scope) -> Iterator[Finding]:
        """What the rules about suppressions say of one file."""
        rules = [rule for rule in scope.rules if rule.subject is Subject.SUPPRESSIONS]
        found, flaws = self._read(scope.source)
        if not rules or not (found or flaws):
            return
        use = SuppressionUse(
            scope.source,
            tuple(tuple(map(partial(self._use, scope), item.selectors)) for item in found),
            tuple(found),
            tuple(flaws),
            self.known,
        )
        for rule in rules:
            if rule.check is not None:
                yield from (replace(finding, rule=rule) for finding in rule.check(use))

    def _use(self, scope: Scope, selector: Selector) -> SelectorUse:
        path = os.path.realpath(scope.source.path)
        applied = {rule.code for rule in scope.rules if rule.subject is not Subject.SUPPRESSIONS}
        codes = {code for code, rule in self.known.items() if means(selector.text, rule)}
        expected = {code for code in codes if self.known[code].default} or codes
        used = (path, selector.span.start) in self._used
        tried = used or (
            bool(expected)
            and expected <= applied
            and self._around(selector.span) is None
            and scope.complete()
        )
        return SelectorUse(selector, frozenset(codes), used, tried)

    def _read(self, source: SourceText) -> tuple[list[Suppression], list[Flaw]]:
        path = os.path.realpath(source.path)
        if path not in self._files:
            self._files[path] = read_suppressions(source)
        return self._files[path]

    def _hit(self, item: Suppression, finding: Finding) -> bool:
        if not item.covers(finding.span):
            return False
        around = self._around(item.span)
        apart = around is not None and not (
            around.start <= finding.span.start and finding.span.end <= around.end
        )
        return not apart and any(means(each.text, finding.rule) for each in item.selectors)

    def _around(self, span: Span) -> Span | None:
        """The text around a place that no condition kept."""
        texts = self.unread.get(os.path.realpath(span.path), ())
        return next((each for each in texts if each.start <= span.start < each.end), None)


def means(text: str, rule: Rule) -> bool:
    """Whether a word of a suppression (ALL, a family, a code, a name) speaks of a rule."""
    upper = text.upper()
    return upper == "ALL" or rule.code.startswith(upper) or rule.name == text.lower()


def apply_suppressions(
    findings: Sequence[Finding], scopes: Iterable[Scope], known: Mapping[str, Rule]
) -> tuple[list[Finding], list[tuple[Finding, Suppression]]]:
    """The findings that remain, and the suppressed ones, each with its comment."""
    scopes = tuple(scopes)
    unread = {os.path.realpath(each.source.path): each.unread for each in scopes if each.unread}
    suppressing = Suppressing(known, unread)
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
        path = os.path.realpath(scope.source.path)
        if path not in seen:
            seen.add(path)
            for finding in suppressing.judge(scope):
                sort(finding)
    return kept, suppressed
