"""Operations: three-address code in SSA form, every one a Value with a place in the source.

`operands` holds every value an operation uses, so that def-use walks need no cases; subclasses
name them by properties. Integer arithmetic wraps at the width of `type`; `arithmetic.py` says
exactly how. Addresses are byte addresses: indexing is MUL and ADD on values of POINTER type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .memory import Space
from .quick_enum import QuickEnum
from .types import VOID
from .values import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..source.location import Location
    from .block import Block
    from .types import Type


class Opcode(QuickEnum):
    """What an operation computes."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    MUL_HIGH = "mulhi"
    DIV = "div"
    REM = "rem"
    MIN = "min"
    MAX = "max"
    AND = "and"
    OR = "or"
    XOR = "xor"
    SHL = "shl"
    SHR = "shr"
    NOT = "not"
    NEG = "neg"
    ABS = "abs"
    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    SELECT = "select"
    CONVERT = "convert"
    PURE = "pure"  # any other function of its operands alone: sqrt, popc, prmt, fma ...
    AGGREGATE = "aggregate"
    EXTRACT = "extract"
    INSERT = "insert"
    PHI = "phi"
    ACCESS = "access"
    BARRIER = "barrier"
    FENCE = "fence"
    WARP = "warp"
    CALL = "call"
    OPAQUE = "opaque"
    JUMP = "jump"
    BRANCH = "branch"
    SWITCH = "switch"
    RETURN = "return"
    EXIT = "exit"


COMPARISONS = frozenset({Opcode.EQ, Opcode.NE, Opcode.LT, Opcode.LE, Opcode.GT, Opcode.GE})
TERMINATORS = frozenset({Opcode.JUMP, Opcode.BRANCH, Opcode.SWITCH, Opcode.RETURN, Opcode.EXIT})

#: Operations that matter even when nothing takes their result.
EFFECTS = TERMINATORS | frozenset(
    {
        Opcode.ACCESS,
        Opcode.BARRIER,
        Opcode.FENCE,
        Opcode.WARP,
        Opcode.CALL,
        Opcode.OPAQUE,
    }
)


class Operation(Value):
    """One operation; `block` is set when it is placed."""

    __slots__ = ("block", "location", "opcode", "operands")

    def __init__(
        self, opcode: Opcode, type: Type, operands: list[Value], location: Location
    ) -> None:
        self.type = type  # as Value does; this constructor runs a million times
        self.opcode = opcode
        self.operands: list[Value] = operands
        self.location = location
        self.block: Block | None = None


class Compare(Operation):
    """EQ ... GE; `compared` is how the operands' bits are read."""

    __slots__ = ("compared",)

    def __init__(
        self, opcode: Opcode, type: Type, operands: list[Value], location: Location, compared: Type
    ) -> None:
        super().__init__(opcode, type, operands, location)
        self.compared = compared


class Convert(Operation):
    """A change of type: widening, narrowing, int to float, casts; `source` reads the bits."""

    __slots__ = ("source",)

    def __init__(self, type: Type, operand: Value, location: Location, source: Type) -> None:
        super().__init__(Opcode.CONVERT, type, [operand], location)
        self.source = source


def unconverted(value: Value) -> Value:
    """The value below all its changes of type."""
    while isinstance(value, Convert):
        value = value.operands[0]
    return value


#: The name of a `Pure` that somebody sees without anything taking it: what is printed, asserted,
#: written to a surface.
SHOWN = "shown"


class Pure(Operation):
    """A function of its operands alone, by name; the analyses know some names."""

    __slots__ = ("name",)

    def __init__(self, name: str, type: Type, operands: list[Value], location: Location) -> None:
        super().__init__(Opcode.PURE, type, operands, location)
        self.name = name


class Field(Operation):
    """EXTRACT (operands: aggregate) or INSERT (aggregate, new value) of the field at `offset`."""

    __slots__ = ("name", "offset")

    def __init__(
        self,
        opcode: Opcode,
        type: Type,
        operands: list[Value],
        location: Location,
        offset: int,
        name: str,
    ) -> None:
        super().__init__(opcode, type, operands, location)
        self.offset = offset
        self.name = name


