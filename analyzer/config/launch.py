"""Shapes of blocks and grids as users write them: `256`, `32,8`, `16x16x4`; and whole launches.

In: text of an option or a setting. Out: three positive numbers within the limits of the hardware
(CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"), or a `UsageError`.
A launch is `KERNEL:GRID:BLOCK[:ARGUMENTS[:SHARED]]`: of each argument its number, `[BYTES]` for a
pointer to so many bytes, or nothing; and the bytes of dynamic shared memory.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from ..source.records import dataclass
from .errors import UsageError

_MAX_THREADS = 1024
_MAX_BLOCK = (1024, 1024, 64)
_MAX_GRID = (2**31 - 1, 65535, 65535)
_LAUNCH = re.compile(
    r"(?P<kernel>(?:[^:]|::)+?):(?P<grid>[\dxX, ]+):(?P<block>[\dxX, ]+)"
    r"(?::(?P<arguments>[^:]*)(?::(?P<shared>\d{1,10}))?)?"
)
_ARGUMENT = re.compile(r"(?P<number>[+-]?\d{1,20})|\[(?P<bytes>\d{1,20})\]|_?")


@dataclass(frozen=True, slots=True)
class StatedLaunch:
    """A launch that the user states; `kernel` is a name or a pattern, None is what is not said."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: tuple[int | None, ...] = ()
    sizes: tuple[int | None, ...] = ()  # the bytes behind the arguments that are pointers
    shared: int | None = None  # bytes of dynamic shared memory

    def is_of(self, *names: str, scoped: bool = True) -> bool:
        """Whether the launch is of a kernel with these names, which have no scopes if not so."""
        pattern = self.kernel if scoped else self.kernel.rpartition("::")[2]
        return any(fnmatchcase(name, pattern) for name in names)


def parse_launch(text: str) -> StatedLaunch:
    """A launch as `--launch` has it."""
    found = _LAUNCH.fullmatch(text.strip())
    if found is None:
        raise UsageError(
            f"launch `{text}` cannot be read",
            "write KERNEL:GRID:BLOCK[:ARGUMENTS[:SHARED]], such as scale:3907:256:_,1000000",
        )
    words = (found["arguments"] or "").split(",") if found["arguments"] else []
    parts = [_ARGUMENT.fullmatch(word.strip()) for word in words]
    for word, part in zip(words, parts, strict=True):
        if part is None:
            raise UsageError(
                f"argument `{word.strip()}` of launch `{text}` is no number",
                "write a whole number, [BYTES] for a pointer to so many bytes, or _ for others",
            )
    return StatedLaunch(
        found["kernel"],
        parse_grid(found["grid"]),
        parse_block(found["block"]),
        tuple(int(part["number"]) if part and part["number"] else None for part in parts),
        tuple(int(part["bytes"]) if part and part["bytes"] else None for part in parts),
        None if found["shared"] is None else int(found["shared"]),
    )


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
