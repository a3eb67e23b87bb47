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
    "measurements",
    "rules",
    "config",
    "engine",
    "fleet",
    "report",
    "server",
    "cli",
)


#: Inside a room: its smaller rooms, upstream first. Modules of the room itself may import all.
INSIDE = {
    "ptx": ("syntax", "check", "estimate", "lowering"),
    "cuda": ("names", "syntax", "units", "lowering", "host"),
    "cuda.syntax": ("nodes",),
    "cuda.host": ("values",),
    "cuda.lowering": (
        "program",
        "model",
        "types",
        "state",
        "resolution",
        "operators",
        "library",
        "expressions",
        "statements",
    ),
    "analyses": (
        "launch",
        "dataflow",
        "host",
        "arithmetic",
        "pointers",
        "warp_evaluation",
        "block_execution",
        "block_shape",
        "array_bounds",
        "memory_traffic",
        "coverage",
        "inter_block",
        "conflicts",
        "doubts",
        "races",
        "barriers",
        "warp_intrinsics",
        "compilation",
        "storage",
    ),
    "analyses.doubts": (
        "question",
        "shapes",
        "numbers",
        "presence",
        "order",
        "values",
        "updates",
        "barriers",
        "bounds",
        "unseen",
        "waits",
        "costs",
        "masks",
        "registers",
    ),
    "engine": ("processes", "git", "kernels"),
    "report": ("text", "formats", "kernels", "resources", "editor", "html"),
    "server": ("kept",),
    "cli": ("shared", "check", "inspect", "config", "fleet"),
}

#: The most modules that may import each other in a circle, and the most that a folder holds.
CIRCLE, FOLDER = 4, 30


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
    own = place(module)
    if own is None:
        return []
    return [
        Violation(module, line, imported)
        for line, imported in imports(module, source, is_package=is_package)
        if (other := place(imported)) is not None and other > own
    ]


def place(module: str) -> tuple[int, ...] | None:
    """Where a module stands: the place of its room, of the smaller room inside of that, and so on.

    What stands in a room beside its smaller rooms comes last; a room that is not divided has one
    place.
    """
    own = room(module)
    if own is None:
        return None
    places = [ORDER.index(own)]
    parts = module.split(".")
    name, rest = own, parts[parts.index(own) + 1 :]
    while name in INSIDE and rest:
        smaller = INSIDE[name]
        if rest[0] not in smaller:
            places.append(len(smaller))
            break
        places.append(smaller.index(rest[0]))
        name, rest = f"{name}.{rest[0]}", rest[1:]
    return tuple(places)


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that import each other in a circle, each sorted (R. Tarjan, 1972)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        waiting.append(module)
        for other in sorted(graph.get(module, ())):
            if other not in number:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in waiting:
                lowest[module] = min(lowest[module], number[other])
        if lowest[module] == number[module]:
            group = waiting[waiting.index(module) :]
            del waiting[waiting.index(module) :]
            if len(group) > 1:
                found.append(sorted(group))

    for module in sorted(graph):
        if module not in number:
            visit(module)
    return found


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
    """Each imported name, absolute, with its line: a module, or a name in one."""
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(package, node.level, node.module)
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def _absolute(package: str, level: int, name: str | None) -> str:
    if level == 0:
        return name or ""
    base = package.split(".")[: len(package.split(".")) - level + 1]
    return ".".join([*base, name] if name else base)
