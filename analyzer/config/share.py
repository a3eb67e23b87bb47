"""The part of a run that one of several machines does, as users write it: `3/8`.

In: text of an option. Out: a `Share`, or a `UsageError`.
"""

from __future__ import annotations

import re

from ..source.records import dataclass
from .errors import UsageError

MOST_SHARES = 10_000


@dataclass(frozen=True, slots=True)
class Share:
    """One of so many parts of a run (`--shard 3/8`); the first has the number 1."""

    number: int
    of: int


def parse_share(text: str) -> Share:
    """The share of a run that a user writes as `--shard 3/8`."""
    found = re.fullmatch(r"([0-9]{1,5})/([0-9]{1,5})", text.strip())
    number, of = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= of <= MOST_SHARES:
        raise UsageError(f"`{text}` is no shard", "write the number of one of them as in 3/8")
    return Share(number, of)