class Phi(Operation):
    """Operands follow the order of the block's predecessors; `variable` is the source's name."""

    __slots__ = ("variable",)

    def __init__(self, type: Type, location: Location, variable: str = "") -> None:
        super().__init__(Opcode.PHI, type, [], location)
        self.variable = variable


class AccessKind(QuickEnum):
    """How memory is touched; the words of the JSON output."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"
    REDUCTION = "reduction"
    ASYNC_COPY = "async_copy"
    MATRIX_LOAD = "ldmatrix"
    TILE_LOAD = "wmma.load"  # a warp's tile: which bytes are whose is not specified
    TILE_STORE = "wmma.store"
    PREFETCH = "prefetch"


_BOTH = {AccessKind.ATOMIC, AccessKind.REDUCTION}
_READING = frozenset({AccessKind.LOAD, AccessKind.MATRIX_LOAD, AccessKind.TILE_LOAD} | _BOTH)
_WRITING = frozenset({AccessKind.STORE, AccessKind.ASYNC_COPY, AccessKind.TILE_STORE} | _BOTH)


class MemoryAccess(Operation):
    """One load, store, atomic, ... of `width` bytes by each thread that executes it.

    `operands[0]` is the address. Then come the stored values or atomic operands; for ASYNC_COPY,
    `operands[1]` is the source address in global memory and `operands[0]` the destination.
    `space` is what the instruction says; GENERIC leaves it to the points-to analysis. For TILE_LOAD
    and TILE_STORE the address is where the tile begins, the same for all lanes.
    """

    __slots__ = (
        "atomic",
        "element",
        "kind",
        "name",
        "scope",
        "space",
        "vector",
        "volatile",
        "width",
    )

    def __init__(
        self,
        kind: AccessKind,
        type: Type,
        operands: list[Value],
        location: Location,
        *,
        space: Space = Space.GENERIC,
        width: int | None = None,
        element: Type = VOID,
        volatile: bool = False,
        atomic: str = "",
        scope: str = "",
        name: str = "",
        vector: int = 0,
    ) -> None:
        super().__init__(Opcode.ACCESS, type, operands, location)
        self.kind = kind
        self.space = space
        self.width = width  # bytes per thread; None when the type's size is unknown
        self.element = element
        self.volatile = volatile
        self.vector = vector  # bytes of the aligned vector it is a member of, 0 for none
        self.atomic = atomic  # "add", "cas", ...
        self.scope = scope  # "block", "device", "system"
        self.name = name  # the source's expression or the PTX opcode, for messages

    @property
    def address(self) -> Value:
        """The byte address (of the destination, for an asynchronous copy)."""
        return self.operands[0]

    @property
    def reads(self) -> bool:
        """Whether the addressed bytes are read."""
        return self.kind in _READING

    @property
    def writes(self) -> bool:
        """Whether the addressed bytes are written."""
        return self.kind in _WRITING


class BarrierKind(QuickEnum):
    """Who waits for whom."""

    BLOCK = "block"
    NAMED = "named"
    WARP = "warp"
    CLUSTER = "cluster"
    GRID = "grid"
    ASYNC_WAIT = "async_wait"
    MBARRIER = "mbarrier"


WHOLE = frozenset({BarrierKind.BLOCK, BarrierKind.GRID, BarrierKind.CLUSTER})  # all threads meet


class Barrier(Operation):
    """A place where threads wait: `__syncthreads`, `bar.sync`, `__syncwarp`, `grid.sync` ...

    `vote` is "and", "or" or "popc" for the barriers that also reduce a predicate (operands[0]).
    `identifier` and `count` are None for barrier 0 and all threads of the block.
    """

    __slots__ = ("arrive", "count", "identifier", "kind", "lanes", "name", "vote", "wait")

    def __init__(
        self,
        kind: BarrierKind,
        name: str,
        location: Location,
        *,
        type: Type = VOID,
        operands: list[Value] | None = None,
        vote: str = "",
        identifier: Value | None = None,
        count: Value | None = None,
        arrive: bool = True,
        wait: bool = True,
        lanes: int | None = None,
    ) -> None:
        given = [value for value in (identifier, count) if value is not None]
        super().__init__(Opcode.BARRIER, type, [*(operands or []), *given], location)
        self.kind = kind
        self.name = name  # as the source spells it
        self.vote = vote
        self.identifier = identifier
        self.count = count
        self.lanes = lanes  # of a tile, whose threads alone meet; None for a whole warp
        self.arrive = arrive
        self.wait = wait


class Fence(Operation):
    """`__threadfence` and its like; `scope` is "block", "device" or "system"."""

    __slots__ = ("name", "scope")

    def __init__(self, name: str, scope: str, location: Location) -> None:
        super().__init__(Opcode.FENCE, VOID, [], location)
        self.name = name
        self.scope = scope


class WarpOperation(Operation):
    """Shuffle, vote, match, activemask, reduce: lanes exchange values.

    `name` is "shfl.down", "vote.any", "match.all", "activemask", "redux.add", ...; `mask` is the
    member mask or None (activemask, intrinsics before sm_70).
    """

    __slots__ = ("mask", "name")

    def __init__(
        self,
        name: str,
        type: Type,
        operands: list[Value],
        location: Location,
        mask: Value | None = None,
    ) -> None:
        super().__init__(
            Opcode.WARP, type, operands if mask is None else [*operands, mask], location
        )
        self.name = name
        self.mask = mask


class Call(Operation):
    """A call that was neither inlined nor modelled: it may do anything to what it can reach."""

    __slots__ = ("callee", "reason")

    def __init__(
        self, callee: str, type: Type, operands: list[Value], location: Location, reason: str
    ) -> None:
        super().__init__(Opcode.CALL, type, operands, location)
        self.callee = callee
        self.reason = reason


class OpaqueOperation(Operation):
    """A statement that was not understood: it may do anything to anything; `reason` says why."""

    __slots__ = ("reason",)

    def __init__(self, reason: str, operands: list[Value], location: Location) -> None:
        super().__init__(Opcode.OPAQUE, VOID, operands, location)
        self.reason = reason


class Jump(Operation):
    """Control goes to `target`."""

    __slots__ = ("target",)

    def __init__(self, target: Block, location: Location) -> None:
        super().__init__(Opcode.JUMP, VOID, [], location)
        self.target = target


class Branch(Operation):
    """`operands[0]` decides between `then` and `otherwise`; `construct` is the source's word."""

    __slots__ = ("construct", "otherwise", "then")

    def __init__(
        self,
        condition: Value,
        then: Block,
        otherwise: Block,
        location: Location,
        construct: str = "if",
    ) -> None:
        super().__init__(Opcode.BRANCH, VOID, [condition], location)
        self.then = then
        self.otherwise = otherwise
        self.construct = construct  # "if", "for", "while", "do", "?:", "&&", "||", "bra"

    @property
    def condition(self) -> Value:
        """The predicate."""
        return self.operands[0]


