"""What the modifiers of an opcode say, worked out once for each distinct opcode text.

In: an `Opcode`. Out: a `Form` with the types, the state space, the vector width, the scope and the
memory order that the modifiers name (PTX ISA 9.7, "Instructions"), and what the analyses have to
know of its mnemonic, for the lowering to pick from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import AccessForm, Function, MemoryOrder
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
_ORDERS = {
    "relaxed": MemoryOrder.RELAXED,
    "acquire": MemoryOrder.ACQUIRE,
    "release": MemoryOrder.RELEASE,
    "acq_rel": MemoryOrder.ACQUIRE_RELEASE,
    "sc": MemoryOrder.SEQUENTIAL,
}
_ATOMIC = frozenset({"atom", "red", "multimem"})  # relaxed where they do not say otherwise
_FUNCTIONS = {
    "popc": Function.COUNT_ONES,
    "clz": Function.LEADING_ZEROS,
    "brev": Function.REVERSED_BITS,
    "bfind": Function.LAST_ONE,
    "fns": Function.NTH_ONE,
    "fma": Function.MULTIPLY_ADD,
    "mad": Function.MULTIPLY_ADD,
    **dict.fromkeys(("neg", "abs", "copysign", "mov"), Function.SIGN),
    **dict.fromkeys(("mma", "wmma", "wgmma", "tcgen05"), Function.MATRIX_PRODUCT),
    "mapa": Function.REMOTE_ADDRESS,
    "nanosleep": Function.SLEEP,
}


class Form:
    """The modifiers of a PTX opcode, sorted."""

    __slots__ = (
        "access",
        "function",
        "mnemonic",
        "modifiers",
        "opcode",
        "order",
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
        unsaid = MemoryOrder.RELAXED if self.mnemonic in _ATOMIC else None
        self.order = next((_ORDERS[m] for m in opcode.modifiers if m in _ORDERS), unsaid)
        begins = self.mnemonic == "mbarrier" and self.has("init")
        self.access = AccessForm.MBARRIER_INIT if begins else AccessForm.PLAIN
        self.function = _FUNCTIONS.get(self.mnemonic, Function.OTHER)

    def has(self, *modifiers: str) -> bool:
        """Whether any of the modifiers is written."""
        return any(modifier in self.modifiers for modifier in modifiers)
