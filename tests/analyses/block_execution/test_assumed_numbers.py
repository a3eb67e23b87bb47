"""Numbers taken for what a launch does not say: the same each time, and by scenario."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of

from warplint.analyzer.analyses.block_execution.assumed_numbers import (
    GRID,
    STAYS,
    AssumedNumbers,
    SizeScenario,
    is_untyped,
)
from warplint.analyzer.analyses.block_execution.block_program import BlockProgram
from warplint.analyzer.analyses.launch.sizes_to_try import LONG, too_small
from warplint.analyzer.ir.operations import Branch
from warplint.analyzer.ir.types import FLOAT32, UINT32, UNKNOWN
from warplint.analyzer.ir.values import Special, SpecialRegister, Unknown

FACTS = body_facts(
    "if (n > m) p[p[0]] = p[1] + k; for (int i = 0; i < p[2]; i++) p[3] = i;",
    parameters="int *p, int n, int m, int k, bool flag",
)
LAUNCH = FACTS.launches[0]
PROGRAM = BlockProgram(LAUNCH)
POINTER, N, M, K, FLAG = FACTS.kernel.parameters
SIZES = (N, M, K)


def numbers(scenario: SizeScenario) -> AssumedNumbers:
    return AssumedNumbers(PROGRAM, LAUNCH, scenario)


def sizes(scenario: SizeScenario) -> list[object]:
    assumed = numbers(scenario)
    found = [assumed.number(each, ()) for each in SIZES]
    assert found == [assumed.number(each, ()) for each in SIZES]
    assert assumed.used == dict(zip(SIZES, found, strict=True))
    return found


def test_sizes_by_scenario() -> None:
    assert sizes(SizeScenario.EQUAL) == [LONG] * 3
    assert sizes(SizeScenario.FALLING) == [LONG] * 3
    for scenario in (SizeScenario.DIFFERENT, SizeScenario.ODD):
        found = sizes(scenario)
        assert len(set(found)) == 3
        assert min(map(int, found)) > 1024  # type: ignore[call-overload]
    assert all(int(size) % 2 for size in sizes(SizeScenario.ODD)[:1])  # type: ignore[call-overload]
    small = too_small(LAUNCH.launch)
    assert sizes(SizeScenario.SMALL) == [small] * 3
    uneven = sizes(SizeScenario.UNEVEN)
    assert len(set(uneven)) == 3
    assert max(map(int, uneven)) < 64  # type: ignore[call-overload]


def different(text: str) -> list[int]:
    """The sizes that differ, in the order of the parameters of the one kernel."""
    launch = facts_of(text).launches[0]
    assumed = AssumedNumbers(BlockProgram(launch), launch, SizeScenario.DIFFERENT)
    found = (assumed.number(each, ()) for each in launch.facts.kernel.parameters)
    return [each for each in found if isinstance(each, int)]


def test_pointers_and_what_is_not_asked_for_make_no_size_larger() -> None:
    plain = different("__global__ void k(int *p, int n, int m) { if (n > m) p[n] = 1; }")
    others = "struct Much { float f[90]; int size; };"
    behind = different(
        f"{others} __global__ void k(Much s, int *p, int *q, int *r, float x, int n, int m)"
        "{ if (n > m) p[n] = q[m] + r[m]; }"
    )
    assert behind == plain


def test_sizes_leave_arrays_that_a_device_can_hold() -> None:
    text = """
    __global__ void k(float *p, int w, int h, int d, int n) {{
        int x = blockIdx.x * blockDim.x + threadIdx.x;
        for (int t = 0; t < n; t++)
            for (int z = 0; z < d; z++)
                if (x < w && blockIdx.y < h) p[{0}] = t;
    }}
    void run(float *p, int w, int h, int d, int n) {{ k<<<dim3(4, 4), 32>>>(p, w, h, d, n); }}
    """
    row = different(text.format("x"))
    plane = different(text.format("blockIdx.y * w + x"))
    assert row == plane
    cube = different(text.format("((long)z * h + blockIdx.y) * w + x"))
    assert cube == row  # 75 GB
    w, h, d, n = different(text.format("(((long)t * d + z) * h + blockIdx.y) * w + x"))
    assert 32 < w < h < d < n
    assert 4 * w * h * d * n < 288_000_000_000
    w, h, d, _ = different(text.format("((int)(z * h + blockIdx.y)) * w + x"))
    assert w * h * d < 1 << 31  # else the index would be none


def test_sizes_have_work_for_a_block_even_where_no_device_holds_the_arrays() -> None:
    text = """
    __global__ void k(float *p, long a, long b, long c, long d) {
        long x = threadIdx.x;
        if (x < a) p[(((b * c + x) * d) + b) * a * b * c * d] = 1;
    }
    void run(float *p, long a, long b, long c, long d) { k<<<1, 1024>>>(p, a, b, c, d); }
    """
    assert min(different(text)) >= 1024


def test_what_is_no_integer_and_what_the_launch_passes() -> None:
    assert numbers(SizeScenario.EQUAL).number(POINTER, ()) is None
    text = "__global__ void k(int *p, int n) { p[n] = 1; } void run(int *p) { k<<<1, 32>>>(p, 7); }"
    facts = facts_of(text)
    launch = facts.launches[0]
    assumed = AssumedNumbers(BlockProgram(launch), launch, SizeScenario.EQUAL)
    assert assumed.number(facts.kernel.parameters[1], ()) == 7
    assert assumed.used == {}


def test_a_constant_of_unknown_type_is_a_small_number() -> None:
    constant = Unknown(UNKNOWN, "an unknown name", per_thread=False)
    assert is_untyped(constant)
    assert numbers(SizeScenario.EQUAL).number(constant, ()) == 16
    assert numbers(SizeScenario.DIFFERENT).number(constant, ()) == 32
    assert not is_untyped(Unknown(UNKNOWN, "unread"))
    assert (
        numbers(SizeScenario.EQUAL).number(Unknown(FLOAT32, "no name", per_thread=False), ())
        is None
    )


def test_grids_are_small_but_for_one_scenario() -> None:
    size = SpecialRegister(UINT32, Special.GRID_SIZE_X)
    assert numbers(SizeScenario.EQUAL).number(size, ()) == GRID
    wide = numbers(SizeScenario.WIDE).number(size, ())
    assert isinstance(wide, int)
    assert wide > 100
    assert numbers(SizeScenario.EQUAL).number(FLAG, ()) == 1
    assert numbers(SizeScenario.DIFFERENT).number(FLAG, ()) == 0


@pytest.mark.parametrize(
    ("scenario", "rises", "sign"),
    [
        (SizeScenario.EQUAL, True, 1),
        (SizeScenario.FALLING, False, 1),
        (SizeScenario.NEGATIVE, False, -1),
        (SizeScenario.DIFFERENT, True, 1),
    ],
)
def test_loaded_numbers_differ_by_load_and_iteration(
    scenario: SizeScenario, *, rises: bool, sign: int
) -> None:
    assumed = numbers(scenario)
    load, other, *_ = (each for each in FACTS.accesses if each.reads)
    asked = [(load, (0,)), (load, (1,)), (other, (0,))]
    found = [assumed.number(*each) for each in asked]
    assert found == sorted(set(found), reverse=not rises)  # type: ignore[type-var]
    assert all(int(each) * sign > 0 for each in found)  # type: ignore[call-overload]
    assert found == [assumed.number(*each) for each in asked]
    assert assumed.loaded == {load, other}
    assert assumed.loads


def test_all_loaded_numbers_are_the_same() -> None:
    assumed = numbers(SizeScenario.MATCHING)
    loads = [each for each in FACTS.accesses if each.reads]
    assert {assumed.number(each, ()) for each in loads} == {LONG}


def test_decisions_stay_in_loops_for_a_while() -> None:
    assumed = numbers(SizeScenario.EQUAL)
    (loop,) = FACTS.flow.loops
    (test,) = loop.exits
    inside = [way in loop.blocks for way in test.successors]
    for iteration in range(4):
        takes = assumed.takes_first(test, (iteration,))
        assert inside[0 if takes else 1] is (iteration < STAYS)
    assert assumed.decided == {}
    guard = next(
        b for b in FACTS.kernel.blocks if isinstance(b.terminator, Branch) and b is not test
    )
    assert assumed.takes_first(guard, ())
    assert not numbers(SizeScenario.DIFFERENT).takes_first(guard, ())
    assert assumed.decided == {guard: True}


SCENARIOS = (SizeScenario.EQUAL, SizeScenario.DIFFERENT, SizeScenario.ODD, SizeScenario.SOLVED)


RAISES = "cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);"


def numbers_of_one(index: str, threads: int, before: str = "") -> list[int]:
    """The size that a kernel which goes so far into dynamic shared memory has by scenario."""
    launch = facts_of(
        f"""__global__ void k(int *p, int n) {{ extern __shared__ int s[];
        s[{index}] = 1; if (n > 3) p[0] = s[0]; }}
        void run(int *p, int n) {{ {before} k<<<1, {threads}, n>>>(p, n); }}"""
    ).launches[0]
    size = launch.facts.kernel.parameters[1]
    program = BlockProgram(launch)
    found = [AssumedNumbers(program, launch, each).number(size, ()) for each in SCENARIOS]
    return [each for each in found if isinstance(each, int)]


def test_sizes_are_those_of_blocks_that_have_their_shared_memory() -> None:
    equal, different, odd, solved = numbers_of_one("threadIdx.x * n", 128)
    assert equal == solved == 256  # what a kernel may ask for: no size needs less than 48 KB
    assert 128 <= different < 512
    assert 128 <= odd < 512
    assert odd % 2
    assert numbers_of_one("threadIdx.x * n", 64)[0] == 128  # 48 KB are enough
    assert numbers_of_one("threadIdx.x * n", 32)[0] == 256  # nobody asks for more
    assert numbers_of_one("threadIdx.x * n", 32, RAISES)[0] == LONG
    assert numbers_of_one("threadIdx.x * n", 512)[0] == LONG  # none would do
    assert numbers_of_one("threadIdx.x + n", 128)[0] == LONG


def blocks_of(grid: str, scenario: SizeScenario = SizeScenario.EQUAL, threads: int = 128) -> object:
    """The size of the grid in a scenario, where the host makes it of the size that it passes."""
    text = "__global__ void k(int *p, int n) { if (threadIdx.x < n) p[gridDim.x] = 1; }"
    host = f"void run(int *p, int n, int m) {{ k<<<{grid}, {threads}>>>(p, n); }}"
    launch = facts_of(text + host).launches[0]
    assumed = AssumedNumbers(BlockProgram(launch), launch, scenario)
    return assumed.number(SpecialRegister(UINT32, Special.GRID_SIZE_X), ())


def test_a_grid_is_the_one_that_the_host_makes_of_the_sizes() -> None:
    assert blocks_of("(n + 127) / 128") == LONG // 128
    assert blocks_of("(n + 127) / 128", SizeScenario.SOLVED) == LONG // 128
    assert blocks_of("(n + 511) / 512", threads=512) == 2
    assert blocks_of("(n + 255) / 256", threads=256) == GRID


def test_a_grid_is_small_where_the_host_does_not_tie_it_to_a_size() -> None:
    assert blocks_of("m") == GRID
    assert blocks_of("min((n + 127) / 128, 1024)") == GRID
    assert blocks_of("n * 8") == GRID  # too many to run
    assert blocks_of("(n + 127) / 128", SizeScenario.LAST_BLOCK) == GRID
