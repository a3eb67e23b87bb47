"""Bodies of functions that were read before without a loss: nobody has to read them to know that.

In: the words around the bodies of a file, those of a body, and its text. Out: whether the same body
was read before amid the same words, how many statements it has, and what it names. What a parser
makes of a body rests on nothing else: on the names in sight, which stand outside of bodies, and on
where its own lines end. Kept are the last `_MOST`; bodies in which something was lost are not.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from ...cuda.syntax.coverage import Coverage
from ...source.records import dataclass
from .gaps import as_bytes
from .recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

    from ...cuda.syntax import nodes
    from ...source.text import Span

_MOST = 4_000


@dataclass(slots=True)
class _Sound:
    """What is known of a body, once somebody asked."""

    statements: int | None = None
    names: frozenset[str] | None = None
    used: tuple[frozenset[str], AbstractSet[str] | None] | None = None


class SoundBodies:
    """The bodies of functions that an editor's process has read without a loss."""

    def __init__(self) -> None:
        self._kept = Recent[bytes, _Sound](_MOST)
        self._outside = sha256()
        self._keys: dict[int, bytes] = {}  # by the id of a function of this file

    def begin(self, outside: Iterable[str]) -> None:
        """The functions of a file are about to be read."""
        self._keys = {}
        self._outside = sha256(as_bytes("\0".join(outside)))

    def end(self) -> None:
        """Nothing of a file is held on to when it was checked."""
        self._keys = {}

    def is_sound(self, function: nodes.Function, inside: list[str], span: Span) -> bool:
        """Whether the body of a function was read before without a loss."""
        hashed = self._outside.copy()
        hashed.update(as_bytes("\0".join((*inside, "", function.decl.name, span.text))))
        key = self._keys[id(function)] = hashed.digest()
        return self._kept.get(key) is not None

    def keep(self, function: nodes.Function) -> None:
        """The body of a function was read without a loss."""
        self._kept.keep(self._keys[id(function)], _Sound())

    def coverage(self, function: nodes.Function, measure: Callable[[], Coverage]) -> Coverage:
        """How much of a function was read."""
        known = self._known(function)
        if known is None:
            return measure()
        if known.statements is None:
            measured = measure()
            if measured.opaque:
                return measured
            known.statements = measured.statements
        return Coverage(known.statements, ())

    def names(self, function: nodes.Function, found: Callable[[], set[str]]) -> AbstractSet[str]:
        """What a function names."""
        known = self._known(function)
        if known is None:
            return found()
        if known.names is None:
            known.names = frozenset(found())
        return known.names

    def used(
        self,
        function: nodes.Function,
        by_value: frozenset[str],
        find: Callable[[], tuple[AbstractSet[str] | None, bool]],
    ) -> AbstractSet[str] | None:
        """The names that a function uses for more than reading behind them."""
        known = self._known(function)
        if known is not None and known.used is not None and known.used[0] == by_value:
            return known.used[1]
        names, alone = find()
        if known is not None and alone:
            known.used = by_value, names
        return names

    def _known(self, function: nodes.Function) -> _Sound | None:
        return self._kept.get(self._keys.get(id(function), b""))
