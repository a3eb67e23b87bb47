"""A kernel made ready to be run for a block of one launch.

In: the facts of the launch. Out: beside what runs of all launches share (`run_plan.py`) which
values depend on numbers that the launch does not give, how many iterations of a loop stand for all,
and where objects lie.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.memory import MemoryObject, Space
from ...ir.operations import (
    AccessKind,
    Field,
    MemoryAccess,
)
from ...ir.types import Kind
from ...ir.values import ObjectAddress, Parameter, SpecialRegister, Unknown
from ..dataflow.slices import backward_slice, forward_slice
from ..pointers.pointer_contents import displacement
from .launch_values import GRID_SIZES, assumed_name, member_of
from .loop_ends import even_loop, scaling
from .stored_numbers import RememberedArrays

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from ..launch.sizes_to_try import Spread
    from .facts import BlockLaunch
    from .loop_ends import EvenLoop
    from .unread_calls import UnreadCalls

ROUNDS = 4  # of a loop whose number of iterations is assumed
HALVINGS = 12  # of one that halves or doubles
_SHARED_START, _SHARED_STEP = 1 << 24, 1 << 20  # below 2^31: PTX has 32-bit shared addresses
_SHARED_COUNT = 1024
_FAR_STEP = 1 << 40


class BlockProgram:
    """What every run of a kernel for a block of one launch shares."""

    def __init__(self, launch: BlockLaunch) -> None:
        launch.facts.note(self)
        self.kernel = launch.facts.kernel
        self.flow = launch.facts.flow
        self._launch = launch
        self.plan = launch.facts.plan
        #: Numbers that lead the block where the assumed ones do not, once they are asked for.
        self.solved: Sequence[Mapping[Hashable, int]] | None = None
        self.launchable: Sequence[Mapping[int, int]] | None = None  # by the place of arguments
        #: The sizes that differ in each scenario, once they are asked for.
        self.spreads: dict[Hashable, Spread] = {}
        self._open_ended: dict[Loop, bool] = {}
        self._even: dict[Loop, EvenLoop | None] = {}
        self._assumed: dict[Value, bool] = {}
        self._addresses: dict[MemoryObject, int] = {}
        self._kept: dict[MemoryAccess, MemoryObject | None] = {}
        self._objects: dict[int, MemoryObject] = {}

    @cached_property
    def unread_calls(self) -> UnreadCalls:
        """Whether the block may meet in calls that are not looked into."""
        from .unread_calls import UnreadCalls

        return UnreadCalls(self._launch, self)

    # ---- how often loops iterate ----------------------------------------------------------------

    def is_open_ended(self, loop: Loop) -> bool:
        """Whether the number of its iterations depends on assumed numbers: a few stand for all."""
        if loop not in self._open_ended:
            conditions = [block.terminator.operands[:1] for block in loop.exits]
            self._open_ended[loop] = any(
                self.depends_on_assumed(value) for values in conditions for value in values
            )
        return self._open_ended[loop]

    def even(self, loop: Loop) -> EvenLoop | None:
        """The loop as one whose last iterations can be run without those before them."""
        if loop not in self._even:
            points_to = self._launch.facts.points_to
            self._even[loop] = even_loop(
                self.flow, loop, points_to, open_ended=self.is_open_ended(loop)
            )
        return self._even[loop]

    def iterations(self, loop: Loop) -> int | None:
        """How many iterations stand for all of a loop; None where it ends by itself."""
        if not self.is_open_ended(loop):
            return None
        scaled = any(scaling(phi) for phi in loop.header.phis)  # all values of such a number matter
        return HALVINGS if scaled else ROUNDS

    def depends_on_assumed(self, value: Value) -> bool:
        """Whether a value is computed from numbers that the launch does not give."""
        if value not in self._assumed:
            self._assumed[value] = any(map(self.is_assumed, backward_slice(value)))
        return self._assumed[value]

    @cached_property
    def made_of_assumed(self) -> set[Value]:
        """All values that depend on such numbers, found at once."""
        users, known = self._launch.facts.users, self.plan.made_of_assumed
        given = (frozenset(self._launch.passed), tuple(n is None for n in self._launch.launch.grid))
        if given not in known:
            known[given] = forward_slice(filter(self.is_assumed, users), users)
        return known[given]

    @cached_property
    def places(self) -> Mapping[Hashable, int]:
        """Where each number that the launch does not give stands among these, from 1, by name, in
        the order of the parameters; members in that of their structure.
        """
        numbers = [
            each
            for each in self._launch.facts.users
            if isinstance(each, Parameter | Field)
            and each.type.kind is Kind.INTEGER
            and self.is_assumed(each)
        ]
        names = dict.fromkeys(map(assumed_name, sorted(numbers, key=_declared_at)))
        return {name: place for place, name in enumerate(names, 1)}

    def is_assumed(self, value: Value) -> bool:
        """Whether a value itself is a number that the launch does not give."""
        if isinstance(value, Parameter):
            return value.type.kind is Kind.INTEGER and value not in self._launch.passed
        if isinstance(value, SpecialRegister) and value.register in GRID_SIZES:
            return self._launch.launch.grid[GRID_SIZES.index(value.register)] is None
        if isinstance(value, Field) and value.type.kind is Kind.INTEGER:
            return member_of(value) is not None
        if isinstance(value, MemoryAccess):
            return self.kept_pointee(value) is None
        return isinstance(value, Unknown)

    @cached_property
    def remembered(self) -> RememberedArrays:
        """The arrays that hold numbers which the block has put there itself."""
        arrays = self.plan.number_arrays
        return RememberedArrays(arrays, self.made_of_assumed if arrays.stores else ())

    # ---- where objects lie -----------------------------------------------------------------------

    def address(self, item: MemoryObject) -> int:
        """A place of its own for every object, far from all others."""
        if item not in self._addresses:
            number = len(self._addresses)
            near = item.space is Space.SHARED and number < _SHARED_COUNT
            place = _SHARED_START + number * _SHARED_STEP if near else (number + 1) * _FAR_STEP
            self._addresses[item] = place
            self._objects[place] = item
        return self._addresses[item]

    def object_at(self, address: int) -> tuple[MemoryObject, int] | None:
        """The object at an address, or a little before, and the offset in it."""
        for step in (_SHARED_STEP, _FAR_STEP):
            before = step // 2
            item = self._objects.get(address + before - (address + before) % step)
            if item is not None:
                return item, address - self._addresses[item]
        return None

    def pointee(self, value: Value) -> MemoryObject | None:
        """The object that a parameter, or a member of one, points to."""
        if isinstance(value, ObjectAddress):
            return value.object
        if isinstance(value, Parameter) and value.pointee is not None:
            return value.pointee
        targets = self._launch.facts.points_to.of(value)
        return next(iter(targets)) if len(targets) == 1 else None

    def kept_pointee(self, load: MemoryAccess) -> MemoryObject | None:
        """The object that a pointer leads to which the kernel finds in memory and leaves there:
        `table->values`, at a constant distance from where a parameter or such a pointer leads.
        """
        if load not in self._kept:
            self._kept[load] = self._kept_pointee(load)
        return self._kept[load]

    def _kept_pointee(self, load: MemoryAccess) -> MemoryObject | None:
        facts = self._launch.facts
        if load.kind is not AccessKind.LOAD or displacement(load.address) is None:
            return None
        item, holder = self.pointee(load), facts.points_to.object_of(load)
        if item is None or item is holder:
            return None
        if load.type.kind is not Kind.POINTER and item not in self.plan.accessed:
            return None  # 64 bits that need not be an address
        return None if self.plan.written & {holder, None} else item


def _declared_at(value: Value) -> tuple[int, int]:
    """The place of a parameter, or that of the one that a value is a member of, and where in it."""
    root, offset = member_of(value) or (value, -1)
    return (root.index, offset) if isinstance(root, Parameter) else (-1, offset)
