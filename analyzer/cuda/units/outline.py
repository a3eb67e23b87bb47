"""What the outlining finds in a file: functions, classes and declarations as ranges of tokens.

In and out: plain values; `outlining.py` makes them, `include_reachability.py`, `headers.py` and
`unit.py` read them.
"""

from __future__ import annotations

from dataclasses import field

from ...source.records import dataclass

Scope = tuple[str, ...]


@dataclass(slots=True)
class FunctionOutline:
    """A function in tokens: header `start` to `body` (its `{`), up to `stop` (after its `}`)."""

    start: int
    name: int
    parameters: int
    body: int
    stop: int
    scope: Scope
    complete: bool = True
    owner: ClassOutline | None = None  # the class whose body it stands in


@dataclass(slots=True)
class DeclarationOutline:
    """A declaration by token indices: from `start` to `stop` (after its `;`)."""

    start: int
    stop: int
    scope: Scope


@dataclass(slots=True)
class ClassOutline:
    """A class by token indices: `start` to `body` (its `{`), up to `stop` (after its `}`)."""

    start: int
    key: int
    name: str | None
    body: int
    stop: int
    scope: Scope
    owner: ClassOutline | None = None
    declarations: list[DeclarationOutline] = field(default_factory=list)
    functions: list[FunctionOutline] = field(default_factory=list)
    trailing: DeclarationOutline | None = None


@dataclass(slots=True)
class Outline:
    """The functions, classes and declarations of a file, in order."""

    functions: list[FunctionOutline] = field(default_factory=list)
    declarations: list[DeclarationOutline] = field(default_factory=list)
    classes: list[ClassOutline] = field(default_factory=list)
    unbalanced: list[int] = field(default_factory=list)
