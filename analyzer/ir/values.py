"""SSA values that are not operations: constants, parameters, special registers, addresses.

Values are compared by identity; `type` says how their bits are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .quick_enum import QuickEnum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..source.text import Span
    from .memory import MemoryObject
    from .types import Type


class Special(QuickEnum):
    """The special registers that the analyses know, by their PTX name (PTX ISA, "Special
    Registers").
    """

    THREAD_X = "tid.x"
    THREAD_Y = "tid.y"
    THREAD_Z = "tid.z"
    BLOCK_SIZE_X = "ntid.x"
    BLOCK_SIZE_Y = "ntid.y"
    BLOCK_SIZE_Z = "ntid.z"
    BLOCK_X = "ctaid.x"
    BLOCK_Y = "ctaid.y"
    BLOCK_Z = "ctaid.z"
    GRID_SIZE_X = "nctaid.x"
    GRID_SIZE_Y = "nctaid.y"
    GRID_SIZE_Z = "nctaid.z"
    LANE = "laneid"
    WARP = "warpid"
    WARP_SIZE = "WARP_SZ"
    LANE_MASK_EQ = "lanemask_eq"
    LANE_MASK_LE = "lanemask_le"
    LANE_MASK_LT = "lanemask_lt"
    LANE_MASK_GE = "lanemask_ge"
    LANE_MASK_GT = "lanemask_gt"
    CLOCK = "clock"  # every register that tells time
    DYNAMIC_SHARED_SIZE = "dynamic_smem_size"
    CLUSTER_RANK = "cluster_ctarank"  # of a block among those of its cluster
    CLUSTER_BLOCKS = "cluster_nctarank"
    CLUSTER_X = "cluster_ctaid.x"
    CLUSTER_Y = "cluster_ctaid.y"
    CLUSTER_Z = "cluster_ctaid.z"
    CLUSTER_SIZE_X = "cluster_nctaid.x"
    CLUSTER_SIZE_Y = "cluster_nctaid.y"
    CLUSTER_SIZE_Z = "cluster_nctaid.z"
    OTHER = "other"


#: Which block of its cluster a block is.
IN_CLUSTER = frozenset(
    (Special.CLUSTER_RANK, Special.CLUSTER_X, Special.CLUSTER_Y, Special.CLUSTER_Z)
)

CLUSTER_SIZES = frozenset(
    (
        *(Special.CLUSTER_BLOCKS, Special.CLUSTER_SIZE_X),
        *(Special.CLUSTER_SIZE_Y, Special.CLUSTER_SIZE_Z),
    )
)

_NO_OPERANDS: list[Value] = []  # one for all, to which nothing is added


class Value:
    """A value of the IR: anything an operation can take as an operand; what is no operation has no
    operands.
    """

    __slots__ = ("type",)

    operands: list[Value] = _NO_OPERANDS

    def __init__(self, type: Type) -> None:
        self.type = type


class Constant(Value):
    """A number in the IR known at compile time; integers are held in the range of their type. A
    double that is `widened` was written as a float or as a whole number.
    """

    __slots__ = ("value", "widened")

    def __init__(self, type: Type, value: int | float, *, widened: bool = False) -> None:
        super().__init__(type)
        self.value, self.widened = value, widened


def whole_number(value: Value | None) -> int | None:
    """The number of an integer constant of the IR; None for anything else."""
    if isinstance(value, Constant) and isinstance(value.value, int):
        return value.value
    return None


Entry = tuple[int, tuple[str, ...]]  # of what a launch gives: a parameter, and the path to a member


class Parameter(Value):
    """A kernel parameter (the same for every thread of the grid), or a member of one: `member` says
    then of which one by its index, and by which names. `index` is its place in what is given.
    """

    __slots__ = ("index", "member", "name", "pointee", "reference", "span")

    def __init__(
        self,
        type: Type,
        name: str,
        index: int,
        span: Span | None = None,
        pointee: MemoryObject | None = None,
        member: Entry | None = None,
    ) -> None:
        super().__init__(type)
        self.name = name
        self.member = member
        self.index = index
        self.span = span
        self.pointee = pointee  # what a pointer parameter points to: an object of its own
        self.reference = False  # whether what is given is the address of such an object


class SpecialRegister(Value):
    """A special register as an IR value, such as threadIdx.x; `name` is the register's own when
    `register` is OTHER.
    """

    __slots__ = ("name", "register")

    def __init__(self, type: Type, register: Special, name: str = "") -> None:
        super().__init__(type)
        self.register = register
        self.name = name or register.value


class ObjectAddress(Value):
    """The address of the first byte of a memory object, as an IR value.

    Several declarations may stand for one object, as those of `extern __shared__` do: `declared` is
    the one that is meant, `named_at` where its name stands.
    """

    __slots__ = ("declared", "named_at", "object")

    def __init__(
        self,
        type: Type,
        object: MemoryObject,
        declared: Span | None = None,
        named_at: Span | None = None,
    ) -> None:
        super().__init__(type)
        self.object = object
        self.declared = declared or object.span
        self.named_at = named_at


class Unknown(Value):
    """An IR value of which nothing is known; `reason` says why.

    `per_thread` when it may differ between threads (an uninitialised local, an unread statement's
    effect), otherwise the same for the whole grid (an undefined template argument).
    """

    __slots__ = ("per_thread", "reason")

    def __init__(self, type: Type, reason: str, *, per_thread: bool = True) -> None:
        super().__init__(type)
        self.reason = reason
        self.per_thread = per_thread


class Undeclared(Unknown):
    """An IR value for a name that nothing in the input declares: a constant, or a macro that reads
    anything.
    """

    __slots__ = ()

    def __init__(self, type: Type, name: str) -> None:
        super().__init__(type, f"{name} is not declared in this file", per_thread=False)


class UnknownSize(Unknown):
    """The size of a type that is not known, in bytes, as an IR value; one for each type of a
    kernel.
    """

    __slots__ = ()

    def __init__(self, type: Type, name: str) -> None:
        super().__init__(type, f"sizeof({name}) is unknown", per_thread=False)


class UnknownDistance(Unknown):
    """An IR value: how far a member lies from its object's start, behind what has no known size.

    `length` is the member's own size in bytes, None when that is not known either.
    """

    __slots__ = ("length",)

    def __init__(self, type: Type, reason: str, length: int | None) -> None:
        super().__init__(type, reason, per_thread=False)
        self.length = length


class Undefined(Unknown):
    """The IR value of a variable before it is written; a program that reads it has no meaning."""

    __slots__ = ()


def written(operands: Sequence[Value]) -> list[Value]:
    """What a phi of the IR may hold in a program that has a meaning: nothing `Undefined`."""
    return [item for item in operands if not isinstance(item, Undefined)]
