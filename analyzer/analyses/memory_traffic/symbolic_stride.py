"""Accesses whose lanes are a distance apart that a parameter decides: `in[threadIdx.x * pitch]`.

In: the facts of a kernel and a memory space. Out: each such access with its addresses as a function
of the parameter, so that the hardware models can be asked for any value of it. An access for which
a launch in the file gives the number is not here: it is counted by `access_iterations.py`. Every
symbol of the stride gets the same number, whole elements apart; what moves all lanes alike is left
out. Not handled: strides that change from iteration to iteration of a loop, and template arguments
that are not known, which tend to be small.
"""

from __future__ import annotations

from collections import Counter
from math import gcd
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING

from ...ir.operations import AccessKind, Branch, Compare, Opcode, Operation, Phi, unconverted
from ...ir.values import Constant, Parameter, Special
from ...source.records import dataclass
from ..block_execution.launch_values import BLOCK_INDEX
from ..warp_evaluation.lane_addresses import LaneAddress, is_base, lane_address
from ..warp_evaluation.lane_values import WARP, Product, factors_of, per_lane
from ..warp_evaluation.outcomes import IterationNumber
from ..warp_evaluation.symbol_names import symbol_name

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ...ir.memory import Space
    from ..dataflow.control_flow import ControlEdge, ControlFlow
    from ..warp_evaluation.lane_values import Coefficient
    from .facts import TrafficFacts

_ORDERS = {
    Opcode.LT: lt,
    Opcode.LE: le,
    Opcode.GT: gt,
    Opcode.GE: ge,
    Opcode.EQ: eq,
    Opcode.NE: ne,
}
_MIRRORED = {**_ORDERS, Opcode.LT: gt, Opcode.LE: ge, Opcode.GT: lt, Opcode.GE: le}
_LEFT_OUT = (AccessKind.PREFETCH, AccessKind.ASYNC_COPY, AccessKind.MATRIX_LOAD)
_WIDTHS = (1, 2, 4, 8, 16)
_GRID_SIZE = {
    Special.GRID_SIZE_X: "gridDim.x",
    Special.GRID_SIZE_Y: "gridDim.y",
    Special.GRID_SIZE_Z: "gridDim.z",
}
LONGEST_NAME = 32  # characters of an expression that a message repeats


