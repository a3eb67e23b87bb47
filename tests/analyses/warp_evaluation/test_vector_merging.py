"""Which neighbouring shared accesses become one instruction, as ptxas 13.0 does it on sm_90."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of
from analyses.marks import Mark, marks

from warplint.analyzer.ir.operations import AccessKind


@pytest.mark.parametrize("mark", marks("shared/merging.cu", r"(store|load) (\d+)"), ids=str)
def test_widths_are_those_of_the_compiler(mark: Mark) -> None:
    kind, width = mark.groups
    (access,) = [
        access
        for access in mark.facts.shared_accesses
        if access.access.location.span.line == mark.line and access.access.kind.value == kind
    ]
    assert access.reason == ""
    assert access.width == int(width)


@pytest.mark.parametrize(
    ("pitch", "width"), [("pitch", 4), ("4 * pitch", 16), ("2 * pitch", 8), ("blockDim.x", 4)]
)
def test_what_a_launch_passes_aligns_nothing(pitch: str, width: int) -> None:
    """With a pitch of 8 an H100 executes 4 stores, and 8 wavefronts for each."""
    stores = " ".join(f"a[t * ({pitch}) + {k}] = p[t + {k}];" for k in range(4))
    facts = facts_of(
        f"""__global__ void k(float *p, int pitch) {{
            __shared__ float a[8192];
            int t = threadIdx.x;
            {stores}
            __syncthreads();
            p[t] = a[4096 - t];
        }}
        void run(float *p) {{ k<<<1, 32>>>(p, 8); }}"""
    )
    found = [each for each in facts.shared_accesses if each.access.kind is AccessKind.STORE]
    assert [each.width for each in found] == [width] * 4
    assert all(each.reason == "" for each in found)
