"""Rules that users bring: of installed packages (entry point `warplint.rules`) and of folders.

In: the packages that Python imports from, and the folders that the user has named. Out: the rules
of warplint with theirs. A module of a rule says `RULE_API = 1`, defines `RULE` and `check`, and has
a docstring, as every rule of warplint; an entry point names a module, or a package whose modules
are rules. What does not fit stops the run with a message that names the module: a rule that is left
out in silence is worse than none.
Installed packages are the user's. A folder is code of whoever wrote it, so only one that the
command line or the environment names is run; one that a configuration file names, only with consent
(SECURITY.md). Nothing is imported before a rule is asked for.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from dataclasses import replace
from functools import cache
from hashlib import sha256
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..analyzer.source.records import dataclass
from . import RuleDefinitionError, load_rules, rule_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..analyzer.findings.finding import Finding
    from ..analyzer.findings.rule import Rule

GROUP = "warplint.rules"
FOLDERS = "WARPLINT_RULE_FOLDERS"  # of the environment, so that other processes know them
_API = 1  # `VERSION` of api.py, which imports what few runs need
_LARGEST = 100_000  # bytes of a list of entry points


class PluginError(Exception):
    """Rules that cannot be used; `advice` says what to do."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


@dataclass(frozen=True, slots=True)
class PluginCheck:
    """The check of a user's own rule (a plugin), found again in every process."""

    module: str
    folder: str | None  # that it is from; None for an installed one

    def __call__(self, subject: Any) -> Iterable[Finding]:
        """Do what the module's check does."""
        found: Iterable[Finding] = _module(self.module, self.folder).check(subject)
        return found


def use_folders(folders: Iterable[str]) -> None:
    """Take the rules of these folders, in this process and those that it starts."""
    known = [os.path.abspath(each) for each in folders]
    before = [each for each in _folders() if each not in known]
    if known:
        os.environ[FOLDERS] = os.pathsep.join([*before, *known])


def available_rules() -> Mapping[str, Rule]:
    """Every rule by its code: those of warplint and those that users bring."""
    return _available(_folders(), tuple(sys.path))


@cache
def _available(folders: tuple[str, ...], path: tuple[str, ...]) -> Mapping[str, Rule]:
    own = load_rules()
    rules, origins = dict(own), {key: "warplint" for r in own.values() for key in (r.code, r.name)}
    for module, folder in (*_installed(path), *_of_folders(folders)):
        rule = _rule(module, folder)
        for key in (rule.code, rule.name):
            if key in origins:
                taken = f"{key} is already a rule of {origins[key]}"
                raise PluginError(
                    f"rule {module.__name__}: {taken}", "choose another code and name"
                )
            origins[key] = module.__name__
        rules[rule.code] = rule
    return dict(sorted(rules.items()))


def _rule(module: ModuleType, folder: str | None) -> Rule:
    """The rule of one module, with a check that any process finds."""
    name = module.__file__ or module.__name__
    version = getattr(module, "RULE_API", None)
    if version != _API:
        said = "does not say RULE_API" if version is None else f"is for rule API {version}"
        raise PluginError(
            f"rule {name} {said}: this warplint has version {_API}",
            f"write `RULE_API = {_API}` in it" if version is None else "update it, or warplint",
        )
    try:
        rule = rule_of(module)
    except RuleDefinitionError as error:
        raise PluginError(f"rule {name}: {error}", "docs/rule_api.md has an example") from None
    return replace(rule, check=PluginCheck(module.__name__, folder))


# ---- installed packages --------------------------------------------------------------------------


def _installed(path: Iterable[str]) -> Iterator[tuple[ModuleType, None]]:
    for name in dict.fromkeys(name for folder in path for name in _named_in(folder)):
        for module in _with_submodules(_module(name, None)):
            yield module, None


def _named_in(folder: str) -> Iterator[str]:
    """The modules that the packages in a folder name as rules."""
    try:
        entries = sorted(os.listdir(folder))
    except OSError:  # an archive, or nothing
        return
    for entry in entries:
        if entry.endswith((".dist-info", ".egg-info")):
            yield from _values(os.path.join(folder, entry, "entry_points.txt"))


def _values(path: str) -> Iterator[str]:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(_LARGEST)
        if f"[{GROUP}]" not in text:
            return
    except (OSError, UnicodeDecodeError):
        return
    from configparser import ConfigParser, Error

    parser = ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except Error as error:
        raise PluginError(f"{path}: {error.message}", "install the package again") from None
    for _, value in parser.items(GROUP):
        yield value.partition(":")[0].strip()


def _with_submodules(module: ModuleType) -> Iterator[ModuleType]:
    """The module itself if it is a rule; of a package that is none, its modules."""
    if hasattr(module, "RULE") or not hasattr(module, "__path__"):
        yield module
        return
    import pkgutil

    for found in pkgutil.iter_modules(module.__path__, f"{module.__name__}."):
        if not found.name.rpartition(".")[2].startswith("_"):
            yield from _with_submodules(_module(found.name, None))


# ---- folders -------------------------------------------------------------------------------------


def _folders() -> tuple[str, ...]:
    named = os.environ.get(FOLDERS, "").split(os.pathsep)
    return tuple(dict.fromkeys(each for each in named if os.path.isabs(each)))


def _of_folders(folders: Iterable[str]) -> Iterator[tuple[ModuleType, str]]:
    for folder in folders:
        try:
            names = sorted(os.listdir(folder))
        except OSError as error:
            raise PluginError(
                f"{folder}: {error.strerror or error}", "name a folder of rules"
            ) from None
        for name in names:
            if name.endswith(".py") and not name.startswith("_"):
                yield _module(f"{_package(folder)}.{name[:-3]}", folder), folder


def _package(folder: str) -> str:
    """The package that a folder is imported as, which no other folder is."""
    return f"warplint_rules_{sha256(os.fsencode(folder)).hexdigest()[:12]}"


def _module(name: str, folder: str | None) -> ModuleType:
    """Import a module, of a folder as one of a package that is made for it."""
    if folder is not None:
        package = name.partition(".")[0]
        if package not in sys.modules:
            made = ModuleType(package)
            made.__path__ = [folder]
            sys.modules[package] = made
    try:
        return importlib.import_module(name)
    except Exception as error:
        where = name if folder is None else os.path.join(folder, f"{name.partition('.')[2]}.py")
        raise PluginError(
            f"rule {where} cannot be imported: {type(error).__name__}: {error}",
            "correct it, or leave it out",
        ) from error
