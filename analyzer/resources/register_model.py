"""How many registers ptxas will use: a small model over features of PTX, in plain Python.

In: the features of one entry (ptx/estimate/register_features.py), the architecture and the cap that
launch bounds set. Out: an estimate with the interval that held the truth for four of five kernels
when the model was asked about repositories it had not seen. One model has learnt all architectures,
which is one of its inputs. It says the logarithm of registers over the base, the error to expect,
and, where 2,048 threads may be resident, whether it is more than 32, the step at which occupancy
begins to fall. The first is the mean of boosted trees (Friedman, "Greedy Function Approximation",
2001) and of small networks of rectified units, the second are boosted trees, and the third are
randomised ones (Geurts, Ernst, Wehenkel, "Extremely randomized trees", 2006), which have learnt
only those architectures. What the first says is a mean, and registers pile up at steps: a table
names for each such number the one that kernels near it were most often close to.
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
from .register_networks import Networks
from .trees import grown, total

if TYPE_CHECKING:
    from collections.abc import Sequence

_OLDEST = 70
_LEAST = 8  # no kernel of these architectures was seen with fewer
_MANY_THREADS = 2048
_MOST_PRESSURE = 20.0  # of an exponent: far beyond what any kernel needs
_CLIFF = 32  # registers up to which so many threads stay resident


def estimated_registers(arch: int, features: Sequence[float], names: Sequence[str]) -> Amount:
    """The registers per thread, estimated from features of PTX; not known for old architectures."""
    if arch < _OLDEST:
        return UNKNOWN
    model = _model()
    if list(names) != model["features"]:
        raise ValueError("the features are not those the model was trained on")
    family = family_of(arch)
    own = model["architectures"][str(family)]
    base, cap = features[names.index("base")], int(features[names.index("cap")])
    row = (*features, family)
    value = total(model["value"], row) + model["networks"].total(row)
    width = own["factor"] * exp(total(model["spread"], row))
    low, middle, high = (
        round(base * exp(min(value + shift * width, _MOST_PRESSURE))) for shift in (-1, 0, 1)
    )
    picked = own["picked"]
    middle = min(max(middle, _LEAST), len(picked) - 1)
    if has_cliff(arch):
        above = total(model["above"], row) > 0
        middle = _on_side(picked[_on_side(middle, above=above)], above=above)
    else:
        middle = picked[middle]
    low, middle, high = (
        min(max(end, _LEAST), cap) for end in (min(low, middle), middle, max(high, middle))
    )
    return Amount(middle, Source.ESTIMATE, low, high)


def _on_side(value: int, *, above: bool) -> int:
    """The nearest number on the side of the cliff that it is said to be on."""
    return max(value, _CLIFF + 1) if above else min(value, _CLIFF)


def has_cliff(arch: int) -> bool:
    """Whether occupancy begins to fall above 32 registers, which ptxas does its best to avoid."""
    return threads_of(arch) == _MANY_THREADS


def threads_of(arch: int) -> int:
    """The threads of a multiprocessor of an architecture: 2,048, or the 1,536 of others."""
    threads = architecture(arch).threads_per_sm
    return threads if threads < _MANY_THREADS else _MANY_THREADS


def family_of(arch: int) -> int:
    """The architecture that was trained on and divides its registers among as many threads."""
    if architecture(arch).threads_per_sm < _MANY_THREADS:
        return 120
    return 90 if arch >= 90 else 80


@cache
def _model() -> Any:
    """The document, with its trees and networks as they are asked."""
    text = files(__package__).joinpath("register_model.json").read_text(encoding="utf-8")
    document = json.loads(text)
    leaf = len(document["features"]) + 1  # behind the features comes the architecture
    for name in ("value", "above", "spread"):
        document[name]["trees"] = [grown(flat, leaf) for flat in document[name]["trees"]]
    document["networks"] = Networks(document["networks"], leaf)
    return document
