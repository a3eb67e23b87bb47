"""Statements of host code that a directive has a device run: OpenACC's and OpenMP's.

In: a text, before it is preprocessed. Out: where the statements begin before which `#pragma acc
parallel`, `kernels` or `serial`, or `#pragma omp target` stands, other pragmas between. Pointers in
such a statement are those of the device, by `deviceptr` or `is_device_ptr`. Not handled: `_Pragma`;
directives that a macro makes.
"""

from __future__ import annotations

import re

from ...source.tokens import tokenize

_PRAGMA = re.compile(r"#\s*pragma\b")
_OFFLOADING = re.compile(r"#\s*pragma\s+(?:acc\s+(?:parallel|kernels|serial)|omp\s+target)\b")
# Without these words the text, of many pragmas for loops of the host, is not taken apart.
_SOME = re.compile(
    r"\b(?:acc(?:\s|\\\r?\n)+(?:parallel|kernels|serial)|omp(?:\s|\\\r?\n)+target)\b"
)
_CONTINUED = re.compile(r"\\\r?\n")


def offloaded_places(text: str) -> frozenset[int]:
    """The offsets at which host statements begin that OpenACC or OpenMP has a device run."""
    found: set[int] = set()
    if "pragma" not in text or _SOME.search(text) is None:
        return frozenset()
    offloading = False
    tokens, _ = tokenize(text)
    for kind, word, place in zip(tokens.kinds, tokens.texts, tokens.places, strict=True):
        if kind == "DIRECTIVE":
            line = _CONTINUED.sub(" ", word)
            pragma = _PRAGMA.match(line) is not None
            offloading = pragma and (offloading or _OFFLOADING.match(line) is not None)
        elif offloading:
            found.add(place)
            offloading = False
    return frozenset(found)
