"""Which function lowers which opcode: worked out once for each distinct opcode text.

The table of instructions says what operands an opcode takes and what it does; some mnemonics have a
lowering of their own, all others one that follows from their effect. An opcode the table does not
know, as newer versions of PTX bring them, is lowered without the modifiers that are not known, or
becomes opaque; either is noted.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ...source.records import dataclass
from ..syntax.instruction_table import fits, templates
from ..syntax.tree import Opcode
from . import arithmetic as lower_arithmetic
from . import bits as lower_bits
from . import comparison as lower_comparison
from . import control as lower_control
from . import copies as lower_copies
from . import memory as lower_memory
from . import moves as lower_moves
from . import synchronisation as lower_synchronisation
from .forms import Form

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..syntax.instruction_table import Fit
    from ..syntax.tree import Instruction
    from .arithmetic import Handler

_CONTROL: dict[str, Handler] = {
    "bra": lower_control.branch,
    "brx": lower_control.indexed_branch,
    "call": lower_control.call,
    "ret": lower_control.return_,
    "exit": lower_control.exit_,
    "trap": lower_control.exit_,
}
_OWN = {
    **lower_arithmetic.HANDLERS,
    **lower_bits.HANDLERS,
    **lower_comparison.HANDLERS,
    **lower_moves.HANDLERS,
    **lower_copies.HANDLERS,
    **lower_memory.HANDLERS,
    **lower_synchronisation.HANDLERS,
}
_BY_EFFECT = {
    "": lower_arithmetic.pure,
    **lower_memory.BY_EFFECT,
    **lower_copies.BY_EFFECT,
    **lower_synchronisation.BY_EFFECT,
}
_MATRICES = frozenset({"descriptor", "matrix"})


@dataclass(frozen=True, slots=True)
class Lowered:
    """How an opcode of PTX is lowered."""

    handler: Handler
    jumps: bool  # it looks at its guard itself
    effects: bool  # a guard becomes a branch around it
    counts: frozenset[int]  # how many operands it may have; with others it is opaque
    note: str = ""  # what was not understood


class Dispatch(dict[Opcode, Lowered]):
    """The lowering of every PTX opcode met so far; `notes` gets those not in the table."""

    def __init__(self, note: Callable[[Instruction, str], None]) -> None:
        super().__init__()
        self._note = note
        self._noted: set[Opcode] = set()

    def __missing__(self, opcode: Opcode) -> Lowered:
        found = self[opcode] = _prepare(opcode.text)
        return found

    def note_once(self, instruction: Instruction, lowered: Lowered) -> None:
        """Mention that an opcode is not in the table, the first time it occurs."""
        if instruction.opcode not in self._noted:
            self._noted.add(instruction.opcode)
            self._note(instruction, lowered.note)


@lru_cache(maxsize=10_000)
def _prepare(text: str) -> Lowered:
    opcode = Opcode(text)
    candidates = fits(text)
    note = ""
    if not candidates:
        known = _without_unknown(opcode)
        candidates = fits(known.text)
        note = f"{text} is an unknown instruction"
        if not candidates:
            return Lowered(lower_control.exit_, False, True, frozenset(), note)
        note += f"; it is read as {known.text}"
        opcode = known
    counts = _counts(candidates)
    mnemonic = opcode.mnemonic
    if mnemonic in _CONTROL:
        return Lowered(_CONTROL[mnemonic], mnemonic == "bra", True, counts, note)
    effect = candidates[0].template.effect
    prepare = _OWN.get(mnemonic) or _BY_EFFECT[effect]
    form = Form(opcode)
    handler = prepare(form)
    roles = candidates[0].template.operands
    matrices = [index for index, role in enumerate(roles) if role.type in _MATRICES]
    if matrices:
        handler = lower_memory.reading_matrices(handler, form, matrices)
    return Lowered(handler, False, bool(effect or matrices), counts, note)


def _counts(candidates: tuple[Fit, ...]) -> frozenset[int]:
    return frozenset(
        count
        for fit in candidates
        for count in range(fit.template.least_operands, fit.template.most_operands + 1)
    )


def _without_unknown(opcode: Opcode) -> Opcode:
    """The opcode without the modifiers that no form of its mnemonic has."""
    words = frozenset[str]().union(*(one.words for one in templates().get(opcode.mnemonic, ())))
    return Opcode(".".join([opcode.mnemonic, *(m for m in opcode.modifiers if m in words)]))
