"""Findings with one cause reported as one, with all their places.

In: the findings that are left after suppressions, baselines and fixes, which all speak of single
places. Out: one for each cause, in the order given, at its worst place, with the others, and the
edits of all. A cause is, of one rule:

- one place of the source, whatever instances of a template or callers of a function show it
- one place in the body of a macro, wherever it is used, if the same is said of it
- of performance rules, and of those that one remedy mends (`Joins.ARRAY`), one array in one
  definition of a kernel
- of rules of which a function tends to have many (`Joins.FUNCTION`), one function. Those whose
  edits are safe and those whose edits are not stay apart; a function that is called is one for each
  call through which it was found

- of performance rules, arrays of which one line costs the same, with the same remedy: one index
- of performance rules, what the kernels of a file do to arrays of one layout (`Finding.layout`)
- what one place decides in a kernel, where the rule says so (`Finding.cause`): a branch before
  barriers, the length of rows of several arrays
- of rules whose findings are alike (`Joins.FILE`), one file, as far as they weigh the same
- of performance rules, code that was copied: the same said of the same lines of a file, or of the
  run, where one reads of all files at once; there one idiom, too: the same numbers and the same
  remedy, and no array that they are said of. Such a finding counts how many it is in other files
- of rules about what is wrong, what one and the same edit mends in a kernel, such as one barrier
- the same accesses of two threads, shown by one instance of a template and, under the wider rule
  that is then reported alone (`Rule.yields_to`), by another; and what is mended by the edit of such
  a rule at the same place: a barrier of the block orders the lanes of a warp, too
- of rules that find habits (`Joins.HABIT`), whatever one remedy mends in all files of the run; a
  finding may be a habit where its rule's others are not (`Finding.joins`)

What is only possible stays apart from what is certain.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from ..source.words import plural
from .finding import Fact, OtherPlace, Part, Related
from .gain import summed
from .ordering import weight
from .rule import Category, Joins

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from ..source.text import Span
    from .finding import Finding, Fix
    from .gain import Gain

T = TypeVar("T")


def joined(findings: Iterable[Finding], *, files_apart: bool = True) -> tuple[Finding, ...]:
    """One finding for each cause, from findings of several places; copies in other files are causes
    of their own, where what reads the report goes by files.
    """

    places = [_same_place(group) for group in _groups(_without_narrower(findings), _place)]
    groups = [sorted(group, key=weight) for group in _groups(places, _cause)]
    for key in (_of_one_line, _of_one_layout, _of_one_edit, _of_one_text):
        groups = _merged(groups, key)
    if files_apart:
        return tuple(map(_as_one, groups))
    apart = {id(each): number for number, group in enumerate(groups) for each in group}
    for key in (_copied, _of_one_idiom):
        groups = _merged(groups, key)
    copies = (len({apart[id(each)] for each in group}) - 1 for group in groups)
    return tuple(
        replace(_as_one(group), copies=more) for group, more in zip(groups, copies, strict=True)
    )


def _merged(
    groups: Iterable[list[Finding]], key: Callable[[Finding], Hashable]
) -> list[list[Finding]]:
    """Groups whose first findings are alike as one, the worst of it first."""
    together = _groups(groups, lambda group: key(group[0]))
    return [sorted(chain.from_iterable(found), key=weight) for found in together]


def _without_narrower(findings: Iterable[Finding]) -> list[Finding]:
    """All but those whose accesses a wider rule reports too, of the same kernel or template, or
    that its edit mends.
    """
    found = list(findings)
    wider = {code for finding in found for code in finding.rule.yields_to}
    shown = {
        (each.rule.code, what)
        for each in found
        if each.rule.code in wider
        for what in (_accesses(each), _edited(each))
    }
    return [
        finding
        for finding in found
        if not any(
            (code, what) in shown
            for code in finding.rule.yields_to
            for what in (_accesses(finding), _edited(finding))
        )
    ]


def _accesses(finding: Finding) -> Hashable:
    steps = [step.span for flow in finding.flows for step in flow.steps]
    places = frozenset((span.path, span.start) for span in steps)
    return _kernel(finding), finding.certainty, places


def _edited(finding: Finding) -> Hashable:
    """Where its edits are; the finding itself where it has none."""
    edits = {(each.span.path, each.span.start) for fix in finding.fixes for each in fix.edits}
    return (
        (_kernel(finding), finding.certainty, "edits", frozenset(edits)) if edits else id(finding)
    )


def _kernel(finding: Finding) -> Hashable:
    """Its kernel, whatever instance of a template: where it is defined, if that is known."""
    kernel = finding.definition
    return (kernel.path, kernel.start) if kernel is not None else finding.kernel


def _groups(items: Iterable[T], key: Callable[[T], Hashable]) -> list[list[T]]:
    groups: dict[Hashable, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def _place(finding: Finding) -> Hashable:
    """One place; a race is one for each place of the other thread."""
    span = finding.span
    slow = finding.rule.category is Category.PERFORMANCE
    others = () if slow else _spots(finding)
    calls = _spots(finding) if _joins(finding) is Joins.FUNCTION else ()
    return finding.rule.code, finding.certainty, span.path, span.start, span.end, others, calls


def _joins(finding: Finding) -> Joins:
    return finding.joins or finding.rule.joins


def _spots(finding: Finding) -> Hashable:
    return tuple((each.span.path, each.span.start) for each in finding.related)


def _same_place(group: list[Finding]) -> Finding:
    """What instances of a template and several kernels show at one place, as the worst has it."""
    worst = min(group, key=weight)
    kernels = {_name(each.kernel) for each in group}
    if len(kernels) < 2:
        return worst
    names = sorted(kernels - {_name(worst.kernel)})
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    text = f"also in {'kernel' if len(names) == 1 else 'kernels'} {shown}"
    return replace(worst, evidence=(*worst.evidence, Fact("also_in", [*names], text)))


def _name(kernel: str) -> str:
    return kernel.partition("<")[0]


def _cause(finding: Finding) -> Hashable:
    where = _kernel(finding)
    slow = finding.rule.category is Category.PERFORMANCE
    of_array = bool(finding.array) and (slow or _joins(finding) is Joins.ARRAY)
    if finding.macro is not None and not of_array:
        return _in_macro(finding, finding.macro)
    if finding.cause is not None:
        return (*_head(finding), where, finding.cause.path, finding.cause.start)
    if _joins(finding) is Joins.FUNCTION:
        ways = tuple(fix.applicability for fix in finding.fixes)
        return (*_head(finding), finding.span.path, where, _spots(finding), ways)
    if _joins(finding) is Joins.FILE:
        return (*_head(finding), finding.severity, finding.span.path)
    if _joins(finding) is Joins.HABIT:
        return (*_head(finding), *(fix.title for fix in finding.fixes))
    if of_array:
        return (*_head(finding), where, finding.array)
    return id(finding)


def _in_macro(finding: Finding, macro: Span) -> Hashable:
    return (*_head(finding), macro.path, macro.start, macro.end, finding.text)


def _in_one_function(finding: Finding) -> bool:
    """Whether what is joined with it belongs to its function, and is told as a part of it."""
    decided = finding.cause is not None and finding.rule.category is not Category.PERFORMANCE
    return decided or _joins(finding) is Joins.FUNCTION


def _of_one_line(finding: Finding) -> Hashable:
    """What an access costs, and where: others on its line have the same index."""
    if finding.rule.category is not Category.PERFORMANCE or not finding.array:
        return id(finding)
    where = (_kernel(finding), finding.span.path, finding.span.line)
    remedies = tuple(fix.title for fix in finding.fixes)
    return (*_head(finding), finding.severity, *where, finding.label, remedies)


def _of_one_layout(finding: Finding) -> Hashable:
    """How an array lies, and what one would do about it, in all kernels of a file."""
    if finding.rule.category is not Category.PERFORMANCE or not finding.layout:
        return id(finding)
    remedies = tuple(fix.title for fix in finding.fixes)
    return (*_head(finding), finding.severity, finding.span.path, finding.layout, remedies)


def _of_one_edit(finding: Finding) -> Hashable:
    """Where one would put the same text into a kernel to mend it: a barrier orders all arrays."""
    edits = tuple((e.span.path, e.span.start, e.text) for fix in finding.fixes for e in fix.edits)
    wrong = finding.rule.category is Category.CORRECTNESS
    if not (wrong and edits) or finding.macro is not None or _in_one_function(finding):
        return id(finding)
    return (*_head(finding), finding.severity, _kernel(finding), edits)


def _of_one_text(finding: Finding) -> Hashable:
    """Code that was copied within a file, or that stands in one macro."""
    copied = _copied(finding)
    return copied if finding.macro is not None else (finding.span.path, copied)


def _copied(finding: Finding) -> Hashable:
    """What a finding says, and the lines of which it says so, without blanks. What is wrong is a
    finding in each copy: whoever mends one may miss the other.
    """
    if _in_one_function(finding):
        return id(finding)
    if finding.macro is not None:
        return _in_macro(finding, finding.macro)
    if finding.rule.category is not Category.PERFORMANCE:
        return id(finding)
    said = (*_head(finding), finding.severity, finding.text)
    return (*said, "".join(_lines(finding.span).split()))


def _of_one_idiom(finding: Finding) -> Hashable:
    """The same costs in the same way, such as a reduction that thins out warps in each file."""
    slow = finding.rule.category is Category.PERFORMANCE
    if not slow or finding.array or finding.layout or _in_one_function(finding):
        return id(finding)
    remedies = tuple(fix.title for fix in finding.fixes)
    return (*_head(finding), finding.severity, finding.text, remedies)


def _lines(span: Span) -> str:
    """The lines of a place."""
    text = span.source.text
    end = text.find("\n", span.end)
    return text[text.rfind("\n", 0, span.start) + 1 : end if end >= 0 else len(text)]


def _head(finding: Finding) -> tuple[Hashable, ...]:
    return finding.rule.code, finding.certainty


def _as_one(findings: list[Finding]) -> Finding:
    """The first of them with the places of all."""
    first, *others = findings
    if not others:
        return first
    if _in_one_function(first) and first.macro is None:
        return _in_function(first, others)
    return replace(
        first,
        message=(*first.message, Part(_more(first, len(others)))),
        evidence=(*first.evidence, Fact("more", len(others))),
        places=tuple(OtherPlace(each.span, each.label, each.kernel) for each in others),
        fixes=tuple(_fixes(first, others)),
        gain=_gain(findings),
    )


def _more(first: Finding, others: int) -> str:
    """`; 2 more places`, or `; likewise in 1 more file` where each speaks of all in a file."""
    one = first.rule.each
    return f"; {'' if one == 'place' else 'likewise in '}{plural(others, f'more {one}')}"


def _gain(findings: list[Finding]) -> Gain | None:
    """What fixing all places saves in the kernel, or the instance of it, that gains most: each
    says which share of its own cost it saves.
    """
    kernels: dict[Hashable, list[Gain]] = {}
    for finding in findings:
        if finding.gain is not None:
            kernels.setdefault((finding.kernel, _kernel(finding)), []).append(finding.gain)
    return max(map(summed, kernels.values()), key=lambda gain: gain.time, default=None)


def _fixes(first: Finding, others: list[Finding]) -> Iterable[Fix]:
    """The advice of the worst place, and whatever can be edited at any of them."""
    # One remedy, which names the place that it is for.
    alike = _joins(first) in (Joins.ARRAY, Joins.FILE)
    fixes: dict[tuple[str, Hashable], Fix] = {}
    for finding in (first, *others):
        for fix in finding.fixes:
            key = ("" if alike else fix.title, fix.applicability)
            known = fixes.get(key)
            if known is None and (finding is first or fix.edits):
                title = f"{fix.title}; likewise at the other places" if alike else fix.title
                fixes[key] = replace(fix, title=title)
            elif known is not None:
                spots = {(edit.span.path, edit.span.start, edit.text) for edit in known.edits}
                new = [e for e in fix.edits if (e.span.path, e.span.start, e.text) not in spots]
                fixes[key] = replace(known, edits=(*known.edits, *new))
    return fixes.values()


def _in_function(first: Finding, others: list[Finding]) -> Finding:
    """The first place of a function with the edits of all."""
    findings = [first, *others]
    edits = zip(*(finding.fixes for finding in findings), strict=True)
    elsewhere = [other for other in others if other.span != first.span]
    return replace(
        first,
        message=(*first.message, Part(f"; {len(others):,} more in this function")),
        evidence=(*first.evidence, Fact("more", len(others))),
        related=(*first.related, *(Related(other.span, other.label) for other in elsewhere)),
        fixes=tuple(
            replace(fixes[0], edits=tuple(edit for fix in fixes for edit in fix.edits))
            for fixes in edits
        ),
    )
