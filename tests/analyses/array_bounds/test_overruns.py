"""Threads beyond an array of known size, against indices that are counted."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of, ptx_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.array_bounds.overruns import Overrun, overruns

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def found(body: str, launch: str = "k<<<4, 64>>>(p, n);", before: str = "") -> list[Overrun]:
    text = f"""__constant__ float table[100]; __device__ float state[100];
    __global__ void k(float *p, int n) {{ {body} }}
    void run(int n) {{ float *p; {before} {launch} }}"""
    return list(overruns(facts_of(text)))


@settings(max_examples=25)
@given(st.integers(1, 5), st.integers(1, 64), st.integers(1, 300), st.integers(0, 9))
def test_the_buffer_of_a_launch(blocks: int, threads: int, room: int, shift: int) -> None:
    """Element i + shift is stored by every thread, and there is room for so many."""
    before = f"cudaMalloc(&p, {room} * sizeof(float));"
    result = found(f"{INDEX} p[i + {shift}] = 1;", f"k<<<{blocks}, {threads}>>>(p, n);", before)
    farthest = blocks * threads - 1 + shift
    if farthest < room:
        assert result == []
    else:
        (overrun,) = result
        assert overrun.size == room * 4
        assert overrun.offset == farthest * 4
        assert (overrun.block, overrun.thread) == ((blocks - 1, 0, 0), threads - 1)


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (f"{INDEX} state[i] = 1;", ["state"]),
        (f"{INDEX} p[i] = table[i];", ["table"]),
        (f"{INDEX} if (i < 100) state[i] = 1;", []),
        (f"{INDEX} if (i <= 100) state[i] = 1;", ["state"]),
        (f"{INDEX} state[i % 100] = 1;", []),
        (f"{INDEX} state[i - 1] = 1;", ["state"]),
        (f"{INDEX} state[i * n] = 1;", []),  # who knows n
        (f"{INDEX} if (i < n) state[i] = 1;", []),
        (f"{INDEX} if (p[i] > 3) state[i] = 1;", []),  # perhaps nobody comes
        (f"{INDEX} float l[8]; for (int k = 0; k <= 8; k++) l[k] = i; p[i] = l[3];", ["l"]),
        (f"{INDEX} float l[8]; for (int k = 0; k < 8; k++) l[k] = i; p[i] = l[3];", []),
        (f"{INDEX} __shared__ float s[64]; s[i] = 1;", []),  # asked elsewhere
        ("state[(int)p[0]] = 1;", []),
    ],
)
def test_declared_arrays(body: str, names: list[str]) -> None:
    assert [each.item.name for each in found(body)] == names


@pytest.mark.parametrize(("bytes", "expected"), [(256, []), (255, ["s"]), (1024, []), (0, [])])
def test_dynamic_shared_memory_has_the_size_of_the_launch(bytes: int, expected: list[str]) -> None:
    body = "extern __shared__ float s[]; s[threadIdx.x] = 1;"
    result = found(body, f"k<<<4, 64, {bytes}>>>(p, n);")
    assert [each.item.name for each in result] == expected


@pytest.mark.parametrize(
    ("launch", "room", "expected"),
    [
        ("k<<<(n + 63) / 64, 64>>>(p, n);", "n", 1),  # the last block goes beyond n elements
        ("k<<<(n + 63) / 64, 64>>>(p, n);", "(n + 63) / 64 * 64", 0),
        ("k<<<n / 64, 64>>>(p, n);", "n", 0),
        ("k<<<n, 64>>>(p, n);", "m", 0),  # of a variable that is no part of the size
    ],
)
def test_sizes_of_the_host(launch: str, room: str, expected: int) -> None:
    before = f"int m = n * n; cudaMalloc(&p, ({room}) * sizeof(float));"
    if room == "m":
        before = 'int m; scanf("%d", &m); cudaMalloc(&p, m * sizeof(float));'
    result = found(f"{INDEX} p[i] = 1;", launch, before)
    assert len(result) == expected
    assert all(each.chosen for each in result)


def test_a_size_that_wrapped_on_the_host_is_no_size() -> None:
    before = "int n_bytes = (1 << 28) * 8; cudaMalloc(&p, n_bytes);"
    assert found(f"{INDEX} p[i] = 1;", "k<<<4, 64>>>(p, n);", before) == []


def test_a_block_that_nobody_states_proves_nothing() -> None:
    text = "__device__ float s[100]; __global__ void k() { s[threadIdx.x] = 1; s[100] = 2; }"
    assert [each.offset for each in overruns(facts_of(text))] == [400]
    assert len(overruns(facts_of(text, (128, 1, 1)))) == 2


def test_nothing_is_said_of_ptx() -> None:
    assert overruns(ptx_facts("st.shared.u32 [tile+4096], 1;")) == ()
