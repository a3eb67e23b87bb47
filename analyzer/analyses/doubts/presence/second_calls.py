"""A function that nobody in sight calls, called twice: its caller may wait between the calls.

In: two threads of a block in a function that is looked at as if code called it twice in a row. Out:
whether one of the accesses is of the first call and the other of the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....source.location import SecondCall
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.operations import Operation
    from ..question.candidates import BlockCandidate


def _are_of_two_calls(candidate: BlockCandidate) -> bool:
    first, second = map(_is_of_second, candidate.accesses)
    return first is not second


def _is_of_second(access: Operation) -> bool:
    return any(isinstance(site, SecondCall) for site in access.location.call_chain())


DOUBT = Doubt(
    "called-again",
    Effect.POSSIBLE,
    "nothing in sight calls this function, and whoever calls it twice may wait in between",
    _are_of_two_calls,
)
