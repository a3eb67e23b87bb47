"""Operations: three-address code in SSA form, every one a Value with a place in the source.

`operands` holds every value an operation uses, so that def-use walks need no cases; subclasses
name them by properties. Integer arithmetic wraps at the width of `type`; `arithmetic.py` says
exactly how. Addresses are byte addresses: indexing is MUL and ADD on values of POINTER type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .memory import Space
from .operation_kinds import READING, WRITING, AccessForm, FenceKind, Function, widest
from .operation_kinds import WHOLE as WHOLE
from .operation_kinds import AccessKind as AccessKind
from .operation_kinds import BarrierKind as BarrierKind
from .quick_enum import QuickEnum
from .types import VOID
from .values import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..source.location import Location
    from .block import Block
    from .operation_kinds import MbarrierAction, MemoryOrder, WarpKind
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


INEQUALITIES = frozenset({Opcode.LT, Opcode.LE, Opcode.GT, Opcode.GE})
EQUALITIES = frozenset({Opcode.EQ, Opcode.NE})
COMPARISONS = EQUALITIES | INEQUALITIES
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
    """One operation; all that anyone but a builder sees is placed in a `block`."""

    __slots__ = ("block", "location", "opcode", "operands")

    def __init__(
        self, opcode: Opcode, type: Type, operands: list[Value], location: Location
    ) -> None:
        self.type = type  # as Value does; this constructor runs a million times
        self.opcode = opcode
        self.operands: list[Value] = operands
        self.location = location
        self.block: Block = None  # type: ignore[assignment]  # until a builder places it

    @property
    def from_inline_asm(self) -> bool:
        """Whether it was written in an `asm` statement, which no compiler moves or merges."""
        return self.location.assembly


class Compare(Operation):
    """EQ ... GE; `compared` is how the operands' bits are read."""

    __slots__ = ("compared",)

    def __init__(
        self, opcode: Opcode, type: Type, operands: list[Value], location: Location, compared: Type
    ) -> None:
        super().__init__(opcode, type, operands, location)
        self.compared = compared


class Convert(Operation):
    """A change of type; `source` reads the bits, and a cast of the source is `written`."""

    __slots__ = ("source", "written")

    def __init__(self, type: Type, operand: Value, location: Location, source: Type) -> None:
        super().__init__(Opcode.CONVERT, type, [operand], location)
        self.source, self.written = source, False


def unconverted(value: Value) -> Value:
    """The value below all its changes of type."""
    while isinstance(value, Convert):
        value = value.operands[0]
    return value


class Pure(Operation):
    """A function of its operands alone; `name` is for messages, `function` for the analyses."""

    __slots__ = ("function", "name")

    def __init__(
        self,
        name: str,
        type: Type,
        operands: list[Value],
        location: Location,
        function: Function = Function.OTHER,
    ) -> None:
        super().__init__(Opcode.PURE, type, operands, location)
        self.name = name
        self.function = function


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
        self.offset, self.name = offset, name


class Phi(Operation):
    """Operands follow the predecessors; `variable` is the source's name, its type may be `open`."""

    __slots__ = ("open", "variable")

    def __init__(self, type: Type, location: Location, variable: str = "") -> None:
        super().__init__(Opcode.PHI, type, [], location)
        self.variable, self.open = variable, False  # of a known type


class MemoryAccess(Operation):
    """One load, store, atomic, ... of `width` bytes by each thread that executes it.

    `operands[0]` is the address. Then come the stored values or atomic operands; for ASYNC_COPY,
    `operands[1]` is the source address in global memory and `operands[0]` the destination.
    `space` is what the instruction says; GENERIC leaves it to the points-to analysis. For TILE_LOAD
    and TILE_STORE the address is where the tile begins, the same for all lanes.
    """

    __slots__ = (
        *("alignment", "atomic", "element", "form", "kind", "name", "order", "scope", "space"),
        *("structure", "vector", "volatile", "width"),
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
        order: MemoryOrder | None = None,
        form: AccessForm = AccessForm.PLAIN,
        name: str = "",
        vector: int = 0,
        structure: Type | None = None,
        alignment: int | None = None,
    ) -> None:
        super().__init__(Opcode.ACCESS, type, operands, location)
        self.kind = kind
        self.space = space
        self.width = width if width is None or 0 <= width <= widest(kind) else None  # bytes
        # What the address has to be a multiple of: a class of two ints is moved int by int.
        asked = self.width if alignment is None else alignment
        self.alignment = 1 if form is AccessForm.BYTES else asked
        self.element = element
        self.volatile = volatile
        self.vector = vector  # bytes of the aligned vector it is a member of, 0 for none
        self.structure = structure  # the array's element or pointer's target it is a member of
        self.atomic = atomic  # "add", "cas", ...
        self.scope = scope  # "block", "cluster", "device", "system"; "" for plain accesses
        self.order = order  # None for plain accesses
        self.form = form
        self.name = name  # the source's expression or the PTX opcode, for messages

    @property
    def address(self) -> Value:
        """The byte address (of the destination, for an asynchronous copy)."""
        return self.operands[0]

    @property
    def stored(self) -> Value | None:
        """What a store or an exchange leaves there; None for other accesses."""
        leaves = self.kind is AccessKind.STORE or self.atomic in ("exch", "cas")
        return self.operands[-1] if leaves else None

    @property
    def reads(self) -> bool:
        """Whether the addressed bytes are read."""
        return self.kind in READING

    @property
    def writes(self) -> bool:
        """Whether the addressed bytes are written."""
        return self.kind in WRITING


