"""The lowest bits that are known, against values of all that is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.ir.operations import AccessKind

if TYPE_CHECKING:
    from warplint.analyzer.analyses.facts import KernelFacts
    from warplint.analyzer.ir.operations import MemoryAccess

PARAMETERS = "int *o, int n, int m"
HEAD = "extern __shared__ char s[]; int t = threadIdx.x;"


def stored(body: str) -> tuple[KernelFacts, MemoryAccess]:
    """The last store of a body."""
    facts = body_facts(f"{HEAD} {body}", parameters=PARAMETERS)
    return facts, [each for each in facts.accesses if each.kind is AccessKind.STORE][-1]


shapes = st.recursive(
    st.sampled_from(["t", "n", "m", "1", "2", "3", "4", "6", "8", "12"]),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "^", "|"]), inner),
        st.builds("({} << {})".format, inner, st.integers(0, 5)),
        st.builds("({} & {})".format, inner, st.sampled_from([1, 3, 4, 6, 8, 12, 14, 28])),
        st.builds("REST({}, {})".format, inner, st.sampled_from([2, 4, 8, 16])),
        st.builds("(-{})".format, inner),
        st.builds("(~{})".format, inner),
    ),
    max_leaves=6,
)


def rest_in_c(number: int, divisor: int) -> int:
    """The remainder as C has it: with the sign of the number."""
    return number % divisor if number >= 0 else -(-number % divisor)


@settings(max_examples=150)
@given(shapes, st.lists(st.tuples(*[st.integers(0, 40)] * 3), min_size=8, max_size=8))
def test_what_is_known_is_so_for_all_numbers(
    text: str, numbers: list[tuple[int, int, int]]
) -> None:
    facts, store = stored(f"\n#define REST(a, b) ((a) % (b))\ns[{text}] = 1;")
    known = facts.low_bits.of(store.address)
    assert known.number < 1 << known.count
    for t, n, m in numbers:
        value = eval(text, {"t": t, "n": n, "m": m, "REST": rest_in_c})
        assert value % (1 << known.count) == known.number


@pytest.mark.parametrize(
    ("body", "width", "rest"),
    [
        ("s[16 * t + 3] = 1;", 16, 3),
        ("s[8 * t + 3] = 1;", 16, None),
        ("s[8 * t + 3] = 1;", 8, 3),
        ("s[t * n] = 1;", 2, None),  # whatever a launch passes
        ("s[4 * t * n] = 1;", 4, 0),
        ("s[(t / 4) * 16 + 2] = 1;", 16, 2),
        ("s[(t & ~7) + 1] = 1;", 8, 1),
        ("s[t > 3 ? 8 * t : 24] = 1;", 8, 0),
        ("s[blockDim.x * threadIdx.y] = 1;", 2, None),
        ("int i = 8 * t; while (o[i]) i += 4 * n; s[i] = 1;", 4, 0),
        ("int i = 8 * t; while (o[i]) i += 4 * n; s[i] = 1;", 8, None),
        ("int i = t; while (o[i]) i = 16; s[i] = 1;", 2, None),
    ],
)
def test_rests(body: str, width: int, rest: int | None) -> None:
    facts, store = stored(body)
    assert facts.low_bits.of(store.address).modulo(width) == rest


def test_where_a_loop_begins() -> None:
    facts, store = stored("for (int k = 0; k < n; k++) s[16 * t + 4 + k] = 1;")
    loop = facts.flow.innermost_loop[store.block]
    assert facts.low_bits.of(store.address).modulo(2) is None
    assert facts.low_bits.entering(store.address, loop).modulo(16) == 4
