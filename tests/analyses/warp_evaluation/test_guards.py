"""Which lanes run a statement, and which decisions had to be assumed."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of

from warplint.analyzer.analyses.warp_evaluation.loop_iterations import iterations_of
from warplint.analyzer.ir.operations import MemoryAccess


def lanes_of(body: str, block: tuple[int, int, int] = (64, 1, 1), warp: int = 0) -> list[set[int]]:
    """The lanes that run each store of a kernel."""
    facts = body_facts(body, block)
    launch = facts.launches[0]
    guards = launch.guards(launch.evaluator(warp))
    found = []
    for access in facts.accesses:
        if access.writes:
            assert access.block is not None
            mask = guards.of(access.block).mask
            found.append({lane for lane, runs in enumerate(mask) if runs})
    return found


def assumed_of(body: str) -> list[list[str]]:
    """The text of the decisions that were assumed for each store."""
    facts = body_facts(body)
    launch = facts.launches[0]
    guards = launch.guards(launch.evaluator(0))
    texts = []
    for access in facts.accesses:
        if access.writes:
            assert access.block is not None
            assumed = guards.of(access.block).assumed
            texts.append(sorted(block.terminator.location.span.text for block in assumed))
    return texts


T = "int t = threadIdx.x; "


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[t] = 1;", range(32)),
        ("if (t < 5) p[t] = 1;", range(5)),
        ("if (t >= 5) p[t] = 1;", range(5, 32)),
        ("if (!(t >= 5)) p[t] = 1;", range(5)),
        ("if (t % 2) p[t] = 1;", range(1, 32, 2)),
        ("if (t > 3 && t < 9) p[t] = 1;", range(4, 9)),
        ("if (t < 3 || t > 30) p[t] = 1;", (0, 1, 2, 31)),
        ("if (t < 9) return; p[t] = 1;", range(9, 32)),
        ("if (t < 20) { if (t > 10) p[t] = 1; }", range(11, 20)),
        ("if (t == 99) p[t] = 1;", ()),
        ("switch (t) { case 3: case 4: p[t] = 1; }", (3, 4)),
        ("switch (t) { case 3: break; default: p[t] = 1; }", (*range(3), *range(4, 32))),
        ("if (t & 4) ; else p[t] = 1;", (lane for lane in range(32) if not lane & 4)),
        ("if (t < 4) goto end; p[t] = 1; end: ;", range(4, 32)),
    ],
)
def test_lanes_that_run_a_store(body: str, expected: object) -> None:
    assert lanes_of(T + body) == [set(expected)]  # type: ignore[call-overload]


def test_lanes_beyond_the_block_run_nothing() -> None:
    assert lanes_of("p[threadIdx.x] = 1;", (40, 1, 1), warp=1) == [set(range(8))]


def test_rows_of_a_block() -> None:
    body = "if (threadIdx.y == 1) p[threadIdx.x] = 1; if (threadIdx.x == 0) p[1] = 1;"
    assert lanes_of(body, (8, 8, 1)) == [set(range(8, 16)), {0, 8, 16, 24}]


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ("if (t < n) p[t] = 1;", ["t < n"]),
        ("if (t < 5) p[t] = 1;", []),
        ("if (t < n) { if (n > 5) p[t] = 1; }", ["n > 5", "t < n"]),
        ("if (p[t] > 3) p[t] = 1;", ["p[t] > 3"]),
        ("for (int i = 0; i < n; ++i) p[i] = t;", ["i < n"]),
    ],
)
def test_decisions_not_known_are_named(body: str, texts: list[str]) -> None:
    assert assumed_of(T + body) == [texts]


def test_what_follows_a_join_depends_on_nothing() -> None:
    assert assumed_of(T + "if (t < n) p[0] = 1; p[t] = 2;") == [["t < n"], []]


def iterations(body: str) -> list[set[int]]:
    """The lanes that run the one access in each round of the loops around it."""
    facts = body_facts(body, (32, 1, 1))
    launch = facts.launches[0]
    (access,) = [op for op in facts.kernel.operations() if isinstance(op, MemoryAccess)]
    assert access.block is not None
    known = iterations_of(launch, 0, facts.flow.loop_nest(access.block))
    assert known is not None
    assert known.complete
    found = []
    for each in known.each:
        assert each.guards is not None
        guarded = each.guards.of(access.block)
        assert not guarded.assumed
        found.append({lane for lane, runs in enumerate(guarded.mask) if runs})
    return found


def test_lanes_leave_a_loop_and_do_not_come_back() -> None:
    body = T + "for (int i = 0; i < t && i < 3; ++i) p[i] = 1;"
    assert iterations(body) == [set(range(1, 32)), set(range(2, 32)), set(range(3, 32))]
    broken = T + "for (int i = 0; i < 4; ++i) { if (t % 4 == i) break; p[i] = 1; }"
    left = [{t for t in range(32) if t % 4 > i} for i in range(4)]
    assert iterations(broken) == left


def test_a_loop_tested_at_its_end() -> None:
    body = T + "int i = 0; do { p[i] = 1; i += 16; } while (i < t);"
    assert iterations(body) == [set(range(32)), set(range(17, 32))]


def test_a_nest_of_loops() -> None:
    body = T + "for (int i = 0; i < 2; ++i) for (int j = 0; j <= i; ++j) if (t < j + 1) p[i] = 1;"
    assert iterations(body) == [{0}, {0}, {0, 1}]


def test_a_loop_that_nobody_enters_has_no_rounds() -> None:
    assert iterations(T + "for (int i = 5; i < 5; ++i) p[i] = 1;") == []
    assert iterations(T + "if (t > 40) { int i = 0; do p[i] = 1; while (++i < 3); }") == []


def test_a_bound_that_is_not_known_has_no_rounds() -> None:
    facts = body_facts("for (int i = 0; i < n; ++i) p[i] = 1;")
    (loop,) = facts.flow.loops
    assert iterations_of(facts.launches[0], 0, [loop]) is None


def test_too_many_rounds_are_cut_off() -> None:
    facts = body_facts("#pragma unroll 1\nfor (int i = 0; i < 100000; ++i) p[i] = 1;")
    (loop,) = facts.flow.loops
    known = iterations_of(facts.launches[0], 0, [loop])
    assert known is not None
    assert not known.complete
    assert len(known.each) < 1000


def test_many_decisions_that_are_not_known_are_paid_for() -> None:
    tests = " ".join(f"if (d[{i}] > 0 && d[i + {i}] < 9) break;" for i in range(150))
    facts = facts_of(
        f"__global__ void k(int *d) {{ for (int i = 0; i < 8; ++i) {{ {tests} d[i] = 1; }} }}",
        (32, 1, 1),
    )
    launch = facts.launches[0]
    (store,) = (access for access in facts.accesses if access.writes)
    assert store.block is not None
    before = facts.budget.left
    guarded = launch.guards(launch.evaluator(0)).of(store.block)
    paid = before - facts.budget.left
    assert len(guarded.assumed) >= 150
    assert paid > 150 * 150 // 2 // 64
