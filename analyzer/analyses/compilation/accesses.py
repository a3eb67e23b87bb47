"""Accesses to memory in compiled code: what is an instruction, and what is a register only.

In: an access, and its operands as they are held. Out: what it loads, and in the emission its
instruction. Elements of arrays of a thread are looked up in the `Cells` of the place
(`thread_arrays.py`); what was loaded before is not loaded again unless something may have written
the space since then; parameters and constants at known places are operands of other instructions.
"""

from __future__ import annotations

from dataclasses import field, replace
from math import ceil
from typing import TYPE_CHECKING

from ...hardware.local_arrays import Residence
from ...ir.memory import Space
from ...ir.operation_kinds import AccessKind
from ...ir.types import Kind
from ...source.records import dataclass
from ..pointers.local_arrays import STATIC
from .held import NOTHING, Held, in_register, words_held
from .thread_arrays import load, store
from .values import fragment_made, width_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from ..pointers.local_arrays import LocalArray
    from ..pointers.points_to import PointsTo
    from .emission import Emission
    from .thread_arrays import Cells

_WORD = 4
_MOST_WORDS = 128  # of an array in registers, or of a structure
_NAMES = {Space.GENERIC: "", Space.PARAMETER: ".param", Space.CONSTANT: ".const"}
_OPERANDS = (Space.PARAMETER, Space.CONSTANT)
_SMALL = (Space.SHARED, Space.LOCAL, *_OPERANDS)  # whose addresses may be constants
_WHOLE_NAMES = {
    AccessKind.TILE_LOAD: "wmma.load",
    AccessKind.TILE_STORE: "wmma.store",
    AccessKind.MATRIX_LOAD: "ldmatrix.sync",
    AccessKind.ASYNC_COPY: "cp.async",
}
_VECTORS = (8, 16)  # bytes that one instruction loads


@dataclass(slots=True)
class State:
    """What compiled code knows of memory at one place: what its registers still hold of it."""

    cells: Cells = field(default_factory=dict)
    memory: dict[Space, object] = field(default_factory=dict)  # what stands for the last stores

    def copied(self) -> State:
        """The same, to go on from."""
        return State(dict(self.cells), dict(self.memory))

    def anything_written(self) -> None:
        """All memory but that of the thread may have changed."""
        self.memory = {Space.GENERIC: object()}