class Switch(Operation):
    """`operands[0]` selects one of `cases`, else `default`; None cases are values not known."""

    __slots__ = ("cases", "default")

    def __init__(
        self,
        selector: Value,
        cases: list[tuple[int | None, Block]],
        default: Block,
        location: Location,
    ) -> None:
        super().__init__(Opcode.SWITCH, VOID, [selector], location)
        self.cases = cases
        self.default = default


class Return(Operation):
    """The thread leaves the kernel; `implicit` at the closing brace (or a PTX `ret` at the end)."""

    __slots__ = ("implicit",)

    def __init__(self, location: Location, *, implicit: bool = False) -> None:
        super().__init__(Opcode.RETURN, VOID, [], location)
        self.implicit = implicit


class Exit(Operation):
    """The thread, or the whole grid, stops: `trap`, `__trap()`, a failed assert; PTX `exit`."""

    __slots__ = ("name",)

    def __init__(self, name: str, location: Location) -> None:
        super().__init__(Opcode.EXIT, VOID, [], location)
        self.name = name


def users_of(operations: Iterable[Operation]) -> dict[Value, list[Operation]]:
    """For every value that these operations take, those that take it, once for each time."""
    users: dict[Value, list[Operation]] = {}
    for operation in operations:
        for operand in operation.operands:
            users.setdefault(operand, []).append(operation)
    return users
