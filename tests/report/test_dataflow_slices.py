"""Slices of the dataflow graph: from, to and between, through memory, with decisions."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.report.kernels.dataflow_slices import sliced_dataflow
from warplint.analyzer.report.kernels.graph import KernelGraph, render_graphml

KERNEL = """
__global__ void k(float *out, const float *in, int n, float scale) {
    __shared__ float tile[32];
    int t = threadIdx.x;
    float unused = scale * 2.0f;
    if (t < n)
        tile[t] = in[t];
    __syncthreads();
    out[t] = tile[31 - t] * 3.0f;
    out[t + 64] = unused;
}
"""


def sliced(start: str | None, end: str | None) -> KernelGraph:
    return sliced_dataflow(facts_of(KERNEL, (32, 1, 1)), start, end)


def lines(graph: KernelGraph) -> set[object]:
    return {node.attributes["line"] for node in graph.nodes} - {None}


def test_a_path_leads_through_shared_memory() -> None:
    graph = sliced("in", "out")
    assert {7, 9} <= lines(graph)
    assert 5 not in lines(graph)
    assert "tile" in {edge.label for edge in graph.edges}


def test_what_decides_about_a_store_is_on_the_way() -> None:
    graph = sliced("n", "tile")
    assert {6, 7} <= lines(graph)
    assert "decides" in {edge.label for edge in graph.edges}


@pytest.mark.parametrize(
    ("start", "end", "inside", "outside"),
    [
        (None, "10", {5, 10}, {7, 9}),
        ("scale", None, {5, 10}, {6, 7, 9}),
        ("7", "9", {7, 9}, {5, 10}),
        ("unused", "10", {10}, {6, 7, 9}),
    ],
)
def test_names_and_lines(
    start: str | None, end: str | None, inside: set[int], outside: set[int]
) -> None:
    found = lines(sliced(start, end))
    assert inside <= found
    assert not outside & found


def test_nothing_leads_where_nothing_does() -> None:
    assert sliced("scale", "tile").nodes == ()
    assert sliced("no_such_name", None).nodes == ()


def test_graphml_has_every_node_and_edge() -> None:
    graph = sliced("in", "out")
    root = ElementTree.fromstring(render_graphml([graph]))
    space = "{http://graphml.graphdrawing.org/xmlns}"
    assert len(root.findall(f".//{space}node")) == len(graph.nodes)
    ids = {node.get("id") for node in root.iter(f"{space}node")}
    edges = root.findall(f".//{space}edge")
    assert len(edges) == len(graph.edges)
    assert {edge.get(end) for edge in edges for end in ("source", "target")} <= ids
