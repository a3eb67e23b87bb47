"""ELF files of 64 bits, little-endian, as far as GPU binaries need: sections and symbols.

In: the bytes of a file from anywhere. Out: an `Elf` with its sections and symbols, or a
`BinaryError` that says what is wrong; every offset is checked before it is followed. Follows the
System V ABI, chapter 4. Not handled: ELF of 32 bits or big-endian, more than 65,279 sections.
"""

from __future__ import annotations

import struct
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"\x7fELF"
CUDA_MACHINE = 190

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_NO_BITS = 8
_SYMBOL_TABLE = 2


class BinaryError(ValueError):
    """A file that is not what it says, or is cut off."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section; `data` is empty where the file holds none of it."""

    name: str
    type: int
    flags: int
    size: int
    link: int
    info: int
    data: bytes


class Symbol(NamedTuple):
    """One entry of the symbol table."""

    name: str
    other: int
    section: int


class Elf:
    """A parsed file."""

    def __init__(self, data: bytes) -> None:
        if not data.startswith(MAGIC):
            raise BinaryError("not an ELF file")
        if len(data) < _HEADER.size:
            raise BinaryError("the ELF header is cut off")
        if data[4:6] != b"\x02\x01":
            raise BinaryError("not a 64-bit little-endian ELF file")
        header = _HEADER.unpack_from(data)
        self._data = data
        self.os_abi = data[7]
        self.machine: int = header[2]
        self.flags: int = header[7]
        self._table: int = header[6]
        self._entry: int = header[11]
        self._count: int = header[12]
        self._names: int = header[13]

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Every section, in order."""
        if self._count and self._entry < _SECTION.size:
            raise BinaryError("section headers are too short")
        end = self._table + self._entry * self._count
        if end > len(self._data):
            raise BinaryError("the section table is cut off")
        heads = [
            _SECTION.unpack_from(self._data, self._table + self._entry * index)
            for index in range(self._count)
        ]
        if self._count and self._names >= self._count:
            raise BinaryError("no section holds the section names")
        names = self._contents(heads[self._names]) if heads else b""
        return tuple(
            Section(
                _text(names, head[0]),
                head[1],
                head[2],
                head[5],
                head[6],
                head[7],
                self._contents(head),
            )
            for head in heads
        )

    @property
    def size(self) -> int:
        """Where the last part of the file ends."""
        return self._table + self._entry * self._count

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbol table, in order."""
        return tuple(self._read_symbols())

    def _read_symbols(self) -> Iterator[Symbol]:
        for section in self.sections:
            if section.type != _SYMBOL_TABLE:
                continue
            if section.link >= len(self.sections):
                raise BinaryError("no section holds the symbol names")
            names = self.sections[section.link].data
            whole = len(section.data) // _SYMBOL.size * _SYMBOL.size
            for name, _, other, index, _, _ in _SYMBOL.iter_unpack(section.data[:whole]):
                yield Symbol(_text(names, name), other, index)
            return

    def _contents(self, head: tuple[int, ...]) -> bytes:
        kind, offset, size = head[1], head[4], head[5]
        if kind in (0, _NO_BITS):
            return b""
        if offset + size > len(self._data):
            raise BinaryError("a section reaches past the end of the file")
        return self._data[offset : offset + size]


def _text(names: bytes, offset: int) -> str:
    """The string at an offset of a string table."""
    end = names.find(b"\0", offset)
    if end < 0:
        raise BinaryError("a name is outside of its table")
    return names[offset:end].decode("utf-8", "backslashreplace")
