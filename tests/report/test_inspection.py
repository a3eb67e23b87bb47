from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.analyses.memory_spaces import VariableReport
from warplint.analyzer.engine.result import InputResult
from warplint.analyzer.ir.kernel import Bounds, Kernel, Launch
from warplint.analyzer.ir.types import INT32, POINTER
from warplint.analyzer.ir.values import Parameter
from warplint.analyzer.report.inspection import kernel_lines, kernel_record, render_records
from warplint.analyzer.report.memory_spaces import KernelVariable, variable_lines, variable_record
from warplint.analyzer.report.palette import Palette
from warplint.analyzer.report.table import render_table
from warplint.analyzer.source.text import SourceText, Span

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = """\
__global__ void __launch_bounds__(128, 2) scale(float *p, int n) {
    p[0] = n;
    strange;
}
void host() { scale<<<n / 128, dim3(128), 64>>>(p, n); }
"""


@pytest.fixture
def kernel() -> Kernel:
    source = SourceText("k.cu", TEXT)
    body = TEXT.index("{")
    statement = TEXT.index("strange;")
    launch = TEXT.index("scale<<<")
    return Kernel(
        "scale",
        Span(source, 0, body - 1),
        Span(source, body, TEXT.index("}") + 1),
        "cuda",
        parameters=[Parameter(POINTER, "p", 0), Parameter(INT32, "n", 1)],
        bounds=Bounds(max_threads=128, min_blocks=2, span=Span(source, 16, 41)),
        launches=[
            Launch(
                "scale",
                (None, 1, 1),
                (128, 1, 1),
                64,
                Span(source, launch, launch + 30),
                grid_text="n / 128",
                block_text="dim3(128)",
                shared_text="64",
            )
        ],
        status="partial",
        statements=2,
        unread=[Span(source, statement, statement + 8)],
    )


def test_kernel_record(kernel: Kernel, golden: Callable[[str, str], None]) -> None:
    inputs = [InputResult("k.cu", "partial", kernels=1, accesses=0)]
    text = render_records("kernels", [kernel_record(kernel)], inputs)
    assert json.loads(text).keys() == {"kernels", "inputs"}
    golden("kernels.json", text)


def test_kernel_table(kernel: Kernel, golden: Callable[[str, str], None]) -> None:
    golden("kernels.txt", "\n".join(kernel_lines([kernel], Palette())) + "\n")


def test_share_of_an_empty_kernel(kernel: Kernel) -> None:
    kernel.statements, kernel.unread = 0, []
    assert kernel_record(kernel)["unread_share"] == 0.0


def test_table_columns_are_aligned_by_cells() -> None:
    lines = render_table(("a", "b"), [("漢字", "x"), ("yy", "z")], Palette())
    assert lines == ["a     b", "漢字  x", "yy    z"]


def test_table_without_rows_has_a_head() -> None:
    assert render_table(("a", "b"), [], Palette()) == ["a  b"]


def test_variable_table(kernel: Kernel, golden: Callable[[str, str], None]) -> None:
    span = Span(kernel.span.source, 42, 47)
    rows = [KernelVariable(kernel, variable) for variable in variables(span)]
    golden("variables.txt", "\n".join(variable_lines(rows, Palette())) + "\n")
    golden("variables.json", render_records("variables", map(variable_record, rows), []))


def test_variables_of_several_kernels_have_a_table_each(kernel: Kernel) -> None:
    other = replace(kernel, name="other")
    rows = [KernelVariable(each, variables(None)[0]) for each in (kernel, kernel, other)]
    lines = list(variable_lines(rows, Palette()))
    assert [line for line in lines if line.endswith("(k.cu:1)")] == [
        "scale (k.cu:1)",
        "other (k.cu:1)",
    ]
    assert len(lines) == 8


def variables(span: Span | None) -> tuple[VariableReport, VariableReport]:
    shared = VariableReport(
        name="tile",
        type="float[32]",
        space="shared",
        located="on-chip",
        cached="n/a",
        access="R/W",
        host_access="none",
        scope="block",
        lifetime="block",
        bytes=128,
        per="block",
        why="declared __shared__",
        span=span,
    )
    return shared, replace(shared, name="rest", bytes=None, why="sized by the launch", span=None)
