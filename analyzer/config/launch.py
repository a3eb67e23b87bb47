"""Shapes of blocks and grids as users write them: `256`, `32,8`, `16x16x4`.

In: text of an option or a setting. Out: three positive numbers within the limits of the hardware
(CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"), or a `UsageError`.
"""

from __future__ import annotations

import re

from .errors import UsageError

_MAX_THREADS = 1024
_MAX_BLOCK = (1024, 1024, 64)
_MAX_GRID = (2**31 - 1, 65535, 65535)


def parse_block(text: str) -> tuple[int, int, int]:
    """The shape of a block: at most 1024 threads."""
    block = _parse(text, "block", _MAX_BLOCK, "256 or 32,8")
    threads = block[0] * block[1] * block[2]
    if threads > _MAX_THREADS:
        raise UsageError(
            f"block `{text}` has {threads} threads",
            f"a block has at most {_MAX_THREADS} threads",
        )
    return block


def parse_grid(text: str) -> tuple[int, int, int]:
    """The shape of a grid, in blocks."""
    return _parse(text, "grid", _MAX_GRID, "1024 or 64,64")


def _parse(
    text: str, what: str, limits: tuple[int, int, int], example: str
) -> tuple[int, int, int]:
    pieces = [piece.strip() for piece in re.split(r"[,x]", text.strip().lower())]
    if not 1 <= len(pieces) <= 3 or not all(re.fullmatch(r"[0-9]{1,10}", p) for p in pieces):
        raise UsageError(
            f"{what} `{text}` is not a shape",
            f"write one to three positive numbers X[,Y[,Z]], such as {example}",
        )
    x, y, z = (*map(int, pieces), 1, 1)[:3]
    for axis, size, limit in zip("xyz", (x, y, z), limits, strict=True):
        if size == 0:
            raise UsageError(f"{what} `{text}` is empty along {axis}", "use at least 1")
        if size > limit:
            raise UsageError(
                f"{what} `{text}` is too large along {axis}", f"the hardware allows {limit}"
            )
    return x, y, z
