"""Shared accesses: the cases a textbook gets wrong, as one H200 counted them.

The kernels and their counts are in `data/shared/measured.cu`; how banks turn 32 addresses into
wavefronts is tested in `tests/hardware/test_banks.py`. Here it is the way from source to addresses.
"""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of
from analyses.marks import Mark, marks

MEASURED = marks("shared/measured.cu", r"(store|load|atomic) ([\d.]+) of (\d+)")


@pytest.mark.parametrize("mark", MEASURED, ids=str)
def test_wavefronts_are_the_measured_ones(mark: Mark) -> None:
    kind, wavefronts, ideal = mark.groups
    found = [
        access
        for access in mark.facts.shared_accesses
        if access.access.location.span.line == mark.line and access.access.kind.value == kind
    ]
    assert len(found) == 1, [access.access.kind for access in mark.facts.shared_accesses]
    (access,) = found
    assert access.reason == ""
    assert access.complete
    count = len(access.samples)
    assert access.wavefronts / count == float(wavefronts)
    assert access.ideal / count == int(ideal)
    assert access.degree == float(wavefronts) / int(ideal)


def reasons(body: str, block: tuple[int, int, int] = (64, 1, 1)) -> list[str]:
    """Why the shared accesses of a kernel were not analysed; empty strings where they were."""
    return [access.reason for access in body_facts(body, block).shared_accesses]


def test_a_loaded_index_is_not_guessed() -> None:
    assert reasons("__shared__ int s[64]; s[p[threadIdx.x]] = 1;") == ["depends on loaded data"]


def test_a_stride_that_is_a_parameter_is_not_guessed() -> None:
    assert reasons("extern __shared__ int s[]; s[threadIdx.x * n] = 1;") == [
        "the stride between lanes depends on n"
    ]


def test_a_uniform_unknown_shifts_every_lane() -> None:
    body = "extern __shared__ int s[]; s[threadIdx.x * 2 + n] = 1; s[blockIdx.x + threadIdx.x] = 2;"
    first, second = body_facts(body).shared_accesses
    assert [first.degree, second.degree] == [2, 1]


def test_no_thread_of_the_block_gets_there() -> None:
    assert reasons("__shared__ int s[99]; if (threadIdx.x > 70) s[threadIdx.x] = 1;") == [
        "no thread of the assumed block executes it"
    ]


def test_a_guard_that_is_not_known_lets_every_lane_through_and_says_so() -> None:
    facts = body_facts("__shared__ int s[128]; if (threadIdx.x < n) s[2 * threadIdx.x] = 1;")
    (access,) = facts.shared_accesses
    assert access.degree == 2
    assert [block.terminator.location.span.text for block in access.assumed] == ["threadIdx.x < n"]


def test_two_launches_the_worse_one_counts() -> None:
    facts = facts_of(
        "__global__ void k(float *p) { __shared__ float t[32][32];"
        "  p[0] = t[threadIdx.x][threadIdx.y]; }"
        "void host(float *p) { k<<<1, dim3(1, 32)>>>(p); k<<<1, dim3(32, 1)>>>(p); }"
    )
    (access,) = facts.shared_accesses
    assert access.launch.block == (32, 1, 1)
    assert access.degree == 32


def test_a_flat_default_says_nothing_of_two_dimensions() -> None:
    facts = facts_of(
        "__global__ void k(float *p) { __shared__ float t[1000];"
        "  p[0] = t[threadIdx.x + 16 * threadIdx.y]; }"
    )
    (access,) = facts.shared_accesses
    assert access.reason == "the block shape is unknown: set --block"


def test_global_and_local_memory_have_no_banks() -> None:
    assert reasons("int l[4]; l[n & 3] = 1; p[threadIdx.x] = l[0];") == []


@pytest.mark.parametrize(
    ("count", "stride", "expected"),
    [(1, 16, (1, 1)), (2, 16, (2, 2)), (4, 16, (4, 4)), (2, 128, (16, 2)), (4, 64, (16, 4))],
)
def test_a_matrix_load_asks_a_lane_for_each_row(
    count: int, stride: int, expected: tuple[int, int]
) -> None:
    registers = ", ".join(f"%{each}" for each in range(count))
    outputs = ", ".join(f'"=r"(r[{each}])' for each in range(count))
    body = f"""__shared__ __align__(128) char s[4096]; unsigned r[4];
        unsigned at = __cvta_generic_to_shared(&s[threadIdx.x % 32 * {stride}]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x{count}.shared.b16 {{{registers}}}, [%{count}];"
                     : {outputs} : "r"(at));
        p[threadIdx.x] = r[0];"""
    (access,) = body_facts(body, (32, 1, 1)).shared_accesses
    assert (access.wavefronts, access.ideal) == expected
