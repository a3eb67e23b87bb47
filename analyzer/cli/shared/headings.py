"""The options of a command under headings in its help: forty in one list nobody reads.

In: options, as click's decorators make them, with the heading they belong under. Out: the same
decorators; a `HeadedCommand` prints the options of each heading together, in the order in which
the headings first appear, and last those without one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Option = Callable[[Any], Any]

OTHERS = "Other options"


def under(heading: str, options: Iterable[Option]) -> tuple[Option, ...]:
    """The options of a command, each known to belong under the heading of its help."""
    return tuple(_noted(option, heading) for option in options)


def _noted(option: Option, heading: str) -> Option:
    def apply(function: Any) -> Any:
        made = option(function)
        made.__click_params__[-1].heading = heading  # the option that click has just added
        return made

    return apply


def heading_of(parameter: click.Parameter) -> str:
    """The heading of a command's help that an option belongs under."""
    return str(getattr(parameter, "heading", OTHERS))


class HeadedCommand(click.Command):
    """A command whose help lists its options under their headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, heading by heading."""
        rows: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                rows.setdefault(heading_of(parameter), []).append(record)
        rows[OTHERS] = rows.pop(OTHERS, [])
        for heading, records in rows.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
