"""Data under which two lanes go different ways, and decisions on which no data can part them."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.barriers.divergent_data import DataSplit, data_split
from warplint.analyzer.ir.operations import Barrier

PARAMETERS = "const int *a, const int *b, const float *f, int *o, int n, const unsigned char *c"


def split(condition: str, before: str = "") -> DataSplit | None:
    body = f"""int t = threadIdx.x; __shared__ int s[64]; {before}
    if ({condition}) {{ __syncthreads(); }}"""
    facts = body_facts(body, parameters=PARAMETERS)
    barrier = facts.every(Barrier)[-1]
    *_, edge = facts.flow.control_edges[barrier.block]
    return data_split(facts.launches[0], edge)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("a[t] > n", lambda x, n: x > n),
        ("a[t] == 7", lambda x, _: x == 7),
        ("a[t] * 3 < n + 10", lambda x, n: x * 3 < n + 10),
        ("(a[t] & 1) == 0", lambda x, _: x % 2 == 0),
    ],
)
def test_the_data_parts_the_two_lanes(condition, holds) -> None:  # type: ignore[no-untyped-def]
    found = split(condition)
    assert found is not None
    assert {found.takes, found.misses} == {0, 1}
    first, second = found.data
    assert (first.offset, second.offset) == (0, 4)
    n = dict(found.example.named).get("n", found.example.number)
    assert holds(found.data[found.takes].value, n)
    assert not holds(found.data[found.misses].value, n)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("c[t] != 0", lambda x, _: x != 0),
        ("c[t] > 200", lambda x, _: x > 200),
    ],
)
def test_data_is_as_its_type_holds_it(condition, holds) -> None:  # type: ignore[no-untyped-def]
    found = split(condition)
    assert found is not None
    assert all(0 <= each.value < 256 for each in found.data)
    n = dict(found.example.named).get("n", found.example.number)
    assert holds(found.data[found.takes].value, n)
    assert not holds(found.data[found.misses].value, n)


@pytest.mark.parametrize(
    ("condition", "before"),
    [
        ("a[n] > 3", ""),  # one place for both
        ("o[t] > 3", "o[t] = 1;"),  # the kernel writes there
        ("f[n] > 3.0f", ""),
        ("a[b[n]] > 3", ""),
        ("t > 3", ""),  # no data
        ("a[t] > 3", "if (a[t + 64] != 9) return;"),  # who knows whether both come
        ("a[t] - a[t] > 3", ""),
        ("s[t] > 3", "s[t] = t; __syncthreads();"),
        ("a[t] + b[t] + a[t + 64] + b[t + 64] > 3", ""),  # more than is tried
    ],
)
def test_no_data_is_known_to_part_them(condition: str, before: str) -> None:
    assert split(condition, before) is None


@pytest.mark.parametrize("condition", ["f[t] > 3.0f", "t < n && f[t] * f[t + 64] < f[n]"])
def test_how_floating_point_data_compares_is_chosen(condition: str) -> None:
    found = split(condition)
    assert found is not None
    assert {found.takes, found.misses} == {0, 1}
    assert found.data == ()


@pytest.mark.parametrize(
    ("chosen", "parts"),
    [
        ("t < n ? f[t] : 0.0f", True),
        ("t == 0 ? f[t] : 0.0f", False),  # the second lane loads nothing
        ("t < 0 ? f[t] : 0.0f", False),
        ("f[n] > 1.0f ? f[t] : 0.0f", True),  # which is chosen as well
    ],
)
def test_data_that_only_some_threads_load(chosen: str, *, parts: bool) -> None:
    assert (split("x > 3.0f", f"float x = {chosen};") is not None) is parts


def test_data_behind_other_data() -> None:
    found = split("a[b[t]] > 3")
    assert found is not None
    assert [datum.item.name for datum in found.data] == ["*b", "*b", "*a", "*a"]
    taking, missing = (found.data[2 + way].value for way in (found.takes, found.misses))
    assert missing <= 3 < taking


def test_shared_memory_that_holds_nothing_but_such_data() -> None:
    assert split("s[t] > 3", "s[t] = a[t]; __syncthreads();") is not None
    assert split("s[t] > 3", "s[0] = a[t]; __syncthreads();") is None
    assert split("s[t] > 3", "s[t] = a[n]; __syncthreads();") is None
