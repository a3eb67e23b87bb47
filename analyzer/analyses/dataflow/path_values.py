"""What values come to on one path through a kernel, and which decisions it cannot make any more.

In: the decisions that a path has taken, and by which edge it came to join points. Out: the numbers
of integer expressions there, as far as they follow from that; whether the path may still take
another decision: after `bool found = false; if (i < n) { v = in[i]; found = v > 0; }`, one that
left `i < n` out has `found` as false, and never comes into `if (found & last)`.
Conditional constant propagation along a single path (after Wegman and Zadeck, 1991). A value that
nothing is known of is unknown; one of several factors that is zero is enough for a product.
What comparisons of values without a number leave open is in `path_orders.py`.
Not handled: values of other iterations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.arithmetic import evaluate, wrap
from ...ir.operations import Compare, Convert, MemoryAccess, Opcode, Operation, Phi
from ...ir.types import Kind
from ...ir.values import whole_number
from .path_orders import PathOrders
from .reachability import postorder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...ir.block import Block
    from ...ir.values import Value
    from .control_flow import ControlEdge

_WHOLE = {Kind.INTEGER, Kind.PREDICATE}
_ABSORBED = frozenset({Opcode.AND, Opcode.MUL})  # by a zero


class PathValues:
    """What values are on a path of the control flow that took some decisions and came to join
    points by known edges.
    """

    def __init__(self, taken: Iterable[ControlEdge], arrivals: Mapping[Block, Block]) -> None:
        self._arrivals = arrivals
        self._known: dict[Value, int | None] = {}
        self._orders = PathOrders()
        for edge in taken:
            outcome = edge.condition
            if outcome is not None:
                self._assume(*outcome)

    @property
    def is_impossible(self) -> bool:
        """Whether its decisions contradict each other."""
        return self._orders.leave_nothing

    def excludes(self, edge: ControlEdge) -> bool:
        """Whether the path cannot take a decision."""
        outcome = edge.condition
        if outcome is None:
            return False
        condition, wanted = outcome
        number = self.of(condition)
        return number is not None and bool(number) is not wanted

    def of(self, value: Value) -> int | None:
        """The number that a value is on the path."""
        for part in postorder(value, self._needs, self._known.keys()):
            self._known[part] = self._computed(part)
        return self._known[value]

    def _assume(self, condition: Value, holds: bool) -> None:
        """Note what a decision says of its condition, and of what that asks whether it is zero."""
        self._known[condition] = int(holds)
        self._orders.assume(condition, holds)
        while isinstance(condition, Compare | Convert):
            asked = condition.operands[0]
            if isinstance(condition, Compare):
                compared = whole_number(condition.operands[1])
                if compared != 0 or condition.opcode not in (Opcode.EQ, Opcode.NE):
                    return
                holds = holds is (condition.opcode is Opcode.NE)
            if not holds:
                self._known[asked] = 0
            elif asked.type.kind is Kind.PREDICATE:
                self._known[asked] = 1
            else:
                return
            condition = asked

    def _needs(self, value: Value) -> Sequence[Value]:
        if isinstance(value, Phi):
            chosen = self._chosen(value)
            return () if chosen is None else (chosen,)
        return () if isinstance(value, MemoryAccess) else value.operands

    def _chosen(self, phi: Phi) -> Value | None:
        """What comes to a phi by the edge that the path takes."""
        before = self._arrivals.get(phi.block)
        pairs = zip(phi.block.predecessors, phi.operands, strict=True)
        return next((operand for block, operand in pairs if block is before), None)

    def _computed(self, value: Value) -> int | None:
        if not isinstance(value, Operation):
            return whole_number(value)
        given = [self._known.get(each) for each in self._needs(value)]
        if isinstance(value, Phi):
            return given[0] if given else None
        if value.opcode in _ABSORBED and value.type.kind in _WHOLE and 0 in given:
            return 0
        numbers = [each for each in given if each is not None]
        if len(numbers) < len(given) or not numbers:
            return self._orders.verdict(value)
        if isinstance(value, Compare):
            return evaluate(value.opcode, value.compared, numbers)
        if isinstance(value, Convert):
            whole = {value.type.kind, value.source.kind} <= _WHOLE
            return wrap(numbers[0], value.type) if whole else None
        return evaluate(value.opcode, value.type, numbers)
