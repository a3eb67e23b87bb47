"""What Triton keeps beside the PTX of a kernel.

In: the path of a PTX file. Out: the names of a kernel's parameters, and its launch as far as it is
written down. `NAME.json` has the kernel's name, its warps, and the bytes of shared memory that it
is launched with; `NAME.ttir` names the arguments that are left after specialisation, in order:
`tt.func public @add(%x_ptr: !tt.ptr<f32> loc("x_ptr"(#loc)), ...)` (Triton 2 and 3). What cannot be
read says nothing; nothing is executed. Not known: the grid, which the program chooses.
"""

from __future__ import annotations

import json
import re
from os.path import splitext
from typing import TYPE_CHECKING, Any

from ..ir.kernel import Launch
from ..source.file_probes import is_file
from ..source.reader import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ir.kernel import Kernel

_LANES = 32
_MOST_WARPS = 32
_MOST_SHARED = 2**20  # bytes; no block has more

_FUNCTION = re.compile(r"tt\.func\s+(?:\w+\s+)?@\"?([\w.$]+)\"?\(([^\n]*)")
_NUMBERED = re.compile(r"arg\d+")
_SAID = re.compile(r'loc\("(\w+)"\(')
_LAST = re.compile(r"\)\s*(?:attributes\b|\{|->)")


def triton_parameters(path: str, kernel: str) -> tuple[str, ...]:
    """The names of a Triton kernel's parameters, from the first on; others after them have none."""
    text = _beside(path, ".ttir")
    for name, arguments in () if text is None else _FUNCTION.findall(text):
        if name == kernel:
            return tuple(
                "" if _NUMBERED.fullmatch(each) else each for each in _arguments(arguments)
            )
    return ()


def triton_launch(path: str, kernel: Kernel) -> Launch | None:
    """The block and the shared memory of a Triton kernel's launches, as the metadata have them."""
    text = _beside(path, ".json")
    known = None if text is None else _record(text)
    if known is None or known.get("name") != kernel.name:
        return None
    warps, shared = known.get("num_warps"), known.get("shared")
    if not isinstance(warps, int) or not isinstance(shared, int):
        return None
    if not 0 < warps <= _MOST_WARPS or not 0 <= shared <= _MOST_SHARED:
        return None
    nowhere = (None, None, None)
    block, origin = (warps * _LANES, 1, 1), f"{splitext(path)[0]}.json"
    return Launch(kernel.label, nowhere, block, shared, kernel.span, origin=origin)


def _arguments(text: str) -> Iterator[str]:
    """The names in the list of arguments: as `loc` says, else as they are."""
    for piece in text.split("%")[1:]:
        said = _SAID.search(piece)
        yield said[1] if said else piece.partition(":")[0]
        if _LAST.search(piece):
            return


def _beside(path: str, suffix: str) -> str | None:
    """The text of the file of the same name with another suffix."""
    name = splitext(path)[0] + suffix
    if not is_file(name):
        return None
    source = read_source(name)[0]
    return None if source is None else source.text


def _record(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
