"""Which room of the package may import which, read from the sources.

In: the source of a module and its name. Out: every import that points against the order, those
under `if TYPE_CHECKING` and inside functions too: a type is a dependency as well. Not handled:
modules imported by a name computed at run time, as the discovery of rules does.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: From upstream to downstream; a room imports itself and what stands before it.
ORDER = (
    "grammars",  # data that anyone may read
    "source",
    "ir",
    "hardware",
    "resources",
    "ptx",
    "cuda",
    "analyses",
    "findings",
    "rules",
    "config",
    "engine",
    "report",
    "cli",
)


@dataclass(frozen=True)
class Violation:
    """An import that points backwards."""

    module: str
    line: int
    imported: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.imported}"


def violations(module: str, source: str, *, is_package: bool = False) -> list[Violation]:
    """Every import of `module` that points against `ORDER`."""
    own = room(module)
    if own is None:
        return []
    return [
        Violation(module, line, imported)
        for line, imported in imports(module, source, is_package=is_package)
        if (other := room(imported)) is not None and ORDER.index(other) > ORDER.index(own)
    ]


def room(module: str) -> str | None:
    """The room a module belongs to; None outside the package and for its empty outer shells."""
    parts = module.split(".")
    if parts[0] != "warplint" or len(parts) == 1:
        return None
    if parts[1] != "analyzer":
        name = parts[1]
    elif len(parts) > 2:
        name = parts[2]
    else:
        return None
    if name not in ORDER and not name.startswith("__"):
        raise LookupError(f"{module}: give {name!r} a place in the import order")
    return name if name in ORDER else None


def imports(module: str, source: str, *, is_package: bool) -> Iterator[tuple[int, str]]:
    """Each imported name, absolute, with its line."""
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(package, node.level, node.module)
            # `from .. import ir` names a room only together with its alias.
            shell = base in ("warplint", "warplint.analyzer")
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}" if shell else base


def _absolute(package: str, level: int, name: str | None) -> str:
    if level == 0:
        return name or ""
    base = package.split(".")[: len(package.split(".")) - level + 1]
    return ".".join([*base, name] if name else base)
