"""How far calls are inlined into each kernel of a file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.cuda.inlining_shares import InliningShares
from warplint.analyzer.cuda.read import CudaOptions, read_cuda
from warplint.analyzer.ir.operations import Call
from warplint.analyzer.ir.unfollowed import TOO_LARGE
from warplint.analyzer.source.text import SourceText

MOST = 40_000
WHOLE = 100_000
COUNTS = st.integers(1, 400)
NEEDS = st.lists(st.integers(1, 60_000), min_size=1, max_size=60)


def test_one_kernel_gets_the_most() -> None:
    assert InliningShares(1, MOST).part() == MOST


def test_what_all_take_falls_to_an_equal_part() -> None:
    shares, parts = InliningShares(20, 80), list[int]()
    for _ in range(20):
        parts.append(shares.part())
        shares.spend(parts[-1])
    assert parts[:4] == [70, 40, 20, 10]
    assert set(parts[4:]) <= {2, 5}
    assert sum(parts) <= 200


def test_what_is_not_lowered_leaves_its_part_to_the_others() -> None:
    shares = InliningShares(80, MOST)
    shares.spend(WHOLE - 4_000)
    assert shares.part() < 100
    shares.drop(78)
    assert shares.part() == 2_500


@given(NEEDS)
def test_all_together_take_no_more_than_the_whole(needs: list[int]) -> None:
    shares, made = InliningShares(len(needs), MOST), 0
    for need in needs:
        taken = min(need, shares.part())
        shares.spend(taken)
        made += taken
    assert made <= WHOLE


@given(COUNTS, st.lists(st.integers(1, 25_000), max_size=100))
def test_a_file_that_makes_a_quarter_is_never_cut(kernels: int, needs: list[int]) -> None:
    shares, made = InliningShares(kernels, MOST), 0
    for need in needs[:kernels]:
        made += need
        if made <= WHOLE // 4:
            assert shares.part() >= need
        shares.spend(need)


def _read(text: str, most: int) -> list[int]:
    """For each kernel, how many calls were not followed for want of room."""
    module = read_cuda(SourceText("a.cu", text), CudaOptions(most_inlined=most))
    return [
        sum(isinstance(each, Call) and each.reason == TOO_LARGE for each in kernel.operations())
        for kernel in module.kernels
    ]


def test_calls_beyond_are_not_followed_and_small_kernels_are() -> None:
    doubling = "__device__ void g0(int *p) { *p += 1; }\n" + "\n".join(
        f"__device__ void g{i}(int *p) {{ g{i - 1}(p); g{i - 1}(p + 1); }}" for i in range(1, 9)
    )
    large = "\n".join(f"__global__ void large{i}(int *p) {{ g8(p); }}" for i in range(12))
    text = f"{doubling}\n{large}\n__global__ void small(int *p) {{ g0(p); }}"
    *cut, last = _read(text, 800)
    assert all(cut)
    assert last == 0
    assert not any(_read(text, 1_000_000))


def test_tiny_functions_count_by_their_calls() -> None:
    """A call that leaves nothing behind costs what eight operations cost."""
    calls = "v = id(v);\n" * 200
    text = (
        "__device__ int id(int v) { return v; }\n"
        f"__global__ void k(int *p) {{ int v = *p; {calls} *p = v; }}"
    )
    (cut,) = _read(text, 800)
    assert 100 <= cut < 150
