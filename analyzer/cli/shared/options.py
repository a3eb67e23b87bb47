"""Options that several commands share, each group gathered into one value.

`analysis_options` hands a command its `settings`, `check_options` its `project`, and
`report_options` its `report`. The options are spelt, checked and explained here and nowhere else.
An option that is not given says nothing (None), so that the configuration files are asked.
"""

from __future__ import annotations

from dataclasses import fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from ...config.architecture import DEFAULT, architecture_name, parse_architecture
from ...config.launch import parse_block, parse_grid, parse_launch
from ...config.limits import MORE_SUFFIXES, MOST_JOBS
from ...config.macros import parse_define, parse_undefine
from ...source.records import dataclass
from .headings import under

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.shell_completion import CompletionItem

    from ...config.project import CommandLine


if TYPE_CHECKING:
    _ParamType = click.ParamType[Any]  # generic since click 8.5, to type checkers only
else:
    _ParamType = click.ParamType


class Parsed(_ParamType):
    """An option of the command line whose text one of our parsers reads."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The parsed value; a default is one already."""
        return self._parse(value) if isinstance(value, str) else value


#: The name of a file as it is given: whoever opens it says what is wrong with it, and goes on.
FILE = click.Path(readable=False)


@dataclass(frozen=True, slots=True)
class Report:
    """What a command's report shall look like and where it goes (`--format`, `--output`)."""

    format: str
    output: str | None
    color: str


class _Words(_ParamType):
    """Words separated by commas."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The words."""
        if not isinstance(value, str):
            return value
        return tuple(word.strip() for word in value.split(",") if word.strip())

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Codes and names of rules that go on from what is typed, after the last comma."""
        from click.shell_completion import CompletionItem

        from ....rules.plugins import available_rules

        before, comma, last = incomplete.rpartition(",")
        words = [word for rule in available_rules().values() for word in (rule.code, rule.name)]
        return [CompletionItem(before + comma + word) for word in words if word.startswith(last)]


_ANALYSIS = (
    click.option(
        "--arch",
        type=Parsed("arch", parse_architecture),
        metavar="ARCH",
        help=f"Target architecture: sm_80, compute_80, 80 or 8.0. "
        f"[default: {architecture_name(DEFAULT)}]",
    ),
    click.option(
        "--block",
        type=Parsed("block", parse_block),
        metavar="X[,Y[,Z]]",
        help="Block shape of every kernel. Default: that of its launches in the run, the launch "
        "bounds or the configuration, or the shape inferred from stores and shared arrays; "
        "otherwise 256 threads.",
    ),
    click.option(
        "--grid",
        type=Parsed("grid", parse_grid),
        metavar="X[,Y[,Z]]",
        help="Grid shape of every kernel.",
    ),
    click.option(
        "--launch",
        "launches",
        type=Parsed("launch", parse_launch),
        multiple=True,
        metavar="KERNEL:GRID:BLOCK[:ARGUMENTS[:SHARED]]",
        help="A launch of a kernel, instead of those that the run has, such as "
        "`scale:3907:256:_,1000000`: of each argument its number, [BYTES] for a pointer to so many "
        "bytes, or _; then the bytes of dynamic shared memory.",
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
        type=FILE,
        multiple=True,
        metavar="DIR",
        help="Search this folder for included files.",
    ),
    click.option(
        "--compile-commands",
        type=FILE,
        metavar="FILE",
        help="Read the -D, -U and -I of each file from this compile_commands.json; other nvcc "
        "options are ignored. The options above are added.",
    ),
)
_CONFIGURATION = (
    click.option(
        "--config",
        type=FILE,
        metavar="FILE",
        help="Use this configuration file instead of those nearest to the inputs.",
    ),
    click.option("--isolated", is_flag=True, help="Ignore all configuration files."),
    click.option("--debug", is_flag=True, help="Show the traceback of an internal error."),
)


_READING = (*under("Kernels", _ANALYSIS), *under("Configuration", _CONFIGURATION))

#: Rules of the user's own, for commands that take no configuration as well.
rule_folders_option = click.option(
    "--rule-folder",
    "rule_folders",
    type=FILE,
    multiple=True,
    metavar="DIR",
    help="Run the rules in this folder too; they are programs (docs/rule_api.md).",
)

_RULES = (
    click.option(
        "--select",
        type=_Words("rules"),
        multiple=True,
        metavar="RULE[,RULE]",
        help="Apply only these rules: codes, names, families such as SHM, or ALL.",
    ),
    click.option(
        "--extend-select",
        type=_Words("rules"),
        multiple=True,
        metavar="RULE[,RULE]",
        help="Apply these rules as well.",
    ),
    click.option(
        "--ignore",
        type=_Words("rules"),
        multiple=True,
        metavar="RULE[,RULE]",
        help="Do not apply these rules; overrides both.",
    ),
    click.option(
        "--show-possible",
        "certainty",
        flag_value="possible",
        help="Also report findings that are possible but not proven.",
    ),
    rule_folders_option,
    click.option(
        "--allow-rule-folders/--no-rule-folders",
        default=None,
        help="Whether to run the rules in folders that the configuration names; they are programs.",
    ),
)


def analysis_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add the options that say how to read and judge; the command gets `settings`."""

    @wraps(function)
    def wrapper(*args: Any, **values: Any) -> int:
        from ...config.project import Project

        return function(*args, settings=Project(_command_line(values)).settings, **values)

    return decorate(wrapper, _READING)


