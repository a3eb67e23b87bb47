"""Between which numbers a value lies for every thread of the blocks that are run.

Problem: which accesses stay inside their arrays whatever thread executes them, so that no thread
need be run. Algorithm: interval arithmetic (P. Cousot, R. Cousot, "Abstract Interpretation", 1977)
from what is asked down to what the launch gives, with the conditions that dominate the place where
it is asked: `if (i < n)` bounds `i` behind it. A phi of a loop is bounded by an invariant that is
guessed from its first value (between it and nothing, no less than it, no more) and proven: if it
holds before an iteration, it holds behind it. Sums that wrap around count as long as what is made
of them fits again. What rests on numbers that the launch does not give has no bounds.
In: a launch, made ready to be run, and the indices of its blocks. Out: for a value and the block of
code that uses it the numbers that it can be (`range_arithmetic.py`), None where they are not known.
Example: in `for (i = threadIdx.x; i < 100; i += 32) a[i] = 0;` the `i` of `a[i]` is 0 to 99.
Not handled: contents of memory, warp operations, values that bound each other (`a[i - j]`).
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from ...ir.arithmetic import MIRRORED, NEGATED, number_range
from ...ir.operations import Branch, Compare, Convert, Opcode, Operation, Phi
from ...ir.types import Kind
from ...ir.values import ObjectAddress, Parameter, Special, SpecialRegister, whole_number
from ..block_execution.launch_values import BLOCK_INDEX, BLOCK_SIZES, GRID_SIZES, THREAD_INDEX
from ..block_execution.thread_vectors import is_integer
from ..dataflow.induction import induction
from ..dataflow.joined_conditions import joined_conditions
from ..launch.allowance import METER
from ..warp_evaluation.lane_values import WARP
from .range_arithmetic import Range, both, either, exactly, fits, fitted, of_two, ranging

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...ir.block import Block
    from ...ir.kernel import Dimensions
    from ...ir.types import Type
    from ...ir.values import Value
    from ..block_execution.block_program import BlockProgram
    from ..block_execution.facts import BlockLaunch

_MODULAR = frozenset({Opcode.ADD, Opcode.SUB, Opcode.MUL})
_DEEPEST = 60  # operations below each other
_MOST = 4_000  # values that are looked at for one launch
_STEPS = 20  # of work for each

Known = dict["Value", Range]  # at a place: what the conditions that dominate it say


class ValueRanges:
    """The ranges of values in some blocks of a launch."""

    def __init__(
        self, launch: BlockLaunch, program: BlockProgram, blocks: Sequence[Dimensions]
    ) -> None:
        self._launch = launch
        self._program = program
        self._flow = launch.facts.flow
        axes = tuple(zip(*blocks, strict=True))
        self._index = tuple(ranging(min(axis), max(axis)) for axis in axes)
        self._left = _MOST
        self._depth = 0
        self._phis: dict[Phi, Range | None] = {}  # among them what is being proven
        self._sums: dict[tuple[Value, Block], Range | None] = {}  # before they wrap around
        self._known: dict[Block, Known] = {}
        #: What was found last, to be forgotten where it rests on what could not be proven.
        self._trail: list[Phi | Block | tuple[Value, Block]] = []

    def of(self, value: Value, block: Block) -> Range | None:
        """The numbers that a value can be where a block of code uses it."""
        found = self._sum(value, block)
        if isinstance(value, Operation) and not isinstance(value, Phi):
            return fitted(found, value.type) if is_integer(value.type) else None
        return found

    def _sum(self, value: Value, block: Block) -> Range | None:
        """The same where what does not fit into the type has not wrapped around yet."""
        number = whole_number(value)
        if number is not None:
            return exactly(number)
        if not isinstance(value, Operation):
            return self._as_said(value, block, self._of_leaf(value))
        key = (value, block)
        if key not in self._sums:
            self._left -= 1
            METER.spend(_STEPS)
            if self._left < 0 or self._depth > _DEEPEST:
                return None
            self._depth += 1
            found = self._of_phi(value) if isinstance(value, Phi) else self._computed(value, block)
            self._depth -= 1
            self._sums[key] = self._as_said(value, block, found)
            self._trail.append(key)
        return self._sums[key]

    def _as_said(self, value: Value, block: Block, found: Range | None) -> Range | None:
        said = self._said_at(block).get(value)
        if said is None:
            return found
        return both(found if found is None or fits(found, value.type) else None, said)

    # ---- what the launch gives -------------------------------------------------------------------

    def _of_leaf(self, value: Value) -> Range | None:
        if isinstance(value, SpecialRegister):
            return self._of_register(value.register)
        if isinstance(value, ObjectAddress | Parameter):
            item = self._program.pointee(value)
            if item is not None:
                return exactly(self._program.address(item))
            given = self._launch.passed.get(value) if isinstance(value, Parameter) else None
            if given is not None and value.type.kind is Kind.INTEGER:
                return exactly(given)
        return None

    def _of_register(self, register: Special) -> Range | None:
        launch = self._launch.launch
        if register in THREAD_INDEX:
            return ranging(0, launch.block[THREAD_INDEX.index(register)] - 1)
        if register in BLOCK_SIZES:
            return exactly(launch.block[BLOCK_SIZES.index(register)])
        if register in BLOCK_INDEX:
            return self._index[BLOCK_INDEX.index(register)]
        if register in GRID_SIZES:
            count = launch.grid[GRID_SIZES.index(register)]
            return None if count is None else exactly(count)
        if register is Special.LANE:
            return ranging(0, WARP - 1)
        if register is Special.WARP:
            return ranging(0, (launch.threads - 1) // WARP)
        return exactly(WARP) if register is Special.WARP_SIZE else None

    # ---- what is computed ------------------------------------------------------------------------

    def _computed(self, value: Operation, block: Block) -> Range | None:
        type, opcode = value.type, value.opcode
        if isinstance(value, Compare):
            return ranging(0, 1)
        if not is_integer(type):
            return None
        if isinstance(value, Convert):
            if not is_integer(value.source) or type.kind is Kind.PREDICATE:
                return None
            found = self._congruent(value.operands[0], block, type)
            if found is not None and fits(found, type):
                return found
            return fitted(self.of(value.operands[0], block), value.source)
        if opcode is Opcode.SELECT:
            _, then, otherwise = value.operands
            return either(self.of(then, block), self.of(otherwise, block))
        if len(value.operands) != 2:
            return None
        first, second = value.operands
        if opcode in _MODULAR:
            left, right = (self._congruent(each, block, type) for each in (first, second))
        else:
            left, right = (fitted(self.of(each, block), type) for each in (first, second))
        return of_two(opcode, type, left, right)

    def _congruent(self, value: Value, block: Block, type: Type) -> Range | None:
        """What is the same as a value where sums wrap around at the width of a type."""
        if not isinstance(value, Operation) or not is_integer(value.type):
            return self.of(value, block)
        wide = (value.type.bits or 0) >= (type.bits or 0)
        if isinstance(value, Convert):
            wide = wide and (value.source.bits or 0) >= (type.bits or 0)
        elif value.opcode not in _MODULAR:
            wide = False
        return self._sum(value, block) if wide else self.of(value, block)

    # ---- phis ------------------------------------------------------------------------------------

    def _of_phi(self, phi: Phi) -> Range | None:
        if phi not in self._phis:
            loop = self._program.plan.loop_at(phi.block)
            if loop is None:
                found = self._joined(phi, lambda _: True)
            else:
                inside = loop.blocks
                first = self._joined(phi, lambda before: before not in inside)
                found = None if first is None else self._proven(phi, first, inside)
            self._phis[phi] = found
            self._trail.append(phi)
        return self._phis[phi]

    def _joined(self, phi: Phi, which: Callable[[Block], bool]) -> Range | None:
        """What comes into a phi from some of the blocks before it."""
        found: Range | None = None
        for operand, before in zip(phi.operands, phi.block.predecessors, strict=True):
            if which(before):
                comes = self._on_edge(operand, before, phi.block)
                if comes is None:
                    return None
                found = comes if found is None else either(found, comes)
        return found

    def _on_edge(self, value: Value, before: Block, block: Block) -> Range | None:
        """What a value is for those who go from one block to another."""
        found = self.of(value, before)
        said = self._narrowed(self._said_at(before), before, block).get(value)
        return found if said is None else both(found, said)

    def _proven(self, phi: Phi, first: Range, inside: frozenset[Block]) -> Range | None:
        """The range of a loop's phi by the first invariant that holds."""
        if not is_integer(phi.type) or not fits(first, phi.type):
            return None
        least, most = number_range(phi.type)
        step = gcd(first.step, self._step(phi))
        down = first.high - (first.high - least) // (step or 1) * (step or 1)
        guesses = (
            either(first, exactly(0)),
            ranging(first.low, most, step),
            ranging(down, first.high, step),
        )
        for guess in guesses:
            mark = len(self._trail)
            self._phis[phi] = guess
            back = self._joined(phi, lambda before: before in inside)
            if guess is not None and back is not None and guess.holds(back):
                return either(first, back)
            self._forget(mark)
            del self._phis[phi]
        return None

    def _step(self, phi: Phi) -> int:
        """What an iteration adds a number of to a counter, 1 where that is not seen."""
        moves = induction(self._flow, phi)
        if moves is None:
            return 1
        steps = [self.of(value, phi.block) for value, _ in moves.steps]
        return gcd(*(1 if each is None or each.step else each.low for each in steps))

    def _forget(self, mark: int) -> None:
        for key in self._trail[mark:]:
            if isinstance(key, tuple):
                self._sums.pop(key, None)
            elif isinstance(key, Phi):
                self._phis.pop(key, None)
            else:
                self._known.pop(key, None)
        del self._trail[mark:]

    # ---- what conditions say ---------------------------------------------------------------------

    def _said_at(self, block: Block) -> Known:
        """What the conditions say that hold wherever a block is run."""
        tree, blocks = self._flow.dominators, self._flow.blocks
        chain: list[Block] = []
        while block not in self._known:
            chain.append(block)
            above = tree.parent[block.index]
            if above in (block.index, -1):
                break
            block = blocks[above]
        said: Known = self._known.get(block, {})
        for each in reversed(chain):
            before = each.predecessors
            if len(before) == 1:
                said = self._narrowed(said, before[0], each)
            self._known[each] = said
            self._trail.append(each)
        return said

    def _narrowed(self, said: Known, before: Block, block: Block) -> Known:
        """What is said on the way from one block to another, with what is said in the first."""
        last = before.terminator
        if not isinstance(last, Branch) or last.then is last.otherwise:
            return said
        found = dict(said)
        for condition, wanted in joined_conditions(last.condition, last.then is block):
            if not isinstance(condition, Compare) or not is_integer(condition.compared):
                continue
            if self._program.depends_on_assumed(condition):  # a run decides without knowing
                continue
            sign = condition.opcode if wanted else NEGATED[condition.opcode]
            left, right = condition.operands
            for value, opcode, other in ((left, sign, right), (right, MIRRORED[sign], left)):
                limit = fitted(self.of(other, before), condition.compared)
                allowed = _left_of(opcode, limit, condition.compared)
                for part, numbers in self._bounded(condition.compared, value, allowed, before):
                    found[part] = both(found.get(part), numbers) or numbers
        return found

    def _bounded(
        self, type: Type, value: Value, allowed: Range | None, block: Block
    ) -> Iterator[tuple[Value, Range]]:
        """What a comparison that holds says of one side, and of what that is converted from.

        Only of numbers that every type on the way holds as they are: of unsigned sums that wrap
        around, what holds behind a conversion to `int` says nothing.
        """
        types = [type]
        while allowed is not None and whole_number(value) is None:
            now = self.of(value, block)
            if now is None or not all(fits(now, each) for each in types):
                return
            allowed = both(now, allowed)
            if allowed is None:
                return  # nobody comes here
            yield value, allowed
            if not isinstance(value, Convert) or not is_integer(value.source):
                return
            types, value = [value.source, value.type], value.operands[0]


def _left_of(sign: Opcode, limit: Range | None, type: Type) -> Range | None:
    """What is to the left of a comparison, if it holds for what is to the right."""
    if limit is None:
        return None
    least, most = number_range(type)
    match sign:
        case Opcode.LT:
            return ranging(least, limit.high - 1)
        case Opcode.LE:
            return ranging(least, limit.high)
        case Opcode.GT:
            return ranging(limit.low + 1, most)
        case Opcode.GE:
            return ranging(limit.low, most)
        case Opcode.EQ:
            return limit
    return None
