"""What a value is made of: data, thread indices, or what nobody can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts, branching, facts_of

from warplint.analyzer.analyses.pointers.provenance import (
    LoadedParts,
    asks_untyped,
    comparisons,
    differs,
    is_data,
    is_made_of_data,
    is_unknown,
    loads_of,
    orders,
    reads_memory,
)
from warplint.analyzer.ir.operations import AccessKind, MemoryAccess
from warplint.analyzer.ir.types import INT32
from warplint.analyzer.ir.values import Special, Undefined, Unknown

if TYPE_CHECKING:
    from warplint.analyzer.analyses.facts import KernelFacts
    from warplint.analyzer.ir.values import Value

PARAMETERS = "int *o, const int *a, const float *f, const unsigned char *c, int n, int m"
HEAD = "int t = threadIdx.x; __shared__ int s[64];"


def facts_for(body: str) -> KernelFacts:
    return body_facts(f"{HEAD} {body}", parameters=PARAMETERS)


def condition_of(text: str) -> tuple[KernelFacts, Value]:
    facts = facts_for(f"bool c0 = {text}; if (c0) o[0] = 1;")
    (*_, last) = (b.terminator for b in branching(facts.kernel))
    return facts, last.operands[0]


@pytest.mark.parametrize(
    ("text", "data", "reads"),
    [
        ("a[t] > 3", True, True),
        ("t > n", True, False),
        ("s[t] > 3", True, True),
        ("atomicAdd(o, 1) > 3", False, True),
        ("__shfl_sync(~0u, n, 0) > 3", False, False),
        ("__syncthreads_or(n)", False, False),
    ],
)
def test_conditions_on_data(text: str, *, data: bool, reads: bool) -> None:
    facts, condition = condition_of(text)
    assert is_data(condition, facts.points_to) is data
    assert reads_memory(condition) is reads


def test_a_threads_own_memory_holds_what_it_put_there() -> None:
    facts = facts_for("int l[4]; l[n & 3] = t; if (l[m & 3] > 1) o[0] = 1;")
    (branch,) = (b.terminator for b in branching(facts.kernel))
    assert not is_data(branch.operands[0], facts.points_to)


def test_what_nobody_wrote_is_not_what_nobody_knows() -> None:
    assert is_unknown(Unknown(INT32, "x"))
    assert not is_unknown(Undefined(INT32, "x"))


def test_parameters_of_no_known_type() -> None:
    text = "template <class T> __global__ void k(int *p, T x, int n) {{ if ({}) p[0] = 1; }}"
    for condition, untyped in (("x > 3", True), ("n > 3", False)):
        facts = facts_of(text.format(condition))
        (last,) = (b.terminator for b in branching(facts.kernel))
        assert asks_untyped(last.operands[0]) is untyped


@pytest.mark.parametrize(
    ("text", "expected"),
    [("t < n", True), ("t >= n", True), ("n > 3", True), ("t == n", False), ("t != n", False)],
)
def test_comparisons_by_size(text: str, *, expected: bool) -> None:
    assert orders(condition_of(text)[1]) is expected


@pytest.mark.parametrize(
    ("text", "count"), [("t < n", 1), ("t < n && a[t] > 3", 2), ("t < n || m == 1 || n > 7", 3)]
)
def test_the_comparisons_of_a_condition(text: str, count: int) -> None:
    facts = facts_for(f"bool all = {text}; o[1] = 7; if (all) o[0] = 1;")
    (*_, last) = (b.terminator for b in branching(facts.kernel))
    assert len(list(comparisons(last.operands[0]))) == count


BODY = """int x = a[n]; int y = a[x] + 3; int z = x * y + o[1];
for (int i = 0; i < a[2]; i++) z += a[i] + y;
s[z & 63] = atomicAdd(o, z) + x; o[y] = (z > 3 ? s[0] : y) + s[1];"""


def test_loads_kept_for_all_values_are_those_of_each() -> None:
    """Against a walk from every value, for all loads."""
    facts = facts_for(BODY)
    loads = [each for each in facts.accesses if each.reads]
    kept = LoadedParts()
    for value in facts.kernel.operations():
        direct = set(loads_of(value))
        assert {load for load in loads if kept.has(value, load)} == direct
        assert direct <= set(loads)
        assert all(load.kind is AccessKind.LOAD for load in direct)


def test_loads_are_those_at_once_not_through_others() -> None:
    facts = facts_for("int x = a[n]; int y = a[x] + 3; o[0] = y;")
    first, second, store = facts.accesses
    assert isinstance(store, MemoryAccess)
    assert set(loads_of(store.operands[1])) == {second}
    assert set(loads_of(second.address)) == {first}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("t", True),
        ("t * 2 + 1", True),
        ("blockIdx.x", False),  # the same for both
        ("a[t]", True),
        ("s[t]", True),
        ("s[n]", False),  # one place for both
        ("t * n", False),  # n may be 0
        ("t > 3 ? 1 : 2", False),
        ("7", False),
        ("atomicAdd(&o[t], 1)", False),
    ],
)
def test_values_that_are_each_threads_own(value: str, *, expected: bool) -> None:
    facts = facts_for(f"o[0] = {value};")
    (*_, store) = facts.accesses
    one = {Special.THREAD_X: 1, Special.BLOCK_X: 4}
    other = {Special.THREAD_X: 2, Special.BLOCK_X: 4}
    assert differs(store.operands[1], one, other) is expected
    assert not differs(store.operands[1], one, one)


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("a[t] & 7", True),
        ("a[t] % n", True),
        ("c[t]", True),  # a byte
        ("(int)(f[t] * 4)", True),
        ("a[t]", False),  # a list of places
        ("t & 7", False),
        ("min(a[t], 7)", True),
    ],
)
def test_data_that_is_cut_to_size(index: str, *, expected: bool) -> None:
    facts = facts_for(f"o[{index}] = 1;")
    (*_, store) = facts.accesses
    assert is_made_of_data(store.address) is expected
