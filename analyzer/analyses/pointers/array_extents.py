"""Whether a device can hold the arrays that a kernel goes through, for certain sizes.

Problem: sizes that nobody states are tried; four of 1,000 make an array of 8 TB, and three of 2,000
an index beyond 32 bits, with which nobody launches the kernel. Algorithm: the greatest number that
each address in global memory may be, computed from those of what it is made of; where a condition
leads to the access (`if (i < n)`, `for (; i < n; )`), what it compares is below its bound. It is an
estimate: of what is subtracted only sizes count, and a counter that no condition bounds stays
at its first value. In: the facts of a kernel, and the greatest number of each value that is not
computed. Out: whether all arrays fit into the largest device together, and each index with a sign
into its type; how much dynamic shared memory a block needs for the first iterations of its loops.
Example: `a[(y * w + x) * d + z]` behind `x < w`, `y < h` and `z < d` needs about `w * h * d`
elements.
Not handled: addresses made of data, pointers to several objects, numbers below zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.arithmetic import MIRRORED, NEGATED, number_range
from ...ir.memory import Space
from ...ir.operations import (
    Compare,
    Convert,
    Field,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    unconverted,
)
from ...ir.types import Kind
from ...ir.values import Special, SpecialRegister, whole_number
from ..dataflow.joined_conditions import joined_conditions
from ..dataflow.slices import backward_slice
from ..launch.allowance import METER
from ..launch.sizes_to_try import MEMORY

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import UnionType

    from ...ir.block import Block
    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from .facts import PointerFacts

    _Bounds = dict[Value, int]  # the greatest numbers under which an access is made

_DEEPEST = 60  # operations below each other
_SPACES = (Space.GLOBAL, Space.GENERIC)
_WIDEST = 64  # bits
_NO_MORE = frozenset({Opcode.SUB, Opcode.DIV, Opcode.REM, Opcode.SHR})  # than the first operand
_BELOW = {Opcode.LT: 1, Opcode.LE: 0}  # how far what is compared stays below the bound


class ArrayExtents:
    """How far a kernel goes into arrays of global memory, for certain sizes."""

    def __init__(self, facts: PointerFacts, greatest: Callable[[Value], int | None]) -> None:
        self._facts = facts
        self._greatest = greatest  # of values that are not computed
        self._known: dict[Block, dict[Value, int | None]] = {}
        self._first: dict[Block, dict[Value, int | None]] = {}
        self._registers: dict[Special, SpecialRegister] = {}
        self._fits = True  # every index its type

    @property
    def can_be_held(self) -> bool:
        """Whether a device can hold all arrays together, and indices can tell their elements."""
        needed: dict[MemoryObject, int] = {}
        for access in self._facts.accesses:
            item = self._facts.points_to.object_of(access)
            if item is None or item.space not in _SPACES:
                continue
            start = self._start(access)
            if not self._fits:
                return False
            needed[item] = max(needed.get(item, 0), (start or 0) + (access.width or 0))
        return sum(needed.values()) <= MEMORY

    @property
    def dynamic_shared(self) -> int:
        """How many bytes of dynamic shared memory a block needs at least, as far as it is known:
        for the first iterations of its loops.
        """
        dynamic = [item for item in self._facts.kernel.objects if item.dynamic]
        needed = 0
        for access in self._facts.accesses if dynamic else ():
            item = self._facts.points_to.object_of(access)
            if item in dynamic and item.space is Space.SHARED:
                start = self._most(access.address, self._at_first(access.block), _DEEPEST)
                needed = max(needed, (start or 0) + (access.width or 0))
        return needed

    def _at_first(self, block: Block) -> dict[Value, int | None]:
        """What conditions leave of values that no counter of a loop has a part in."""
        if block not in self._first:
            known: dict[Value, int | None] = {}
            for value, bound in self._bounds(block, Operation | SpecialRegister).items():
                if not any(map(self._is_counter, backward_slice(value))):
                    most = self._most(value, {}, _DEEPEST)
                    known[value] = None if most is None else min(most, bound)
            self._first[block] = known
        return self._first[block]

    def _is_counter(self, value: Value) -> bool:
        return isinstance(value, Phi) and value.block in self._facts.flow.latches

    def _start(self, access: MemoryAccess) -> int | None:
        """How many bytes after the start of its array an access begins at most."""
        block = access.block
        if block not in self._known:
            self._known[block] = dict(self._bounds(block, Operation))
        return self._most(access.address, self._known[block], _DEEPEST)

    def _bounds(self, block: Block, kinds: type | UnionType) -> _Bounds:
        """What the conditions that lead to a block leave of the values that they compare."""
        found: _Bounds = {}
        known: dict[Value, int | None] = {}
        for edge in self._facts.flow.controlling_edges(block):
            condition = edge.condition
            for part, wanted in [] if condition is None else joined_conditions(*condition):
                if not isinstance(part, Compare):
                    continue
                sign = part.opcode if wanted else NEGATED.get(part.opcode, part.opcode)
                left, right = part.operands
                for value, opcode, other in (
                    (left, sign, right),
                    (right, MIRRORED.get(sign), left),
                ):
                    most = self._most(other, known, _DEEPEST) if opcode in _BELOW else None
                    if most is None or opcode is None:
                        continue
                    bound = most - _BELOW[opcode]
                    for each in (value, unconverted(value)):
                        if isinstance(each, kinds) and not isinstance(each, Field):
                            name = self._one(each)
                            found[name] = min(found.get(name, bound), bound)
        return found

    def _most(self, value: Value, known: dict[Value, int | None], depth: int) -> int | None:
        """The greatest number that a value may be; None where that is not known."""
        value = self._one(value)
        if value in known:
            return known[value]
        number = whole_number(value)
        if number is not None:
            return number
        METER.spend(1)
        known[value] = None  # if it is made of itself
        known[value] = self._found(value, known, depth - 1) if depth else None
        return known[value]

    def _one(self, value: Value) -> Value:
        """The same value for each time that a register of the launch is read."""
        if isinstance(value, SpecialRegister):
            return self._registers.setdefault(value.register, value)
        return value

    def _found(self, value: Value, known: dict[Value, int | None], depth: int) -> int | None:
        if not isinstance(value, Operation) or isinstance(value, Field | MemoryAccess):
            return 0 if value.type.kind is Kind.POINTER else self._greatest(value)
        if isinstance(value, Compare):
            return 1
        parts = [self._most(each, known, depth) for each in value.operands]
        if isinstance(value, Convert):
            return parts[0]
        if isinstance(value, Phi) or value.opcode is Opcode.SELECT:
            chosen = parts if isinstance(value, Phi) else parts[1:]
            return max((each for each in chosen if each is not None), default=None)
        if len(parts) != 2:
            return None
        if value.opcode is Opcode.SUB and not _is_size(value.operands[1]):
            return parts[0]
        found = _of_two(value.opcode, *parts)
        if found is None:
            return None
        least, most = number_range(value.type)
        self._fits = self._fits and not (value.type.signed and found > most)
        return min(max(found, least), most)  # each product would have twice the digits else


def _is_size(value: Value) -> bool:
    """Whether a value is the same for all threads as far as is known: no less than at most."""
    return not isinstance(unconverted(value), Operation | SpecialRegister)


def _of_two(opcode: Opcode, left: int | None, right: int | None) -> int | None:
    """The most that an operation comes to; None where a factor may be below zero."""
    if left is None or right is None:
        return left if opcode in _NO_MORE else None
    match opcode:
        case Opcode.ADD:
            return left + right
        case Opcode.MUL if min(left, right) >= 0:
            return left * right
        case Opcode.SHL if left >= 0 <= right < _WIDEST:
            return left << right
        case Opcode.SHR if left >= 0 <= right < _WIDEST:
            return left >> right
        case Opcode.DIV if left >= 0 < right:
            return left // right
        case Opcode.REM if left >= 0 < right:
            return min(left, right - 1)
        case Opcode.MIN | Opcode.AND:
            return min(left, right)
        case Opcode.MAX | Opcode.OR | Opcode.XOR:
            return max(left, right)
        case Opcode.SUB:
            return left - right
    return None
