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

if TYPE_CHECKING:
    from collections.abc import Iterator

_ARRAY = ("meminfo", "parent", "nitems", "itemsize", "data")
_ONE_REGISTER = frozenset("bhstijlmxyfd")  # builtin types, as the Itanium C++ ABI spells them
_VERSION = re.compile(r"v\d+")
_LENGTH = re.compile(r"B?(\d+)")
_NUMBER = re.compile(r"Li(\d+)E")


def numba_kernel(symbol: str) -> str:
    """`module.kernel`; empty where the symbol is none of Numba's."""
    return ".".join(_parts(symbol)[0])


def numba_parameters(symbol: str) -> tuple[str, ...]:
    """`arg0.data` for a part of an array, `arg1` for a number; empty where a type is neither."""
    rest = _parts(symbol)[1]
    names: list[str] = []
    number = 0
    while rest:
        name = f"arg{number}"
        number += 1
        if rest[0] in _ONE_REGISTER:
            names.append(name)
            rest = rest[1:]
            continue
        dimensions, rest = _array(rest)
        if dimensions is None:
            return ()
        names += _of_array(name, dimensions)
    return tuple(names)


def _of_array(name: str, dimensions: int) -> Iterator[str]:
    yield from (f"{name}.{part}" for part in _ARRAY)
    for part in ("shape", "strides"):
        yield from (f"{name}.{part}[{axis}]" for axis in range(dimensions))


def _parts(symbol: str) -> tuple[list[str], str]:
    """The words of the nested name of a symbol, and what is mangled behind it."""
    rest = symbol.removeprefix("_ZN")
    words: list[str] = []
    versions = 0
    while found := _LENGTH.match(rest):
        word, rest = _taken(rest, found)
        if not found[0].startswith("B"):
            words.append(word)
        elif _VERSION.fullmatch(word):
            versions += 1
    ours = versions > 0 and rest.startswith("E") and symbol.startswith("_ZN")
    return (words, rest[1:]) if ours else ([], "")


def _taken(text: str, length: re.Match[str]) -> tuple[str, str]:
    """The word whose length stands before it, and what follows."""
    end = length.end() + int(length[1])
    return text[length.end() : end], text[end:]


def _array(mangled: str) -> tuple[int | None, str]:
    """The dimensions of the array that mangled types begin with, and what follows it:
    `5ArrayIfLi2E1C7mutable7alignedE`, where the element may have arguments of its own.
    """
    rest, depth, dimensions = mangled.removeprefix("5ArrayI"), 1, None
    if rest == mangled:
        return None, ""
    while rest and depth:
        if named := re.match(r"(\d+)", rest):
            rest = _taken(rest, named)[1]
        elif number := _NUMBER.match(rest):
            dimensions = int(number[1]) if depth == 1 else dimensions
            rest = rest[number.end() :]
        else:
            depth += {"I": 1, "E": -1}.get(rest[0], 0)
            rest = rest[1:]
    return dimensions, rest
