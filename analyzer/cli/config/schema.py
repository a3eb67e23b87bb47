"""`warplint config schema`: the JSON Schema of a configuration file."""

from __future__ import annotations

import click

from ..shared.options import FILE


@click.command("schema", short_help="Print the JSON Schema of a configuration file.")
@click.option("--output", "-o", type=FILE, metavar="FILE", help="Write it to FILE.")
def command(*, output: str | None) -> int:
    """Print the JSON Schema of warplint.toml, for editors that validate and complete TOML."""
    from ...config.keys import schema
    from ...report.formats.json_report import dump
    from ..shared.output import write_report

    write_report(dump(schema()), output)
    return 0
