"""Registers that nobody counted: no build log, cubin or toolkit says what the compiler took.

In: what is known of a kernel's registers. Out: whether it is an estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.usage import Amount


def _are_estimated(registers: Amount) -> bool:
    return registers.source is None or not registers.source.measured


DOUBT = Doubt(
    "registers-estimated",
    Effect.POSSIBLE,
    "the registers are estimated from PTX: a build log or a cubin says what the compiler took",
    _are_estimated,
)
