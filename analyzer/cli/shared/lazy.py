"""A group of commands that imports a command only when it is asked for.

`warplint --version` must not pay for what `check` needs. The group knows its commands by the name
of the module that holds each, so adding a command is one line where the group is made.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

from ...config.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping


class LazyGroup(click.Group):
    """Commands by name; each is `command` of the module named beside it."""

    def __init__(self, *args: Any, modules: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._modules = modules

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Without arguments: the help, but as an error, for a script whose list came out empty."""
        if not args and not ctx.resilient_parsing:  # a shell that completes words asks, too
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the table, which is the order of the help."""
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in self._modules:
            return None
        command: click.Command = importlib.import_module(self._modules[cmd_name]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a suggestion for a misspelt name."""
        name = args[0]
        if name not in self._modules and not ctx.resilient_parsing:
            near = did_you_mean(name, list(self._modules))
            raise UsageError(
                f"unknown command `{name}`",
                near or f"the commands are {', '.join(self._modules)}",
            )
        return super().resolve_command(ctx, args)
