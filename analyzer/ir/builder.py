"""Builds a kernel in SSA form, one operation after the other.

Follows M. Braun, S. Buchwald, S. Hack et al., "Simple and Efficient Construction of Static Single
Assignment Form" (CC 2013): a front end writes and reads variables by key; a read looks through the
predecessors, past regions that do not write the variable (`untouched_regions.py`), and places phis
on demand, in blocks not yet sealed provisionally. Trivial phis are
forwarded and every operand rewritten once, in `finish`, which also drops unreachable blocks and
numbers the rest in reverse postorder. Nothing here recurses: PTX has kernels of 100,000 blocks.
The result is minimal for reducible control flow; irreducible regions may keep redundant phis.
"""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from .arithmetic import evaluate, wrap
from .block import Block
from .kernel import Definition
from .operations import (
    COMPARISONS,
    Branch,
    Compare,
    Jump,
    OpaqueOperation,
    Opcode,
    Operation,
    Phi,
    Return,
)
from .orders import reverse_postorder
from .types import INT32, PREDICATE, Kind
from .untouched_regions import UntouchedRegions
from .unused_values import drop_unused_values
from .values import Constant, Undefined, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ..source.location import Location
    from .kernel import Kernel
    from .types import Type

# Operations that name some of their operands a second time, in fields of their own.
_HOLDING = (Opcode.WARP, Opcode.BARRIER)


