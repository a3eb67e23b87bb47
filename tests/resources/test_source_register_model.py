"""What an estimate from source makes of the one for PTX."""

from __future__ import annotations

import pytest

from warplint.analyzer.analyses.storage.source_registers import FEATURES
from warplint.analyzer.resources.source_register_model import numbers_of_code, source_registers


def row(**numbers: float) -> tuple[float, ...]:
    return tuple(numbers.get(name, 0) for name in FEATURES)


def test_the_number_is_that_of_the_code_on_one_side_of_32() -> None:
    features = row(base=20, cap=255, ops=40, blocks=3, free=32)
    code = numbers_of_code(80, features, FEATURES)
    assert code is not None
    assert code[1] <= code[0] <= code[2]
    found = source_registers(80, features, FEATURES)
    assert found.value in (code[0], 32, 33)
    assert (found.low or 0) <= (found.value or 0) <= (found.high or 0)


def test_a_cap_is_kept() -> None:
    found = source_registers(90, row(base=90, cap=40), FEATURES)
    assert (found.value or 0) <= 40 == found.high


def test_old_architectures_have_no_model() -> None:
    features = row(base=20, cap=255)
    assert numbers_of_code(61, features, FEATURES) is None
    assert not source_registers(61, features, FEATURES).known


def test_other_features_are_refused() -> None:
    with pytest.raises(ValueError, match="features"):
        source_registers(80, row()[1:], FEATURES[1:])
