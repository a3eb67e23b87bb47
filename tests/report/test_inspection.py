from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.analyses.pointers.local_arrays import LocalArray
from warplint.analyzer.analyses.pointers.pointees import Pointee
from warplint.analyzer.analyses.storage.memory_spaces import VariableReport
from warplint.analyzer.engine.result import InputResult
from warplint.analyzer.hardware.local_arrays import Residence
from warplint.analyzer.ir.kernel import (
    Bounds,
    FunctionInfo,
    FunctionKind,
    FunctionParameter,
    Instance,
    Kernel,
    Launch,
    TemplateParameter,
)
from warplint.analyzer.ir.memory import Space
from warplint.analyzer.report.kernels.functions import (
    agreed_bounds,
    function_lines,
    function_record,
)
from warplint.analyzer.report.kernels.inspection import render_records
from warplint.analyzer.report.kernels.memory_spaces import (
    KernelVariable,
    variable_lines,
    variable_markdown,
    variable_record,
)
from warplint.analyzer.report.text.palette import Palette
from warplint.analyzer.report.text.table import render_table
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
def source() -> SourceText:
    return SourceText("k.cu", TEXT)


@pytest.fixture
def kernel(source: SourceText) -> Kernel:
    body = TEXT.index("{")
    return Kernel("scale", Span(source, 0, body - 1), span_of(source, "{", "}"), "cuda")


def span_of(source: SourceText, first: str, last: str = "") -> Span:
    """From the first place of one text to the end of another one behind it."""
    start = TEXT.index(first)
    return Span(source, start, TEXT.index(last or first, start) + len(last or first))


@pytest.fixture
def functions(source: SourceText) -> list[FunctionInfo]:
    bounds = Bounds(max_threads=128, min_blocks=2, span=span_of(source, "__launch", ", 2)"))
    kernel = FunctionInfo(
        "scale",
        FunctionKind.KERNEL,
        "cuda",
        span_of(source, "__global__", "int n)"),
        span_of(source, "__global__", "}"),
        scope=("outer",),
        template=(
            TemplateParameter("type", "T", "typename"),
            TemplateParameter("value", "N", "int", "4"),
        ),
        qualifiers=("__global__", "static"),
        attributes=("__launch_bounds__(128, N)",),
        parameters=(FunctionParameter("p", "float *"), FunctionParameter("n", "int", "1")),
        launches=(
            Launch(
                "scale",
                (None, 1, 1),
                (128, 1, 1),
                64,
                span_of(source, "scale<<<", ">>>"),
                grid_text="n / 128",
                block_text="dim3(128)",
                shared_text="64",
                template_arguments=("float", "2"),
            ),
        ),
        instances=(
            Instance("scale<float, 2>", bounds),
            Instance("scale<float, 4>", replace(bounds, min_blocks=4)),
        ),
        status="partial",
        statements=2,
        opaque=(span_of(source, "strange;"),),
    )
    here = span_of(source, "void host()")
    helper = FunctionInfo("helper", FunctionKind.DEVICE, "cuda", here, here)
    return [kernel, helper]


def test_function_record(functions: list[FunctionInfo], golden: Callable[[str, str], None]) -> None:
    inputs = [InputResult("k.cu", "partial", kernels=1, accesses=0)]
    text = render_records("kernels", map(function_record, functions), inputs)
    assert json.loads(text).keys() == {"kernels", "inputs"}
    golden("kernels.json", text)


def test_function_table(functions: list[FunctionInfo], golden: Callable[[str, str], None]) -> None:
    golden("kernels.txt", "\n".join(function_lines(functions, Palette())) + "\n")


def test_share_of_an_empty_function(functions: list[FunctionInfo]) -> None:
    assert function_record(functions[1])["opaque_share"] == 0.0


def test_bounds_are_those_on_which_all_instances_agree(functions: list[FunctionInfo]) -> None:
    agreed = agreed_bounds(functions[0].instances)
    assert (agreed.max_threads, agreed.min_blocks) == (128, None)
    assert agreed_bounds(()) == Bounds()


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
    golden("variables.md", variable_markdown(rows))


def test_markdown_takes_names_literally(kernel: Kernel) -> None:
    name = "a|b_c*<d>`"
    row = KernelVariable(kernel, replace(variables(None)[0], name=name, why="`x|y` is `T*`"))
    line = variable_markdown([row]).splitlines()[-1]
    assert line.startswith("| a\\|b\\_c\\*\\<d\\>' |")
    assert line.endswith("| `x\\|y` is `T*` |")


def test_no_variables_in_markdown() -> None:
    assert variable_markdown([]) == "No variables.\n"


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
    pointer = replace(
        shared,
        name="rest",
        bytes=None,
        why="sized by the launch",
        span=None,
        points_to=(Pointee(Space.GLOBAL, "*p"), Pointee(None)),
        array=LocalArray(Residence.UNKNOWN, "read-1", 32, "because", span),
    )
    return shared, pointer
