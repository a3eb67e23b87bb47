"""Which launch a kernel is analysed for, in order of precedence, and what is said of it."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module, ptx_module

from warplint.analyzer.analyses.facts import AnalysisOptions
from warplint.analyzer.analyses.launch.assumed_launch import (
    LAUNCH_LIMIT,
    SHOWN_LAUNCHES,
    AssumedLaunch,
    assume_launches,
    contradicts,
)

FLAT = "__global__ {bounds} void k(float *p) {{ p[threadIdx.x] = 1; }}\n"
DEEP = "__global__ {bounds} void k(float *p) {{ p[threadIdx.y] = 1; }}\n"
SIZED = "__global__ {bounds} void k(float *p, int n) {{ p[threadIdx.x + n] = 1; }}\n"
HOST = "void host(float *p) {{ {launches} }}\n"


def assumed(
    text: str, block: tuple[int, int, int] | None = None, grid: tuple[int, int, int] | None = None
) -> tuple[AssumedLaunch, ...]:
    (kernel,) = cuda_module(text).kernels
    return assume_launches(kernel, AnalysisOptions(90, block, grid))


def source(kernel: str = FLAT, bounds: str = "", launches: str = "") -> str:
    return kernel.format(bounds=bounds) + (HOST.format(launches=launches) if launches else "")


def test_the_option_wins() -> None:
    text = source(bounds="__launch_bounds__(128)", launches="k<<<1, 64>>>(p);")
    (launch,) = assumed(text, block=(8, 4, 2), grid=(7, 1, 1))
    assert (launch.block, launch.grid, launch.origin) == ((8, 4, 2), (7, 1, 1), "--block")
    assert (launch.threads, launch.warps, launch.block_text) == (64, 2, "8x4x2")


def test_a_launch_wins_over_bounds() -> None:
    (launch,) = assumed(source(bounds="__launch_bounds__(128)", launches="k<<<3, 64, 512>>>(p);"))
    assert launch.block == (64, 1, 1)
    assert launch.grid == (3, 1, 1)
    assert launch.dynamic_shared == 512
    assert launch.origin == "launch at line 2"
    assert launch.trusted
    assert not launch.guessed


def test_the_grid_of_the_option_replaces_that_of_the_launch() -> None:
    (launch,) = assumed(source(launches="k<<<3, 64>>>(p);"), grid=(9, 9, 1))
    assert (launch.block, launch.grid) == ((64, 1, 1), (9, 9, 1))


def test_bounds_win_over_the_default() -> None:
    (launch,) = assumed(source(bounds="__launch_bounds__(128, 4)"))
    assert (launch.block, launch.origin) == ((128, 1, 1), "__launch_bounds__")
    assert launch.trusted


@pytest.mark.parametrize("kernel", [FLAT, DEEP])
def test_the_default_is_flat_and_trusted_by_flat_kernels_only(kernel: str) -> None:
    (launch,) = assumed(source(kernel))
    assert (launch.block, launch.guessed) == ((256, 1, 1), True)
    assert launch.origin == "default; set --block"
    assert launch.trusted == (kernel is FLAT)


@pytest.mark.parametrize(
    ("block", "row"),
    [
        ("n", (256, 1, 1)),
        ("dim3(n)", (256, 1, 1)),
        ("dim3(1, n)", (1, 256, 1)),
        ("dim3(n, m)", None),
        ("dim3(n, 2)", None),
        ("b", None),
    ],
)
def test_a_row_that_launches_leave_open(block: str, row: tuple[int, int, int] | None) -> None:
    host = f"int n = atoi(getenv(0)), m = atoi(getenv(1)); k<<<1, {block}>>>(p);"
    text = source(DEEP, launches=host).replace("void host(", "void host(dim3 b, ")
    (launch,) = assumed(text)
    assert launch.guessed
    assert launch.trusted is (row is not None)
    assert launch.block == (row or (256, 1, 1))
    assert contradicts(cuda_module(text).kernels[0], (16, 16, 1)) is (
        block not in ("dim3(n, m)", "b")
    )


def test_a_row_of_as_many_threads_as_a_bound_allows() -> None:
    host = 'int n = atoi(""); k<<<1, dim3(1, n)>>>(p);'
    (launch,) = assumed(source(DEEP, bounds="__launch_bounds__(128)", launches=host))
    assert (launch.block, launch.trusted, launch.is_bound) == ((1, 128, 1), True, True)


def test_bounds_say_nothing_of_two_dimensions() -> None:
    (launch,) = assumed(source(DEEP, bounds="__launch_bounds__(128)"))
    assert not launch.trusted


@pytest.mark.parametrize("size", ["n", "2048", "0", "dim3(32, 64)"])
def test_launches_that_do_not_say_a_possible_block_are_passed_over(size: str) -> None:
    (launch,) = assumed(source(launches=f"int n; k<<<1, {size}>>>(p);"))
    assert (launch.block, launch.origin) == ((256, 1, 1), "default; set --block")


@pytest.mark.parametrize(
    ("grids", "known"),
    [
        (["1"], (1, 1, 1)),
        (["1", "1"], (1, 1, 1)),
        (["dim3(4, n, 2)", "dim3(4, 3, 8)"], (4, None, None)),
        (["1", "2"], (None, 1, 1)),
    ],
    ids=["one", "alike", "some axes", "different"],
)
def test_the_grid_that_all_launches_agree_on_is_known(
    grids: list[str], known: tuple[int | None, ...]
) -> None:
    launches = 'int n = atoi(""); ' + " ".join(f"k<<<{grid}, n>>>(p);" for grid in grids)
    (launch,) = assumed(source(launches=launches))
    assert (launch.grid, launch.block) == (known, (256, 1, 1))


@pytest.mark.parametrize(
    ("second", "agreed"),
    [
        ("m / 4, m", True),  # by another name
        ("m / 8, m", False),
        ("m / 4, 2 * m", False),
        ("n / 4, m", False),  # two variables in place of one
    ],
)
def test_launches_agree_on_what_they_make_of_their_sizes(second: str, *, agreed: bool) -> None:
    grid, size = second.split(", ")
    host = "int n = atoi(getenv(0)), m = atoi(getenv(1)); k<<<n / 4, n>>>(p);"
    (launch,) = assumed(source(launches=f"{host} k<<<{grid}, {size}>>>(p);"))
    assert (launch.formulas is not None) is agreed


def test_equal_launches_count_once_and_different_ones_each() -> None:
    several = " ".join(f"k<<<1, {size}>>>(p);" for size in (32, 64, 32, 64, 96))
    assert [launch.block[0] for launch in assumed(source(launches=several))] == [32, 64, 96]


def test_no_more_launches_than_the_limit() -> None:
    many = " ".join(f"k<<<1, {32 * size}>>>(p);" for size in range(1, 12))
    assert len(assumed(source(launches=many))) == LAUNCH_LIMIT
    (kernel,) = cuda_module(source(launches=many)).kernels
    assert len(assume_launches(kernel, AnalysisOptions(launches=SHOWN_LAUNCHES))) == 11


def test_warps_are_rounded_up() -> None:
    (launch,) = assumed(source(), block=(33, 1, 1))
    assert (launch.threads, launch.warps) == (33, 2)


def test_the_blocks_of_a_grid_are_counted_where_it_is_known() -> None:
    (launch,) = assumed(source(), grid=(3, 5, 2))
    assert launch.block_count == 30
    (launch,) = assumed(source())
    assert launch.block_count is None


@pytest.mark.parametrize(
    ("grid", "known"),
    [("dim3(4, 65535)", (4, 65535, 1)), ("dim3(4, 65536)", None), ("dim3(4, 0)", None)],
)
def test_a_grid_that_no_launch_can_have_is_none(
    grid: str, known: tuple[int, int, int] | None
) -> None:
    (launch,) = assumed(source(launches=f"k<<<{grid}, 64>>>(p);"))
    assert launch.block == (64, 1, 1)
    assert launch.grid == (known or (None, None, None))


def test_a_launch_of_0_blocks_says_the_block_alone() -> None:
    host = "int n = 5; k<<<n / 8, 64, 4 * n>>>(p, n);"
    (launch,) = assumed(source(SIZED, launches=host))
    assert (launch.block, launch.grid) == ((64, 1, 1), (None, None, None))
    assert (launch.arguments, launch.dynamic_shared) == ((None, None), None)
    (launch,) = assumed(source(SIZED, launches=host), grid=(2, 1, 1))
    assert launch.arguments == (None, 5)


def test_a_launch_of_0_blocks_says_nothing_beside_one_that_runs() -> None:
    (launch,) = assumed(source(SIZED, launches="k<<<1, 32>>>(p, 7); k<<<0, 64>>>(p, 5);"))
    assert (launch.block, launch.arguments) == ((32, 1, 1), (None, 7))
    (launch,) = assumed(source(SIZED, launches="int n; k<<<n, n>>>(p, 7); k<<<0, n>>>(p, 5);"))
    assert launch.arguments == (None, 7)


PTX = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k() {directive}
{{
    ret;
}}
"""


@pytest.mark.parametrize(
    ("directive", "block", "origin"),
    [
        (".reqntid 16, 8", (16, 8, 1), ".reqntid"),
        (".maxntid 64, 2, 1", (64, 2, 1), ".maxntid"),
        ("", (256, 1, 1), "default; set --block"),
    ],
)
def test_ptx_directives(directive: str, block: tuple[int, int, int], origin: str) -> None:
    (kernel,) = ptx_module(PTX.format(directive=directive)).kernels
    (launch,) = assume_launches(kernel, AnalysisOptions())
    assert (launch.block, launch.origin) == (block, origin)
