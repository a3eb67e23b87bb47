"""The stack frame of a kernel whose code holds functions that are called through pointers.

In: a cubin. Out: by the index of such a kernel's symbol the bytes that its own code puts on the
stack, which `ptxas -v` prints as the stack frame; the attribute of the kernel counts what those
functions put there, too. Follows DWARF 4, 6.4, in its 64-bit form, the only one that ptxas writes;
relocations of `.debug_frame` name the kernels. Not handled: registers that the kernel itself
spills, which only the attribute counts; so kernels without such functions are left out, as are
those whose entries are not as expected.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .elf import Elf

#: Where, and symbol and type; what the longer ones add to the symbol stands in the entry as well.
_RELOCATIONS = {
    ".rel.debug_frame": struct.Struct("<QQ"),
    ".rela.debug_frame": struct.Struct("<QQ8x"),
}
_HEAD = struct.Struct("<IQQQQ")  # mark, length, CIE, first address, size of the code
_LONG = 0xFFFFFFFF

_ADVANCE, _OFFSET, _RESTORE = 0x40, 0x80, 0xC0  # instructions with an operand in the low six bits
_DEFINE, _DEFINE_OFFSET = 0x0C, 0x0E
#: The operands of the others: bytes, or None for a number of variable length.
_OPERANDS: dict[int, tuple[int | None, ...]] = {
    0x00: (), 0x02: (1,), 0x03: (2,), 0x04: (4,), 0x05: (None, None), 0x06: (None,),
    0x07: (None,), 0x08: (None,), 0x09: (None, None), 0x0A: (), 0x0B: (),
    _DEFINE: (None, None), 0x0D: (None,), _DEFINE_OFFSET: (None,),
}  # fmt: skip


def own_frames(elf: Elf) -> dict[int, int]:
    """The stack frames in a cubin's `.debug_frame`, by the index of the kernel's symbol."""
    sections = {section.name: section.data for section in elf.sections}
    data = sections.get(".debug_frame", b"")
    own: dict[int, int] = {}
    functions: set[int] = set()  # kernels with functions that have frames
    for name, form in _RELOCATIONS.items():
        relocations = sections.get(name, b"")
        whole = len(relocations) // form.size * form.size
        for place, symbol in form.iter_unpack(relocations[:whole]):
            entry = _entry_at(data, place - 20)  # what is relocated is the first address
            if entry is None:
                continue
            first, frame = entry
            if not first:
                own[symbol >> 32] = frame
            elif frame:
                functions.add(symbol >> 32)
    return {symbol: own[symbol] for symbol in functions & own.keys()}


def _entry_at(data: bytes, start: int) -> tuple[int, int] | None:
    """Where the code of the entry that begins here stands behind its symbol, and its frame."""
    if not 0 <= start <= len(data) - _HEAD.size:
        return None
    mark, length, _, first, _ = _HEAD.unpack_from(data, start)
    frame = _deepest(data[start + _HEAD.size : start + 12 + length]) if mark == _LONG else None
    return None if frame is None else (first, frame)


def _deepest(instructions: bytes) -> int | None:
    """The largest distance of the frame's address from the stack pointer; None if it is unclear."""
    position, deepest = 0, None
    while position < len(instructions):
        code = instructions[position]
        position += 1
        if code & 0xC0 in (_ADVANCE, _RESTORE):
            continue
        operands = (None,) if code & 0xC0 == _OFFSET else _OPERANDS.get(code)
        if operands is None:
            break  # expressions: where saved registers are, in terms of other registers
        number = 0
        for size in operands:
            number, position = _number(instructions, position, size)
        if code in (_DEFINE, _DEFINE_OFFSET):
            deepest = max(deepest or 0, number)
    return deepest


def _number(data: bytes, position: int, size: int | None) -> tuple[int, int]:
    """An operand and where it ends."""
    if size is not None:
        return int.from_bytes(data[position : position + size], "little"), position + size
    value = shift = 0
    while position < len(data):
        byte = data[position]
        position += 1
        if shift < 32:  # no frame is larger
            value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            break
    return value, position
