"""The body of a function that is read when somebody asks for what is in it.

In: how it is read, and where it stands. Out: a block that looks like any other. It is for bodies
that were read before without a loss, as `KeptBodies` says: reading them has nothing to report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from .nodes.c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

    from ...source.text import Span
    from . import nodes
    from .coverage import Coverage


class LaterBody(c_ast.Compound):
    """The syntax node of a function body `{ ... }` whose statements are parsed when asked for."""

    __slots__ = ("_items", "_read", "coord")

    def __init__(self, read: Callable[[], list[Any]], coord: Span) -> None:
        self.coord = coord
        self._read: Callable[[], list[Any]] | None = read
        self._items: list[Any] = []

    @property
    def block_items(self) -> list[Any]:
        """Its statements."""
        if self._read is not None:
            read, self._read = self._read, None
            self._items = read()
        return self._items


class KeptBodies(Protocol):
    """Which bodies of functions an earlier reading has parsed whole, with nothing left out."""

    def begin(self, outside: Iterable[str]) -> None:
        """The functions of a file are about to be read; `outside` are the words around bodies."""

    def is_sound(self, function: nodes.Function, inside: list[str], span: Span) -> bool:
        """Whether a body of these words, which stands there, was read before without a loss."""

    def keep(self, function: nodes.Function) -> None:
        """The body last asked for was read now, without a loss."""

    def coverage(self, function: nodes.Function, measure: Callable[[], Coverage]) -> Coverage:
        """How much of a function was read, which may have to be measured."""

    def names(self, function: nodes.Function, found: Callable[[], set[str]]) -> AbstractSet[str]:
        """What a function names, which may have to be found."""

    def used(
        self,
        function: nodes.Function,
        by_value: frozenset[str],
        find: Callable[[], tuple[AbstractSet[str] | None, bool]],
    ) -> AbstractSet[str] | None:
        """The names that a function uses for more than reading behind them, None where that is not
        known: what may have to be found, with whether it rests on no other body. `by_value` are the
        functions that write nothing they are given.
        """
