"""Which function lowers which opcode: worked out once for each distinct opcode text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import lower_arithmetic, lower_bits, lower_control, lower_memory, lower_synchronisation
from .forms import Form

if TYPE_CHECKING:
    from .lower_arithmetic import Handler
    from .syntax import Opcode

# Control: these look at their guard themselves.
_JUMPS: dict[str, Handler] = {
    "bra": lower_control.branch,
}
_CONTROL: dict[str, Handler] = {
    "brx": lower_control.indexed_branch,
    "call": lower_control.call,
    "ret": lower_control.return_,
    "exit": lower_control.exit_,
    "trap": lower_control.exit_,
}
_COMPUTING = {**lower_arithmetic.HANDLERS, **lower_bits.HANDLERS}
_ACTING = {**lower_memory.HANDLERS, **lower_synchronisation.HANDLERS}


class Lowered(NamedTuple):
    """How an opcode is lowered; `effects` when a guard must become a branch."""

    handler: Handler
    jumps: bool
    effects: bool


class Dispatch(dict["Opcode", Lowered]):
    """The lowering of every opcode met so far."""

    def __missing__(self, opcode: Opcode) -> Lowered:
        found = self[opcode] = _prepare(opcode)
        return found


def _prepare(opcode: Opcode) -> Lowered:
    mnemonic = opcode.mnemonic
    if mnemonic in _JUMPS:
        return Lowered(_JUMPS[mnemonic], True, True)
    if mnemonic in _CONTROL:
        return Lowered(_CONTROL[mnemonic], False, True)
    form = Form(opcode)
    if mnemonic in _ACTING:
        return Lowered(_ACTING[mnemonic](form), False, True)
    prepare = _COMPUTING.get(mnemonic, lower_arithmetic.pure)
    return Lowered(prepare(form), False, False)
