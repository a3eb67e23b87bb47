"""`warplint config ...`: what holds for a file, and how configuration files look."""

from __future__ import annotations

import click

from ..shared.lazy import LazyGroup

_COMMANDS = {
    "show": f"{__package__}.config_show",
    "schema": f"{__package__}.config_schema",
    "init": f"{__package__}.config_init",
}


@click.group(
    "config", cls=LazyGroup, modules=_COMMANDS, short_help="Show or begin a configuration."
)
def command() -> None:
    """Show the configuration of a file, its JSON Schema, or begin a warplint.toml."""
