"""A rule's page: for a terminal, as Markdown, and as a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .text.palette import Palette, Role
from .text.table import render_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..findings.rule import Rule
    from .formats.json_report import Record


def rule_record(rule: Rule) -> Record:
    """Everything a rule says of itself."""
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
    }


def rule_markdown(rule: Rule) -> str:
    """The page as Markdown, with the rule's facts on top."""
    facts = "\n".join(f"- {title}: {text}" for title, text in _facts(rule))
    return f"# {rule.code} {rule.name}\n\n{_sentence(rule.summary)}\n\n{facts}\n\n{rule.page}\n"


def rule_text(rule: Rule, palette: Palette) -> str:
    """The page for a terminal."""
    lines = [palette.paint(f"{rule.code} {rule.name}", Role.STRONG), _sentence(rule.summary), ""]
    lines += [f"{title + ':':<11} {text}" for title, text in _facts(rule)]
    lines.append("")
    for line in rule.page.splitlines():
        heading = line.startswith("## ")
        lines.append(palette.paint(line[3:], Role.STRONG) if heading else line)
    return "\n".join(lines) + "\n"


def rule_table(rules: Iterable[Rule], palette: Palette) -> list[str]:
    """A line per rule."""
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


def _inputs(rule: Rule) -> list[str]:
    return sorted(item.value for item in rule.inputs)


def _sentence(summary: str) -> str:
    return summary[:1].upper() + summary[1:] + "."
