"""What the compiler knows: constants, and the counters of loops that it can unroll.

In: a kernel with its control flow. Out: for each value either nothing, when it is a constant once
every loop is unrolled, or the first thing that keeps it from being one; and the number of
iterations of loops that have one. The analysis is a taint analysis over SSA form: parameters,
special registers, loaded values, results of calls are not known, and spread through arithmetic,
through phis whose choice depends on them, and through the counters of loops that end by them. Loops
are run on numbers, as any arithmetic may lead from one iteration to the next; where a counter moves
by the same each time and no loop inside asks for its numbers, a formula says as much. A loop that
data may end early is unrolled for as many iterations as its counter allows (measured up to 64): in
them the counter is a constant, but not behind the loop. Not handled: loads from constant tables
(taken for not known); loops with a way back in several places, or whose bound is a part of a
condition (`i < 8 && a[i]`), have no number of iterations.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.operation_kinds import Function
from ...ir.operations import (
    Branch,
    Opcode,
    Operation,
    Phi,
    Pure,
    Switch,
)
from ...ir.values import ObjectAddress, Parameter, SpecialRegister, Unknown
from ...source.records import dataclass
from .counted_iterations import Numbers, Plan, Steps, counter_of
from .fixpoint import solve
from .slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...ir.block import Block
    from ...ir.kernel import Kernel
    from ...ir.values import Value
    from ...source.text import Span
    from .control_flow import ControlFlow, Loop

_LONGEST = 200  # characters of a cause
ROUND_LIMIT = 1024  # of one loop, and the times that control comes to one

_ORIGINS = frozenset(
    {Opcode.ACCESS, Opcode.CALL, Opcode.WARP, Opcode.OPAQUE, Opcode.BARRIER, Opcode.FENCE}
)
_FOREIGN = frozenset({Function.TEXTURE, Function.CLOCK})  # not functions of their operands
_BUILTINS = {"tid": "threadIdx", "ctaid": "blockIdx", "ntid": "blockDim", "nctaid": "gridDim"}


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a value is not known when compiling, in words, and where that is said."""

    text: str
    span: Span | None = None
    counter: bool = False  # the value is the counter of a loop whose length is not known