class Barrier(Operation):
    """A place where threads wait: `__syncthreads`, `bar.sync`, `__syncwarp`, `grid.sync` ...

    `vote` is "and", "or" or "popc" for the barriers that also reduce a predicate (operands[0]).
    `identifier` and `count` are None for barrier 0 and all threads of the block.
    """

    __slots__ = (
        *("arrive", "count", "identifier", "kind", "lanes", "library", "mbarrier", "name"),
        *("remote", "vote", "wait"),
    )

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
        library: bool = False,
        mbarrier: MbarrierAction | None = None,
        remote: bool = False,
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
        self.library = library  # stands for what a library does, which touches memory of its own
        self.mbarrier = mbarrier  # of kind MBARRIER only
        self.remote = remote  # an mbarrier that threads of the whole cluster use


class Fence(Operation):
    """`__threadfence` and its like; `scope` is "block", "cluster", "device" or "system"."""

    __slots__ = ("kind", "name", "scope")

    def __init__(
        self, name: str, scope: str, location: Location, kind: FenceKind = FenceKind.MEMORY
    ) -> None:
        super().__init__(Opcode.FENCE, VOID, [], location)
        self.name = name
        self.scope = scope
        self.kind = kind


class WarpOperation(Operation):
    """Shuffle, vote, match, activemask, reduce: lanes exchange values.

    `mask` is the member mask or None (activemask, intrinsics before sm_70); `name` is for messages.
    """

    __slots__ = ("kind", "mask", "name")

    def __init__(
        self,
        kind: WarpKind,
        type: Type,
        operands: list[Value],
        location: Location,
        mask: Value | None = None,
        name: str = "",
    ) -> None:
        super().__init__(
            Opcode.WARP, type, operands if mask is None else [*operands, mask], location
        )
        self.kind = kind
        self.name = name or kind.value
        self.mask = mask


class Call(Operation):
    """A call that was neither inlined nor modelled: it may do anything to what it can reach."""

    __slots__ = ("allocates", "callee", "captures", "reason", "releases")

    def __init__(
        self, callee: str, type: Type, operands: list[Value], location: Location, reason: str
    ) -> None:
        super().__init__(Opcode.CALL, type, operands, location)
        self.callee, self.reason = callee, reason
        self.captures = False  # a lambda is among its arguments, and what that captures
        self.allocates = self.releases = False  # memory of the heap of the device


class OpaqueOperation(Operation):
    """A statement that was not understood: it may do anything to anything; `reason` says why."""

    __slots__ = ("reason",)

    def __init__(self, reason: str, operands: list[Value], location: Location) -> None:
        super().__init__(Opcode.OPAQUE, VOID, operands, location)
        self.reason = reason


class Jump(Operation):
    """Control goes to `target`; `returns` is for the `return` of an inlined function."""

    __slots__ = ("returns", "target")

    def __init__(self, target: Block, location: Location, *, returns: bool = False) -> None:
        super().__init__(Opcode.JUMP, VOID, [], location)
        self.target = target
        self.returns = returns


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
        self.cases, self.default = cases, default


class Return(Operation):
    """The thread leaves the kernel; `implicit` at the closing brace (or a PTX `ret` at the end)."""

    __slots__ = ("implicit",)

    def __init__(self, location: Location, *, implicit: bool = False) -> None:
        super().__init__(Opcode.RETURN, VOID, [], location)
        self.implicit = implicit


class Exit(Operation):
    """The whole grid stops: `trap`, `__trap()`, a failed assert; or a thread alone: PTX `exit`."""

    __slots__ = ("alone", "name")

    def __init__(self, name: str, location: Location, *, alone: bool = False) -> None:
        super().__init__(Opcode.EXIT, VOID, [], location)
        self.name, self.alone = name, alone


def users_of(operations: Iterable[Operation]) -> dict[Value, list[Operation]]:
    """For every value that these operations take, those that take it, once for each time."""
    users: dict[Value, list[Operation]] = {}
    for operation in operations:
        for operand in operation.operands:
            users.setdefault(operand, []).append(operation)
    return users
