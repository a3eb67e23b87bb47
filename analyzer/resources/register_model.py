"""How many registers ptxas will use: a small model over features of PTX, in plain Python.

In: the features of one entry (ptx/register_features.py), the architecture and the cap that launch
bounds set. Out: an estimate with the interval that held the truth for four of five kernels when
the model was asked about repositories it had not seen. The model is three ensembles of regression
trees (Friedman, "Greedy Function Approximation", 2001): the logarithm of registers over the base,
of the error to expect, and whether it is more than 32, the step at which occupancy begins to fall.
`bench/registers.py` trains it and prints how good it is; the data stands in register_model.json.
Nothing is estimated before compute capability 7.0, where there are no uniform registers and ptxas
no longer compiles.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from math import exp
from typing import TYPE_CHECKING, Any

from ..hardware.architectures import architecture
from ..ir.usage import UNKNOWN, Amount, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

_OLDEST = 70
_LEAST = 8  # no kernel of these architectures was seen with fewer
_MANY_THREADS = 2048
_CLIFF = 32  # registers up to which so many threads stay resident


def estimated_registers(arch: int, features: Sequence[float], names: Sequence[str]) -> Amount:
    """The registers per thread; not known for old architectures."""
    if arch < _OLDEST:
        return UNKNOWN
    model = _model()
    if list(names) != model["features"]:
        raise ValueError("the features are not those the model was trained on")
    trees = model["architectures"][_family(arch)]
    base, cap = features[names.index("base")], int(features[names.index("cap")])
    value = _sum(trees["value"], features)
    width = trees["factor"] * exp(_sum(trees["spread"], features))
    low, middle, high = (round(base * exp(value + shift * width)) for shift in (-1, 0, 1))
    above = _sum(trees["above"], features) > 0
    middle = max(middle, _CLIFF + 1) if above else min(middle, _CLIFF)
    low, middle, high = (
        min(max(end, _LEAST), cap) for end in (min(low, middle), middle, max(high, middle))
    )
    return Amount(middle, Source.ESTIMATE, low, high)


def threads_of(arch: int) -> int:
    """The threads of a multiprocessor of an architecture: 2,048, or the 1,536 of others."""
    threads = architecture(arch).threads_per_sm
    return threads if threads < _MANY_THREADS else _MANY_THREADS


def _family(arch: int) -> str:
    """The architecture that was trained on and divides its registers among as many threads."""
    if architecture(arch).threads_per_sm < _MANY_THREADS:
        return "120"
    return "90" if arch >= 90 else "80"


@cache
def _model() -> Any:
    text = files(__package__).joinpath("register_model.json").read_text(encoding="utf-8")
    return json.loads(text)


def _sum(ensemble: Any, features: Sequence[float]) -> float:
    """What all trees add up to; a node is a leaf's number or feature, threshold, left, right."""
    total: float = ensemble["start"]
    for nodes in ensemble["trees"]:
        node = nodes[0]
        while node.__class__ is list:
            feature, threshold, left, right = node
            node = nodes[left if features[feature] <= threshold else right]
        total += node
    return total