class Builder:
    """Builds the IR of a kernel, filling `kernel.blocks`; the current block is None after a
    terminator.
    """

    def __init__(self, kernel: Kernel, location: Location) -> None:
        self.kernel = kernel
        self._untouched = UntouchedRegions()
        self._definitions: dict[Block, dict[Hashable, Value]] = {}
        self._sealed: set[Block] = set()
        self._incomplete: dict[Block, list[tuple[Hashable, Phi]]] = {}
        self._forward: dict[Value, Value] = {}
        self._around: dict[Block, tuple[Block, Block]] = {}
        self._unfilled: list[tuple[Hashable, Phi, Block]] = []
        self.entry = self.new_block("entry")
        self.current: Block | None = self.entry
        # What the current block has defined so far, for front ends that look there first.
        self.here: dict[Hashable, Value] = self._definitions[self.entry]
        self.location = location
        self.size = 0  # operations emitted so far
        self._cut_off: set[Block] = set()  # headers of loops that nothing leads to
        self._untouched.begin(self.entry)
        self.seal(self.entry)

    # ---- blocks ----------------------------------------------------------------------------

    def new_block(self, label: str) -> Block:
        """A block that nothing jumps to yet; seal it once all its predecessors are known."""
        block = Block(label)
        self._definitions[block] = {}
        return block

    def start(self, block: Block, *, sealed: bool = True) -> None:
        """Make `block` the current one, sealing it unless more predecessors are to come."""
        self.current = block
        self.here = self._definitions[block]
        if sealed:
            self.seal(block)
        else:
            self._untouched.give_up()
        self._untouched.begin(block)

    def start_loop(self, header: Block) -> None:
        """Make the header of a loop current: seal it at the loop's end, before what follows it.

        The predecessors to come are all inside of the loop. One that nothing leads to may hold a
        value that is computed from itself: its phis stay, for whoever walks through operands.
        """
        if not header.predecessors:
            self._cut_off.add(header)
        self.current = header
        self.here = self._definitions[header]
        self._untouched.begin(header)

    def seal(self, block: Block) -> None:
        """Declare that every predecessor of `block` is known."""
        if block in self._sealed:
            return
        self._sealed.add(block)
        self._untouched.close(block)
        for variable, phi in self._incomplete.pop(block, ()):
            self._unfilled.append((variable, phi, block))
        self._fill()

    def close_side_block(self, before: Block, inside: Block, after: Block) -> None:
        """Start `after`, which is reached from `before` directly or through `inside`.

        What `inside` does not write is then looked up in `before` at once: code with hundreds of
        guarded instructions would otherwise get a phi for every variable behind each of them.
        """
        self._around[after] = (before, inside)
        self.start(after)

    # ---- operations ------------------------------------------------------------------------

    def emit(self, operation: Operation) -> Operation:
        """Append an operation to the current block (a fresh unreachable one after a jump)."""
        if self.current is None:
            self.start(self.new_block("unreachable"))
        assert self.current is not None
        operation.block = self.current
        self.current.operations.append(operation)
        self.size += 1
        return operation

    def compute(self, opcode: Opcode, type: Type, *operands: Value) -> Value:
        """An arithmetic operation, folded when every operand is an integer constant."""
        for operand in operands:
            if operand.__class__ is not Constant:
                break
        else:
            folded = _fold(opcode, type, operands)
            if folded is not None:
                return folded
        operation = Operation(opcode, type, list(operands), self.location)
        block = self.current
        if block is None:
            return self.emit(operation)
        operation.block = block
        block.operations.append(operation)
        self.size += 1
        return operation

    def compare(self, opcode: Opcode, compared: Type, left: Value, right: Value) -> Value:
        """A comparison of two values read as `compared`."""
        folded = _fold(opcode, compared, (left, right))
        return folded or self.emit(
            Compare(opcode, PREDICATE, [left, right], self.location, compared)
        )

    def constant(self, value: int | float, type: Type = INT32) -> Constant:
        """A constant, wrapped to its type when it is an integer."""
        if isinstance(value, int) and type.kind in (Kind.INTEGER, Kind.POINTER, Kind.PREDICATE):
            value = wrap(value, type)
        return Constant(type, value)

    # ---- terminators -----------------------------------------------------------------------

    def jump(self, target: Block, *, returns: bool = False) -> None:
        """End the current block; nothing happens after a terminator."""
        if self.current is not None:
            self.terminate(Jump(target, self.location, returns=returns))

    def branch(
        self, condition: Value, then: Block, otherwise: Block, construct: str = "if"
    ) -> None:
        """End the current block with a conditional jump; a constant condition makes it a jump."""
        if self.current is None:
            return
        condition = self.resolve(condition)
        if isinstance(condition, Constant):
            self.jump(then if condition.value else otherwise)
        else:
            self.terminate(Branch(condition, then, otherwise, self.location, construct))

    def terminate(self, terminator: Operation) -> None:
        """End the current block and tell its successors."""
        self.emit(terminator)
        block = terminator.block
        assert block is not None
        if block.predecessors or block is self.entry or block not in self._sealed:
            for successor in block.successors:
                successor.predecessors.append(block)
        self.current = None
        self.here = {}

    # ---- variables -------------------------------------------------------------------------

    def write(self, variable: Hashable, value: Value) -> None:
        """The variable holds `value` from here on."""
        if self.current is None:
            self.start(self.new_block("unreachable"))
        self.here[variable] = value
        self._untouched.write(variable)

    def define(self, variable: Hashable, value: Value) -> None:
        """As `write`, for a variable of the source: reports show what it holds, and where."""
        self.write(variable, value)
        name = variable_name(variable)
        self.kernel.definitions.append(Definition(variable, name, value, self.location))

    def read(self, variable: Hashable, type: Type) -> Value:
        """The variable's value here; Unknown when some path does not define it."""
        current = self.current
        if current is None:
            current = self.new_block("unreachable")
            self.start(current)
        value = self.here.get(variable)
        if value is None:
            value = self._look_up(variable, type, current)
            if self._unfilled:
                self._fill()
        # Only phis are ever replaced.
        return self.resolve(value) if value.__class__ is Phi else value

    def resolve(self, value: Value) -> Value:
        """The value that replaced a trivial phi."""
        forward, found = self._forward, value
        while found in forward:
            found = forward[found]
        while value is not found:  # ways grow long where phis replace each other one by one
            forward[value], value = found, forward[value]
        return found

    def sources(self, value: Value) -> list[Value]:
        """What a value may have come from so far: rings of phis are settled only at the end."""
        found: dict[Value, None] = {}
        work = [value]
        while work:
            each = self.resolve(work.pop())
            if each in found:
                continue
            found[each] = None
            if isinstance(each, Phi):
                work += each.operands or self._known_operands(each)
        return [each for each in found if not isinstance(each, Phi)]

    def _known_operands(self, phi: Phi) -> list[Value]:
        """What the predecessors known so far bring to a phi of a block that is not sealed."""
        block = phi.block
        assert block is not None
        known: list[Value] = []
        for variable, incomplete in self._incomplete.get(block, ()):
            if incomplete is phi:
                known += [self._look_up(variable, phi.type, each) for each in block.predecessors]
        self._fill()
        return known

    def _look_up(self, variable: Hashable, type: Type, block: Block) -> Value:
        path: list[Block] = []
        while True:
            known = self._definitions[block].get(variable)
            if known is not None:
                value: Value = known
                break
            path.append(block)
            # Looked for at every power of two: a ring without a join cannot be reached.
            if not len(path) & (len(path) - 1) and len(set(path)) < len(path):
                value = Unknown(type, f"{variable_name(variable)} is read in unreachable code")
                break
            around = self._around.get(block)
            if around is not None:
                before, inside = around
                written = self._definitions[inside].get(variable)
                if written is None or written is self._definitions[before].get(variable):
                    block = before
                    continue
            if block not in self._sealed:
                phi = self._place_phi(variable, type, block)
                self._incomplete.setdefault(block, []).append((variable, phi))
                value = phi
                break
            if not block.predecessors:
                value = Undefined(type, f"{variable_name(variable)} is read before it is written")
                break
            if len(block.predecessors) > 1:
                same = self._untouched.before(variable, block)
                if same is not None:
                    block = same
                    continue
                phi = self._place_phi(variable, type, block)
                self._unfilled.append((variable, phi, block))
                value = phi
                break
            block = block.predecessors[0]
        for passed in path:
            self._definitions[passed][variable] = value
        return value

    def _place_phi(self, variable: Hashable, type: Type, block: Block) -> Phi:
        phi = Phi(type, self.location, variable_name(variable))
        phi.open = bool(getattr(variable, "open", False))
        phi.block = block
        block.operations.insert(0, phi)
        return phi

    def _fill(self) -> None:
        filled: list[Phi] = []
        while self._unfilled:
            variable, phi, block = self._unfilled.pop()
            for predecessor in block.predecessors:
                phi.operands.append(self._look_up(variable, phi.type, predecessor))
            filled.append(phi)
        for phi in filled:
            self._forward_if_trivial(phi)

    def _forward_if_trivial(self, phi: Phi) -> bool:
        if phi.block in self._cut_off:
            return False
        same: Value | None = None
        for operand in phi.operands:
            value = self.resolve(operand)
            if value is phi or value is same:
                continue
            if same is not None and not _equal_constants(same, value):
                return False
            same = value
        if same is None:
            same = Undefined(phi.type, f"{phi.variable} is read before it is written")
        self._forward[phi] = same
        return True

    # ---- the end ---------------------------------------------------------------------------

    def _end_of_nothing(self, block: Block) -> None:
        """A block that is jumped to and was never begun: a label that is not there."""
        self.start(block)
        self.emit(OpaqueOperation(f"there is no label {block.label}", [], self.location))
        self.terminate(Return(self.location, implicit=True))

    def finish(self, *, drop_unused: bool = False) -> Kernel:
        """Seal what is open, drop what is unreachable, settle phis, number the blocks.

        `drop_unused` also drops computations and plain loads whose results nothing takes.
        """
        while self._incomplete:  # sealing one block may look through others not sealed yet
            self.seal(next(iter(self._incomplete)))
        blocks = reverse_postorder(self.entry, attrgetter("successors"))
        for block in blocks:
            if not block.operations:
                self._end_of_nothing(block)
        reachable = set(blocks)
        for block in blocks:
            kept = [index for index, p in enumerate(block.predecessors) if p in reachable]
            if len(kept) != len(block.predecessors):
                block.predecessors = [block.predecessors[index] for index in kept]
                for phi in block.phis:
                    phi.operands = [phi.operands[index] for index in kept]
        self._cut_off.clear()
        self._settle_phis(blocks)
        forward = self._forward
        for index, block in enumerate(blocks):
            block.index = index
            if not forward:
                continue
            block.operations = [op for op in block.operations if op not in forward]
            for operation in block.operations:
                for operand in operation.operands:
                    if operand in forward:
                        self._rewrite(operation)
                        break
        if drop_unused:
            drop_unused_values(blocks)
        self.kernel.blocks = blocks
        stated = self.kernel.unrolling
        self.kernel.unrolling = {each: stated[each] for each in blocks if each in stated}
        self._settle_definitions()
        return self.kernel

    def _settle_definitions(self) -> None:
        """Leave out definitions whose value was dropped, and name what replaced a trivial phi."""
        definitions = self.kernel.definitions
        if not definitions:
            return
        kept = set(self.kernel.operations())
        forward = self._forward
        settled = [
            replace(item, value=self.resolve(item.value)) if item.value in forward else item
            for item in definitions
        ]
        self.kernel.definitions = [
            item for item in settled if not isinstance(item.value, Operation) or item.value in kept
        ]

    def _settle_phis(self, blocks: list[Block]) -> None:
        phis = [phi for block in blocks for phi in block.phis if phi not in self._forward]
        users: dict[Value, list[Phi]] = {}
        for phi in phis:
            for operand in phi.operands:
                users.setdefault(self.resolve(operand), []).append(phi)
        work, waiting = phis, set(phis)
        while work:
            phi = work.pop()
            waiting.discard(phi)
            if phi in self._forward or not self._forward_if_trivial(phi):
                continue
            # A phi of both values is a user of either: to look at the fewer users is enough.
            target = self.resolve(phi)
            fewer, more = sorted((users.pop(phi, []), users.get(target, [])), key=len)
            again = [each for each in fewer if each not in self._forward and each not in waiting]
            more.extend(fewer)
            users[target] = more
            work.extend(again)
            waiting.update(again)

    def _rewrite(self, operation: Operation) -> None:
        operands = operation.operands
        for index, operand in enumerate(operands):
            if operand in self._forward:
                operands[index] = self.resolve(operand)
        if operation.opcode in _HOLDING:
            for name in ("mask", "identifier", "count"):
                held = getattr(operation, name, None)
                if held is not None and held in self._forward:
                    setattr(operation, name, self.resolve(held))


def variable_name(variable: Hashable) -> str:
    """What to call a variable of the source in messages: its `name` when it has one."""
    return str(getattr(variable, "name", variable))


def _equal_constants(a: Value, b: Value) -> bool:
    return (
        isinstance(a, Constant)
        and isinstance(b, Constant)
        and a.value == b.value
        and a.type == b.type
    )


def _fold(opcode: Opcode, type: Type, operands: tuple[Value, ...]) -> Constant | None:
    numbers: list[int] = []
    for operand in operands:
        if not isinstance(operand, Constant) or not isinstance(operand.value, int):
            return None
        numbers.append(operand.value)
    result = evaluate(opcode, type, numbers)
    if result is None:
        return None
    return Constant(PREDICATE if opcode in COMPARISONS else type, result)
