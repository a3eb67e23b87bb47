"""Which lanes of a warp keep known distances although nobody knows where data leads them.

In: a launch, a warp, a value. Out: `LaneGroups`: a key and a number for each lane; what two lanes
with equal keys hold differs by their numbers. `x[index[i / 8] * 64 + i % 8]` has four keys in a
warp, and eight neighbours with each. Lanes that load from one place, or compute the same function
of the same, hold the same; sums and products with numbers keep distances; whatever else is computed
of different operands may be anything.
`data` says that a value from memory, from another lane or of a decision on one has a part in it, so
that only a run could tell more; `unread` that code which was not read has, so that more could be
known.
Not handled: equal values at different keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import (
    Call,
    Convert,
    MemoryAccess,
    OpaqueOperation,
    Opcode,
    Operation,
    Phi,
    WarpOperation,
)
from ...ir.types import Kind
from ...ir.values import Constant, Undefined, Unknown, UnknownSize
from ...source.records import dataclass
from ..dataflow.induction import induction
from ..dataflow.phi_shapes import selection
from ..dataflow.slices import backward_slice
from .lane_values import WARP, LaneValue
from .outcomes import STEPS
from .uniformity import Uniformity, is_function

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from ...ir.block import Block
    from ...ir.values import Value
    from .facts import WarpLaunch

_ADDRESS_BITS = 32  # narrower numbers may wrap around
_DATA = (MemoryAccess, WarpOperation)
_UNREAD = (Call, OpaqueOperation, Unknown)
_KNOWN = (Undefined, UnknownSize)  # what no program reads, and what a launch has a number for
_ALIKE = (0,) * WARP
_EACH = tuple(range(WARP))


@dataclass(frozen=True, slots=True)
class LaneGroups:
    """A value in 32 lanes, known up to one unknown number for each key."""

    keys: tuple[int, ...]
    numbers: tuple[int, ...]
    data: bool = False
    unread: bool = False

    @property
    def lanes(self) -> tuple[tuple[int, int], ...]:
        """What tells the lanes apart: equal for lanes that are sure to hold the same."""
        return tuple(zip(self.keys, self.numbers, strict=True))


class GroupEvaluator:
    """Evaluates which lanes of one warp keep known distances in a value; results are kept."""

    def __init__(self, launch: WarpLaunch, warp: int) -> None:
        self._launch = launch
        self._evaluator = launch.evaluator(warp)
        self._flow = launch.facts.flow
        self._known: dict[Value, LaneGroups] = {}

    def value_in(self, block: Block, wanted: Value) -> LaneGroups:
        """The groups of a value as code in `block` finds it."""
        return self._seen_from(block, wanted, self._value(wanted))

    def _value(self, wanted: Value) -> LaneGroups:
        known = self._known
        stack = [wanted]  # no `postorder`: values may depend on themselves
        open_values: set[Value] = set()
        while stack:
            value = stack[-1]
            if value in known:
                stack.pop()
                continue
            found = self._exact(value)
            if found is None and value not in open_values:
                open_values.add(value)
                for need in self._needs(value):
                    if need in open_values:
                        known.setdefault(need, self._apart(need))
                    elif need not in known:
                        stack.append(need)
                continue
            known[value] = found or self._made(value)
            self._launch.facts.budget.spend(1, STEPS)
            stack.pop()
        return known[wanted]

    def _exact(self, value: Value) -> LaneGroups | None:
        """The groups of what is known up to symbols, or does not differ at all."""
        outcome = self._evaluator.value(value)
        if isinstance(outcome, LaneValue):
            apart = [c for _, c in outcome.terms if not isinstance(c, int)]
            return LaneGroups(_numbered(zip(*apart, strict=True)) or _ALIKE, outcome.lanes)
        return LaneGroups(_ALIKE, _ALIKE) if isinstance(value, Constant) else None

    def _needs(self, value: Value) -> Sequence[Value]:
        if isinstance(value, Phi):
            if counts := induction(self._flow, value):
                return (counts.first, *(step for step, _ in counts.steps))
            chosen = selection(self._flow, value)
            return () if chosen is None else tuple(chosen.values())
        if isinstance(value, MemoryAccess):
            alike = self._launch.uniformity.follows_address(value)
            return (value.address,) if alike else ()
        return value.operands if isinstance(value, Operation) and is_function(value) else ()

    def _seen_from(self, block: Block, value: Value, found: LaneGroups) -> LaneGroups:
        if not isinstance(value, Operation) or value.block is block:
            return found
        left = self._launch.uniformity.left_apart(value, block) is Uniformity.VARYING
        return LaneGroups(_EACH, _ALIKE, found.data, found.unread) if left else found

    def _made(self, value: Value) -> LaneGroups:
        """The groups of what was made of values whose groups are known."""
        needs = self._needs(value)
        if not isinstance(value, Operation) or not needs:
            return self._apart(value)
        parts = [self._seen_from(value.block, need, self._known[need]) for need in needs]
        data = isinstance(value, MemoryAccess) or any(part.data for part in parts)
        unread = any(part.unread for part in parts)
        kept = self._distances(value, parts)
        if kept is None:
            return LaneGroups(_of_parts(part.lanes for part in parts), _ALIKE, data, unread)
        return LaneGroups(*kept, data, unread)

    def _apart(self, value: Value) -> LaneGroups:
        """What may be another number in each lane."""
        deciders: list[Value] = []
        if isinstance(value, Phi):
            for ruled in (value.block, *value.block.predecessors):
                edges = self._flow.control_edges[ruled]
                deciders += [edge.branch.terminator.operands[0] for edge in edges]
        parts = list(backward_slice(value, *deciders))
        unread = any(isinstance(part, _UNREAD) and not isinstance(part, _KNOWN) for part in parts)
        return LaneGroups(_EACH, _ALIKE, any(isinstance(part, _DATA) for part in parts), unread)

    def _distances(
        self, operation: Operation, parts: list[LaneGroups]
    ) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Keys and numbers of what keeps distances; None where only equal lanes stay equal."""
        if isinstance(operation, Phi):
            if induction(self._flow, operation) is None:
                return None
            apart = _of_parts(part.lanes for part in parts[1:])  # by how much iterations move them
            return _of_parts((parts[0].keys, apart)), parts[0].numbers
        if operation.type.kind not in (Kind.INTEGER, Kind.POINTER):
            return None
        if isinstance(operation, Convert):
            widens = (operation.type.bits or 64) >= max(_ADDRESS_BITS, operation.source.bits or 64)
            kept = operation.source.kind in (Kind.INTEGER, Kind.POINTER) and widens
            return (parts[0].keys, parts[0].numbers) if kept else None
        if operation.opcode in (Opcode.ADD, Opcode.SUB):
            sign = 1 if operation.opcode is Opcode.ADD else -1
            pairs = zip(parts[0].numbers, parts[1].numbers, strict=True)
            return _of_parts(part.keys for part in parts), tuple(a + sign * b for a, b in pairs)
        if operation.opcode is Opcode.MUL:
            for part, other in zip(parts, reversed(operation.operands), strict=True):
                factor = self._evaluator.value(other)
                number = factor.number if isinstance(factor, LaneValue) else None
                if number is not None:
                    return part.keys, tuple(each * number for each in part.numbers)
        return None


def _numbered(keys: Iterable[Hashable]) -> tuple[int, ...]:
    """A number for each lane, equal where its key is: keys of keys would grow with each step."""
    known: dict[Hashable, int] = {}
    return tuple(known.setdefault(key, len(known)) for key in keys)


def _of_parts(parts: Iterable[Sequence[Hashable]]) -> tuple[int, ...]:
    return _numbered(zip(*parts, strict=True))
