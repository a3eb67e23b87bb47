"""What the modifiers of an opcode say, worked out once for each distinct opcode text.

In: an `Opcode`. Out: a `Form` with the types, the state space, the vector width and the scope that
the modifiers name (PTX ISA 9.7, "Instructions"), for the lowering to pick from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.types import UINT32, Type
from ..syntax.ptx_types import is_type, type_of

if TYPE_CHECKING:
    from ..syntax.tree import Opcode

SPACES = {
    "const": Space.CONSTANT,
    "global": Space.GLOBAL,
    "local": Space.LOCAL,
    "param": Space.PARAMETER,
    "param::entry": Space.PARAMETER,
    "param::func": Space.PARAMETER,
    "shared": Space.SHARED,
    "shared::cta": Space.SHARED,
    "shared::cluster": Space.SHARED_CLUSTER,
    "tex": Space.TEXTURE,
}
SCOPES = {"cta": "block", "cluster": "cluster", "gpu": "device", "gl": "device", "sys": "system"}
_VECTORS = {"v2": 2, "v4": 4, "v8": 8}


class Form:
    """An opcode's modifiers, sorted."""

    __slots__ = (
        "mnemonic",
        "modifiers",
        "opcode",
        "scope",
        "space",
        "text",
        "type",
        "type_names",
        "types",
        "vector",
        "volatile",
    )

    def __init__(self, opcode: Opcode) -> None:
        self.opcode = opcode
        self.text = opcode.text
        self.mnemonic = opcode.mnemonic
        self.modifiers = opcode.modifiers
        self.type_names = tuple(m for m in opcode.modifiers if is_type(m))
        self.types = tuple(map(type_of, self.type_names))
        self.type: Type = self.types[-1] if self.types else UINT32
        self.space = next((SPACES[m] for m in opcode.modifiers if m in SPACES), Space.GENERIC)
        self.vector = next((_VECTORS[m] for m in opcode.modifiers if m in _VECTORS), 1)
        self.scope = next((SCOPES[m] for m in opcode.modifiers if m in SCOPES), "")
        self.volatile = self.has("volatile", "mmio")

    def has(self, *modifiers: str) -> bool:
        """Whether any of the modifiers is written."""
        return any(modifier in self.modifiers for modifier in modifiers)
