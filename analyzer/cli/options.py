"""Options that several commands share, each group gathered into one value.

`analysis_options` hands a command its `settings`, `rule_options` its `selection`, and
`report_options` its `report`. The options are spelt, checked and explained here and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from ..config.architecture import DEFAULT, architecture_name, parse_architecture
from ..config.compile_commands import parse_compile_commands
from ..config.launch import parse_block, parse_grid
from ..config.macros import parse_define, parse_undefine
from ..config.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


if TYPE_CHECKING:
    _ParamType = click.ParamType[Any]  # generic since click 8.5, to type checkers only
else:
    _ParamType = click.ParamType


class Parsed(_ParamType):
    """An option whose text one of our parsers reads."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The parsed value; a default is one already."""
        return self._parse(value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rules a user asked for and which not."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What the report shall look like and where it goes."""

    format: str
    output: str | None
    color: str


_ANALYSIS = (
    click.option(
        "--arch",
        type=Parsed("arch", parse_architecture),
        default=DEFAULT,
        metavar="ARCH",
        help=f"Architecture to judge by: sm_80, compute_80, 80 or 8.0. "
        f"[default: {architecture_name(DEFAULT)}]",
    ),
    click.option(
        "--block",
        type=Parsed("block", parse_block),
        metavar="X[,Y[,Z]]",
        help="Block shape of every kernel; without it the file's launches and launch bounds "
        "are asked, then 256 threads are assumed.",
    ),
    click.option(
        "--grid",
        type=Parsed("grid", parse_grid),
        metavar="X[,Y[,Z]]",
        help="Grid shape of every kernel.",
    ),
    click.option(
        "-D",
        "defines",
        type=Parsed("define", parse_define),
        multiple=True,
        metavar="NAME[=VALUE]",
        help="Define a macro.",
    ),
    click.option(
        "-U",
        "undefines",
        type=Parsed("undefine", parse_undefine),
        multiple=True,
        metavar="NAME",
        help="Undefine a macro.",
    ),
    click.option(
        "-I",
        "include_paths",
        type=click.Path(),
        multiple=True,
        metavar="DIR",
        help="Look for included files here.",
    ),
    click.option(
        "--compile-commands",
        type=Parsed("compile-commands", parse_compile_commands),
        metavar="FILE",
        help="Take -D, -U and -I of each file from this compile_commands.json; nvcc's options are "
        "understood or ignored. The options above come on top.",
    ),
    click.option("--debug", is_flag=True, help="Show the trace of an internal error."),
)


def analysis_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add the options that say how to read and judge; the command gets `settings`."""

    @wraps(function)
    def wrapper(*args: Any, **values: Any) -> int:
        settings = Settings(
            arch=values.pop("arch"),
            block=values.pop("block"),
            grid=values.pop("grid"),
            defines=dict(values.pop("defines")),
            undefines=frozenset(values.pop("undefines")),
            include_paths=values.pop("include_paths"),
            compile_commands=values.pop("compile_commands"),
            show_possible=values.pop("show_possible", False),
            debug=values.pop("debug"),
        )
        return function(*args, settings=settings, **values)

    return _decorate(wrapper, _ANALYSIS)


def rule_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add the options that choose rules and findings; the command gets `selection`.

    `--show-possible` is one of the settings, so `analysis_options` must stand below this.
    """

    @wraps(function)
    def wrapper(*args: Any, **values: Any) -> int:
        selection = Selection(_split(values.pop("select")), _split(values.pop("ignore")))
        return function(*args, selection=selection, **values)

    options = (
        click.option(
            "--select",
            multiple=True,
            metavar="RULE[,RULE]",
            help="Apply only these: codes, names, families such as SHM, or ALL.",
        ),
        click.option(
            "--ignore",
            multiple=True,
            metavar="RULE[,RULE]",
            help="Do not apply these; wins over --select.",
        ),
        click.option(
            "--show-possible",
            is_flag=True,
            help="Report also what is likely but not shown to happen.",
        ),
    )
    return _decorate(wrapper, options)


def report_options(
    formats: Sequence[str],
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add the options of a report in one of `formats`; the command gets `report`."""

    def decorator(function: Callable[..., int]) -> Callable[..., int]:
        @wraps(function)
        def wrapper(*args: Any, **values: Any) -> int:
            report = Report(
                format=values.pop("format"),
                output=values.pop("output"),
                color=values.pop("color"),
            )
            return function(*args, report=report, **values)

        options = (
            click.option(
                "--format",
                type=click.Choice(list(formats)),
                default=formats[0],
                show_default=True,
                help="What the report looks like.",
            ),
            click.option(
                "--output",
                "-o",
                type=click.Path(),
                metavar="FILE",
                help="Write the report to FILE instead of stdout.",
            ),
            click.option(
                "--color",
                type=click.Choice(["auto", "always", "never"]),
                default="auto",
                show_default=True,
                help="Colour the report; auto honours NO_COLOR, FORCE_COLOR and pipes.",
            ),
        )
        return _decorate(wrapper, options)

    return decorator


files_argument = click.argument(
    "files", nargs=-1, required=True, type=click.Path(), metavar="FILE..."
)


def _decorate(
    function: Callable[..., int], options: Sequence[Callable[[Any], Any]]
) -> Callable[..., int]:
    # click lists options in the reverse of the order in which they are applied.
    for option in reversed(options):
        function = option(function)
    return function


def _split(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())
