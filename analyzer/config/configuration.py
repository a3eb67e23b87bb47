"""What configuration files and command lines say: values that are None where nothing is said.

In: the tables of TOML files. Out: a `Configuration`; `on_top` lays one over another. Both a file
and a command line end in this type, so that there is one place where one wins over the other.
"""

from __future__ import annotations

import os
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from ..source.records import dataclass
from .errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .keys import Key

Shape = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Configuration:
    """One field for each key of `keys.py` but `extend`; `folder` is that of the file."""

    path: str = ""
    folder: str = ""
    arch: int | None = None
    blocks: tuple[tuple[str, Shape], ...] | None = None
    defines: tuple[tuple[str, str], ...] | None = None
    undefines: tuple[str, ...] | None = None
    include_paths: tuple[str, ...] | None = None
    compile_commands: str | None = None
    qualifier_macros: tuple[tuple[str, str], ...] | None = None
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] | None = None
    severity: tuple[tuple[str, str], ...] | None = None
    thresholds: tuple[tuple[str, float], ...] | None = None
    kernel_size: int | None = None
    certainty: str | None = None
    fail_on: str | None = None
    exclude: tuple[str, ...] | None = None
    force_exclude: bool | None = None
    python: bool | None = None
    respect_gitignore: bool | None = None
    baseline: str | None = None
    jobs: int | None = None
    rule_folders: tuple[str, ...] | None = None
    extensions: tuple[str, ...] | None = None

    def on_top(self, below: Configuration) -> Configuration:
        """This one where it says something, else the one below; tables are joined."""
        changes: dict[str, Any] = {}
        for field in fields(self):
            own, lower = getattr(self, field.name), getattr(below, field.name)
            if own is None:
                changes[field.name] = lower
            elif field.name in _TABLES and lower:
                names = {name for name, _ in own}
                changes[field.name] = (*own, *(pair for pair in lower if pair[0] not in names))
        if not self.path:  # a command line: what is relative to a file stays so
            changes |= {"path": below.path, "folder": below.folder}
        return replace(self, **changes)


_TABLES = frozenset(
    {"blocks", "qualifier_macros", "per_file_ignores", "severity", "thresholds", "defines"}
)


def read_table(table: Mapping[str, Any], path: str) -> tuple[Configuration, str | None]:
    """The configuration in a table of the file at `path`, and the file that it extends."""
    from .keys import BY_NAME  # only a run that has a configuration file pays for the table

    folder = os.path.dirname(os.path.abspath(path))
    values: dict[str, Any] = {}
    for name, value in table.items():
        key = BY_NAME.get(name)
        if key is None:
            near = did_you_mean(name.replace("_", "-"), list(BY_NAME))
            known = "`warplint config schema` describes them all"
            raise UsageError(f"{path}: unknown key `{name}`", f"{near} {known}".strip())
        values[key.field] = _read(key, value, path, folder)
    extended = values.pop("extend", None)
    return Configuration(path=path, folder=folder, **values), extended


def _read(key: Key, value: Any, path: str, folder: str) -> Any:
    read: Any
    try:
        read = key.kind.read(value)
    except UsageError as error:
        advice = error.advice or f"for example: {key.example}"
        raise UsageError(f"{path}: key `{key.name}`: {error.message}", advice) from None
    if not key.path:
        return read
    if isinstance(read, tuple):
        return tuple(_under(folder, item) for item in read)
    return _under(folder, read)


def _under(folder: str, path: str) -> str:
    """A path of a configuration file as seen from the current folder."""
    full = os.path.join(folder, os.path.expanduser(path))
    relative = os.path.relpath(full)
    return full if relative.startswith(os.pardir) else relative
