"""Strides that are parameters: for each value what a launch with that value does."""

from __future__ import annotations

from analyses.kernels import cuda_module, facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.memory_traffic.symbolic_stride import (
    SymbolicStride,
    extents,
    symbolic_strides,
)
from warplint.analyzer.analyses.warp_evaluation.access_iterations import Sweep, sweep
from warplint.analyzer.ir.memory import Space


def _kernel(index: str, parameters: str = "float *out, int w, int k") -> str:
    return f"__global__ void kernel({parameters}) {{ out[{index}] = 1.0f; }}"


def _strides(text: str, block: tuple[int, int, int] = (64, 1, 1)) -> list[SymbolicStride]:
    return list(symbolic_strides(facts_of(text, block), Space.GLOBAL))


@settings(max_examples=50)
@given(
    per_lane=st.integers(1, 4),
    fixed=st.integers(0, 9),
    width=st.integers(2, 100),
    column=st.integers(0, 50),
)
def test_the_lanes_are_where_a_launch_with_that_value_puts_them(
    per_lane: int, fixed: int, width: int, column: int
) -> None:
    index = f"threadIdx.x * ({per_lane} * w + {fixed}) + k"
    (stride,) = _strides(_kernel(index))
    launched = _kernel(index) + f"int main() {{ kernel<<<1, 64>>>(0, {width}, {column}); }}"
    module = cuda_module(launched)
    facts = KernelFacts(module.kernels[0], module, AnalysisOptions())
    assert not list(symbolic_strides(facts, Space.GLOBAL))
    swept = sweep(facts.launches[0], facts.accesses[0])
    assert isinstance(swept, Sweep)
    first = swept.iterations[0].offsets
    assert first[0] is not None
    measured = tuple(None if at is None else at - first[0] for at in first)
    assert stride.offsets(width) == measured


def test_the_step_is_spelled_as_the_source_has_it() -> None:
    steps = {
        "threadIdx.x * w": "4 * w",
        "threadIdx.x * (w + 1)": "4 * w + 4",
        "threadIdx.x * w * k": "4 * w * k",
        "(threadIdx.x * 3 + 1) * w + threadIdx.x": "12 * w + 4",
    }
    for index, step in steps.items():
        (stride,) = _strides(_kernel(index))
        assert stride.step == step


def test_members_of_parameters_are_spelled_in_full() -> None:
    head = "struct Dims { int size[2]; int pitch; }; "
    parameters = "float *out, Dims d, const Dims *p"
    for size, step in {"d.size[1]": "4 * d.size[1]", "d.pitch": "4 * d.pitch"}.items():
        (stride,) = _strides(head + _kernel(f"threadIdx.x * {size}", parameters))
        assert stride.step == step
    loaded = _strides(head + _kernel("threadIdx.x * p->size[0]", parameters))
    assert not any("* [" in each.step for each in loaded)


def test_neighbours_that_are_a_number_apart_have_no_symbolic_step() -> None:
    rows = "threadIdx.y * w + threadIdx.x"
    assert not _strides(_kernel(rows), block=(16, 16, 1))
    assert _strides(_kernel("threadIdx.x * w + threadIdx.y"), block=(16, 16, 1))


def test_columns_are_walked_or_the_stride_may_be_one() -> None:
    walked = "float *out, int w, int n"
    loop = "for (int i = 0; i < n; ++i) out[threadIdx.x * w + i] = 1.0f;"
    (stride,) = _strides(f"__global__ void kernel({walked}) {{ {loop} }}")
    assert stride.has_columns
    (stride,) = _strides(_kernel("threadIdx.x * w + blockIdx.y"))
    assert stride.has_columns
    (stride,) = _strides(_kernel("threadIdx.x * w + k"))
    assert not stride.has_columns


def test_extents_are_what_indices_are_compared_with() -> None:
    text = """
    __global__ void kernel(float *out, int w, int step, int n) {
        int i = threadIdx.x;
        if (i < w && step == 1 && n > 0) out[i * w] = 1.0f;
    }"""
    assert {item.name for item in extents(facts_of(text))} == {"w"}


def test_a_pitch_in_bytes_counts_in_elements_of_the_access() -> None:
    text = """
    __global__ void kernel(char *bytes, int pitch) {
        *(float *)(bytes + threadIdx.x * pitch) = 1.0f;
    }"""
    (stride,) = _strides(text)
    assert stride.offsets(8)[:3] == (0, 32, 64)
