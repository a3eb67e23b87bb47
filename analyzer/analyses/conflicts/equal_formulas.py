"""Stores of what is computed in the same way from the same places: `c[i] = a[i] + b[i]`, twice.

In: two threads at two stores, or at one, with the addresses of all loads that each value is made
of. Out: whether they store the same: both values are the same arithmetic, what stands in the same
place of it is one number, one value that all threads have, or a load of one place that the kernel
does not write. Which loads of the two values belong together is found once for two stores. Not
handled: values that a loop passes on from iteration to iteration, unless they are the same loads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import AccessKind, MemoryAccess, Phi
from ...ir.values import Constant
from ..block_execution.thread_vectors import entry_of
from ..dataflow.slices import backward_slice
from ..dataflow.value_numbering import computed_by
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from ...ir.values import Value
    from ..block_execution.access_events import ThreadAccess
    from .facts import ConflictLaunch

    _Pairs = tuple[tuple[MemoryAccess, MemoryAccess], ...]

_LARGEST = 64  # operations of a formula


class EqualFormulas:
    """What two conflicting threads of one launch compute alike and store."""

    def __init__(self, launch: ConflictLaunch) -> None:
        self._launch = launch
        self._matched: dict[tuple[MemoryAccess, MemoryAccess, bool, bool], _Pairs] = {}

    def store_the_same(
        self, first: ThreadAccess, second: ThreadAccess, *, at_one_time: bool = False
    ) -> bool:
        """Whether two threads compute what they store in the same way from the same places:
        such as the kernel does not write, or any, if both are taken to load `at_one_time`.
        """
        if {first.access.kind, second.access.kind} != {AccessKind.STORE}:
            return False
        key = (first.access, second.access, first.block == second.block, at_one_time)
        if key not in self._matched:  # asked for thousands of pairs of threads
            self._matched[key] = self._matched_loads(*key)
        for one, other in self._matched[key]:
            place = entry_of(first.thread, first.event.sources.get(one))
            if place is None or place != entry_of(second.thread, second.event.sources.get(other)):
                return False
        return bool(self._matched[key])

    def _matched_loads(
        self, first: MemoryAccess, second: MemoryAccess, same_block: bool, at_one_time: bool
    ) -> _Pairs:
        """The loads that have to find one place each; none where the formulas differ."""
        if first is not second and first.location == second.location:
            return ()  # two parts of one copy: it is longer than what lies between the threads
        level = Uniformity.BLOCK if same_block else Uniformity.GRID
        pairs = [(first.operands[1], second.operands[1])]
        found: list[tuple[MemoryAccess, MemoryAccess]] = []
        for one, other in pairs:  # grows while it is gone through
            if isinstance(one, MemoryAccess) and isinstance(other, MemoryAccess):
                if not self._may_find_the_same(one, other, at_one_time):
                    return ()
                found.append((one, other))
            elif not (_are_one_number(one, other) or self._is_shared(one, other, level)):
                parts = _operands(one, other)
                if not parts or len(pairs) > _LARGEST:
                    return ()
                pairs += parts
        return tuple(found)

    def _may_find_the_same(self, one: MemoryAccess, other: MemoryAccess, at_one_time: bool) -> bool:
        """Whether two loads find the same in one place: whenever that is, or at one time."""
        facts = self._launch.facts
        items = [facts.points_to.object_of(load) for load in (one, other)]
        kinds = {one.kind, other.kind}
        if kinds != {AccessKind.LOAD} or None in items or items[0] is not items[1]:
            return False
        if one.width is None or (one.width, one.type) != (other.width, other.type):
            return False
        if not at_one_time and any(facts.writers.get(item) for item in (items[0], None)):
            return False
        return not any(load.volatile or load.scope for load in (one, other))

    def _is_shared(self, one: Value, other: Value, level: Uniformity) -> bool:
        """Whether both threads have one value, at any time."""
        return (
            one is other
            and self._launch.uniformity.of(one) <= level
            and not any(isinstance(each, Phi | MemoryAccess) for each in backward_slice(one))
        )


def _are_one_number(one: Value, other: Value) -> bool:
    if not isinstance(one, Constant) or not isinstance(other, Constant):
        return False
    return one.type == other.type and one.value == other.value


def _operands(one: Value, other: Value) -> list[tuple[Value, Value]]:
    """What two operations of one kind are made of, in pairs."""
    made = computed_by(one)
    if made is None or made != computed_by(other):
        return []
    both = one.operands, other.operands
    return list(zip(*both, strict=True)) if len(both[0]) == len(both[1]) else []
