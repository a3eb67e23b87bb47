"""Findings about accesses whose addresses are no multiples of what the hardware asks for.

In: an access and how far it is off (`memory_traffic/vector_alignment.py`). Out: the words for it,
and the tool that shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.verifying import sanitizer
from ...analyzer.source.words import plural

if TYPE_CHECKING:
    from ...analyzer.analyses.memory_traffic.vector_alignment import Misalignment

MISALIGNED = sanitizer("memcheck", "misaligned address")


def odd_blocks(found: Misalignment) -> str:
    """Words of a finding on alignment: in which blocks, where it is not all of them."""
    return "" if found.block_axis is None else ", in blocks with an odd index,"


def past_multiple(found: Misalignment) -> str:
    """Words of a finding on alignment: `4 bytes past a multiple of 16`."""
    return f"{plural(found.offset % found.width, 'byte')} past a multiple of {found.width}"
