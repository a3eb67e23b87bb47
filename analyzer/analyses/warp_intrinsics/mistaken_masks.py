"""Warp intrinsics that were given something else for their member mask.

In: a kernel's facts, of CUDA source. Out: each call whose first argument cannot be meant as a mask:
a floating-point number, a condition, or data that differs between lanes while what is shuffled is
the same in all of them, so that the shuffle would be for nothing. In PTX the operand's place tells
the mask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operation_kinds import SHUFFLES
from ...ir.operations import Compare, WarpOperation
from ...ir.types import Kind
from ...ir.values import Constant, whole_number
from ...source.records import dataclass
from ..pointers.provenance import reads_memory
from ..warp_evaluation.uniformity import Uniformity
from .mismatches import ALL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.values import Value
    from ..barriers.facts import BarrierFacts

_POWERS = frozenset({2, 4, 8, 16, 32})


@dataclass(frozen=True, slots=True)
class MistakenMask:
    """A warp intrinsic, what its member mask is instead, and whether the mask was only left out."""

    operation: WarpOperation
    kind: str  # "float", "condition", "data"
    only_missing: bool


def mistaken_masks(facts: BarrierFacts) -> Iterator[MistakenMask]:
    """The warp intrinsics that were given something else for their member mask, in
    program order.
    """
    if facts.kernel.language != "cuda":
        return
    for operation in facts.every(WarpOperation):
        if operation.mask is None:
            continue
        values = [value for value in operation.operands if value is not operation.mask]
        shuffles = operation.kind in SHUFFLES
        kind = _kind_of(operation.mask)
        if shuffles and len(values) > 2 and _is_full_mask(values[2]):
            kind = kind or "data"
        if not kind and shuffles and _is_shuffled_for_nothing(facts, operation, values):
            kind = "data"
        if kind:
            # With four arguments, or two of a vote, the mask is elsewhere among them.
            yield MistakenMask(operation, kind, shuffles and len(values) == 2)


def _kind_of(mask: Value) -> str:
    if mask.type.kind is Kind.FLOAT:
        return "float"
    if isinstance(mask, Compare) or mask.type.kind is Kind.PREDICATE:
        return "condition"
    return ""


def _is_shuffled_for_nothing(
    facts: BarrierFacts, operation: WarpOperation, values: list[Value]
) -> bool:
    """Whether data is taken for the mask, and the distance for what is shuffled."""
    assert operation.mask is not None
    if len(values) != 2 or not _is_power(values[1]):
        return False
    return reads_memory(operation.mask) and all(
        launch.uniformity.of(operation.mask) is Uniformity.VARYING
        and launch.uniformity.of(values[0]) <= Uniformity.WARP
        for launch in facts.launches
    )


def _is_full_mask(value: Value) -> bool:
    """Whether all lanes are named where a width should stand."""
    mask = whole_number(value)
    return mask is not None and mask & ALL == ALL


def _is_power(value: Value) -> bool:
    return isinstance(value, Constant) and value.value in _POWERS
