"""What is known of an integer in every thread of a block, whatever data and loops do.

In: a launch. Out: for a value a modulus and one number per thread: thread t's value is `offset[t]`
plus some multiple of the modulus; modulus 0 means exactly that number, modulus 1 nothing at all.
Follows P. Granger, "Static analysis of arithmetical congruences" (International Journal of Computer
Mathematics 30, 1989), with a vector in place of the remainder. Addresses count from the base of
their object. Sums that are not exact are taken to be free of overflow, as indices are.
Not handled: floating point, contents of memory, members of aggregates.
"""

from __future__ import annotations

from itertools import starmap
from math import gcd
from operator import add, mul, sub
from typing import TYPE_CHECKING

from ...ir.arithmetic import number_range, wrap
from ...ir.operations import Branch, Compare, Convert, Opcode, Operation
from ...ir.types import Kind
from ...ir.values import Constant, ObjectAddress, Parameter, SpecialRegister
from ...source.records import dataclass
from ..dataflow.slices import backward_slice
from ..launch.allowance import METER
from .per_thread import PerThread
from .thread_vectors import compute

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...ir.block import Block
    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from .facts import BlockLaunch

_MOST_PLACES = 1 << 18  # that two accesses are compared in
_MOST_KEPT = 1 << 19  # of all accesses
_COMPARED = 0.5  # steps of the kernel's work, for a place of two accesses
_SEVERAL = -1  # threads come to a place
_SWEEPS = 24  # over the cycles of phis; moduli only shrink, most often at once


@dataclass(frozen=True, slots=True)
class Residue:
    """An integer of each thread, modulo a number: `offsets[t]` plus a multiple of `modulus`; one
    int where all threads agree.
    """

    modulus: int
    offsets: int | tuple[int, ...]

    @property
    def exact(self) -> int | tuple[int, ...] | None:
        """The value of every thread, when it is known."""
        return self.offsets if self.modulus == 0 else None


ANYTHING = Residue(1, 0)


def _residue(modulus: int, offsets: int | tuple[int, ...]) -> Residue:
    if modulus == 1:
        return ANYTHING
    if modulus:
        one = isinstance(offsets, int)
        offsets = offsets % modulus if one else tuple(each % modulus for each in offsets)  # type: ignore[operator,union-attr]
    if isinstance(offsets, tuple) and len(set(offsets)) == 1:
        offsets = offsets[0]
    return Residue(modulus, offsets)


