"""The declared parameters of functions."""

from __future__ import annotations

import pytest

from warplint.analyzer.cuda.lowering.program.parameters import names_in, parameters_of
from warplint.analyzer.cuda.units.parse import parse_cuda
from warplint.analyzer.source.text import SourceText


@pytest.mark.parametrize(
    ("parameter", "names"),
    [
        ("int thread_block", {"int"}),
        ("const cg::thread_block_tile<4> &group", {"cg", "thread_block_tile"}),
        ("std::vector<Row> *rows", {"std", "vector", "Row"}),
    ],
)
def test_a_type_has_names_and_its_parameter_is_none_of_them(
    parameter: str, names: set[str]
) -> None:
    text = f"__device__ void f({parameter}) {{ }}"
    (function,) = parse_cuda(SourceText("a.cu", text)).functions
    (found,) = parameters_of(function)
    assert set(names_in(found.type)) == names
