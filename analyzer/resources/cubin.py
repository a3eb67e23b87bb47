"""Cubins: what ptxas made of each kernel, read from the binary without NVIDIA's tools.

In: the bytes of a cubin (ELF for machine 190). Out: a `CompiledKernel` for each entry, with the
numbers that `ptxas -v` prints: registers, barriers, static shared memory, stack frame, constant
bank 0, parameters. They stand in the attributes of `.nv.info` (format byte, attribute byte, then a
value or a size and values; names as cuobjdump prints them) and in the sizes of sections. Spilled
bytes are not in a cubin: a kernel without a stack frame has none, for others they are not known.
Raises BinaryError. Not handled: the 32-bit cubins of CUDA before 4.0.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from ..ir.usage import UNKNOWN, Amount, Source, Usage
from ..source.records import dataclass
from .debug_frame import own_frames
from .elf import CUDA_MACHINE, BinaryError, Elf

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .elf import Section

_RESERVED, _RESERVED_FROM = 1024, 90  # bytes that cubins count from 9.0 on, ptxas -v never
_ENTRY = 0x10  # st_other: the symbol is a kernel
_NEW_ABI = 0x41  # e_ident[EI_OSABI] from CUDA 13.0 on; the architecture moved within e_flags

# Formats: no value, one byte, two bytes, a size and as many bytes.
_BYTE, _HALF, _SIZED = 2, 3, 4

# Attributes of .nv.info, one entry for each function:
_FRAME_SIZE, _MIN_STACK_SIZE, _REGISTER_COUNT = 0x11, 0x12, 0x2F
# and of .nv.info.<kernel>:
_PARAMETER_SIZE, _BARRIERS, _TOOLKIT = 0x19, 0x4C, 0x37

Attribute = tuple[int, int, bytes]  # attribute, short value, long value


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    """One kernel of a binary or a log; `toolkit` is the CUDA version, ten times, where known."""

    name: str  # mangled
    arch: int | None
    usage: Usage
    toolkit: int | None = None


def read_cubin(data: bytes) -> tuple[CompiledKernel, ...]:
    """The kernels of a cubin, in the order of the symbol table."""
    elf = Elf(data)
    if elf.machine != CUDA_MACHINE:
        raise BinaryError(f"an ELF file for machine {elf.machine}, not for a GPU")
    return tuple(_kernels(elf))


def _kernels(elf: Elf) -> Iterator[CompiledKernel]:
    arch = (elf.flags >> 8 if elf.os_abi == _NEW_ABI else elf.flags) & 0xFF
    sections = {section.name: section for section in elf.sections}
    module = sections.get(".nv.info")
    of_functions = _by_function(module.data if module else b"")
    own = own_frames(elf)
    for index, symbol in enumerate(elf.symbols):
        if not symbol.other & _ENTRY or not symbol.section:
            continue
        info = sections.get(f".nv.info.{symbol.name}")
        attributes = {
            kind: (short, value) for kind, short, value in _attributes(info.data if info else b"")
        }
        text = sections.get(f".text.{symbol.name}")
        # Before CUDA 11.8 the counts stand in the header of the code's section.
        counts = of_functions.get(index, {})
        registers = counts.get(_REGISTER_COUNT, text.info >> 24 if text else None)
        barriers = text.flags >> 20 & 0x7F if text else None
        if _BARRIERS in attributes:
            barriers = attributes[_BARRIERS][0] & 0xFF
        bank = sections.get(f".nv.constant0.{symbol.name}")
        frame = counts.get(_FRAME_SIZE)
        yield CompiledKernel(
            symbol.name,
            arch,
            Usage(
                registers=_amount(registers),
                static_shared=_amount(_shared(sections.get(f".nv.shared.{symbol.name}"), arch)),
                barriers=_amount(barriers),
                frame=_amount(own.get(index, frame)),
                stack=_amount(counts.get(_MIN_STACK_SIZE)),
                spill_stores=_amount(0 if frame == 0 else None),
                spill_loads=_amount(0 if frame == 0 else None),
                constant_bank=_amount(bank.size if bank else None),
                parameters=_amount(_short(attributes, _PARAMETER_SIZE) or 0),
            ),
            _toolkit(attributes),
        )


def _shared(section: Section | None, arch: int) -> int:
    """What the kernel declares: from 9.0 on its section begins with the driver's part."""
    size = section.size if section else 0
    return max(0, size - _RESERVED) if arch >= _RESERVED_FROM else size


def _amount(value: int | None) -> Amount:
    return UNKNOWN if value is None else Amount(value, Source.CUBIN)


def _short(attributes: Mapping[int, tuple[int, bytes]], kind: int) -> int | None:
    return attributes[kind][0] if kind in attributes else None


def _toolkit(attributes: Mapping[int, tuple[int, bytes]]) -> int | None:
    value = attributes.get(_TOOLKIT, (0, b""))[1]
    return struct.unpack_from("<I", value)[0] if len(value) >= 4 else None


def _by_function(data: bytes) -> dict[int, dict[int, int]]:
    """For each symbol its attributes that have a symbol and a number."""
    found: dict[int, dict[int, int]] = {}
    for kind, _, value in _attributes(data):
        if kind in (_FRAME_SIZE, _MIN_STACK_SIZE, _REGISTER_COUNT) and len(value) >= 8:
            symbol, number = struct.unpack_from("<II", value)
            found.setdefault(symbol, {})[kind] = number
    return found


def _attributes(data: bytes) -> Iterator[Attribute]:
    """The attributes of one section; what cannot be an attribute ends it."""
    position = 0
    while position + 4 <= len(data):
        form, kind, short = struct.unpack_from("<BBH", data, position)
        position += 4
        if form == _SIZED:
            if position + short > len(data):
                raise BinaryError("an attribute of .nv.info is cut off")
            yield kind, 0, data[position : position + short]
            position += short
        else:
            yield kind, short if form in (_BYTE, _HALF) else 0, b""