class CompileTime:
    """Which values of one kernel the compiler knows: constants, counters of loops that it
    unrolls.
    """

    def __init__(
        self, kernel: Kernel, flow: ControlFlow, users: Mapping[Value, Sequence[Operation]]
    ) -> None:
        self._kernel = kernel
        self._flow = flow
        self._causes: dict[Operation, Cause] = {}
        self._headers = {loop.header: loop for loop in flow.loops}
        self._plans: dict[Block, Plan] = {}
        self._runs: dict[Block, _Runs | None] = {}
        self._exits = {loop.header: loop.exits for loop in flow.loops}
        self._cut_short: list[Loop] = []  # that data may end before their counters do
        operations = list(kernel.operations())
        phis = [each for each in operations if isinstance(each, Phi)]

        def transfer(operation: Operation) -> Iterable[Operation]:
            cause = None if operation in self._causes else self._transfer(operation)
            if cause is None:
                return ()
            self._causes[operation] = cause
            found = users.get(operation, ())
            decides = any(isinstance(user, Branch | Switch) for user in found)
            return [*found, *phis] if decides else found

        known = -1
        while known < len(self._causes):
            known = len(self._causes)
            solve(operations, transfer)
            self._cut_short = [loop for loop in flow.loops if self._is_cut_short(loop)]
            if not self._cut_short:
                break

    def cause(self, value: Value) -> Cause | None:
        """What keeps a value from being a constant after unrolling; None when nothing does."""
        if isinstance(value, Operation):
            return self._causes.get(value)
        if isinstance(value, Parameter):
            return Cause(f"`{value.name}`, a kernel parameter", value.span)
        if isinstance(value, SpecialRegister):
            return Cause(f"`{_builtin(value.name, self._kernel.language)}`")
        # What is the same for the whole grid and not known is a template argument, a `sizeof`, a
        # constant of another file: the compiler knows it.
        return Cause(value.reason) if isinstance(value, Unknown) and value.per_thread else None

    def counters(self, value: Value) -> list[Loop]:
        """The loops whose counters a value is made of, in the order of their headers."""
        parts = set(backward_slice(value))
        headers = sorted(self._headers, key=lambda block: block.index)
        return [self._headers[each] for each in headers if not parts.isdisjoint(each.phis)]

    def iterations(self, loop: Loop) -> int | None:
        """How often the body of a loop runs, the longest of the times that control comes to it.

        None when that is not known when compiling, as where data may end the loop earlier.
        """
        return self.at_most(loop) if len(self._exits[loop.header]) == 1 else None

    def at_most(self, loop: Loop) -> int | None:
        """How often the body of a loop runs if nothing ends the loop earlier than its counter."""
        runs = self._runs_of(loop)
        return None if runs is None else runs.longest

    def each_iteration(self, nest: Sequence[Loop], limit: int) -> list[Numbers]:
        """What counters hold in each iteration of nested loops, outermost first, in their order;
        nothing where the number of iterations is not known, or above the limit.
        """
        found = [Numbers()]
        for loop in nest:
            runs = [self._iterations(loop, around) for around in found]
            found = [numbers for run in runs for numbers in run or ()]
            if None in runs or len(found) > limit:
                return []
        return found

    @staticmethod
    def offsets(address: Value, iterations: Iterable[Numbers]) -> list[int | None]:
        """In each of these iterations, how far behind the start of its object an address is."""
        bases = [each for each in backward_slice(address) if isinstance(each, ObjectAddress)]
        start, steps = dict.fromkeys(bases, 0), Steps([address])
        return [steps.results(start | numbers)[0] for numbers in iterations]

    # ---- what is not known ---------------------------------------------------------------------

    def _transfer(self, operation: Operation) -> Cause | None:
        if operation.opcode in _ORIGINS or (
            isinstance(operation, Pure) and operation.function in _FOREIGN
        ):
            return _origin(operation)
        for operand in operation.operands:
            cause = self.cause(operand) or self._left_at(operand, operation)
            if cause is not None:
                return cause
        return self._choice(operation) if isinstance(operation, Phi) else None

    def _choice(self, phi: Phi) -> Cause | None:
        """A phi whose operands are all known, but not which of them it takes."""
        block = phi.block
        if block in self._headers:
            unknown = [each for each in self._exits[block] if self._decision(each) is not None]
            if not unknown or self._bounds(self._headers[block]):
                return None
            text = "the counter of a loop with a trip count unknown at compile time"
            return Cause(text, unknown[0].terminator.location.span, counter=True)
        above = self._flow.dominators.parent[block.index]
        for predecessor in block.predecessors:
            branches = [edge.branch for edge in self._flow.control_edges[predecessor]]
            for branch in (predecessor, *branches):
                inside = self._flow.dominators.dominates(above, branch.index)
                cause = self._decision(branch) if inside else None
                if cause is not None:
                    return Cause(f"a value selected by {cause.text}", cause.span)
        return None

    def _bounds(self, loop: Loop) -> list[Block]:
        """The ways out that are decided in every iteration, by what the compiler knows."""
        always = (loop.header, *(loop.latches if len(loop.latches) == 1 else ()))
        exits = self._exits[loop.header]
        return [each for each in always if each in exits and self._decision(each) is None]

    def _is_cut_short(self, loop: Loop) -> bool:
        exits = self._exits[loop.header]
        return any(self._decision(each) is not None for each in exits)

    def _left_at(self, operand: Value, user: Operation) -> Cause | None:
        """What a counter is behind a loop that data may have ended in any iteration."""
        if not isinstance(operand, Operation):
            return None
        for loop in self._cut_short:
            leaves = operand.block in loop.blocks and user.block not in loop.blocks
            if leaves and not set(backward_slice(operand)).isdisjoint(loop.header.phis):
                span = loop.header.terminator.location.span
                return Cause("the iteration in which a loop ends", span)
        return None

    def _decision(self, block: Block) -> Cause | None:
        last = block.terminator
        return self.cause(last.operands[0]) if isinstance(last, Branch | Switch) else None

    # ---- iterations ----------------------------------------------------------------------------

    def _runs_of(self, loop: Loop) -> _Runs | None:
        """The times that control comes to a loop; None where one of them is of unknown length."""
        if loop.header not in self._runs:
            outer = None if loop.parent is None else self._runs_of(loop.parent)
            # Around a loop of unknown trip count no counter has a number, and that may be enough.
            around = [Numbers()] if outer is None else outer.numbers
            if self._is_always_alike(loop):
                around = around[:1]
            self._runs[loop.header] = self._run(loop, around)
        return self._runs[loop.header]

    def _run(self, loop: Loop, around: list[Numbers]) -> _Runs | None:
        """A loop where those around it hold these numbers in turn. What its own counters hold is
        kept as far as the loops inside of it ask.
        """
        if len(around) > ROUND_LIMIT:
            return None
        kept = ROUND_LIMIT + 1 if loop.header in self._asked_for else 1
        found = _Runs(0, [])
        for numbers in around:
            run = self._iterations(loop, numbers, briefly=kept == 1)
            if run is None:
                return None
            found.longest = max(found.longest, len(run))
            found.numbers += run[: kept - len(found.numbers)]
        return found

    @cached_property
    def _asked_for(self) -> set[Block]:
        """The headers of the loops that hold others whose iterations depend on those around."""
        inner = (loop for loop in self._flow.loops if not self._is_always_alike(loop))
        return {loop.parent.header for loop in inner if loop.parent is not None}

    def _is_always_alike(self, loop: Loop) -> bool:
        """Whether the iterations of a loop, and of those in it, do not depend on those of the loops
        around it.
        """
        deciding = self._decided_by[loop.header]
        parent = loop.parent
        while parent is not None:
            if not deciding.isdisjoint(parent.header.phis):
                return False
            parent = parent.parent
        return True

    @cached_property
    def _decided_by(self) -> dict[Block, set[Phi]]:
        """By the header of a loop, the header phis that its ways out and those of the loops in it
        depend on.
        """
        found: dict[Block, set[Phi]] = {}
        for loop in self._flow.loops:
            decisions = (block.terminator.operands[:1] for block in loop.exits)
            values_behind = backward_slice(*(value for values in decisions for value in values))
            phis = {each for each in values_behind if isinstance(each, Phi)}
            found[loop.header] = {each for each in phis if each.block in self._headers}
        for loop in sorted(self._flow.loops, key=lambda each: len(each.blocks)):
            if loop.parent is not None:
                found[loop.parent.header] |= found[loop.header]
        return found

    def _iterations(
        self, loop: Loop, around: Numbers, *, briefly: bool = False
    ) -> list[Numbers] | None:
        """The iterations of a loop where the counters of the loops around it have these numbers;
        `briefly`, the first instead of each, where their number is clear.
        """
        way_out = next(iter(self._bounds(loop)), None)
        last = way_out.terminator if way_out is not None else None
        if len(loop.latches) != 1 or not isinstance(last, Branch):
            return None
        if loop.header not in self._plans:
            phis = self._counting(loop, last.condition)
            counter = counter_of(self._flow, loop) if way_out is loop.header else None
            self._plans[loop.header] = Plan(phis, loop, last, counter)
        plan = self._plans[loop.header]
        numbers = plan.with_phis(around, plan.entering.results(around))
        times = plan.times(numbers) if briefly else None
        if times is not None:
            return None if times > ROUND_LIMIT else [numbers] * times
        iterations: list[Numbers] = []
        while len(iterations) <= ROUND_LIMIT:
            decided, *following = plan.iterating.results(numbers)
            if decided is None:
                return None
            leaves = bool(decided) != (last.then in loop.blocks)
            if leaves and way_out is loop.header:
                return iterations
            iterations.append(numbers)
            if leaves:
                return iterations
            numbers = plan.with_phis(around, following)
        return None

    def _counting(self, loop: Loop, condition: Value) -> list[Phi]:
        """The header phis that decide about the iterations of a loop, or of loops in it."""
        if not self._flow.is_innermost(loop):
            return [*loop.header.phis]
        seen = set(backward_slice(condition))
        return [phi for phi in loop.header.phis if phi in seen]


@dataclass(slots=True)
class _Runs:
    """The times that control comes to a loop."""

    longest: int  # iterations of the longest of them
    numbers: list[Numbers]  # what counters hold in their iterations, as far as somebody asks


def _origin(operation: Operation) -> Cause:
    span = operation.location.span
    text = " ".join(span.source.text[span.start : min(span.end, span.start + _LONGEST)].split())
    word = (
        "which is loaded" if operation.opcode is Opcode.ACCESS else "which is computed at run time"
    )
    return Cause(f"`{text}`, {word}", span)


def _builtin(name: str, language: str) -> str:
    """`threadIdx.x` in CUDA C++, `%tid.x` in PTX."""
    base, dot, axis = name.partition(".")
    if language == "ptx":
        return f"%{name}"
    return f"{_BUILTINS.get(base, base)}{dot}{axis}"
