"""Indices into arrays that are members of a value: which of them keep it from registers."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.pointers.member_arrays import MemberArrays

HEAD = """struct Row { float v[8]; int n; };
__global__ void k(float *p, Row given, int n) {
Row r = given;
"""


def reason(body: str) -> str | None:
    facts = facts_of(f"{HEAD}{body}\n}}")
    (variable,) = (each for each in facts.kernel.variables if each.name == "r")
    values = [each.value for each in facts.kernel.definitions if each.name == "r"]
    return MemberArrays(facts).index_into(variable, values)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[0] = r.v[n];", "n"),
        ("r.v[n] = 1; p[0] = r.v[3];", "n"),
        ("p[0] = r.v[(int)p[1]];", "p"),
        ("p[0] = r.v[3] + r.n;", None),
        ("for (int i = 0; i < 8; i++) p[i] = r.v[i];", None),  # unrolled
    ],
)
def test_the_first_index_that_is_no_constant(body: str, expected: str | None) -> None:
    found = reason(body)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert found.startswith("an index into a member array depends on ")
        assert expected in found.removeprefix("an index into a member array depends on ")
        assert found.endswith("(line 4)")
