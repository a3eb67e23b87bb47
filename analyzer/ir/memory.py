"""Memory as kernels see it: state spaces and the objects that live in them.

Names follow the PTX ISA, "State Spaces": register, local, shared, global, constant, parameter,
texture, surface; `GENERIC` is an address whose space the instruction does not say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..source.records import dataclass
from .quick_enum import QuickEnum

if TYPE_CHECKING:
    from ..source.text import Span
    from .types import Type


class Space(QuickEnum):
    """A memory space (state space) of the IR: shared, global, local, constant and so on."""

    REGISTER = "register"
    LOCAL = "local"
    SHARED = "shared"
    SHARED_CLUSTER = "shared::cluster"
    GLOBAL = "global"
    CONSTANT = "constant"
    PARAMETER = "param"
    TEXTURE = "texture"
    SURFACE = "surface"
    GENERIC = "generic"


@dataclass(frozen=True, slots=True, eq=False)
class MemoryObject:
    """One array or variable in memory, as the IR knows it; compared by identity.

    `size` is None when the source does not settle it: `extern __shared__`, a template extent, or
    what a pointer parameter points to. `extents` are the declared dimensions, outermost first;
    `members` are the arrays in one element that is a class, each from its first byte to its end.
    `qualifier` is a word before the declaration that nobody defines: it may name another space.
    """

    name: str
    space: Space
    element: Type
    size: int | None
    alignment: int | None = None
    extents: tuple[int | None, ...] = ()
    span: Span | None = None
    dynamic: bool = False  # extern __shared__: sized by the launch
    pointee: bool = False  # stands for whatever a pointer parameter points to
    managed: bool = False
    in_function: bool = False  # declared inside of one as `static` alone
    restrict: bool = False  # a pointee that nothing else leads to: `__restrict__`
    linkage: str = ""  # "extern", "static", ".visible", ...
    members: tuple[tuple[int, int], ...] = ()
    qualifier: str = ""
    constant: bool = False  # declared `const`: nobody may write it
    initialised: bool = False  # with values where it is declared
    constructed: bool = False  # the class of its elements may say what they begin with

    @property
    def is_known_elsewhere(self) -> bool:
        """Whether code in other files may know it: `static` is for this one alone."""
        return self.linkage not in ("", "static")

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that a kernel declares, for reports: where it lives and what it is.

    Scalars have no MemoryObject; everything with an address does.
    """

    name: str
    type: str
    space: Space
    span: Span | None
    reason: str  # why it is in that space, in the words of the CUDA manuals
    size: int | None  # bytes, per thread, block or device as the space has it
    object: MemoryObject | None = None
    fragment: bool = False  # a part of a matrix that a warp holds: what fills it is not known
