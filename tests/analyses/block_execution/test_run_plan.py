"""The order of blocks, what lies between a branch and where its ways meet, and what loops hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts, branching
from hypothesis import given, settings
from ir.graphs import Graph, build, graphs

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.ir.kernel import Module

if TYPE_CHECKING:
    from warplint.analyzer.analyses.block_execution.run_plan import RunPlan


def plan_of(body: str) -> RunPlan:
    return body_facts(body).plan


@settings(max_examples=60)
@given(graphs(8))
def test_every_loop_stands_in_one_piece(graph: Graph) -> None:
    kernel = build(graph)
    facts = KernelFacts(kernel, Module("cuda", kernel.span.source), AnalysisOptions())
    plan = facts.plan
    if not plan.runs:
        return
    order = plan.order
    for block in order:
        for target in block.successors:
            assert order[block] < order[target] or plan.edge(block, target).back
    for loop in facts.flow.loops:
        places = sorted(order[block] for block in loop.blocks)
        assert places == list(range(places[0], places[0] + len(places)))
        assert order[loop.header] == places[0]
        assert plan.loop_at(loop.header) is loop


@pytest.mark.parametrize(
    ("body", "waits", "unknown"),
    [
        ("if (p[0]) p[1] = 1; p[2] = 3;", False, 0),
        ("if (p[0]) __syncthreads(); p[2] = 3;", True, 0),
        ("if (p[0]) __syncwarp(); p[2] = 3;", False, 0),
        ("int x = 1; if (p[0]) x = n; p[x] = 3;", False, 0),  # a phi: chosen there
    ],
)
def test_what_depends_on_a_decision(body: str, waits: bool, unknown: int) -> None:
    facts = body_facts(body)
    branch = branching(facts.kernel)[0]
    region = facts.plan.region(branch)
    assert region.waits is waits
    assert len(region.unknown) == unknown
    assert region.join is not None


@pytest.mark.parametrize(
    ("body", "ways", "waits"),
    [
        ("for (int i = 0; i < n; i++) p[i] = 1; p[n] = 2;", 1, False),
        ("for (int i = 0; i < n; i++) if (p[i]) { p[i] = 3; break; } p[n] = 2;", 2, False),
        ("for (int i = 0; i < n; i++) if (p[i]) { __syncthreads(); break; } p[n] = 2;", 2, True),
    ],
)
def test_ways_out_of_a_loop(body: str, ways: int, waits: bool) -> None:
    facts = body_facts(body)
    (loop,) = facts.flow.loops
    region = facts.plan.region_behind(loop)
    assert (len(region.ways), region.waits) == (ways, waits)
    assert region.join is not None
    assert region.join not in loop.blocks


def test_a_loop_that_ends_the_kernel_in_one_way_only() -> None:
    facts = body_facts("for (int i = 0; i < n; i++) if (p[i]) __trap(); p[n] = 2;")
    (loop,) = facts.flow.loops
    assert facts.plan.region_behind(loop).join is None


def test_ways_that_leave_the_kernel_do_not_meet() -> None:
    facts = body_facts("if (p[0]) __trap(); p[2] = 3;")
    branch = branching(facts.kernel)[0]
    assert facts.plan.region(branch).join is None


def test_what_loops_hold() -> None:
    body = """int s = 0, u = 0;
    for (int i = 0; i < n; i++) { s += p[i]; u += i; __syncthreads(); __syncwarp(); }
    p[s] = 1;"""
    facts = body_facts(body)
    (loop,) = facts.flow.loops
    assert len(facts.plan.waits_in(loop)) == 2
    assert facts.plan.loop_tests == frozenset(loop.exits)
    assert len(facts.plan.outliving(loop)) == 1  # s leads somewhere, u does not
    assert facts.plan.copy_groups_in(loop) == []


def test_numbers_that_blocks_are_apart_by() -> None:
    strides = plan_of("p[blockIdx.x * n + threadIdx.x] = 1;").block_strides
    assert "n" in {getattr(each, "name", "") for each in strides}
    assert plan_of("p[threadIdx.x * n] = 1;").block_strides == frozenset()
    loop = "for (int i = {} + threadIdx.x, k = 0; k < 4; i += n, k++) p[i] = k;"
    stepped = plan_of(loop.format("blockIdx.x * 64")).block_strides
    assert "n" in {getattr(name, "name", "") for name in stepped}
    assert plan_of(loop.format("64")).block_strides == frozenset()


def test_who_hands_out_places() -> None:
    for body, expected in (
        ("int at = atomicAdd(p, 1); p[at] = 1;", True),
        ("int at = atomicAdd(p, 1); p[9] = at;", False),
        ("for (int i = atomicAdd(p, 1); i < n; i = atomicAdd(p, 1)) p[i] = 1;", False),
    ):
        facts = body_facts(body)
        atomic = next(each for each in facts.accesses if each.atomic)
        assert facts.plan.hands_out_places(atomic) is expected


def test_objects_that_are_accessed_and_written() -> None:
    plan = body_facts("p[0] = q[1];", parameters="int *p, const int *q").plan
    assert {each.name for each in plan.accessed if each} == {"*p", "*q"}
    assert {each.name for each in plan.written if each} == {"*p"}
    assert not plan.copies_to_shared
