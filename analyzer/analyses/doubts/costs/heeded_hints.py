"""Calls that there is something newer than, and that still do what they say, as a hint.

In: what `old_calls.toml` says of a call. Out: whether it is a hint that drivers still heed: nothing
is wrong with it, and nothing ends.
"""

from __future__ import annotations

from ....source.records import dataclass
from ..question.doubt import Doubt, Effect


@dataclass(frozen=True, slots=True)
class OldCall:
    """A call that was replaced by a newer one, as a doubt judges it; `heeded`: a hint that works as
    it did.
    """

    name: str
    heeded: bool


def _is_heeded(call: OldCall) -> bool:
    return call.heeded


DOUBT = Doubt(
    "hint-still-heeded",
    Effect.POSSIBLE,
    "there is something newer, but the call still works, as a hint to the driver",
    _is_heeded,
)
