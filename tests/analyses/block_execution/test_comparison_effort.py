"""What may be spent on comparisons: by one run, by all of a launch, and what is said beyond it."""

from __future__ import annotations

from warplint.analyzer.analyses.block_execution.comparison_effort import Effort, Efforts


def test_a_run_says_when_it_was_cut_short() -> None:
    reasons: set[str] = set()
    efforts = Efforts()
    effort = efforts.next()
    effort.made = effort.comparisons - 1
    efforts.spent(effort, reasons)
    assert not reasons
    effort.made += 1
    efforts.spent(effort, reasons)
    assert reasons == {"too many accesses to compare"}


def test_pairs_of_threads_and_checks_count_as_well() -> None:
    assert Effort(10, checks=0).used_up
    assert Effort(10, candidates=0).used_up
    assert not Effort(10).used_up


def test_late_runs_get_what_is_left_and_a_little_always() -> None:
    efforts = Efforts()
    given = []
    for _ in range(5):
        effort = efforts.next()
        effort.made = effort.comparisons
        given.append(effort.comparisons)
        efforts.spent(effort, set())
    assert given[0] == given[1] > given[2] == given[3] == given[4] > 0
