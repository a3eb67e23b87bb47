"""Replays of a fleet keep the bounds of list scheduling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from source_tree import ROOT, loaded

SCALING = loaded(ROOT / "bench" / "fleet_scaling.py")
replay, useful_workers = SCALING.replay, SCALING.useful_workers
COSTS = st.lists(st.floats(0.001, 1000), min_size=1, max_size=60)


@given(COSTS, st.integers(1, 40))
def test_no_run_is_shorter_than_its_work_or_longer_than_the_bound(
    costs: list[float], workers: int
) -> None:
    run = replay(costs, workers, overhead=0.0)
    least = max(max(costs), sum(costs) / workers)
    assert least * 0.999 <= run.seconds <= sum(costs) / workers + max(costs)
    assert 0 < run.efficiency <= 1.001


@given(COSTS)
def test_one_worker_does_all_of_it(costs: list[float]) -> None:
    overhead = 0.5
    assert replay(costs, 1, overhead).seconds == pytest.approx(sum(costs) + overhead * len(costs))


def test_more_workers_than_are_of_use() -> None:
    costs = [10.0, 1.0, 1.0, 1.0, 1.0, 1.0, 5.0]
    assert useful_workers(costs) == 2
    assert replay(costs, 100, 0.0).seconds == 10.0
