"""Names of kernels and parameters in the symbols that Numba makes.

In: the symbol of an entry. Out: the kernel's name, and those of its parameters: Numba mangles the
types of the arguments into the symbol (`numba.core.itanium_mangler`), which knows its versions by
ABI tags (`B2v1`), and passes an array of `n` dimensions as `5 + 2 n` parameters, in the order of
`numba.core.datamodel.models.ArrayModel`. Python's own names of the arguments are not in it. Not
handled: tuples, records and other types, with which nothing is named.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...source.numbers import integer

if TYPE_CHECKING:
    from collections.abc import Iterator

_NESTED, _ARRAY_TYPE = "_ZN", "5ArrayI"
_MOST_DIMENSIONS = 64  # of an array of NumPy
_ARRAY = ("meminfo", "parent", "nitems", "itemsize", "data")
_ONE_REGISTER = frozenset("bhstijlmxyfd")  # builtin types, as the Itanium C++ ABI spells them
_VERSION = re.compile(r"v\d+")
_LENGTH = re.compile(r"B?(\d+)")
_WORD = re.compile(r"(\d+)")
_NUMBER = re.compile(r"Li(\d+)E")


def numba_kernel(symbol: str) -> str:
    """`module.kernel`; empty where the symbol is none of Numba's."""
    return ".".join(_parts(symbol)[0])


def numba_parameters(symbol: str) -> tuple[str, ...]:
    """`arg0.data` for a part of an array, `arg1` for a number; empty where a type is neither."""
    at = _parts(symbol)[1]
    names: list[str] = []
    number = 0
    while at < len(symbol):
        name = f"arg{number}"
        number += 1
        if symbol[at] in _ONE_REGISTER:
            names.append(name)
            at += 1
            continue
        dimensions, at = _array(symbol, at)
        if dimensions is None:
            return ()
        names += _of_array(name, dimensions)
    return tuple(names)


def _of_array(name: str, dimensions: int) -> Iterator[str]:
    yield from (f"{name}.{part}" for part in _ARRAY)
    for part in ("shape", "strides"):
        yield from (f"{name}.{part}[{axis}]" for axis in range(dimensions))


def _parts(symbol: str) -> tuple[list[str], int]:
    """The words of the nested name of a symbol, and where what is mangled behind it begins."""
    words: list[str] = []
    versions, at = 0, len(_NESTED)
    while found := _LENGTH.match(symbol, at) if symbol.startswith(_NESTED) else None:
        at = _end(found)
        word = symbol[found.end() : at]
        if not found[0].startswith("B"):
            words.append(word)
        elif _VERSION.fullmatch(word):
            versions += 1
    ours = versions > 0 and symbol.startswith("E", at)
    return (words, at + 1) if ours else ([], len(symbol))


def _end(length: re.Match[str]) -> int:
    """Where the word ends whose length stands before it."""
    size = integer(length[1], 10)
    rest = len(length.string) - length.end()
    return length.end() + (rest if size is None else min(size, rest))


def _array(symbol: str, at: int) -> tuple[int | None, int]:
    """The dimensions of the array that mangled types begin with, and where what follows it begins:
    `5ArrayIfLi2E1C7mutable7alignedE`, where the element may have arguments of its own.
    """
    if not symbol.startswith(_ARRAY_TYPE, at):
        return None, len(symbol)
    at += len(_ARRAY_TYPE)
    depth, dimensions = 1, None
    while at < len(symbol) and depth:
        if named := _WORD.match(symbol, at):
            at = _end(named)
        elif number := _NUMBER.match(symbol, at):
            dimensions = integer(number[1], 10) if depth == 1 else dimensions
            at = number.end()
        else:
            depth += {"I": 1, "E": -1}.get(symbol[at], 0)
            at += 1
    return (None if dimensions is None or dimensions > _MOST_DIMENSIONS else dimensions), at
