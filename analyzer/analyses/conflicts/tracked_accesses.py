"""The accesses of a kernel that can conflict at all, and what is known of them once and for all.

In: the facts of one launch. Out: the accesses to memory that threads share, where anybody writes;
which two of them may conflict; which loads a store of the kernel may change; which stores put down
what their place alone decides. Accesses at an index that is data may come to any element.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from ...ir.asynchronous import SizedAccess
from ...ir.memory import Space
from ...ir.operations import AccessKind, Compare, MemoryAccess, Opcode, Operation
from ...ir.tiles import TileAccess
from ...ir.types import Kind
from ...ir.values import Special, SpecialRegister, whole_number
from ..dataflow.affine import affine
from ..dataflow.slices import backward_slice, loads_in
from ..pointers.indirect_addresses import is_found_in_memory
from ..pointers.member_places import are_apart, part_of
from ..pointers.memory_model import ATOMIC, TOUCHING, is_strong
from ..warp_evaluation.uniformity import Uniformity
from .address_determined_stores import determined_by_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from .equal_stores import Copies
    from .facts import ConflictLaunch

_ADDED = frozenset({Opcode.ADD, Opcode.SUB, Opcode.CONVERT, Opcode.PHI, Opcode.SELECT})
_PRIVATE = frozenset({Space.LOCAL, Space.CONSTANT, Space.PARAMETER, Space.REGISTER})


class Tracked:
    """The accesses of a kernel that can conflict at all, and what is known of each in one
    launch.
    """

    def __init__(self, launch: ConflictLaunch) -> None:
        self.launch = launch
        points_to = launch.facts.points_to
        written: set[MemoryObject | None] = set()
        for access in launch.facts.accesses:
            if access.writes and access.kind in TOUCHING:
                written |= points_to.touched(access)
        self.accesses: dict[MemoryAccess, int] = {}
        self.untracked: list[MemoryAccess] = []  # of unknown width or place
        for access in launch.facts.accesses:
            if access.kind not in TOUCHING or points_to.spaces(access) <= _PRIVATE:
                continue
            if points_to.touched(access) & written:
                if access.width or isinstance(access, SizedAccess | TileAccess):
                    self.accesses[access] = len(self.accesses)
                else:
                    self.untracked.append(access)
        self.unplaced: set[MemoryAccess] = set()  # whose place was not known in a run
        self._anywhere: dict[MemoryAccess, MemoryObject | None] = {}
        self._bins: dict[MemoryAccess, bool] = {}
        self._handed_out: dict[MemoryAccess, bool] = {}
        self._writing = {access for access in self.accesses if access.writes}
        self._strong = {access for access in self.accesses if is_strong(access)}
        self._changed: dict[MemoryAccess, bool] = {}
        self._left: dict[MemoryAccess, bool] = {}
        self.unit = gcd(*(_unit(access) for access in self.accesses)) or 1
        self._told: dict[tuple[MemoryAccess, frozenset[Special]], bool] = {}
        self._reaching: dict[tuple[MemoryAccess, MemoryObject], bool] = {}
        #: What two stores that copy have to have in common to write the same: for `equal_stores`.
        self.copies: dict[tuple[MemoryAccess, MemoryAccess], tuple[Copies, bool]] = {}

    def object_anywhere(self, access: MemoryAccess) -> MemoryObject | None:
        """The object of an access whose index is data, or computed from a thread's index by more
        than a sum: threads may come to each other's elements.
        """
        if access not in self._anywhere:
            item = self.launch.facts.points_to.object_of(access)
            if item is not None and not self.goes_to_bins(access):
                apart = access.scope or access.volatile
                own = _counts_threads(access) and not self.is_handed_out(access)
                item = None if apart or own else item
            self._anywhere[access] = item
        return self._anywhere[access]

    def is_handed_out(self, access: MemoryAccess) -> bool:
        """Whether a thread stores in shared memory, element by element, where it is sent by what
        others have left there: the ranks of keys, the sums before its own. Its own index may be
        added to that, but picks out no row or segment of its own.
        """
        if access not in self._handed_out:
            spaces = self.launch.facts.points_to.spaces
            self._handed_out[access] = (
                access.kind is AccessKind.STORE
                and spaces(access) == {Space.SHARED}
                and _step(access.address) == access.width
                and _has_no_rows(access)
                and any(
                    spaces(each) == {Space.SHARED} and self.may_change(each)
                    for each in loads_in(access.address)
                )
            )
        return self._handed_out[access]

    def goes_to_bins(self, access: MemoryAccess) -> bool:
        """Whether an access is an atomic operation at an index that is data."""
        if access not in self._bins:
            facts, atomic = self.launch.facts, access.kind in ATOMIC
            self._bins[access] = atomic and is_found_in_memory(facts, access.address)
        return self._bins[access]

    def are_led(self, accesses: tuple[MemoryAccess, MemoryAccess], *, in_order: bool) -> bool:
        """Whether an index that is not known leads to the place of one of them: it may lead each
        thread to its own. `in_order`: no loop brings the earlier of the two again after the later.

        Atomics are there because it does not, but for steps from place to place (`i = next[i]`):
        these may well lead away from where threads begin. A row is more than an own element, and
        nobody looks up in input where to find what he has just stored.
        """
        led = [each for each in accesses if each in self.unplaced]
        known = [each for each in accesses if each not in self.unplaced]
        if len(led) == len(known) == 1 and self._looks_up(
            led[0], known[0], stored_before=in_order and led[0] is accesses[1]
        ):
            return False
        if in_order and led == [accesses[0]] and known and self._takes_over(*accesses):
            return False
        return any(not self.goes_to_bins(each) or _follows_links(each) for each in led)

    def _takes_over(self, store: MemoryAccess, load: MemoryAccess) -> bool:
        """Whether threads read their own elements after all were sent to store somewhere: nobody
        goes through shared memory for what he has himself.
        """
        return (
            load.kind is AccessKind.LOAD
            and self.is_handed_out(store)
            and _step(load.address) == load.width == store.width
            and not self.parts_threads(store)
        )

    def _looks_up(self, access: MemoryAccess, other: MemoryAccess, *, stored_before: bool) -> bool:
        """Whether input alone leads a read to what threads store element by element: it is at the
        thread's own element for one thread of many at most. In global memory that is so where the
        element was stored before: methods that take what they find, old or new, read it first.
        """
        facts, spaces = self.launch.facts, self.launch.facts.points_to.spaces
        if (access.kind, other.kind) != (AccessKind.LOAD, AccessKind.STORE):
            return False
        shared = spaces(access) == {Space.SHARED}
        if not (shared or stored_before) or not is_found_in_memory(facts, access.address):
            return False
        row, element = (_step(each.address) for each in (access, other))
        if element != other.width or not 0 < element <= row or row % element:
            return False
        loads = loads_in(access.address)
        return not any(Space.SHARED in spaces(each) or self.may_change(each) for each in loads)

    def determined_by_address(self, store: MemoryAccess, one: int, other: int) -> bool:
        """Whether two threads store the same with it wherever they come to one place."""
        key = (store, self._shared(one, other))
        if key not in self._told:
            self._told[key] = determined_by_address(self, *key)
        return self._told[key]

    def perhaps_determined_by_address(self, store: MemoryAccess, one: int, other: int) -> bool:
        """Whether they do if functions that were not read give the same for the same arguments."""
        return determined_by_address(self, store, self._shared(one, other), calls=True)

    def _shared(self, one: int, other: int) -> frozenset[Special]:
        """The indices that two threads of the block share."""
        x, y, _ = self.launch.launch.block
        axes = ((Special.THREAD_X, 1, x), (Special.THREAD_Y, x, y), (Special.THREAD_Z, x * y, 0))
        return frozenset(
            axis
            for axis, step, size in axes
            if (
                one // step % size == other // step % size if size else one // step == other // step
            )
        )

    def reaches(self, access: MemoryAccess, item: MemoryObject) -> bool:
        """Whether an access may lead into an object, whatever numbers are put in."""
        key = (access, item)
        if key not in self._reaching:  # asked for each pair of threads
            touched = self.launch.facts.points_to.touched(access)
            self._reaching[key] = item in touched or None in touched
        return self._reaching[key]

    def parts_threads(self, access: MemoryAccess) -> bool:
        """Whether threads of a block may differ in coming to an access."""
        launch = self.launch
        edges = launch.facts.flow.controlling_edges(access.block)
        return any(launch.uniformity.of_branch(edge.branch) > Uniformity.BLOCK for edge in edges)

    def may_change(self, load: MemoryAccess) -> bool:
        """Whether a store of the kernel may change what is loaded, whenever that is."""
        if load not in self._changed:
            touched = self.launch.facts.points_to.touched
            stores = (each for each in self._writing if touched(each) & touched(load))
            part = part_of(load)
            parts = ((part, part_of(each)) for each in stores if load in self.accesses)
            self._changed[load] = any(
                not mine or not their or not are_apart(mine, their) for mine, their in parts
            )
        return self._changed[load]

    def leaves_source(self, copy: MemoryAccess) -> bool:
        """Whether the kernel stores nowhere in what an asynchronous copy is made from."""
        if copy not in self._left:
            points_to = self.launch.facts.points_to
            source = points_to.of(copy.operands[1])
            self._left[copy] = (
                bool(source)
                and None not in source
                and all(source.isdisjoint(points_to.touched(each)) for each in self._writing)
            )
        return self._left[copy]

    def may_conflict(self, one: MemoryAccess, other: MemoryAccess) -> bool:
        """Whether one of two accesses writes and not both are atomic."""
        writes, strong = self._writing, self._strong
        return (one in writes or other in writes) and not (one in strong and other in strong)


def _step(address: Value) -> int:
    """The bytes that an index leads on by."""
    factors = affine(address).factors.items()
    return gcd(*(factor for value, factor in factors if value.type.kind is not Kind.POINTER))


def _has_no_rows(access: MemoryAccess) -> bool:
    """Whether a place is a sum of what threads count and what is loaded, element by element."""
    return all(
        each.opcode in _ADDED
        or isinstance(each, Compare | MemoryAccess)
        or (each.opcode is Opcode.MUL and access.width in map(whole_number, each.operands))
        for each in backward_slice(access.address, through=_is_counted)
        if isinstance(each, Operation)
    )


def _is_counted(value: Value) -> bool:
    return _is_whole(value) and not isinstance(value, Compare)


def _counts_threads(access: MemoryAccess) -> bool:
    """Whether whole numbers lead from the thread's own index to its place: most likely its own."""
    return any(map(_tells_threads, _whole_parts(access.address)))


def _tells_threads(value: Value) -> bool:
    if not isinstance(value, SpecialRegister):
        return False
    return value.register.value.startswith(("tid", "lane", "warp"))


def _whole_parts(value: Value) -> Iterator[Value]:
    """What a value is made of by whole numbers, but for what is loaded."""
    return backward_slice(value, through=_is_whole)


def _is_whole(value: Value) -> bool:
    return not isinstance(value, MemoryAccess) and value.type.kind is not Kind.FLOAT


def _unit(access: MemoryAccess) -> int:
    """The bytes that an access is made of so many times: an element where they are computed."""
    if isinstance(access, SizedAccess | TileAccess):
        return (access.element.bits or 8) // 8 or 1
    return access.width or 1


def _follows_links(access: MemoryAccess) -> bool:
    """Whether an access goes where a loop has come to by loading from where it was before."""
    return any(each in backward_slice(each.address) for each in loads_in(access.address))
