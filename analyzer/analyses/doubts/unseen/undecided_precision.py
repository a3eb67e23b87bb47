"""Floats that are doubles in another build, where nothing in sight says which build is meant.

In: the facts of a kernel whose floats are computed in double precision. Out: whether it speaks of a
type that conditions make `float` or `double` and nothing settles, or of what is made of such types
(`cuda/units/undecided_floats.py`); an instance of a template may be one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ...launch.facts import BuildFacts


def _may_compute_with_doubles(facts: BuildFacts) -> bool:
    return facts.kernel.undecided_floats


DOUBT = Doubt(
    "undecided-precision",
    Effect.POSSIBLE,
    "its type is `float` or `double` by a condition that nothing in sight settles",
    _may_compute_with_doubles,
)
