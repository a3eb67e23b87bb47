"""`warplint rule CODE`: what a rule looks for, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..config.errors import UsageError
from .shared.options import report_options, rule_folders_option

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..findings.rule import Rule
    from .shared.options import Report


@click.command("rule", short_help="Explain a rule.")
@click.argument("code", required=False)
@click.option("--all", "every", is_flag=True, help="Explain every rule.")
@rule_folders_option
@report_options(["text", "json", "markdown"])
def command(code: str | None, *, every: bool, rule_folders: tuple[str, ...], report: Report) -> int:
    """Explain the rule with this CODE or name."""
    from ..config.project import usable_rules
    from ..config.selection import find_rule
    from .shared.output import write_report

    if every == (code is not None):
        raise UsageError("pass one rule, or --all", "`warplint rules` lists them")
    rules = usable_rules(rule_folders)
    chosen = rules.values() if code is None else [find_rule(rules, code)]
    write_report(_render(chosen, report, several=every), report.output)
    return 0


def _render(rules: Iterable[Rule], report: Report, *, several: bool) -> str:
    from ..report.rule_page import rule_markdown, rule_record, rule_text
    from .shared.output import report_palette

    if report.format == "json":
        from ..report.formats.json_report import dump

        records = [rule_record(rule) for rule in rules]
        return dump({"rules": [*records]} if several else records[0])
    if report.format == "markdown":
        return "\n".join(rule_markdown(rule) for rule in rules)
    palette = report_palette(report.color, report.output)
    return "\n\n".join(rule_text(rule, palette) for rule in rules)
