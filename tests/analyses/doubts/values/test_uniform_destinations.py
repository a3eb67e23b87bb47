"""One place for a whole block, at which each thread leaves what it has found for itself."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import kernel
from analyses.kernels import last_of

from warplint.analyzer.analyses.doubts.values.uniform_destinations import shares_place
from warplint.analyzer.ir.operations import AccessKind
from warplint.analyzer.ir.values import Special


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("out[n] = in[t];", True),
        ("out[blockIdx.x] = in[t * 4 + 1];", True),
        ("out[n] = in[in[t] + n];", True),
        ("out[n] = in[t] - 1;", True),
        ("out[t] = in[t];", False),  # a place for each
        ("out[n] = in[n];", False),  # nothing of its own
        ("out[n] = t;", False),  # found nowhere
        ("out[n] = in[t % 32];", False),  # may bring two to one place
        ("out[n] = in[t / 2];", False),
        ("s[t] = 1; out[n] = s[t];", False),  # what another left there
        ("out[n] = in[t] + in[t + 64];", False),  # two parts are its own
    ],
)
def test_stores(body: str, *, expected: bool) -> None:
    facts = kernel(body)
    store = last_of(facts, AccessKind.STORE)
    one, other = {Special.THREAD_X: 1}, {Special.THREAD_X: 2}
    launch = facts.launches[0]
    assert shares_place(launch, store, one, other) is expected
    assert not shares_place(launch, store, one, dict(one))
