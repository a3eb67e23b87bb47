"""The dataflow graph that `inspect dataflow` shows."""

from __future__ import annotations

import networkx
from analyses.kernels import body_facts

from warplint.analyzer.analyses.dataflow.dataflow_graph import dataflow_graph
from warplint.analyzer.ir.operations import Operation
from warplint.analyzer.ir.printer import value_names
from warplint.analyzer.ir.values import Constant

BODY = """\
__shared__ int tile[64];
int i = threadIdx.x;
int square = i * i;
tile[i] = square;
__syncthreads();
for (int r = 0; r < n; ++r) square += tile[r];
p[i] = square;
"""


def test_every_use_of_a_value_is_an_edge() -> None:
    kernel = body_facts(BODY).kernel
    graph = dataflow_graph(kernel)
    names = value_names(kernel)
    for user in names:
        assert isinstance(user, Operation)
        for place, operand in enumerate(user.operands):
            if isinstance(operand, Operation):
                assert place in graph.edges[names[operand], names[user]]["operands"]
    uses = sum(len(data["operands"]) for _, _, data in graph.edges(data=True))
    assert uses == sum(
        not isinstance(operand, Constant)
        for operation in kernel.operations()
        for operand in operation.operands
    )


def test_a_value_used_twice_by_one_operation_is_one_edge_with_two_places() -> None:
    graph = dataflow_graph(body_facts("int i = threadIdx.x; p[0] = i * i;").kernel)
    (square,) = [name for name, data in graph.nodes(data=True) if data["kind"] == "mul"]
    assert [data["operands"] for _, _, data in graph.in_edges(square, data=True)] == [[0, 1]]


def test_a_loop_is_a_cycle_through_its_phi() -> None:
    graph = dataflow_graph(body_facts(BODY).kernel)
    cycles = list(networkx.simple_cycles(graph))
    assert cycles
    assert all(any(graph.nodes[name]["kind"] == "phi" for name in cycle) for cycle in cycles)


def test_leaves_say_what_they_are() -> None:
    graph = dataflow_graph(body_facts(BODY).kernel)
    kinds = {name: graph.nodes[name]["kind"] for name in graph if not graph.in_degree(name)}
    assert kinds == {
        "tid.x": "special",
        "$p": "parameter",
        "$n": "parameter",
        "&tile": "object",
    }
    assert graph.nodes["&tile"]["line"] == 2
    assert graph.nodes["tid.x"]["line"] is None


def test_objects_of_one_name_are_two_nodes() -> None:
    body = """\
if (n) { __shared__ int tile[4]; tile[threadIdx.x] = n; }
else { __shared__ int tile[8]; tile[threadIdx.x] = n; }
"""
    graph = dataflow_graph(body_facts(body).kernel)
    objects = [name for name, data in graph.nodes(data=True) if data["kind"] == "object"]
    assert objects == ["&tile", "&tile'"]


def test_jumps_and_barriers_are_no_nodes() -> None:
    graph = dataflow_graph(body_facts(BODY).kernel)
    kinds = {data["kind"] for _, data in graph.nodes(data=True)}
    assert not kinds & {"jump", "barrier", "return"}
