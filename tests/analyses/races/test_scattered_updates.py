"""Updates at an index from memory: by how many threads, to what end, whose rows may be the same."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.doubts.updates.unique_indices import DOUBT
from warplint.analyzer.analyses.races.scattered_updates import ScatteredUpdate, scattered_updates

ROWS = """__global__ void k(float *out, const float *in, const int *row, int rows, int n) {
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        float *to = out + @ * n;
        for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] += in[r * n + i];
    }
}"""


@pytest.mark.parametrize(
    ("row", "grid", "doubted", "count"),
    [
        ("row[r]", None, True, 1),
        ("row[r]", None, False, 0),  # only on request
        ("row[r]", (1, 1, 1), True, 0),  # one block after the other
        ("r", None, True, 0),  # each block has its own
        ("row[0]", None, True, 0),  # known to be one: two blocks meet in a run
    ],
)
def test_rows_from_memory_may_be_the_same(
    row: str, grid: tuple[int, int, int] | None, doubted: bool, count: int
) -> None:
    facts = facts_of(ROWS.replace("@", row), (256, 1, 1), grid, doubted=doubted)
    assert [each.doubts for each in scattered_updates(facts)] == [(DOUBT,)] * count


def updates(body: str, threads: int = 256) -> list[ScatteredUpdate]:
    text = f"""__global__ void k(const int *in, int *out, int n) {{
        __shared__ int s[256]; int t = threadIdx.x; {body} }}"""
    return list(scattered_updates(facts_of(text, (threads, 1, 1))))


@pytest.mark.parametrize(
    ("body", "counts"),
    [
        ("s[in[t] & 255]++;", [True]),
        ("s[in[t] & 255] += in[t];", [False]),
        ("s[t]++;", []),
        ("s[in[t] & 255] = t;", []),  # no update
        ("s[in[n] & 255]++;", []),  # at one place for all: a race with two threads
        ("atomicAdd(&s[in[t] & 255], 1);", []),
        ("out[in[t] & 255]++;", [True]),
    ],
)
def test_which_stores(body: str, counts: list[bool]) -> None:
    assert [each.counts for each in updates(body)] == counts


@pytest.mark.parametrize(
    ("body", "threads"),
    [
        ("s[in[t] & 255]++;", 256),
        ("if (t < 40) s[in[t] & 255]++;", 40),
        ("if (t < 1) s[in[t] & 255]++;", 0),
    ],
)
def test_by_how_many_threads(body: str, threads: int) -> None:
    assert [each.threads for each in updates(body)] == ([threads] if threads else [])


def test_what_is_updated_and_whether_the_best_is_kept() -> None:
    (counted,) = updates("s[in[t] & 255]++;")
    assert counted.store.writes
    assert counted.item is not None
    assert counted.item.name == "s"
    assert not counted.keeps
    (kept,) = updates("int b = in[t] & 255; out[b] = max(out[b], in[t + 256]);")
    assert kept.keeps


def test_rows_that_the_rows_of_a_block_are_led_to() -> None:
    text = """__global__ void k(float *out, const float *in, const int *row, int n) {
        int r = blockIdx.x * 4 + threadIdx.y;
        for (int i = threadIdx.x; i < n; i += 32) out[row[r] * n + i] += in[r * n + i];
    }"""
    (found,) = scattered_updates(facts_of(text, (32, 4, 1), None, doubted=True))
    assert found.doubts
    assert not list(scattered_updates(facts_of(text, (32, 4, 1), None, doubted=False)))
