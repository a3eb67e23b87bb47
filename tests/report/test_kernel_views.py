"""The texts, records and graphs of `inspect uniformity`, `barriers`, `cfg` and `dataflow`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.analyses.barriers.barrier_control import barrier_controls
from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.warp_evaluation.value_levels import value_levels
from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.report.kernels.barriers import BarrierOfKernel, barrier_lines, barrier_record
from warplint.analyzer.report.kernels.control_flow import control_flow, control_flow_lines
from warplint.analyzer.report.kernels.dataflow import dataflow, dataflow_lines
from warplint.analyzer.report.kernels.graph import graph_record, render_dot
from warplint.analyzer.report.kernels.inspection import render_records
from warplint.analyzer.report.kernels.uniformity import LevelOfKernel, level_lines, level_record
from warplint.analyzer.report.text.palette import Palette
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from warplint.analyzer.analyses.warp_evaluation.facts import LaunchFacts

    Golden = Callable[[str, str], None]

TEXT = """\
__device__ void publish(int *tile, int value) {
    tile[threadIdx.x] = value;
    __syncthreads();
}

__global__ void scan(int *data, int n) {
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    publish(tile, data[i]);
    for (int step = 1; step < n; step *= 2) {
        int other = tile[threadIdx.x ^ step];
        __syncthreads();
        if (threadIdx.x >= step) publish(tile, other);
    }
    switch (n) { case 4: data[i] = tile[0]; break; default: data[i] = tile[1]; }
}

void host(int *data) { scan<<<2, 64>>>(data, 128); }
"""


@pytest.fixture(scope="module")
def launch() -> LaunchFacts:
    module = read_cuda(SourceText("scan.cu", TEXT))
    facts = KernelFacts(module.kernels[0], module, AnalysisOptions())
    (launch,) = facts.launches
    return launch


def text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_uniformity(launch: LaunchFacts, golden: Golden) -> None:
    rows = [LevelOfKernel(launch, value) for value in value_levels(launch)]
    golden("uniformity.txt", text(level_lines(rows, Palette())))
    golden("uniformity.json", render_records("values", map(level_record, rows[:2]), []))


def test_barriers(launch: LaunchFacts, golden: Golden) -> None:
    rows = [BarrierOfKernel(launch, control) for control in barrier_controls(launch)]
    golden("barriers.txt", text(barrier_lines(rows, Palette())))
    golden("barriers.json", render_records("barriers", map(barrier_record, rows), []))


def test_control_flow(launch: LaunchFacts, golden: Golden) -> None:
    view = control_flow(launch.facts.kernel)
    golden("cfg.txt", text(control_flow_lines([view], Palette())))
    golden("cfg.dot", render_dot([view.graph]))


def test_dataflow(launch: LaunchFacts, golden: Golden) -> None:
    golden("dataflow.txt", text(dataflow_lines([dataflow(launch.facts.kernel)], Palette())))


def test_graph_records_name_their_own_nodes_only(launch: LaunchFacts) -> None:
    kernel = launch.facts.kernel
    for graph in (control_flow(kernel).graph, dataflow(kernel)):
        record = json.loads(json.dumps(graph_record(graph)))
        assert (record["kernel"], record["line"]) == ("scan", 6)
        nodes = [node["id"] for node in record["nodes"]]
        assert len(set(nodes)) == len(nodes)
        ends = {edge[end] for edge in record["edges"] for end in ("source", "target")}
        assert ends <= set(nodes)


def test_dot_survives_quotes_and_backslashes() -> None:
    source = SourceText('a"\\b.cu', "__global__ void k(int *p) { p[0] = 1; }\n")
    (kernel,) = read_cuda(source).kernels
    (first, *_) = render_dot([control_flow(kernel).graph]).splitlines()
    assert first == 'digraph "k (a\\"\\\\b.cu:1)" {'


def test_several_graphs_are_one_document(launch: LaunchFacts) -> None:
    graph = dataflow(launch.facts.kernel)
    document = render_dot([graph, graph])
    assert len(re.findall(r"^digraph ", document, re.MULTILINE)) == 2
    assert document.count("{") == document.count("}")


def test_nothing_to_list_is_said() -> None:
    assert list(level_lines([], Palette())) == ["no values"]
    assert list(barrier_lines([], Palette())) == ["no barriers"]
    assert list(control_flow_lines([], Palette())) == ["no kernels"]
    assert list(dataflow_lines([], Palette())) == ["no kernels"]
