"""`warplint config ...`: what holds for a file, and how configuration files look."""

from __future__ import annotations

import click

from ..shared.lazy import LazyGroup

_COMMANDS = {
    "show": f"{__package__}.show",
    "schema": f"{__package__}.schema",
    "init": f"{__package__}.init",
}


@click.group(
    "config", cls=LazyGroup, modules=_COMMANDS, short_help="Show or create a configuration."
)
def command() -> None:
    """Show the configuration of a file or the JSON Schema, or create a warplint.toml."""
