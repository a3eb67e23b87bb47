"""`warplint fleet LIST`, and `warplint fleet report`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..shared.lazy import LazyGroup

if TYPE_CHECKING:
    from collections.abc import Mapping

_COMMANDS: Mapping[str, str] = {
    "check": f"{__package__}.check",
    "report": f"{__package__}.report",
}


class _Fleet(LazyGroup):
    """`fleet LIST` is `fleet check LIST`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.list_commands(ctx) and args[0] not in {"-h", "--help"}:
            args = ["check", *args]
        return super().parse_args(ctx, args)


@click.group(
    "fleet", cls=_Fleet, modules=_COMMANDS, short_help="Check many repositories, and ask of them."
)
def command() -> None:
    """Check the repositories of a list, and ask what was found in all of them.

    `warplint fleet LIST --out DIR` is short for `warplint fleet check LIST --out DIR`.
    """
