"""Misaligned accesses: found where an active lane is at no multiple of the width, nowhere else."""

from __future__ import annotations

from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.memory_traffic.vector_alignment import (
    Misalignment,
    misaligned_accesses,
)

_TYPES = {2: "short", 4: "float", 8: "float2", 16: "float4"}


def _found(text: str, grid: tuple[int, int, int] | None = None) -> list[Misalignment]:
    return list(misaligned_accesses(facts_of(text, (64, 1, 1), grid)))


@settings(max_examples=50)
@given(
    width=st.sampled_from(sorted(_TYPES)),
    stride=st.integers(0, 40),
    start=st.integers(0, 40),
    below=st.integers(1, 32),
)
def test_the_first_wrong_lane_is_the_one_that_arithmetic_finds(
    width: int, stride: int, start: int, below: int
) -> None:
    element = _TYPES[width]
    (access,) = (
        f"""__global__ void kernel(char *p, {element} value) {{
            if (threadIdx.x < {below}) *({element} *)(p + {stride} * threadIdx.x + {start}) = value;
        }}""",
    )
    wrong = [lane for lane in range(below) if (stride * lane + start) % width]
    found = _found(access)
    assert [item.lane for item in found] == wrong[:1]
    assert [item.offset for item in found] == [stride * lane + start for lane in wrong[:1]]


def test_odd_blocks_count_when_the_grid_has_any() -> None:
    text = """__global__ void kernel(float *p) { *(float2 *)(p + 3 * blockIdx.x) = {1, 2}; }"""
    assert [item.block_axis for item in _found(text)] == [0]
    assert [item.block_axis for item in _found(text, (2, 1, 1))] == [0]
    assert not _found(text, (1, 1, 1))


def test_what_a_parameter_decides_is_left_open() -> None:
    text = """
    __global__ void kernel(float *p, int pitch) {
        *(float4 *)(p + blockIdx.x * pitch + 4 * threadIdx.x) = {0, 0, 0, 0};
    }"""
    assert not _found(text)
