"""Sizes that differ where `long` has 8 bytes, and agree where it has 4.

In: a copy whose size contradicts its pointer, as sizes are on Linux. Out: whether it would not on
Windows (`cuda/lowering/model/data_models.py`), for which the code may be written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...host.copies import is_wrong_by_short_long
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ...host.copies import WrongCopy


def _fits_elsewhere(wrong: WrongCopy) -> bool:
    return not is_wrong_by_short_long(wrong)


DOUBT = Doubt(
    "size-of-long",
    Effect.POSSIBLE,
    "it is so where `long` has 8 bytes, as on Linux, and not where it has 4, as on Windows",
    _fits_elsewhere,
)