def check_options(
    more: Sequence[Callable[[Any], Any]],
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add the options above, those that choose rules, and `more`; the command gets `project`.

    Those of `more` that are named after a key of the configuration go to the project, too.
    """

    def decorator(function: Callable[..., int]) -> Callable[..., int]:
        @wraps(function)
        def wrapper(*args: Any, **values: Any) -> int:
            from ...config.project import Project

            return function(*args, project=Project(_command_line(values)), **values)

        return decorate(wrapper, (*under("Rules", _RULES), *_READING, *more))

    return decorator


def _command_line(values: dict[str, Any]) -> CommandLine:
    """What the options say; takes them out of `values`."""
    from ...config.configuration import Configuration
    from ...config.project import CommandLine

    said: dict[str, Any] = {}
    for field in fields(Configuration):
        value = None if field.name in _OF_FILES else values.pop(field.name, None)
        if value is not None and value != ():
            said[field.name] = _flat(value) if field.name in _WORDS else value
    if "defines" in said:  # the last definition of a macro counts
        said["defines"] = tuple(dict(said["defines"]).items())
    return CommandLine(
        Configuration(**said),
        block=values.pop("block"),
        grid=values.pop("grid"),
        launches=tuple(values.pop("launches")),
        file=values.pop("config"),
        isolated=values.pop("isolated"),
        debug=values.pop("debug"),
        allow_rule_folders=values.pop("allow_rule_folders", None),
    )


_OF_FILES = frozenset({"path", "folder"})
_WORDS = frozenset({"select", "extend_select", "ignore"})


def _flat(value: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(word for words in value for word in words)


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
                help="Format of the report.",
            ),
            click.option(
                "--output",
                "-o",
                type=FILE,
                metavar="FILE",
                help="Write the report to FILE instead of stdout.",
            ),
            click.option(
                "--color",
                type=click.Choice(["auto", "always", "never"]),
                default="auto",
                show_default=True,
                help="Whether to colour the report; auto honours NO_COLOR, FORCE_COLOR and pipes.",
            ),
        )
        return decorate(wrapper, under("Report", options))

    return decorator


_SEARCH = (
    click.option(
        "--extension",
        "extensions",
        type=click.Choice(MORE_SUFFIXES),
        multiple=True,
        metavar="SUFFIX",
        help="Search folders for files with this suffix too, such as .cpp or .h.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Skip these files and folders (as in a .gitignore) when searching a folder.",
    ),
    click.option(
        "--python/--no-python",
        default=None,
        help="Read the kernels in strings of Python files, such as those of RawKernel, "
        "SourceModule and load_inline.",
    ),
    click.option(
        "--force-exclude/--no-force-exclude",
        default=None,
        help="Skip excluded files even when they are passed explicitly, as pre-commit does.",
    ),
    click.option(
        "--respect-gitignore/--no-respect-gitignore",
        default=None,
        help="Skip files that git ignores when searching a folder. [default: respect]",
    ),
)
_WORK = (
    click.option(
        "--jobs",
        "-j",
        type=click.IntRange(1, MOST_JOBS),
        metavar="N",
        help="Number of parallel processes. [default: the number of processors]",
    ),
    click.option(
        "--no-cache",
        is_flag=True,
        help="Check every file, also those that did not change since their last check.",
    ),
)

#: What a search of folders leaves out, and how the work is done.
run_options = (*under("Files", _SEARCH), *under("Work", _WORK))

files_argument = click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")


def decorate(
    function: Callable[..., int], options: Sequence[Callable[[Any], Any]]
) -> Callable[..., int]:
    """Add options to a command, in the order in which the help lists them."""
    # click lists options in the reverse of the order in which they are applied.
    for option in reversed(options):
        function = option(function)
    return function
