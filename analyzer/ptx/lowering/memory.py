"""Lowers memory accesses: ld, st, atom, red, prefetches, matrix loads and stores.

PTX ISA 9.7.9 (data movement), 9.7.13 (atomics), 9.7.14 (matrices). One instruction is one
`MemoryAccess` with the space it names (GENERIC when it names none) and the bytes each thread moves.
A load of several registers yields an aggregate whose fields are extracted. `ld.param` of a kernel's
parameter at a constant offset is the parameter, or a field of it, not an access: it is the same for
every thread. Parameters of device functions and call sequences are variables.
Matrices that wgmma and tcgen05 read through descriptors are loads from unknown places of shared
memory. Textures, surfaces and tensor memory are not memory accesses here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import AccessForm
from ...ir.operations import AccessKind, Field, MemoryAccess, Opcode
from ...ir.tiles import Lines, TileAccess
from ...ir.types import POINTER, UINT32, UINT64, VOID, Kind, Type
from ...ir.values import Unknown, whole_number
from ..syntax.constants import evaluate_constant
from ..syntax.ptx_types import bits
from ..syntax.tree import Address, Name, Vector
from .arithmetic import pure_now
from .frame import Slot

if TYPE_CHECKING:
    from ...ir.values import Value
    from ..syntax.tree import Instruction, Operand
    from .arithmetic import Handler, Prepare
    from .forms import Form
    from .kernel_lowering import Lowering


_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")


def aggregate(width: int) -> Type:
    """The type of several PTX registers together."""
    return Type(Kind.AGGREGATE, 8 * width)


# ---- loads and stores ----------------------------------------------------------------------------


def load(form: Form) -> Handler:
    """`ld`, `ldu`: into one register or a vector of them."""
    element = form.type
    width = bits(element) // 8 * form.vector
    result = element if form.vector == 1 else aggregate(width)

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, address = instruction.operands[:2]
        if form.space is Space.PARAMETER and _parameter_load(low, form, target, address):
            return
        access = MemoryAccess(
            AccessKind.LOAD,
            result,
            [low.address(address)],
            low.builder.location,
            space=form.space,
            width=width,
            element=element,
            volatile=form.volatile,
            scope=form.scope,
            order=form.order,
            form=AccessForm.READ_ONLY if form.has("nc") else AccessForm.PLAIN,
            name=form.text,
        )
        low.builder.emit(access)
        low.spread(target, access, element)

    return lower


def store(form: Form) -> Handler:
    """`st`: from one register or a vector of them."""
    element = form.type
    width = bits(element) // 8 * form.vector

    def lower(low: Lowering, instruction: Instruction) -> None:
        address, source = instruction.operands[:2]
        if form.space is Space.PARAMETER and _parameter_store(low, form, address, source):
            return
        emit_store(low, form, [low.address(address), *low.stored(source, element)], width, element)

    return lower


def emit_store(low: Lowering, form: Form, inputs: list[Value], width: int, element: Type) -> None:
    """Emit a PTX store of `width` bytes per thread; `inputs` are the address and the values."""
    low.builder.emit(
        MemoryAccess(
            AccessKind.STORE,
            VOID,
            inputs,
            low.builder.location,
            space=form.space,
            width=width,
            element=element,
            volatile=form.volatile,
            scope=form.scope,
            order=form.order,
            form=form.access,
            name=form.text,
        )
    )


def _slot_and_offset(low: Lowering, address: Operand) -> tuple[Slot, int] | None:
    """The parameter and the constant offset an address names; None when it is computed."""
    if not isinstance(address, Address) or not isinstance(address.base, Name):
        return None
    slot = low.frame.things.get(address.base.text)
    if not isinstance(slot, Slot):
        return None
    offset = 0 if address.offset is None else evaluate_constant(address.offset)
    if offset is None:
        return None
    return slot, -offset if address.joint.endswith("-") else offset


def _parameter_load(low: Lowering, form: Form, target: Operand, address: Operand) -> bool:
    named = _slot_and_offset(low, address)
    if named is None:
        return False
    slot, offset = named
    element = form.type
    targets = low.elements(target) or (target,)
    for index, one in enumerate(targets):
        at = offset + index * (bits(element) // 8)
        if slot.result_of is not None:
            value = _result_field(low, slot, at, element)
        elif slot.declared is not None:
            value = low.parameter_value(slot, at, element)
        else:
            value = low.builder.read(slot.part(at), element)
        low.assign(one, value)
    return True


def _result_field(low: Lowering, slot: Slot, offset: int, element: Type) -> Value:
    """What a call that was not inlined returned."""
    call = slot.result_of
    assert call is not None
    if offset == 0 and call.type.bits == element.bits:
        return call
    field = Field(Opcode.EXTRACT, element, [call], low.builder.location, offset, str(offset))
    return low.builder.emit(field)


def _parameter_store(low: Lowering, form: Form, address: Operand, source: Operand) -> bool:
    named = _slot_and_offset(low, address)
    if named is None or named[0].declared is not None:
        return False
    slot, offset = named
    element = form.type
    for index, value in enumerate(low.values(source, element)):
        low.builder.write(slot.part(offset + index * (bits(element) // 8)), value)
    return True


# ---- atomics (9.7.13) ----------------------------------------------------------------------------

_ATOMIC_WORDS = frozenset(
    ("add", "sub", "inc", "dec", "min", "max", "and", "or", "xor", "exch", "cas")
)


def atomic(kind: AccessKind) -> Prepare:
    """`atom` returns the old value, `red` does not."""

    def prepare(form: Form) -> Handler:
        word = next((m for m in form.modifiers if m in _ATOMIC_WORDS), form.mnemonic)
        element = form.type
        width = bits(element) // 8 * form.vector
        returns = kind is AccessKind.ATOMIC
        result = (element if form.vector == 1 else aggregate(width)) if returns else VOID

        def lower(low: Lowering, instruction: Instruction) -> None:
            operands = instruction.operands
            target = operands[0] if returns else None
            address, *sources = operands[1:] if returns else operands
            values = [value for source in sources for value in low.stored(source, element)]
            access = MemoryAccess(
                kind,
                result,
                [low.address(address), *values],
                low.builder.location,
                space=form.space,
                width=width,
                element=element,
                atomic=word,
                scope=form.scope or "device",
                order=form.order,
                name=form.text,
            )
            low.builder.emit(access)
            if target is not None:
                low.spread(target, access, element)

        return lower

    return prepare


# ---- prefetches (9.7.9.15) ----------------------------------------------------------------------


def prefetched(low: Lowering, form: Form, address: Operand) -> None:
    """Emit an access of a PTX instruction that moves nothing into registers."""
    low.builder.emit(
        MemoryAccess(
            AccessKind.PREFETCH,
            VOID,
            [low.address(address)],
            low.builder.location,
            space=form.space,
            width=None,
            name=form.text,
        )
    )


def prefetch(form: Form) -> Handler:
    """`prefetch`, `prefetchu`, `applypriority`, `discard`."""

    def lower(low: Lowering, instruction: Instruction) -> None:
        prefetched(low, form, instruction.operands[0])

    return lower


# ---- matrices (9.7.14) ---------------------------------------------------------------------------


def matrix_load(form: Form) -> Handler:
    """`ldmatrix`: each address is that of a row of 16 bytes; every lane gets parts of rows."""

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, address = instruction.operands[:2]
        access = MemoryAccess(
            AccessKind.MATRIX_LOAD,
            aggregate(4 * _register_count(target)),
            [low.address(address)],
            low.builder.location,
            space=form.space,
            width=16,
            element=UINT32,
            name=form.text,
        )
        low.builder.emit(access)
        low.spread(target, access, UINT32)

    return lower


def matrix_store(form: Form) -> Handler:
    """`stmatrix`: each address is that of a row of 16 bytes."""

    def lower(low: Lowering, instruction: Instruction) -> None:
        address, source = instruction.operands[:2]
        emit_store(low, form, [low.address(address), *low.stored(source, UINT32)], 16, UINT32)

    return lower


def warp_matrix(form: Form) -> Handler:
    """`wmma.load`, `wmma.store`: the warp moves a tile; the bytes of one lane are not specified."""
    if not form.modifiers or form.modifiers[0] not in ("load", "store"):
        return lambda low, instruction: pure_now(low, instruction, form)
    loads = form.modifiers[0] == "load"

    def lower(low: Lowering, instruction: Instruction) -> None:
        first, second, *rest = instruction.operands
        address, registers = (second, first) if loads else (first, second)
        stride = [value for operand in rest for value in low.values(operand, UINT32)]
        stored = [] if loads else low.stored(registers, UINT32)
        result = aggregate(4 * _register_count(registers)) if loads else VOID
        kind = AccessKind.TILE_LOAD if loads else AccessKind.TILE_STORE
        values, where = [low.address(address), *stored, *stride], low.builder.location
        tile = _tile(form, stride)
        space, element, name = form.space, form.type, form.text
        access: MemoryAccess
        if tile is None:
            access = MemoryAccess(
                kind, result, values, where, space=space, element=element, name=name
            )
        else:
            access = TileAccess(
                kind, values, where, *tile, type=result, space=space, element=element, name=name
            )
        low.builder.emit(access)
        if loads:
            low.spread(registers, access, UINT32)

    return lower


def _tile(form: Form, stride: list[Value]) -> tuple[Lines, str] | None:
    """The lines of a tile and its kind of fragment; None where the stride is no constant."""
    found = next(filter(None, map(_SHAPE.fullmatch, form.modifiers)), None)
    pitch = whole_number(stride[0]) if stride else None
    size = (form.type.bits or 0) // 8
    if found is None or not pitch or not size:
        return None
    m, n, k = map(int, found.groups())
    use = form.modifiers[1]
    rows, columns = {"a": (m, k), "b": (k, n)}.get(use, (m, n))
    count, length = (rows, columns) if form.has("row") else (columns, rows)
    words = f"{'c' if use == 'd' else use} {rows}x{columns} {count}"
    return Lines(count, length * size, pitch * size), words


def reading_matrices(handler: Handler, form: Form, positions: list[int]) -> Handler:
    """Lowers a PTX instruction that also reads matrices from shared memory, where descriptors say.

    A descriptor holds an address, strides and a swizzle (PTX ISA, "Matrix Descriptor Format"): the
    threads that wait for the product read neither one place nor places of their own.
    """
    reason = "its address is in a matrix descriptor"

    def lower(low: Lowering, instruction: Instruction) -> None:
        for operand in [instruction.operands[index] for index in positions]:
            if isinstance(operand, Vector | Address):
                continue
            place = Unknown(POINTER, reason, per_thread=False)
            access = MemoryAccess(
                AccessKind.LOAD,
                Type(Kind.AGGREGATE, None),
                [place, low.value(operand, UINT64)],
                low.builder.location,
                space=Space.SHARED,
                name=form.text,
            )
            low.builder.emit(access)
        handler(low, instruction)

    return lower


def _register_count(operand: Operand) -> int:
    return len(operand.elements) if isinstance(operand, Vector) else 1


def multimem(form: Form) -> Handler:
    """`multimem.ld_reduce`, `.st`, `.red`: accesses to the same offset of several devices."""
    word = form.modifiers[0] if form.modifiers else ""
    if word == "ld_reduce":
        return load(form)
    return atomic(AccessKind.REDUCTION)(form) if word == "red" else store(form)


HANDLERS: dict[str, Prepare] = {
    "ld": load,
    "ldu": load,
    "st": store,
    "atom": atomic(AccessKind.ATOMIC),
    "red": atomic(AccessKind.REDUCTION),
    "prefetch": prefetch,
    "prefetchu": prefetch,
    "applypriority": prefetch,
    "discard": prefetch,
    "ldmatrix": matrix_load,
    "stmatrix": matrix_store,
    "wmma": warp_matrix,
    "multimem": multimem,
}

BY_EFFECT: dict[str, Prepare] = {
    "load": load,
    "store": store,
    "atomic": atomic(AccessKind.ATOMIC),
    "reduction": atomic(AccessKind.REDUCTION),
    "prefetch": prefetch,
    "matrix": matrix_load,
}
