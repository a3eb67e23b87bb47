"""What control reaches from some blocks without passing one, against walking every path."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from ir.graphs import Graph, build, graphs, reach

from warplint.analyzer.analyses.dataflow.block_sets import next_blocks, outcome_towards, reached
from warplint.analyzer.ir.operations import Branch


@settings(max_examples=50)
@given(graphs(7), st.data(), st.booleans())
def test_reached_blocks(graph: Graph, data: st.DataObject, back: bool) -> None:
    blocks = build(graph).blocks
    places = {block: place for place, block in enumerate(blocks)}
    edges = [[places[each] for each in block.successors] for block in blocks]
    if back:
        edges = [[at for at, to in enumerate(edges) if place in to] for place in range(len(edges))]
    indices = st.sampled_from(range(len(blocks)))
    starts, without = data.draw(st.sets(indices)), data.draw(st.none() | indices)
    left = [[to for to in targets if to != without] for targets in edges]
    expected = {each for start in starts if start != without for each in reach(left, start)}
    avoided = None if without is None else blocks[without]
    found = reached([blocks[start] for start in starts], without=avoided, back=back)
    assert {places[block] for block in found} == expected


@settings(max_examples=30)
@given(graphs(7))
def test_back_is_the_same_edges_the_other_way(graph: Graph) -> None:
    blocks = build(graph).blocks
    there = {(block, each) for block in blocks for each in block.successors}
    assert {(block, each) for block in blocks for each in next_blocks(block, back=False)} == there
    assert {(each, block) for block in blocks for each in next_blocks(block, back=True)} == there


@settings(max_examples=80)
@given(graphs(7), st.data())
def test_outcome_towards_a_block(graph: Graph, data: st.DataObject) -> None:
    blocks = build(graph).blocks
    places = {block: place for place, block in enumerate(blocks)}
    decision, place = (data.draw(st.sampled_from(blocks)) for _ in range(2))
    outcome = outcome_towards(decision, place)
    branch = decision.terminator
    if not isinstance(branch, Branch):
        assert outcome is None
        return
    at = places[decision]
    left = [[places[each] for each in block.successors if each is not decision] for block in blocks]
    leads = {
        holds
        for holds, way in ((True, branch.then), (False, branch.otherwise))
        if way is not decision and places[place] in reach(left, places[way]) - {at}
    }
    assert outcome is (leads.pop() if len(leads) == 1 else None)
