"""The settings of every file of a run: its configuration files with the command line on top.

In: what the command line says, as a `Configuration`, and how to look for files. Out: for a path its
`Settings`, and its `Profile` with the rules that apply. Each file goes by the configuration nearest
to it; what concerns the whole run (`fail-on`, `exclude`, `jobs`, `baseline`) is that of the current
folder.
"""

from __future__ import annotations

import os
from dataclasses import field, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from ..analyses.launch.kernel_size import KERNEL_SIZE
from ..findings.finding import Certainty, Severity
from ..source.ignore_patterns import ignore_rules
from ..source.records import dataclass
from .architecture import DEFAULT
from .compile_commands import parse_compile_commands
from .configuration import Configuration
from .discovery import nearest_configuration, read_configuration
from .errors import UsageError
from .selection import all_codes, chosen_codes, find_rule, matching_codes
from .settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..findings.rule import Rule
    from ..source.compile_flags import CompileCommands
    from .launch import StatedLaunch

    Shape = tuple[int, int, int]
    FileState = tuple[int, int, int] | None


@lru_cache(maxsize=4)
def _compile_commands(path: str, _state: FileState) -> CompileCommands:
    return parse_compile_commands(path)


def _state(path: str) -> FileState:
    """What changes when a file is written; of a folder, that of the database in it."""
    name = os.path.join(path, "compile_commands.json") if os.path.isdir(path) else path
    try:
        status = os.stat(name)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What a command line says; `said` holds what a configuration file could say, too."""

    said: Configuration = field(default_factory=Configuration)
    block: Shape | None = None
    grid: Shape | None = None
    launches: tuple[StatedLaunch, ...] = ()
    file: str | None = None  # --config
    isolated: bool = False
    debug: bool = False
    allow_rule_folders: bool | None = None  # those of the configuration; None when not said


@dataclass(frozen=True, slots=True)
class Profile:
    """What configuration applies to one file: settings, rules and severities."""

    settings: Settings
    rules: tuple[Rule, ...]
    severities: Mapping[str, Severity] = field(default_factory=dict)  # by code


class Project:
    """The configuration of every file, each folder looked up once."""

    def __init__(self, line: CommandLine) -> None:
        self._line = line
        if line.file is not None and line.isolated:
            raise UsageError("--config and --isolated cannot be combined", "pass only one of them")
        self._in_folder = cache(self._configuration)
        self._settings = cache(self._settings_of)

    @property
    def run(self) -> Configuration:
        """What holds for the run as a whole."""
        return self._line.said.on_top(self._in_folder(os.getcwd()))

    @property
    def exclusions(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Patterns to leave out, each group with the folder that it is relative to."""
        base, said = self._in_folder(os.getcwd()), self._line.said
        groups = ((base.folder, base.exclude), (os.getcwd(), said.exclude))
        return tuple((folder, patterns) for folder, patterns in groups if patterns)

    def at(self, path: str) -> Configuration:
        """What holds for a file."""
        return self._line.said.on_top(self._in_folder(_folder(path)))

    @property
    def settings(self) -> Settings:
        """The settings of the run; files may have their own."""
        own = self._settings(os.getcwd())
        return replace(own, of_file=lambda path: self._settings(_folder(path)))

    def profile(self, path: str, rules: Mapping[str, Rule]) -> Profile:
        """The settings and rules for one file; those of the rules that it has."""
        base = self._in_folder(_folder(path))
        said = self.at(path)
        codes = chosen_codes(rules, self._line.said, base) - _ignored_here(base, path, rules)
        thresholds = {find_rule(rules, name).code: n for name, n in said.thresholds or ()}
        return Profile(
            replace(self._settings(_folder(path)), thresholds=thresholds),
            tuple(rules[code] for code in sorted(codes)),
            {
                code: Severity(word)
                for name, word in reversed(said.severity or ())
                for code in matching_codes(rules, name)
            },
        )

    def rules(self) -> Mapping[str, Rule]:
        """Every rule by its code, those of the folders that the user lets run among them."""
        named = self._in_folder(os.getcwd()).rule_folders or ()
        if named and self._line.allow_rule_folders is None:
            raise UsageError(
                f"the configuration names rules in {', '.join(named)}, which are programs",
                "pass --allow-rule-folders if you trust them, or --no-rule-folders to go without",
            )
        allowed = named if self._line.allow_rule_folders else ()
        return usable_rules((*(self._line.said.rule_folders or ()), *allowed))

    def check(self, rules: Mapping[str, Rule]) -> None:
        """Raise for a rule that the command line or the run's configuration misspells."""
        self.profile(os.path.join(os.getcwd(), "any.cu"), rules)

    def _configuration(self, folder: str) -> Configuration:
        if self._line.isolated:
            return Configuration()
        if self._line.file is not None:
            return read_configuration(self._line.file)
        return nearest_configuration(folder)

    def _settings_of(self, folder: str) -> Settings:
        base, said = self._in_folder(folder), self._line.said
        both = said.on_top(base)
        commands = both.compile_commands
        undefines = {*(said.undefines or ()), *(base.undefines or ())}
        defines = dict(both.defines or ())
        undefines -= {name for name, _ in said.defines or ()}
        return Settings(
            arch=both.arch or DEFAULT,
            block=self._line.block,
            grid=self._line.grid,
            launches=self._line.launches,
            blocks=both.blocks or (),
            defines={name: text for name, text in defines.items() if name not in undefines},
            undefines=frozenset(undefines),
            include_paths=(*(said.include_paths or ()), *(base.include_paths or ())),
            compile_commands=(
                None if commands is None else _compile_commands(commands, _state(commands))
            ),
            qualifier_macros=dict(both.qualifier_macros or ()),
            kernel_size=both.kernel_size or KERNEL_SIZE,
            show_possible=both.certainty == Certainty.POSSIBLE.value,
            debug=self._line.debug,
        )


def usable_rules(folders: Sequence[str]) -> Mapping[str, Rule]:
    """Every rule by its code, those of these folders among them."""
    from ...rules.plugins import PluginError, available_rules, use_folders

    use_folders(folders)
    try:
        return available_rules()
    except PluginError as error:
        raise UsageError(error.message, error.advice) from error


def _ignored_here(base: Configuration, path: str, rules: Mapping[str, Rule]) -> set[str]:
    """The codes that `per-file-ignores` takes from one file."""
    codes: set[str] = set()
    for pattern, selectors in base.per_file_ignores or ():
        named = all_codes(rules, selectors)  # a misspelt rule is refused for every file
        if named - codes and _matches(base.folder, pattern, path):
            codes |= named
    return codes


def _matches(folder: str, pattern: str, path: str) -> bool:
    relative = os.path.relpath(os.path.abspath(path), folder)
    if relative.startswith(os.pardir):
        return False
    return ignore_rules([pattern]).verdict(relative.replace(os.sep, "/")) is True


def _folder(path: str) -> str:
    return os.path.dirname(os.path.abspath(path))
