"""Loads and stores of a tile of a matrix by all lanes of a warp.

In: what a front end read of `wmma.load` and `wmma.store`. Out: an access whose lines are known.
Which lane moves which element is not specified (CUDA C++ Programming Guide, "Warp Matrix
Functions"; PTX ISA 9.7.15.4), only that it is the same one for fragments of one kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..source.records import dataclass
from .memory import Space
from .operations import MemoryAccess
from .types import VOID

if TYPE_CHECKING:
    from ..source.location import Location
    from .operation_kinds import AccessKind
    from .types import Type
    from .values import Value


@dataclass(frozen=True, slots=True)
class Lines:
    """The bytes of a matrix tile: so many lines of so many bytes, each `pitch` bytes behind the one
    before.
    """

    count: int
    length: int
    pitch: int

    @property
    def extent(self) -> int:
        """Bytes from the first one to the last one."""
        return (self.count - 1) * self.pitch + self.length


class TileAccess(MemoryAccess):
    """A load or store of a matrix tile by a warp, from one address for all lanes; `fragment` says
    of which kind.
    """

    __slots__ = ("fragment", "lines")

    def __init__(
        self,
        kind: AccessKind,
        operands: list[Value],
        location: Location,
        lines: Lines,
        fragment: str,
        *,
        type: Type = VOID,
        space: Space = Space.GENERIC,
        element: Type = VOID,
        name: str = "",
    ) -> None:
        super().__init__(kind, type, operands, location, space=space, element=element, name=name)
        self.lines = lines
        self.fragment = fragment
