"""A rule's page: for a terminal, as Markdown, and as a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .formats.doubts import doubt_record
from .text.palette import Palette, Role
from .text.table import render_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..findings.finding import StatedDoubt
    from ..findings.rule import Rule
    from .formats.json_report import Record


_DOUBTS = """\
A finding is definite where none of these reasons holds. `--show-possible` shows the others with the
reasons that hold, and `warplint explain --verdict FILE:LINE` every question and its answer."""


def rule_record(rule: Rule) -> Record:
    """Everything a rule says of itself, as a record."""
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "category": rule.category.value,
        "severity": rule.severity.value,
        "certainty": rule.certainty.value,
        "inputs": [*_inputs(rule)],
        "default": rule.default,
        "page": rule.page,
        "sections": dict(rule.sections),
        "doubts": [doubt_record(doubt) for doubt in _doubts(rule)],
    }


def rule_markdown(rule: Rule) -> str:
    """The page of a rule as Markdown, with the rule's facts on top."""
    facts = "\n".join(f"- {title}: {text}" for title, text in _facts(rule))
    return f"# {rule.code} {rule.name}\n\n{_sentence(rule.summary)}\n\n{facts}\n\n{_page(rule)}\n"


def rule_text(rule: Rule, palette: Palette) -> str:
    """The page of a rule for a terminal."""
    lines = [palette.paint(f"{rule.code} {rule.name}", Role.STRONG), _sentence(rule.summary), ""]
    lines += [f"{title + ':':<11} {text}" for title, text in _facts(rule)]
    lines.append("")
    for line in _page(rule).splitlines():
        heading = line.startswith("## ")
        lines.append(palette.paint(line[3:], Role.STRONG) if heading else line)
    return "\n".join(lines) + "\n"


def rule_table(rules: Iterable[Rule], palette: Palette) -> list[str]:
    """The list of rules for a terminal, a line for each."""
    rows = [
        (
            rule.code,
            rule.name,
            rule.severity.value,
            rule.category.value,
            ", ".join(_inputs(rule)),
            "on" if rule.default else "off",
            rule.summary,
        )
        for rule in rules
    ]
    head = ("code", "name", "severity", "category", "inputs", "default", "summary")
    return render_table(head, rows, palette)


def _facts(rule: Rule) -> Iterator[tuple[str, str]]:
    yield "severity", rule.severity.value
    yield "category", rule.category.value
    yield "certainty", f"up to {rule.certainty.value}"
    yield "inputs", ", ".join(_inputs(rule))
    yield "default", "on" if rule.default else f"off; enable it with --extend-select {rule.code}"


def _page(rule: Rule) -> str:
    """The page, with the doubts that are asked before the rule reports anything."""
    doubts = _doubts(rule)
    if not doubts:
        return rule.page
    lines = ["## Doubts", "", _DOUBTS, ""]
    for silences, title in ((True, "not reported by default"), (False, "possible")):
        of_effect = [doubt for doubt in doubts if doubt.silences is silences]
        lines += [f"- {doubt.name} ({title}): {doubt.reason}" for doubt in of_effect]
    return f"{rule.page.rstrip()}\n\n" + "\n".join(lines)


def _doubts(rule: Rule) -> tuple[StatedDoubt, ...]:
    """The doubts as findings state them."""
    if not rule.judged:
        return ()
    from ..analyses.doubts.registry import doubts_about
    from ..findings.doubts import stated

    return stated(doubts_about(rule.judged))


def _inputs(rule: Rule) -> list[str]:
    return sorted(item.value for item in rule.inputs)


def _sentence(summary: str) -> str:
    return summary[:1].upper() + summary[1:] + "."
