"""Control flow that grows with its square is told from large control flow."""

from __future__ import annotations

import pytest

from warplint.analyzer.analyses.dataflow.control_flow import ControlFlow
from warplint.analyzer.analyses.dataflow.tangle import is_tangled
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import InputFile, Inputs
from warplint.analyzer.engine.reading import read_input
from warplint.analyzer.findings.rule import Input
from warplint.rules import load_rules

HEAD = "__global__ void k(float *o, const float *a, int n) { int t = threadIdx.x, x = 0;\n"
END = "o[t] = x; }\n"


def text_of(name: str, count: int) -> str:
    pieces = {
        "branches": "if (a[{0}] > t) x += {0};",
        "loops": "for (int i = 0; i < n; i++) x += a[i + {0}];",
        "falling cases": "case {0}: x += a[{0}];",
        "gotos": "L{0}: if (a[{0}] > t) goto L{1};",
    }
    lines = "\n".join(pieces[name].format(i, (i * 7 + 3) % count) for i in range(count))
    return HEAD + (f"switch (t) {{ {lines} }}" if "cases" in name else lines) + END


@pytest.mark.parametrize(
    ("name", "count", "tangled"),
    [
        ("branches", 2_000, False),
        ("loops", 1_000, False),
        ("falling cases", 200, False),
        ("falling cases", 1_500, True),
        ("gotos", 200, False),
        ("gotos", 3_000, True),
    ],
)
def test_what_is_tangled(name: str, count: int, *, tangled: bool) -> None:
    file = InputFile("k.cu", Input.CUDA, text_of(name, count).encode())
    module = read_input(file, Settings()).module
    assert module is not None
    assert is_tangled(ControlFlow(module.kernels[0])) is tangled


def test_the_count_is_that_of_the_edges() -> None:
    from warplint.analyzer.analyses.dataflow.tangle import _dependences

    file = InputFile("k.cu", Input.CUDA, text_of("falling cases", 40).encode())
    module = read_input(file, Settings()).module
    assert module is not None
    flow = ControlFlow(module.kernels[0])
    edges = sum(len(edges) for edges in flow.control_edges.values())
    assert edges <= _dependences(flow, 10_000_000) <= 2 * edges + 2 * len(flow.blocks)


def test_a_tangled_kernel_is_counted_and_named() -> None:
    file = InputFile("k.cu", Input.CUDA, text_of("falling cases", 1_500).encode())
    result = check(Inputs([file]), Settings(), tuple(load_rules().values()))
    (item,) = result.inputs
    reason = "its branches, cases or loops are too many and too deep in each other"
    assert [(each.kind, each.reason) for each in item.unanalysed] == [("kernel", reason)]
    assert result.findings == ()
    assert [each.message for each in item.problems] == [f"kernel k is not analysed: {reason}"]
    assert item.status == "partial"
