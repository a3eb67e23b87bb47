"""Slices, against reachability along operands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from ir.graphs import WHERE, Graph, graphs, reach

from warplint.analyzer.analyses.dataflow.slices import backward_slice, forward_slice
from warplint.analyzer.ir.operations import Opcode, Operation, users_of
from warplint.analyzer.ir.types import INT32


@given(graphs(), st.data())
def test_slices_follow_operands(graph: Graph, data: st.DataObject) -> None:
    values = [Operation(Opcode.ADD, INT32, [], WHERE) for _ in graph]
    for value, targets in zip(values, graph, strict=True):
        value.operands = [values[target] for target in targets]
    nodes = st.sampled_from(range(len(values)))
    start, ends = data.draw(nodes), data.draw(st.frozensets(nodes))

    def places(found: object) -> set[int]:
        assert isinstance(found, set)
        return {values.index(each) for each in found}

    assert places(set(backward_slice(values[start]))) == reach(graph, start)
    cut = [[] if node in ends else targets for node, targets in enumerate(graph)]
    through = backward_slice(values[start], through=lambda each: values.index(each) not in ends)
    assert places(set(through)) == reach(cut, start)
    back = [[at for at, each in enumerate(graph) if to in each] for to in range(len(graph))]
    assert places(forward_slice([values[start]], users_of(values))) == reach(back, start)
