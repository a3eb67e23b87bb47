"""What the user calls a value that the launch does not give: a parameter, `gridDim.x`.

In: a symbol of the evaluators or an IR value. Out: its name, empty when it has none a user knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Field, Opcode
from ...ir.values import Parameter, Special, SpecialRegister, Unknown
from .computation import Computation
from .outcomes import IterationNumber

if TYPE_CHECKING:
    from collections.abc import Hashable


def symbol_name(name: Hashable) -> str:
    """What the user calls a symbol that the launch does not give, as CUDA spells it."""
    if isinstance(name, Parameter):
        _, mark, number = name.name.rpartition("_param_")  # nvcc's: symbol_param_0
        return f"param_{number}" if mark else name.name
    if isinstance(name, SpecialRegister):
        return symbol_name(name.register)
    if isinstance(name, Special):
        return _BUILTINS.get(name, name.value)
    if isinstance(name, Unknown | IterationNumber):
        return ""
    if isinstance(name, Computation):
        return _member(name)
    if isinstance(name, Field) and name.opcode is Opcode.EXTRACT:
        return _within(symbol_name(name.operands[0]), name.name)
    variable = getattr(name, "variable", "") or getattr(name, "name", "")
    return variable if isinstance(variable, str) else ""


def _within(whole: str, member: str) -> str:
    """`d.sizes[0]`; empty where what it is a member of has no name."""
    return f"{whole}.{member}".replace(".[", "[") if whole else ""


def _member(name: Computation) -> str:
    """`d.sizes[0]`, a member of a parameter that is a class; no other computation has a name."""
    opcode, _, (member, *_), operands = name
    if opcode is not Opcode.EXTRACT or len(operands[0].terms) != 1:
        return ""
    ((symbol, _),) = operands[0].terms
    known = isinstance(symbol, Parameter | Computation)
    return _within(symbol_name(symbol), member) if known else ""


_BUILTINS = {
    Special.BLOCK_X: "blockIdx.x",
    Special.BLOCK_Y: "blockIdx.y",
    Special.BLOCK_Z: "blockIdx.z",
    Special.GRID_SIZE_X: "gridDim.x",
    Special.GRID_SIZE_Y: "gridDim.y",
    Special.GRID_SIZE_Z: "gridDim.z",
}
