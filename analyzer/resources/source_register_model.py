"""About how many registers a kernel will use, of which only the source is known.

In: the features of one kernel (analyses/storage/source_registers.py) and the architecture. Out: an
estimate with the interval that held the truth for nine of ten kernels of repositories that the
model was not trained on. Boosted trees (Friedman, "Greedy Function Approximation", 2001) say the
logarithm of the registers over the base that rules give, others the error to expect, and whether
there are more than 32, which ptxas avoids.
`bench/source_registers.py` trains them and prints how good they are; the data stands in
source_register_model.json. The estimate from PTX (register_model.py) knows what nvcc has unrolled
and inlined, and is closer.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from math import exp
from typing import TYPE_CHECKING, Any

from ..ir.usage import UNKNOWN, Amount, Source
from .register_model import family_of
from .trees import grown, total

if TYPE_CHECKING:
    from collections.abc import Sequence

_OLDEST = 70
_LEAST, _MOST = 8, 255
_CLIFF = 32  # registers up to which 2,048 threads stay resident
_MOST_LOGARITHM = 6.0  # beyond what a thread can have


def source_registers(arch: int, features: Sequence[float], names: Sequence[str]) -> Amount:
    """The registers per thread, estimated from the source; not known for old architectures."""
    if arch < _OLDEST:
        return UNKNOWN
    model = _model()
    if list(names) != model["features"]:
        raise ValueError("the features are not those the model was trained on")
    row = (*features, family_of(arch))
    base = features[names.index("base")]
    cap = min(int(features[names.index("cap")]) or _MOST, _MOST)
    value = min(total(model["value"], row), _MOST_LOGARITHM)
    width = model["factor"] * exp(min(total(model["spread"], row), 0.0))
    low, middle, high = (
        min(max(round(base * exp(min(value + shift * width, _MOST_LOGARITHM))), _LEAST), cap)
        for shift in (-1, 0, 1)
    )
    if total(model["above"], row) > 0:
        middle = min(max(middle, _CLIFF + 1), cap)
    else:
        middle = min(middle, _CLIFF)
    return Amount(middle, Source.ROUGH, min(low, middle), max(high, middle))


@cache
def _model() -> Any:
    text = files(__package__).joinpath("source_register_model.json").read_text(encoding="utf-8")
    document = json.loads(text)
    leaf = len(document["features"]) + 1  # behind the features comes the architecture
    for name in ("value", "above", "spread"):
        document[name]["trees"] = [grown(flat, leaf) for flat in document[name]["trees"]]
    return document
