"""`warplint rules`: every rule on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .shared.options import report_options, rule_folders_option

if TYPE_CHECKING:
    from .shared.options import Report


@click.command("rules", short_help="List the rules.")
@rule_folders_option
@report_options(["text", "json"])
def command(*, rule_folders: tuple[str, ...], report: Report) -> int:
    """List the rules: code, name, severity, category, inputs, and whether it is on by default."""
    from ..config.project import usable_rules
    from ..report.rule_page import rule_record, rule_table
    from .shared.output import report_palette, write_report

    rules = usable_rules(rule_folders).values()
    if report.format == "json":
        from ..report.formats.json_report import dump

        text = dump({"rules": [rule_record(rule) for rule in rules]})
    else:
        lines = rule_table(rules, report_palette(report.color, report.output))
        text = "".join(f"{line}\n" for line in lines)
    write_report(text, report.output)
    return 0
