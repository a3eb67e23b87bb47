"""Functions that write none of the variables they are given."""

from __future__ import annotations

import pytest

from warplint.analyzer.cuda.units.parse import parse_cuda
from warplint.analyzer.source.text import SourceText


@pytest.mark.parametrize(
    ("declared", "plain"),
    [
        ("int blocks_of(int jobs);", True),
        ("void fill(float *p, int n) { p[0] = n; }", True),
        ("float sum(const std::vector<float> &v, int n);", True),
        ("void shape_of(int n, dim3 &block);", False),
        ("void shape_of(const int n, dim3 &block) { block.x = n; }", False),
        ("struct Line { template <class T> void get(const char *name, T &value); };", False),
        ("struct Line { void set(const char *name, int value); };", True),
        ("void take(int n); namespace other { void take(int &n); }", False),
    ],
)
def test_a_function_writes_what_it_takes_by_reference(declared: str, plain: bool) -> None:
    unit = parse_cuda(SourceText("a.cu", declared))
    assert len(unit.by_value & {"blocks_of", "fill", "sum", "shape_of", "get", "set", "take"}) == (
        1 if plain else 0
    )