class Accesses:
    """The memory accesses of a kernel while compiled code is made of it: which become
    instructions.
    """

    def __init__(
        self,
        emission: Emission,
        points_to: PointsTo,
        residences: Mapping[MemoryObject, LocalArray],
        in_memory: set[MemoryObject],
        unwritten: frozenset[MemoryObject],
    ) -> None:
        self._emission = emission
        self._points_to = points_to
        self._residences = residences
        self._in_memory = in_memory  # arrays of a thread that are not taken apart
        self._unwritten = unwritten  # reached through `__restrict__` alone
        self.found_in_memory: set[MemoryObject] = set()
        self._arrays: dict[MemoryObject, int] = {}

    def give_away(self, operands: Sequence[Held]) -> None:
        """Addresses go where nobody follows them."""
        self.found_in_memory |= {each.item for each in operands if each.item is not None}

    def loaded(self, access: MemoryAccess, operands: Sequence[Held], state: State) -> Held:
        """What an access loads."""
        address, *others = operands
        self.give_away(others)
        item = address.item
        if item is not None:
            if not access.atomic and access.width is not None:
                return self._of_cells(access, address, others, state)
            self.found_in_memory.add(item)
        target = self._points_to.object_of(access)
        if target is not None and target.space is Space.LOCAL:
            if target not in self._in_memory:
                self.found_in_memory.add(target)
            elif self._is_selected_from(target):
                return self._of_array(access, target, others)
        return self._of_memory(access, address, others, state)

    def _is_selected_from(self, item: MemoryObject) -> bool:
        """Whether ptxas keeps an array in registers though indices are not constants: not where it
        would if loops were unrolled, which were not.
        """
        judged = self._residences[item]
        return judged.residence is Residence.REGISTERS and judged.pattern != STATIC

    def _of_cells(
        self, access: MemoryAccess, address: Held, others: Sequence[Held], state: State
    ) -> Held:
        """An element at a known place of an array that is taken apart."""
        size, item = access.width or _WORD, address.item
        assert item is not None
        if access.writes:
            store(state.cells, item, address.add, size, others[-1] if others else NOTHING)
            return NOTHING
        return load(state.cells, item, address.add, size)

    def _of_array(self, access: MemoryAccess, item: MemoryObject, others: Sequence[Held]) -> Held:
        """A part of an array in registers, at a place that only the thread knows."""
        emission = self._emission
        if item not in self._arrays:
            words = ceil((item.size or _WORD) / _WORD)
            self._arrays[item] = emission.register(min(words, _MOST_WORDS))
        array = self._arrays[item]
        if access.writes:
            emission.emit("mov.b32", (array,), (*emission.reads(others), array))
            return NOTHING
        width = width_of(access.type)
        register = emission.register(width)
        emission.emit("mov.b32", (register,), (array,))
        return in_register(register, width)

    # ---- instructions ------------------------------------------------------------------------

    def _of_memory(
        self, access: MemoryAccess, address: Held, others: Sequence[Held], state: State
    ) -> Held:
        emission = self._emission
        spaces = self._points_to.spaces(access)
        space = next(iter(spaces)) if len(spaces) == 1 else access.space
        loads = access.reads and not access.atomic and not access.volatile
        if loads and space in _OPERANDS and self._is_uniform(address):
            return Held(("constant", address.key, access.width), width=width_of(access.type))
        version = state.memory.get(space, state.memory.get(Space.GENERIC))
        key = ("load", address.key, access.width, access.type.kind, space, version)
        known = emission.known(key) if loads else None
        if known is not None:
            return known
        base = emission.value(replace(address, add=0))
        if access.kind is AccessKind.ASYNC_COPY:
            others = [replace(each, add=0) for each in others]
        elements = [emission.value(each) for each in others]
        needs: tuple[int, ...] = ()
        if self._is_uniform(base) and space not in _SMALL:
            needs = emission.constant(replace(base, width=2, number=None))
        for each in elements:
            if access.writes and not each.fields and self._is_uniform(each):
                needs = (*needs, *emission.constant(each))
        reads = [one for each in (base, *elements) for one in each.registers]
        if access.writes:
            state.memory[space] = object()
            if space is Space.GENERIC:
                state.anything_written()
        if access.kind in _WHOLE_NAMES:
            made = fragment_made(emission, _WHOLE_NAMES[access.kind], access.type, reads)
            return emission.note(key, made)
        name = _NAMES.get(space, f".{space.value}")
        if access.reads and access.type.kind is not Kind.VOID:
            word = "atom" if access.atomic else "ld"
            if (
                loads
                and space is Space.GLOBAL
                and self._points_to.object_of(access) in self._unwritten
            ):
                name += ".nc"
            return emission.note(key, self._results(access, word + name, reads, needs))
        for opcode in _stores(access, ("red" if access.atomic else "st") + name):
            emission.emit(opcode, (), reads, needs)
        return NOTHING

    def _is_uniform(self, value: Held) -> bool:
        """Whether no register holds it that an access could take."""
        return not any(self._emission.code.widths[each] for each in value.registers)

    def _results(
        self, access: MemoryAccess, name: str, reads: Sequence[int], needs: tuple[int, ...]
    ) -> Held:
        """The registers that a load fills: of an aggregate each word for itself."""
        emission = self._emission
        if access.type.kind is not Kind.AGGREGATE:
            width = width_of(access.type)
            register = emission.register(width)
            letter = "f" if access.element.kind is Kind.FLOAT else "u"
            bits = access.type.bits or access.element.bits or 32
            emission.emit(f"{name}.{letter}{bits}", (register,), reads, needs)
            return in_register(register, width)
        size = access.width or _WORD
        words = min(ceil(size / _WORD), _MOST_WORDS)
        registers = tuple(emission.register(1) for _ in range(words))
        if size in _VECTORS:
            emission.emit(f"{name}.v{words}.f32", registers, reads, needs)
        else:
            for each in registers:
                emission.emit(f"{name}.f32", (each,), reads, needs)
        return words_held(registers)


def _stores(access: MemoryAccess, name: str) -> list[str]:
    """The instructions that a store comes to."""
    size = access.width or _WORD
    stored = access.operands[-1].type
    if stored.kind is not Kind.AGGREGATE:
        bits = 8 * size if size in (1, 2, 4, 8) else 32
        return [f"{name}.{'f' if stored.kind is Kind.FLOAT else 'u'}{bits}"]
    if size in _VECTORS:
        return [f"{name}.v{size // _WORD}.f32"]
    return [f"{name}.f32"] * min(ceil(size / _WORD), _MOST_WORDS)