@dataclass(frozen=True, slots=True)
class SymbolicStride:
    """One access whose lanes are a stride apart that is not a number; `names` are what it depends
    on.
    """

    address: LaneAddress
    names: tuple[str, ...]

    @property
    def strided(self) -> tuple[tuple[Hashable, Coefficient], ...]:
        """The part of the address that differs between lanes by what is not known."""
        return tuple(term for term in self.address.value.terms if not isinstance(term[1], int))

    def offsets(self, elements: int) -> tuple[int | None, ...]:
        """The bytes at which the active lanes are when each symbol is as many elements."""
        value, number = self.address.value, self.number(elements)
        found: list[int | None] = []
        for lane, active in enumerate(self.address.mask):
            at = value.lanes[lane] - value.lanes[0]
            for name, factor in value.terms:
                if not isinstance(factor, int):
                    power = len(name.factors) if isinstance(name, Product) else 1
                    at += factor[lane] * number**power
            found.append(at if active else None)
        return tuple(found)

    def number(self, elements: int) -> int:
        """What each symbol is where it stands for so many elements: a pitch counts by its bytes."""
        width = self.address.access.width or 1
        unit = gcd(*(item for _, factor in self.strided for item in per_lane(factor)))
        return elements * max(1, width // unit)

    def fits(self, flow: ControlFlow, elements: int) -> bool:
        """Whether control may come to the access with so many elements: behind `if (channels < 3)`
        there are no eight.
        """
        block, number = self.address.access.block, self.number(elements)
        return block is None or not any(
            _refuses(edge, self.symbols, number) for edge in flow.controlling_edges(block)
        )

    @property
    def step(self) -> str:
        """The distance in bytes between most neighbouring lanes, `4 * pitch`; "" for a number."""
        fixed, *factors = self._most_common_step()
        parts: list[str] = []
        for (name, _), factor in zip(self.strided, factors, strict=True):
            if factor:
                number = [] if factor == 1 else [str(factor)]  # bytes
                parts.append(" * ".join([*number, *map(_spelled, factors_of(name))]))
        return " + ".join(parts + ([str(fixed)] if fixed else [])) if parts else ""

    @property
    def is_diagonal(self) -> bool:
        """Whether neighbours differ in row and column: no order of the lanes brings them together.

        `matrix[i * (n + 1)]` is the diagonal of a matrix.
        """
        return abs(self._most_common_step()[0]) == self.address.access.width

    def _most_common_step(self) -> tuple[int, ...]:
        """From one active lane to the next: bytes, and the coefficient of each strided term."""
        columns = [self.address.value.lanes, *(tuple(per_lane(c)) for _, c in self.strided)]
        mask = self.address.mask
        steps = Counter(
            tuple(column[lane + 1] - column[lane] for column in columns)
            for lane in range(WARP - 1)
            if mask[lane] and mask[lane + 1]
        )
        step, count = max(steps.items(), key=lambda item: item[1], default=((), 0))
        return step if 2 * count >= steps.total() and step else (0,) * len(columns)

    @property
    def symbols(self) -> frozenset[Hashable]:
        """The single symbols of the stride."""
        return frozenset(symbol for name, _ in self.strided for symbol in factors_of(name))

    @property
    def has_columns(self) -> bool:
        """Whether it walks along what the stride jumps over, so that the stride is above 1: in
        steps that would lead over the elements of the warp's other lanes if it were 1.
        """
        value, width = self.address.value, self.address.access.width or 1
        if len(set(value.lanes)) > 1:
            return True
        for name, factor in value.terms:
            if not isinstance(factor, int) or self.symbols & set(factors_of(name)):
                continue
            steps, rest = divmod(abs(factor), width)
            if isinstance(name, IterationNumber) and 0 < steps < WARP and not rest:
                return True
            if steps == 1 and not rest and (isinstance(name, Phi) or name in BLOCK_INDEX):
                return True
        return False


def _refuses(edge: ControlEdge, symbols: frozenset[Hashable], number: int) -> bool:
    """Whether a comparison of a symbol with a constant sends a number another way."""
    last = edge.branch.terminator
    condition = last.operands[0] if isinstance(last, Branch) else None
    if not isinstance(last, Branch) or not isinstance(condition, Compare):
        return False
    left, right = map(unconverted, condition.operands)
    holds = _ORDERS.get(condition.opcode)
    if isinstance(left, Constant):
        left, right, holds = right, left, _MIRRORED.get(condition.opcode)
    if holds is None or left not in symbols or not isinstance(right, Constant):
        return False
    return holds(number, right.value) is not (edge.target is last.then)


def compared_numbers(facts: TrafficFacts, stride: SymbolicStride) -> Iterator[int]:
    """The constants that a kernel compares the symbols of a stride with: `if (channels == 3)`."""
    for operation in facts.kernel.operations():
        if isinstance(operation, Compare):
            left, right = map(unconverted, operation.operands)
            if isinstance(left, Constant):
                left, right = right, left
            value = right.value if isinstance(right, Constant) else None
            if left in stride.symbols and isinstance(value, int):
                yield value


def extents(facts: TrafficFacts) -> frozenset[Parameter]:
    """The parameters that an index is compared with, no strides but extents: `column < width`, `k <
    n`.
    """
    found: set[Parameter] = set()
    for operation in facts.kernel.operations():
        if isinstance(operation, Compare):
            given = [unconverted(operand) for operand in operation.operands]
            if not any(isinstance(value, Constant) for value in given):
                found.update(value for value in given if isinstance(value, Parameter))
    return frozenset(found)


def symbolic_strides(facts: TrafficFacts, space: Space) -> Iterator[SymbolicStride]:
    """The accesses to one memory space whose neighbouring lanes are a symbol apart in
    every launch.
    """
    for access in facts.accesses:
        if access.kind in _LEFT_OUT or access.width not in _WIDTHS:
            continue
        if facts.points_to.spaces(access) != {space}:
            continue
        found = [lane_address(launch, access) for launch in facts.launches]
        first = found[0]
        if not isinstance(first, LaneAddress) or any(
            isinstance(item, LaneAddress) and item.value.shifts_only for item in found
        ):
            continue
        names = _names(first)
        if names:
            stride = SymbolicStride(first, names)
            if stride.step:
                yield stride


def _names(address: LaneAddress) -> tuple[str, ...]:
    """What the stride depends on; nothing when some of it has no name or is no fixed number."""
    names: dict[str, None] = {}
    for term, factor in address.value.terms:
        if isinstance(factor, int):
            continue
        for symbol in factors_of(term):
            name = "" if is_base(symbol) else _spelled(symbol)
            if not name:
                return ()
            names[name] = None
    return tuple(names)


def _spelled(symbol: Hashable) -> str:
    """A symbol as the source has it; "" for what has no short name."""
    if isinstance(symbol, Parameter):
        return symbol.name
    if isinstance(symbol, Special):
        return _GRID_SIZE.get(symbol, "")
    if isinstance(symbol, tuple) and len(symbol) > 2 and symbol[0] is Opcode.EXTRACT:
        member = str(symbol[2][0] or "")
        return symbol_name(symbol) or ("" if member.startswith("[") else member)
    if isinstance(symbol, Operation) and not isinstance(symbol, Phi):
        text = " ".join(symbol.location.span.text.split())
        return text if len(text) <= LONGEST_NAME else ""
    return ""