class ThreadResidues:
    """The residues of the values of one kernel in every thread of one block."""

    def __init__(self, launch: BlockLaunch) -> None:
        self._launch = launch
        self._count = launch.launch.threads
        self._known: dict[Value, Residue] = {}
        self._threads: dict[Block, frozenset[int]] = {}
        self._order: dict[Operation, int] = {}  # of the operations in their blocks
        self._ordered: set[Block] = set()
        self._owned: dict[tuple[MemoryAccess, int, int], dict[int, int]] = {}
        self._places_kept = 0

    def of(self, value: Value) -> Residue:
        """What is known of a value."""
        if value not in self._known:
            self._solve(value)
        return self._known[value]

    def threads_at(self, block: Block) -> frozenset[int]:
        """The threads that may come to a block, by the conditions that every way to it passes."""
        flow = self._launch.facts.flow
        path: list[Block] = []
        at = block
        while at not in self._threads:
            path.append(at)
            parent = flow.dominators.parent[at.index]
            if parent == at.index:
                self._threads[path.pop()] = frozenset(range(self._count))
            else:
                at = flow.blocks[parent]
        for below in reversed(path):
            above = flow.blocks[flow.dominators.parent[below.index]]
            sent = self._through(above, below)
            reach = self._threads[above]
            self._threads[below] = reach if sent is None else reach & sent
        return self._threads[block]

    def _through(self, above: Block, block: Block) -> frozenset[int] | None:
        """The threads that a branch sends down the only path to a block; None for all of them."""
        branch = above.terminator
        if not isinstance(branch, Branch) or branch.then is branch.otherwise:
            return None
        if block not in (branch.then, branch.otherwise) or block.predecessors != [above]:
            return None
        condition = self.of(branch.condition).exact
        if condition is None:
            return None
        wanted = block is branch.then
        if isinstance(condition, int):
            return frozenset(range(self._count) if bool(condition) is wanted else ())
        return frozenset(thread for thread, flag in enumerate(condition) if bool(flag) is wanted)

    # ---- the fixpoint ----------------------------------------------------------------------------

    def _solve(self, value: Value) -> None:
        values = [each for each in backward_slice(value) if each not in self._known]
        order = self._in_order([each for each in values if isinstance(each, Operation)])
        for each in values:
            if not isinstance(each, Operation):
                self._known[each] = self._leaf(each)
        found: dict[Value, Residue] = {}
        for sweep in range(_SWEEPS + 1):
            changed = [each for each in order if self._improve(each, found)]
            if not changed:
                break
            if sweep == _SWEEPS:
                found.update(dict.fromkeys(order, ANYTHING))
        self._known |= {each: found.get(each, ANYTHING) for each in order}

    def _in_order(self, operations: list[Operation]) -> list[Operation]:
        """The operations of a kernel in program order, so that one sweep goes far."""
        for block in {each.block for each in operations} - self._ordered:
            self._ordered.add(block)
            self._order.update({each: at for at, each in enumerate(block.operations)})
        return sorted(operations, key=lambda each: (each.block.index, self._order[each]))

    def _improve(self, operation: Operation, found: dict[Value, Residue]) -> bool:
        operands = [self._known.get(each) or found.get(each) for each in operation.operands]
        if operation.opcode is Opcode.PHI:
            new = self._joined([each for each in operands if each is not None])
        elif None in operands:
            return False  # nothing has come here yet
        else:
            new = self._transfer(operation, [each for each in operands if each is not None])
        old = found.get(operation)
        if new is None or new == old:
            return False
        found[operation] = new if old is None else self._join(old, new)
        return found[operation] != old

    def _joined(self, residues: list[Residue]) -> Residue | None:
        result = None
        for each in residues:
            result = each if result is None else self._join(result, each)
        return result

    def _join(self, first: Residue, second: Residue) -> Residue:
        if first == second:
            return first
        apart = gcd(*(a - b for a, b in self._pairs(first, second)))
        return _residue(gcd(first.modulus, second.modulus, apart), first.offsets)

    def _pairs(self, first: Residue, second: Residue) -> Iterable[tuple[int, int]]:
        if isinstance(first.offsets, int) and isinstance(second.offsets, int):
            return ((first.offsets, second.offsets),)
        sides = (self._offsets(first), self._offsets(second))
        return zip(*sides, strict=False)

    def _offsets(self, residue: Residue) -> Iterable[int]:
        offsets = residue.offsets
        return offsets if isinstance(offsets, tuple) else (offsets,) * self._count

    # ---- values ----------------------------------------------------------------------------------

    def _leaf(self, value: Value) -> Residue:
        if isinstance(value, Constant):
            return Residue(0, value.value) if isinstance(value.value, int) else ANYTHING
        if isinstance(value, ObjectAddress):
            return Residue(0, 0)
        if isinstance(value, Parameter):
            passed = self._launch.passed.get(value)
            if passed is not None:
                return Residue(0, passed)
            return ANYTHING if value.pointee is None else Residue(0, 0)
        if isinstance(value, SpecialRegister):
            return self._special(value)
        return ANYTHING

    def _special(self, value: SpecialRegister) -> Residue:
        name, _, axis = value.register.value.partition(".")
        x, y, z = self._launch.launch.block
        if name == "tid" and axis:
            step, extent = {"x": (1, x), "y": (x, y), "z": (x * y, z)}[axis]
            return _residue(0, tuple(each // step % extent for each in range(self._count)))
        if name == "ntid" and axis:
            return Residue(0, (x, y, z)["xyz".index(axis)])
        return ANYTHING

    def _transfer(self, operation: Operation, operands: list[Residue]) -> Residue:
        opcode = operation.opcode
        if operation.type.kind not in (Kind.INTEGER, Kind.POINTER, Kind.PREDICATE):
            return ANYTHING
        if isinstance(operation, Convert):
            return _converted(operation, operands[0])
        if opcode is Opcode.SELECT:
            return self._join(*operands[1:])
        if opcode in _LINEAR:
            return self._linear(operation, *operands)
        exact = self._exactly(operation, operands)
        if exact is not None or len(operands) != 2:
            return exact or ANYTHING
        return self._with_constant(opcode, *operands)

    def _exactly(self, operation: Operation, operands: list[Residue]) -> Residue | None:
        if len(operands) != 2 or any(each.modulus for each in operands):
            return None
        compared = operation.compared if isinstance(operation, Compare) else operation.type
        if compared.kind is Kind.FLOAT or operation.opcode in (Opcode.PURE, Opcode.ACCESS):
            return None
        first, second = (
            offsets if isinstance(offsets, int) else PerThread(offsets)
            for offsets in (each.offsets for each in operands)
        )
        vector = compute(operation.opcode, compared, first, second, self._count)
        if vector is None or isinstance(vector, int):
            return None if vector is None else _residue(0, vector)
        return _residue(0, vector.entries) if vector.known else None  # type: ignore[arg-type]

    def _linear(self, operation: Operation, first: Residue, second: Residue) -> Residue:
        opcode = operation.opcode
        if opcode is Opcode.SUB and operation.operands[1].type.kind is Kind.POINTER:
            return ANYTHING  # two bases
        pairs = tuple(self._pairs(first, second))
        offsets = tuple(starmap(_LINEAR[opcode], pairs))
        modulus = gcd(first.modulus, second.modulus)
        if opcode is Opcode.MUL and modulus:
            parts = (part for a, b in pairs for part in (a * second.modulus, b * first.modulus))
            modulus = gcd(first.modulus * second.modulus, *parts)
        if modulus == 0 and operation.type.kind is Kind.INTEGER:
            low, high = number_range(operation.type)
            if min(offsets) < low or max(offsets) > high:
                offsets = tuple(wrap(each, operation.type) for each in offsets)
        return _residue(modulus, offsets if len(offsets) > 1 else offsets[0])

    def _with_constant(self, opcode: Opcode, first: Residue, second: Residue) -> Residue:
        """Operations whose other operand is one number, or has bits of its own."""
        number = second.exact
        if opcode in (Opcode.OR, Opcode.XOR):
            return self._merged(first, second)
        if opcode in (Opcode.MIN, Opcode.MAX):
            return self._join(first, second)
        if not isinstance(number, int) or number <= 0:
            return ANYTHING
        if opcode is Opcode.SHL and number < 64:
            offsets = tuple(each << number for each in self._offsets(first))
            return _residue(first.modulus << number, offsets)
        if opcode is Opcode.REM:
            return _residue(gcd(first.modulus, number), first.offsets)
        if opcode is Opcode.AND and not number & (number + 1) and not first.modulus % (number + 1):
            return _residue(0, tuple(each & number for each in self._offsets(first)))
        if opcode is Opcode.AND:
            return _residue(number & -number, 0)
        return ANYTHING

    def _merged(self, first: Residue, second: Residue) -> Residue:
        """`a | b` where the bits of one lie below those of the other: their sum."""
        for high, low in ((first, second), (second, first)):
            numbers = low.exact
            least = min(self._offsets(low))
            most = max(self._offsets(low))
            step = gcd(high.modulus, *self._offsets(high))
            if numbers is not None and least >= 0 and most < (step & -step):
                offsets = tuple(a + b for a, b in self._pairs(high, low))
                return _residue(high.modulus, offsets if len(offsets) > 1 else offsets[0])
        return ANYTHING

    # ---- accesses --------------------------------------------------------------------------------

    def never_meet(self, first: MemoryAccess, second: MemoryAccess) -> bool:
        """Whether no two different threads can touch a common byte of one object here."""
        if not first.width or not second.width:
            return False
        one, other = self.of(first.address), self.of(second.address)
        modulus = gcd(one.modulus, other.modulus)
        if modulus and modulus < first.width + second.width - 1:
            return self._single(first, second)
        unit = gcd(modulus, first.width, second.width, *self._offsets(one), *self._offsets(other))
        if self._count * (first.width + second.width) > _MOST_PLACES * unit:
            return False
        ours = self._owners(first, one, unit, modulus)
        theirs = self._owners(second, other, unit, modulus)
        METER.spend(_COMPARED * min(len(ours), len(theirs)))
        common = ours.keys() & theirs.keys()
        return all(ours[place] == theirs[place] != _SEVERAL for place in common)

    def _owners(
        self, access: MemoryAccess, residue: Residue, unit: int, modulus: int
    ) -> dict[int, int]:
        """Who may touch each unit of memory at an access: one thread, or several; kept."""
        assert access.width is not None
        key = (access, unit, modulus)
        owners = self._owned.get(key)
        if owners is None:
            owners = {}
            offsets = list(self._offsets(residue))
            for thread in self.threads_at(access.block):
                for each in range(offsets[thread], offsets[thread] + access.width, unit):
                    place = each % modulus if modulus else each
                    owners[place] = thread if owners.get(place, thread) == thread else _SEVERAL
            METER.spend(len(owners))
            self._places_kept += len(owners)
            if self._places_kept > _MOST_KEPT:
                self._owned.clear()
                self._places_kept = len(owners)
            self._owned[key] = owners
        return owners

    def _single(self, first: MemoryAccess, second: MemoryAccess) -> bool:
        """Whether only one thread comes to both."""
        return len(self.threads_at(first.block) | self.threads_at(second.block)) <= 1

    def tells_threads_apart(self, access: MemoryAccess) -> bool:
        """Whether every thread has places of its own at this access."""
        return self.never_meet(access, access)


_LINEAR = {Opcode.ADD: add, Opcode.SUB: sub, Opcode.MUL: mul}


def _converted(operation: Convert, operand: Residue) -> Residue:
    """Exact numbers change as the machine changes them; a modulus outlives widening."""
    if operation.source.kind is Kind.FLOAT or operation.source.bits is None:
        return ANYTHING
    if operation.type.kind is Kind.PREDICATE:
        return ANYTHING
    bits = operation.type.bits
    offsets = operand.offsets
    if operand.modulus == 0 and operation.type.kind is Kind.INTEGER:
        if isinstance(offsets, int):
            return Residue(0, wrap(offsets, operation.type))
        return _residue(0, tuple(wrap(each, operation.type) for each in offsets))
    if bits is None or bits >= operation.source.bits:
        return operand
    return _residue(gcd(operand.modulus, 1 << bits), offsets)
