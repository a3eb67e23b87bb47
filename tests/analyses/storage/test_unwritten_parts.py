"""Elements of shared arrays that threads read and nobody writes, against counting."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.launch.allowance import METER, allowance
from warplint.analyzer.analyses.storage.unwritten_parts import UnwrittenPart, unwritten_parts


def found(body: str, launch: str = "k<<<4, 64>>>(p, n);") -> list[UnwrittenPart]:
    text = f"""__global__ void k(float *p, int n) {{ int t = threadIdx.x; {body} }}
    void run(float *p, int n) {{ {launch} }}"""
    return list(unwritten_parts(facts_of(text)))


@settings(max_examples=20)
@given(st.integers(1, 64), st.integers(0, 80), st.integers(0, 80))
def test_elements_that_no_thread_writes(threads: int, written: int, read: int) -> None:
    body = f"""__shared__ float s[200];
    s[t + {written}] = 1; __syncthreads(); p[t] = s[t + {read}];"""
    result = found(body, f"k<<<4, {threads}>>>(p, n);")
    missing = [t for t in range(threads) if t + read not in range(written, written + threads)]
    if missing:
        (part,) = result
        assert part.thread == missing[0]
        assert part.offset == (missing[0] + read) * 4
        assert part.item.name == "s"
    else:
        assert result == []


TILE = "__shared__ float s[32][32]; s[threadIdx.y][t] = 1; __syncthreads();"


@pytest.mark.parametrize(
    ("block", "made_for"), [("dim3(32, 8)", (32, 32, 1)), ("dim3(32, 32)", None)]
)
def test_the_block_that_would_write_it(block: str, made_for: tuple[int, int, int] | None) -> None:
    body = f"{TILE} for (int i = 0; i < 32; i++) p[i] = s[i][t];"
    result = found(body, f"k<<<4, {block}>>>(p, n);")
    assert [each.made_for for each in result] == ([] if made_for is None else [made_for])


@pytest.mark.parametrize(
    "body",
    [
        "__shared__ float s[64]; if (t < n) s[t] = 1; __syncthreads(); p[t] = s[t];",
        "__shared__ float s[200]; s[t] = 1; fill(s); p[t] = s[t + 64];",
        "__shared__ float s[200]; s[(int)p[t]] = 1; __syncthreads(); p[t] = s[t + 64];",
        "__shared__ float s[200]; s[t] = 1; if (p[t] > 0) s[t + 64] = 2; p[t] = s[t + 64];",
        "__shared__ float s[200]; for (int i = t; i < 200; i += 64) s[i] = 1; p[t] = s[t + 64];",
        "extern __shared__ float s[]; s[t] = 1; __syncthreads(); p[t] = s[t + 64];",
    ],
)
def test_what_may_be_written(body: str) -> None:
    assert found(body) == []


def test_a_small_array_that_is_begun_in_part() -> None:
    (part,) = found("__shared__ float s[64]; if (t < 3) s[t] = 1; __syncthreads(); p[t] = s[t];")
    assert (part.thread, part.offset, part.made_for) == (3, 12, None)


def test_a_block_that_the_source_does_not_state_shows_nothing() -> None:
    body = "__shared__ float s[200]; s[t] = 1; __syncthreads(); p[t] = s[t + 64];"
    assert found(body, "") == []
    assert len(found(body)) == 1


def work_of(iterations: int, size: int) -> float:
    body = f"""__shared__ float s[{size}]; s[t] = s[t + 64] = 1; __syncthreads(); float x = 0;
    for (int i = 0; i < {iterations}; i++) x += s[t + i]; p[t] = x;"""
    with allowance(1e9):
        assert found(body) == []
        return 1e9 - METER.left


def test_a_run_ends_where_all_is_written() -> None:
    """Every element is stored before the loop, which then makes no difference."""
    assert work_of(8, 128) == work_of(64, 128)
    assert work_of(8, 129) < work_of(64, 129)  # one is left that may be read
