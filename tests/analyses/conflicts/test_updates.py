"""Stores that write back what they have loaded."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import kernel

from warplint.analyzer.analyses.conflicts.updates import (
    adds_constant,
    is_in_step,
    is_read_before_barrier,
    is_update_of,
    repeats,
    scales,
)
from warplint.analyzer.analyses.warp_evaluation.uniformity import Uniformity


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("s[t] += in[t];", 1),
        ("s[t] = s[t] * 2 + n;", 1),
        ("s[t] = s[t + 1] + 1;", 0),
        ("s[t] = in[t];", 0),
        ("s[t] = s[t];", 0),  # as it is
        ("int o = s[t + n]; s[t + n] = o + 1;", 1),  # computed alike
        ("out[in[t]] = out[in[t]] + 1;", 1),
        ("int b = in[t]; if (t < out[b]) out[b] = t;", 1),
        ("if (in[t] > flag) flag = in[t];", 1),
        ("if (in[t] > s[t]) s[t] = in[t];", 0),  # nobody else comes there
        ("if (in[t] > flag) flag = n;", 0),  # something else
        ("if (in[t] == flag) flag = in[t];", 0),
        ("atomicAdd(&flag, 1);", 0),
    ],
)
def test_which_stores_are_updates(body: str, count: int) -> None:
    found = kernel(body).updates
    assert len(found) == count
    assert all(loads and store.writes for store, loads in found.items())


def test_the_load_and_the_store_of_one_update() -> None:
    facts = kernel("flag += 1; s[0] += 1;")
    (one, its_loads), (other, _) = facts.updates.items()
    (load,) = its_loads
    assert is_update_of(facts.updates, one, one)
    assert is_update_of(facts.updates, load, one)
    assert is_update_of(facts.updates, one, load)
    assert not is_update_of(facts.updates, one, other)
    assert not is_update_of(facts.updates, load, load)


@pytest.mark.parametrize(
    ("body", "scaled"),
    [
        ("out[t] *= n;", True),
        ("out[t] = n / out[t];", True),
        ("out[t] <<= 1;", True),
        ("out[t] += n * in[t];", False),
        ("out[t] |= n;", False),
        ("if (in[t] > flag) flag = in[t];", False),
    ],
)
def test_what_no_atomic_operation_does(body: str, *, scaled: bool) -> None:
    facts = kernel(body)
    assert [scales(store, facts.updates) for store in facts.updates] == [scaled]


def test_a_barrier_between_reading_and_writing_back() -> None:
    for between, expected in (("__syncthreads();", True), ("", False), ("__syncwarp();", False)):
        facts = kernel(f"int o = flag; {between} flag = o + 1;")
        (store,) = facts.updates
        assert is_read_before_barrier(facts, store) is expected


@pytest.mark.parametrize(
    ("body", "once"),
    [
        ("flag = flag | n;", True),
        ("flag = max(flag, n);", True),
        ("flag = flag & blockIdx.x;", True),
        ("flag = flag + n;", False),
        ("flag = flag | t;", False),  # each something else
        ("flag = flag ^ n;", False),
        ("if (n > flag) flag = n;", True),
    ],
)
def test_updates_that_make_no_difference_when_they_are_made_again(body: str, *, once: bool) -> None:
    facts = kernel(body)
    (store,) = facts.updates
    uniformity = facts.launches[0].uniformity
    assert repeats(store, facts.updates, uniformity, Uniformity.BLOCK) is once


@pytest.mark.parametrize(
    ("body", "constant"),
    [("flag += 1;", True), ("flag -= 3;", True), ("flag += n;", False), ("flag *= 2;", False)],
)
def test_counting(body: str, *, constant: bool) -> None:
    facts = kernel(body)
    ((store, loads),) = facts.updates.items()
    assert adds_constant(store, loads) is constant


@pytest.mark.parametrize(
    ("body", "together"),
    [
        ("flag *= n;", True),
        ("s[t / 32] = s[t / 32] * in[0] + in[n];", True),
        ("s[t / 32] -= in[t / 32];", True),
        ("flag = n;", True),
        ("flag += 1;", False),  # each counts
        ("flag -= n;", False),
        ("flag *= in[t];", False),
        ("flag = t;", False),
    ],
)
def test_lanes_that_do_together_what_one_would(body: str, *, together: bool) -> None:
    facts = kernel(body)
    (launch,) = facts.launches
    (store,) = (each for each in facts.accesses if each.writes)
    assert is_in_step(store, facts.updates, launch.uniformity) is together
