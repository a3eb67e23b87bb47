"""The runs of a block: in which scenarios, and which further ones data or sizes ask for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from analyses.doubts.candidates_of import kernel

from warplint.analyzer.analyses.block_execution.assumed_numbers import (
    CHOSEN_DATA,
    SOLVED,
    SizeScenario,
)
from warplint.analyzer.analyses.block_execution.run_context import Changes
from warplint.analyzer.analyses.conflicts.block_runs import BlockRuns, assumes

E, D, O, S, F = (  # noqa: E741
    SizeScenario.EQUAL,
    SizeScenario.DIFFERENT,
    SizeScenario.ODD,
    SizeScenario.SMALL,
    SizeScenario.FALLING,
)


def runs_of(body: str) -> BlockRuns:
    return BlockRuns(kernel(body).launches[0])


@pytest.mark.parametrize(
    ("body", "scenarios"),
    [
        ("s[t] = 1; out[t] = s[t ^ 64];", [E]),
        ("out[t] = in[t];", [E]),
        ("if (t < n) s[t] = 1;", [E, D, S]),
        ("s[t & n] = t;", [E, D, O]),
        ("for (int i = 0; i < n; i++) s[t] = i;", [E]),  # of a loop alone
        ("if (in[t] > in[t + 1]) s[t] = 1; else s[t + 1] = 2;", [E]),
        ("int x = in[t];", []),  # nothing is written
    ],
)
def test_scenarios(body: str, scenarios: list[SizeScenario]) -> None:
    assert [run.scenario for run in runs_of(body).scenarios] == scenarios


def test_other_data_where_some_kept_threads_from_an_access() -> None:
    work = "s[t] = 1; out[t] = s[t ^ 64];"
    alike = runs_of(
        f"int x = 100000000 / in[0]; if (x == 100000000 / in[1]) {{ {work} }}"
    ).chosen_data
    assert [run.scenario for run in alike] == list(CHOSEN_DATA)
    below = runs_of(f"int x = 100000000 / in[0]; if (x < 0) {{ {work} }}").chosen_data
    assert [run.scenario for run in below] == [SizeScenario.NEGATIVE]  # which leads there
    solved = runs_of(f"int x = in[0]; if (x == 3) {{ {work} }}")
    assert [run.scenario for run in solved.solved] == [SizeScenario.SOLVED]
    assert solved.chosen_data == ()
    assert runs_of(work).chosen_data == ()


def test_each_of_several_numbers_has_a_run() -> None:
    runs = runs_of("if (in[0] == 3) s[t] = 1; else if (in[0] == 4) out[t] = s[t ^ 64];").solved
    assert [run.scenario for run in runs] == list(SOLVED[:2])
    stored, loaded = sorted((run.seen.executed for run in runs), key=len)
    assert len(stored) < len(loaded)
    assert stored.isdisjoint(loaded)


def test_numbers_that_lead_to_what_no_run_came_to() -> None:
    (solved,) = runs_of("if (n == 77) { s[t] = 1; out[t] = s[t ^ 64]; }").solved
    assert solved.scenario is SizeScenario.SOLVED
    assert {number for _, number in solved.numbers.used.items()} == {77}
    assert len(solved.seen.found) > 0
    assert runs_of("s[t] = 1; out[t] = s[t ^ 64];").solved == ()


def test_a_run_with_a_barrier_added() -> None:
    runs = runs_of("s[t] = 1; out[t] = s[t ^ 64];")
    (run,) = runs.scenarios
    assert not assumes(run)
    pair = next(pair for pair in run.seen.found if pair[0].name[0] == "s")
    again = runs.again(SizeScenario.EQUAL, Changes(before=frozenset({pair[1]})), pair)
    assert pair not in again.seen.found
    assert pair in runs.again(SizeScenario.EQUAL, None, pair).seen.found


@pytest.mark.parametrize(
    ("body", "pairs"),
    [
        ("s[t] = 1; int x = __shfl_sync(~0u, n, 0); out[t] = s[t ^ 1] + x;", 1),
        ("s[t] = 1; int x = __any_sync(~0u, in[t]); out[t] = s[t ^ 1] + x;", 1),
        ("s[t] = 1; int x = __shfl_sync(~0u, n, 0); __syncwarp(); out[t] = s[t ^ 1] + x;", 0),
        ("int x = __shfl_sync(~0u, n, 0); s[t] = 1; out[t] = s[t ^ 1] + x;", 0),  # no new one
        ("s[t] = 1; out[t] = s[t ^ 1];", None),
    ],
)
def test_what_nothing_but_an_exchange_orders(body: str, pairs: int | None) -> None:
    facts = kernel(body, threads=32)
    assert BlockRuns(facts.launches[0]).exchanged == ()  # unless it is asked for
    asked = type(facts)(facts.kernel, facts.module, replace(facts.options, doubted=True))
    found = [len(run.seen.found) for run in BlockRuns(asked.launches[0]).exchanged]
    assert found == ([] if pairs is None else [pairs])
