"""Headers that everybody has: of C and C++, of the CUDA toolkit, and of well-known libraries.

In: the name in an `#include`. Out: whether it is one of those, and the macros by which it says for
whom it is compiled. That such a header is not at hand says nothing: what a kernel takes from it is
known by its name, and nothing of a project is in it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ...grammars import grammar_data

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENDING = re.compile(r"\.(?:h|hh|hpp|hxx|cuh|inl)$")
#: Many a project has a folder `cuda` of its own: what libcu++ has there is named like this.
_OF_LIBCUDACXX = re.compile(r"cuda/(?:std/|__)|cuda/\w+$")


def is_well_known(name: str) -> bool:
    """Whether a header comes with a compiler, with CUDA, or with a library that everybody knows."""
    folders, files = _tables()
    first, slash, _ = name.partition("/")
    if slash and first in folders:
        return first != "cuda" or bool(_OF_LIBCUDACXX.match(name))
    stem = _ENDING.sub("", name)
    return stem in files or ("/" not in name and stem == name and name.islower())


def macros_of(name: str) -> Mapping[str, str]:
    """The macros that a header which is not at hand defines where nvcc compiles it."""
    return grammar_data("cuda_names.toml")["defined_by"].get(name, {})  # type: ignore[no-any-return]


@cache
def _tables() -> tuple[frozenset[str], frozenset[str]]:
    table = grammar_data("cuda_names.toml")["headers"]
    files = f"{table['standard']} {table['toolkit']}"
    return frozenset(table["folders"].split()), frozenset(files.split())
