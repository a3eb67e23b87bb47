"""Fat binaries: the cubins inside of what nvcc links into programs and libraries.

In: the bytes of a cubin, a fatbin, or a host object, program or shared library with sections
`.nv_fatbin`. Out: the kernels of every cubin in it, and a count of what could not be looked into,
with the reason. An entry is stored plain, as an LZ4 block (flag 0x2000, CUDA up to 12.7), or as
Zstandard (flag 0x8000, later); the last is read where Python has a decoder for it, from 3.14 on.
Sizes come from a hostile file: no more than `LARGEST` bytes are ever unpacked. Not handled:
archives (`.a`), and the relocated fatbins of Windows objects.
"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING

from ..source.records import dataclass
from .cubin import CompiledKernel, read_cubin
from .elf import CUDA_MACHINE, MAGIC, BinaryError, Elf

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 1 << 28

_FATBIN = struct.pack("<I", 0xBA55ED50)
_HEAD = struct.Struct("<IHHQ")  # magic, version, bytes of this header, bytes that follow
_ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
_CUBIN = 2
_LZ4, _ZSTANDARD = 0x2000, 0x8000


@dataclass(slots=True)
class Binary:
    """The kernels in a GPU binary; `skipped` counts entries that were not read, by reason."""

    kernels: list[CompiledKernel] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


def is_binary(data: bytes) -> bool:
    """Whether bytes begin like a cubin, a fatbin or a host file with fatbins."""
    return data.startswith((MAGIC, _FATBIN))


def read_binary(data: bytes) -> Binary:
    """The kernels of a cubin, a fatbin, or a host file with fatbins; raises BinaryError."""
    binary = Binary()
    if data.startswith(_FATBIN):
        _read_containers(data, binary)
        return binary
    elf = Elf(data)
    if elf.machine == CUDA_MACHINE:
        binary.kernels.extend(read_cubin(data))
        return binary
    holders = [s for s in elf.sections if s.name in (".nv_fatbin", "__nv_relfatbin")]
    if not holders:
        raise BinaryError("no GPU code in this file: it has no section .nv_fatbin")
    for section in holders:
        _read_containers(section.data, binary)
    return binary


def _read_containers(data: bytes, binary: Binary) -> None:
    """Every fatbin of a section; a linker puts them one behind the other, padded."""
    position = data.find(_FATBIN)
    while position >= 0:
        if position + _HEAD.size > len(data):
            raise BinaryError("a fatbin header is cut off")
        _, _, head, size = _HEAD.unpack_from(data, position)
        end = position + head + size
        if head < _HEAD.size or end > len(data):
            raise BinaryError("a fatbin is cut off")
        for flags, unpacked, payload in _entries(data, position + head, end):
            _read_entry(flags, unpacked, payload, binary)
        position = data.find(_FATBIN, end)


def _entries(data: bytes, position: int, end: int) -> Iterator[tuple[int, int, bytes]]:
    """Flags, unpacked size and bytes of each cubin of one container."""
    while position + _ENTRY.size <= end:
        fields = _ENTRY.unpack_from(data, position)
        kind, head, padded, packed = fields[0], fields[2], fields[3], fields[4]
        start = position + head
        if head < _ENTRY.size or start + padded > end or packed > padded:
            raise BinaryError("an entry of a fatbin is cut off")
        if kind == _CUBIN:
            yield fields[11], fields[13], data[start : start + (packed or padded)]
        position = start + padded


def _read_entry(flags: int, unpacked: int, payload: bytes, binary: Binary) -> None:
    try:
        if flags & _ZSTANDARD:
            payload = _unpack_zstandard(payload)
        elif flags & _LZ4:
            payload = unpack_lz4(payload, unpacked)
        binary.kernels.extend(read_cubin(payload))
    except BinaryError as error:
        binary.skipped[str(error)] += 1


def _unpack_zstandard(payload: bytes) -> bytes:
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        advice = "build with --compress-mode=none, or extract it with cuobjdump -xelf all"
        raise BinaryError(f"packed with Zstandard: needs Python 3.14; {advice}") from None
    try:
        unpacked: bytes = zstd.ZstdDecompressor().decompress(payload, LARGEST)
    except (zstd.ZstdError, ValueError, MemoryError) as error:
        raise BinaryError(f"damaged Zstandard data: {error}") from None
    return unpacked


def unpack_lz4(payload: bytes, size: int) -> bytes:
    """An LZ4 block (LZ4 Block Format Description); `size` is what the entry promises."""
    if size > LARGEST:
        raise BinaryError(f"an entry of {size} bytes is too large to unpack")
    out = bytearray()
    position = 0
    try:
        while position < len(payload) and len(out) < size:
            token = payload[position]
            literals, position = _length(payload, position + 1, token >> 4)
            if position + literals > len(payload):
                raise BinaryError("packed data is cut off")
            out += payload[position : position + literals]
            position += literals
            if position >= len(payload) or len(out) >= size:
                break
            distance = payload[position] | payload[position + 1] << 8
            match, position = _length(payload, position + 2, token & 15)
            _repeat(out, distance, min(match + 4, size - len(out)))
    except IndexError:
        raise BinaryError("packed data is cut off") from None
    return bytes(out)


def _length(payload: bytes, position: int, length: int) -> tuple[int, int]:
    """A length whose four bits may be continued by bytes."""
    if length == 15:
        while True:
            more = payload[position]
            position += 1
            length += more
            if more != 255:
                break
    return length, position


def _repeat(out: bytearray, distance: int, count: int) -> None:
    if not 0 < distance <= len(out):
        raise BinaryError("packed data refers to nothing")
    start = len(out) - distance
    while count > 0:
        piece = out[start : start + min(count, distance)]
        out += piece
        count -= len(piece)
