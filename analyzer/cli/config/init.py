"""`warplint config init`: begin a configuration file."""

from __future__ import annotations

import os

import click

from ...config.errors import UsageError
from ..shared.options import FILE


@click.command("init", short_help="Create a warplint.toml.")
@click.option(
    "--output",
    "-o",
    type=FILE,
    default="warplint.toml",
    show_default=True,
    metavar="FILE",
    help="The file to write; `-` is stdout.",
)
def command(*, output: str) -> int:
    """Write a warplint.toml with every key, commented out, with an example."""
    from ...report.configuration import sample_toml
    from ..shared.output import write_report

    if output != "-" and os.path.lexists(output):
        raise UsageError(
            f"`{output}` already exists", "choose another --output, or remove the file"
        )
    write_report(sample_toml(), None if output == "-" else output)
    return 0
