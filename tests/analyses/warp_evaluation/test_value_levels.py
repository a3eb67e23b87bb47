"""What `inspect uniformity` shows: named values with their levels."""

from __future__ import annotations

from analyses.kernels import facts_of, ptx_module

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.warp_evaluation.uniformity import Uniformity
from warplint.analyzer.analyses.warp_evaluation.value_levels import ValueLevel, value_levels

GRID, BLOCK, WARP, VARYING = Uniformity

KERNEL = """\
__device__ int twice(int v) { int w = 2 * v; return w; }
__global__ void kernel(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int warp = threadIdx.x / 32;
    int first = p[blockIdx.x];
    if (n > 3) p[0] = twice(n) + twice(i);
    for (int r = 0; r < i; r += 2) p[r] = first;
    int mine = __shfl_sync(~0u, i, 0);
    switch (warp) { case 1: p[1] = mine; }
    p[2] = __ballot_sync(~0u, i > 3);
}
"""

PTX = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 a, .param .u32 n)
{
    .reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .pred %p<3>;
    ld.param.u64 %rd1, [a];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    add.s32 %r4, %r1, %r2;
    setp.ge.s32 %p1, %r4, %r1;
    @%p1 bra END;
    add.s32 %r5, %r1, 4;
    ld.global.v2.u32 {%r6, %r7}, [%rd1];
    add.s32 %r8, %r6, %r7;
    st.global.v2.u32 [%rd1], {%r5, %r8};
END:
    ret;
}
"""


def levels(text: str) -> list[ValueLevel]:
    (launch,) = facts_of(text).launches
    return value_levels(launch)


def on_line(found: list[ValueLevel], line: int) -> list[tuple[str, str, Uniformity]]:
    return [(item.kind, item.name, item.level) for item in found if item.span.line == line]


def test_variables_where_they_get_their_value() -> None:
    found = levels(KERNEL)
    assert on_line(found, 3) == [("variable", "i", VARYING)]
    assert on_line(found, 4) == [("variable", "warp", WARP)]
    assert on_line(found, 5) == [("variable", "first", BLOCK)]
    assert on_line(found, 2) == [("variable", "p", GRID), ("variable", "n", GRID)]


def test_decisions_by_the_text_of_their_conditions() -> None:
    found = levels(KERNEL)
    assert ("branch", "n > 3", GRID) in on_line(found, 6)
    assert ("branch", "r < i", VARYING) in on_line(found, 7)
    assert ("branch", "warp", WARP) in on_line(found, 9)


def test_values_between_lanes_are_listed_without_a_name_too() -> None:
    found = levels(KERNEL)
    assert on_line(found, 8) == [("variable", "mine", WARP)]
    assert on_line(found, 10) == [("lanes", "__ballot_sync(~0u, i > 3)", WARP)]


def test_inlined_code_is_one_entry_with_the_widest_level_of_its_calls() -> None:
    assert on_line(levels(KERNEL), 1) == [("variable", "w", VARYING)]


def test_entries_follow_the_source() -> None:
    lines = [item.span.line for item in levels(KERNEL)]
    assert lines == sorted(lines)


def test_ptx_values_are_registers() -> None:
    module = ptx_module(PTX)
    facts = KernelFacts(module.kernels[0], module, AnalysisOptions())
    found = value_levels(facts.launches[0])
    assert [(item.span.line, item.kind, item.name, item.level) for item in found] == [
        (10, "variable", "%r4", VARYING),
        (11, "variable", "%p1", VARYING),
        (12, "branch", "@%p1 bra END;", VARYING),
        (13, "variable", "%r5", GRID),
        (14, "load", "{%r6, %r7}", BLOCK),  # other blocks may have stored by then
        (15, "variable", "%r8", BLOCK),
    ]
