"""The name of what is computed from known operands."""

from __future__ import annotations

from typing import Any


class Computation(tuple[Any, ...]):
    """The name that evaluators of warps give to what is computed from known operands; each is one
    object, compared by identity.

    Its operands hold names in turn. Compared by what they say, the names of a hash function, which
    uses every result twice, would be compared in time that doubles with each of its steps.
    """

    __slots__ = ()
    __hash__ = object.__hash__
    __eq__ = object.__eq__
    __ne__ = object.__ne__
