"""About how many registers a kernel will use, of which only the source is known.

In: the features of one kernel (analyses/storage/source_registers.py) and the architecture. Out: an
estimate with the interval that held the truth for nine of ten kernels of repositories that the
model was not trained on. The number is what the model for PTX (register_model.py) says of the code
that the source would be made into. What trees learnt of sources besides is how far off that is
(boosted ones: Friedman, "Greedy Function Approximation", 2001), and whether there are more than 32
registers, which ptxas avoids: an estimate from PTX knows what nvcc has unrolled and inlined.
`bench/source_registers.py` trains them and prints how good they are; the data stands in
source_register_model.json.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from math import exp
from typing import TYPE_CHECKING, Any

from ..ir.usage import UNKNOWN, Amount, Source
from .register_model import estimated_registers, family_of
from .trees import grown, total

if TYPE_CHECKING:
    from collections.abc import Sequence

_FIRST_OF_SOURCE = "unrolled_ops"  # of the features: those before it are those of code
OF_ESTIMATE = 3  # numbers of the estimate for PTX, which the trees see behind the features
_LEAST, _MOST = 8, 255
_CLIFF = 32  # registers up to which 2,048 threads stay resident


def source_registers(arch: int, features: Sequence[float], names: Sequence[str]) -> Amount:
    """The registers per thread, estimated from the source; not known for old architectures."""
    model = _model()
    if list(names) != model["features"]:
        raise ValueError("the features are not those the model was trained on")
    code = numbers_of_code(arch, features, names)
    if code is None:
        return UNKNOWN
    row = (*features, *code, family_of(arch))
    cap = min(int(features[names.index("cap")]) or _MOST, _MOST)
    width = model["factor"] * exp(min(total(model["spread"], row), 0.0))
    low, high = (min(max(round(code[0] * exp(sign * width)), _LEAST), cap) for sign in (-1, 1))
    if total(model["above"], row) > 0:
        middle = min(max(code[0], _CLIFF + 1), cap)
    else:
        middle = min(code[0], _CLIFF)
    return Amount(middle, Source.ROUGH, min(low, middle), max(high, middle))


def numbers_of_code(
    arch: int, features: Sequence[float], names: Sequence[str]
) -> tuple[int, int, int] | None:
    """What the model for PTX says of the code that a source is made into, and its interval; None
    for old architectures.
    """
    count = names.index(_FIRST_OF_SOURCE)
    found = estimated_registers(arch, features[:count], names[:count])
    if found.value is None or found.low is None or found.high is None:
        return None
    return found.value, found.low, found.high


@cache
def _model() -> Any:
    text = files(__package__).joinpath("source_register_model.json").read_text(encoding="utf-8")
    document = json.loads(text)
    # Behind the features come the estimate for PTX and the architecture.
    leaf = len(document["features"]) + OF_ESTIMATE + 1
    for name in ("above", "spread"):
        document[name]["trees"] = [grown(flat, leaf) for flat in document[name]["trees"]]
    return document
