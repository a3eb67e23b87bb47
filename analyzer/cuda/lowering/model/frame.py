"""What the lowering keeps of a function, or of a switch, while it is inside of it."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from ....source.records import dataclass
from . import ctypes

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ....ir.block import Block
    from ....source.location import Location
    from .ctypes import CType
    from .scope import Place, Slot


@dataclass(frozen=True, slots=True)
class Target:
    """Where `break` or `continue` goes, and how many objects of the function are alive there."""

    block: Block
    alive: int


@dataclass(slots=True)
class Frame:
    """One function being inlined (the kernel itself at the bottom)."""

    function: Any
    exit: Block | None = None  # where `return` goes; None in the kernel
    result: Place | None = None  # where `return` puts the value
    result_type: CType = ctypes.VOID
    call: Location | None = None
    instance: Hashable = None  # of a function template
    owner: object = None  # the class whose method it is: the object's own, if there is one
    seen_as: object = None  # the class that the method is declared in
    address_taken: frozenset[str] = frozenset()
    labels: dict[str, Block] = field(default_factory=dict)
    breaks: list[Target] = field(default_factory=list)
    continues: list[Target] = field(default_factory=list)
    alive: list[tuple[Place, Any]] = field(default_factory=list)  # objects, by who declares them
    this: Place | None = None
    returns_reference: bool = False
    references: list[Place] = field(default_factory=list)  # what it may return a reference to
    referred: Slot | None = None  # the address, when it is memory

    @property
    def function_name(self) -> str:
        """The function's name for messages."""
        declaration = getattr(self.function, "decl", None)
        return "lambda" if declaration is None else str(declaration.name)

    def unset(self, name: str) -> str:
        """What a variable without a value is called: one whose address is taken may still be set by
        what gets the address, if perhaps for another architecture only.
        """
        return f"{name}, whose address is taken," if name in self.address_taken else name


@dataclass(slots=True)
class Dispatch:
    """A switch that is being lowered, and the instances that its function calls in it."""

    switch: int  # the id of its node
    start: int  # operations of the kernel before it
    depth: int  # calls that it is inside of
    instances: dict[str, set[Hashable]] = field(default_factory=dict)
