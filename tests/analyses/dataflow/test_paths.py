"""Path queries, against all paths through small graphs without a repeated operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from ir.graphs import WHERE, Graph, build, graphs, reach, successors

from warplint.analyzer.analyses.dataflow.block_sets import reached
from warplint.analyzer.analyses.dataflow.control_flow import ControlFlow
from warplint.analyzer.analyses.dataflow.paths import (
    Waypoints,
    all_pass_through,
    are_apart,
    can_reach,
    comes_before,
    operations_after,
)
from warplint.analyzer.ir.operations import Opcode, Operation
from warplint.analyzer.ir.types import INT32

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Kernel


def kernel_of(graph: Graph, sizes: list[int]) -> tuple[Kernel, list[Operation], Graph]:
    """A kernel whose blocks hold so many operations before the jump; the operations, and for each
    the places of those that may follow it.
    """
    kernel = build(graph)
    for block, size in zip(kernel.blocks, sizes, strict=False):
        for _ in range(size):
            operation = Operation(Opcode.NEG, INT32, [], WHERE)
            operation.block = block
            block.operations.insert(0, operation)
    operations = list(kernel.operations())
    places = {operation: place for place, operation in enumerate(operations)}
    edges: Graph = []
    for block in kernel.blocks:
        for operation in block.operations[:-1]:
            edges.append([places[operation] + 1])
        edges.append([places[target.operations[0]] for target in block.successors])
    return kernel, operations, edges


def after(edges: Graph, place: int, *, without: frozenset[int] = frozenset()) -> set[int]:
    """The places reached from one, over one edge or more, not through others."""
    left = [[each for each in targets if each not in without] for targets in edges]
    return {each for target in left[place] for each in reach(left, target)}


@given(graphs(6), st.lists(st.integers(0, 2), min_size=6, max_size=6), st.data())
def test_paths_between_two_operations(graph: Graph, sizes: list[int], data: st.DataObject) -> None:
    kernel, operations, edges = kernel_of(graph, sizes)
    flow = ControlFlow(kernel)
    indices = st.sampled_from(range(len(operations)))
    first, second = data.draw(indices), data.draw(indices)
    marked = data.draw(st.frozensets(indices)) - {first, second}
    one, other = operations[first], operations[second]

    def is_marked(operation: Operation) -> bool:
        return operations.index(operation) in marked

    leads = second in after(edges, first)
    assert can_reach(flow, one, other) is leads
    assert are_apart(flow, one, other) is not (leads or first in after(edges, second))
    without = second in after(edges, first, without=marked)
    assert all_pass_through(flow, one, other, is_marked) is (leads and not without)

    straight = one.block is other.block and first < second
    passes = Waypoints(flow, is_marked).passes_through(one, other)
    if not leads:
        assert passes is None
    elif straight:
        assert passes is any(first < place < second for place in marked)
    else:
        # Whether control may come back to either end on the way is not part of the question.
        once, ends = (
            frozenset({first, second}),
            [place for place in marked if place in after(edges, first)],
        )
        assert passes in (True, False)
        if any(
            place in after(edges, first, without=once)
            for place in ends
            if second in after(edges, place, without=frozenset({first}))
        ):
            assert passes
        if passes:
            assert any(second in after(edges, place) for place in ends)


@given(graphs(6), st.data())
def test_paths_in_one_iteration_of_all_loops(graph: Graph, data: st.DataObject) -> None:
    kernel, operations, edges = kernel_of(graph, [1] * 6)
    indices = st.sampled_from(range(len(operations)))
    first, second = data.draw(indices), data.draw(indices)

    def jumps_back(place: int, target: int) -> bool:
        return place == target or place not in reach(edges, 0, target)

    forward = [[to for to in each if not jumps_back(at, to)] for at, each in enumerate(edges)]
    found = comes_before(ControlFlow(kernel), operations[first], operations[second])
    assert found is (second in after(forward, first))


@given(graphs(6), st.lists(st.integers(0, 2), min_size=6, max_size=6), st.data(), st.booleans())
def test_operations_up_to_those_that_end_a_path(
    graph: Graph, sizes: list[int], data: st.DataObject, back: bool
) -> None:
    _, operations, edges = kernel_of(graph, sizes)
    if back:
        edges = [[at for at, each in enumerate(edges) if to in each] for to in range(len(edges))]
    indices = st.sampled_from(range(len(operations)))
    first, ends = data.draw(indices), data.draw(st.frozensets(indices))
    left = [[] if at in ends and at != first else each for at, each in enumerate(edges)]
    expected = {each for target in edges[first] for each in reach(left, target)}
    if first in ends and first in expected:
        # Control comes back to the first: the path ends there then, not when it begins.
        cut = [[] if at in ends else each for at, each in enumerate(edges)]
        expected = {each for target in edges[first] for each in reach(cut, target)}
    found = operations_after(
        operations[first], lambda each: operations.index(each) in ends, back=back
    )
    assert {operations.index(each) for each in found} == expected


@given(graphs(), st.data(), st.booleans())
def test_blocks_reached_without_one(graph: Graph, data: st.DataObject, back: bool) -> None:
    kernel = build(graph)
    edges = successors(kernel)
    if back:
        edges = [[at for at, each in enumerate(edges) if to in each] for to in range(len(edges))]
    nodes = st.sampled_from(range(len(edges)))
    start, without = data.draw(nodes), data.draw(st.none() | nodes)
    found = reached(
        [kernel.blocks[start]],
        without=None if without is None else kernel.blocks[without],
        back=back,
    )
    assert {block.index for block in found} == reach(edges, start, without)
