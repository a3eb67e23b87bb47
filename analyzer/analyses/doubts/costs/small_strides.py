"""Strides that may be one element: nothing shows that the parameter is the length of a row.

In: accesses whose lanes are apart by a parameter. Out: whether no other index runs along such a
row, nothing is compared with the parameter, or the lanes walk along a diagonal, which no order of
the lanes makes shorter. `x[i * incx]` alone is written for any `incx`, and 1 is the usual one. Nor
is it a row's length where another parameter is, and where the sum with it is compared with a size:
`row * pitch + column * step + k`, `column * step + k < width` steps within a row, as a picture that
is made smaller is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import Compare, Opcode, Operation, unconverted
from ....ir.values import Parameter
from ...dataflow.reachability import reachable
from ...memory_traffic.symbolic_stride import extents
from ...warp_evaluation.lane_values import Product
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from ....ir.values import Value
    from ...memory_traffic.facts import TrafficFacts
    from ...memory_traffic.symbolic_stride import SymbolicStride
    from .candidates import StrideCandidate


def _may_be_small(candidate: StrideCandidate) -> bool:
    bounds = extents(candidate.facts)
    return not any(
        (stride.has_columns or stride.symbols & bounds)
        and not stride.is_diagonal
        and not _steps_within_rows(candidate.facts, stride)
        for stride in candidate.strides
    )


def _steps_within_rows(facts: TrafficFacts, stride: SymbolicStride) -> bool:
    """Whether rows have another length, and the lanes are so far apart along one."""
    return _has_other_rows(stride) and any(
        _is_stepped(part, stride.symbols)
        for compared in facts.every(Compare)
        for operand in compared.operands
        for part in _terms(operand)
    )


def _has_other_rows(stride: SymbolicStride) -> bool:
    """Whether some parameter that is no part of the stride leads from row to row."""
    return any(
        isinstance(factor, Parameter) and factor not in stride.symbols
        for name, _ in stride.address.value.terms
        if isinstance(name, Product)
        for factor in name.factors
    )


def _terms(value: Value) -> Iterator[Value]:
    """What a sum is made of."""

    def added(item: Value) -> Sequence[Value]:
        item = unconverted(item)
        return item.operands if isinstance(item, Operation) and item.opcode is Opcode.ADD else ()

    yield from map(unconverted, reachable([value], added))


def _is_stepped(value: Value, symbols: frozenset[Hashable]) -> bool:
    """Whether a term is something times the stride."""
    multiplied = isinstance(value, Operation) and value.opcode is Opcode.MUL
    return multiplied and any(unconverted(each) in symbols for each in value.operands)


DOUBT = Doubt(
    "stride-may-be-small",
    Effect.POSSIBLE,
    "nothing shows that the stride is the length of a row: it may be a single element",
    _may_be_small,
)
