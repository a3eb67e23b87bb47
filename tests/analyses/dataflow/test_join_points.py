"""Where ways meet, against the definition: no single block stands on all ways from the starts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from ir.graphs import Graph, build, graphs, reach, successors

from warplint.analyzer.analyses.dataflow.control_flow import ControlFlow


@given(graphs(), st.data())
def test_ways_meet_where_no_block_stands_on_all_of_them(graph: Graph, data: st.DataObject) -> None:
    kernel = build(graph)
    flow = ControlFlow(kernel)
    count = len(flow.blocks)
    starts = data.draw(st.lists(st.sampled_from(range(count)), min_size=1, unique=True))
    first = data.draw(st.integers(0, min(starts)))
    end = data.draw(st.none() | st.integers(first, count - 1))
    inside = range(first, count if end is None else end)
    forwards = [
        [target for target in targets if node < target and target in inside and node in inside]
        for node, targets in enumerate(successors(kernel))
    ]

    def from_starts(node: int, *, without: int | None = None) -> bool:
        return any(node in reach(forwards, start, without) for start in starts if start != node)

    def is_met(node: int) -> bool:
        others = (each for each in inside if each != node)
        return from_starts(node) and (
            node in starts or all(from_starts(node, without=each) for each in others)
        )

    joins, begin = flow.join_points.of(
        [flow.blocks[start] for start in starts], first, None if end is None else flow.blocks[end]
    )
    assert {join.index for join in joins} == {node for node in inside if is_met(node)}
    for node in inside:
        assert (begin(flow.blocks[node]) is not None) == (node in starts or from_starts(node))
