"""Launches in numbers: one for each choice of what the host leaves open."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.analyses.facts import AnalysisOptions
from warplint.analyzer.analyses.launch.assumed_launch import assume_launches
from warplint.analyzer.analyses.launch.numbered_launches import NumberedLaunch, numbered
from warplint.analyzer.analyses.launch.sizes_to_try import RISING, UNEVEN

KERNEL = "__global__ void k(float *p, int n, int m) { p[threadIdx.x] = n + m; }\n"


def made(
    host: str, size: int | None = None, parameters: str = "int n, int m"
) -> list[NumberedLaunch]:
    text = KERNEL + f"void run(float *p, {parameters}) {{ {host} }}"
    (kernel,) = cuda_module(text).kernels
    (launch,) = assume_launches(kernel, AnalysisOptions())
    return numbered(launch, size)


def test_one_variable_is_tried_with_two_numbers() -> None:
    found = made("k<<<(n + 63) / 64, 64>>>(p, n, 5);")
    assert [each.arguments for each in found] == [(None, UNEVEN, 5), (None, RISING[0], 5)]
    assert [each.grid for each in found] == [
        (-(-number // 64), 1, 1) for number in (UNEVEN, RISING[0])
    ]
    assert [each.chosen for each in found] == [(("n", UNEVEN),), (("n", RISING[0]),)]


def test_two_variables_are_equal_rising_and_falling() -> None:
    found = made("k<<<n, 64>>>(p, n, m);")
    pairs = [each.arguments[1:] for each in found]
    assert pairs[0] == (UNEVEN, UNEVEN)
    assert sorted(a < b for a, b in pairs[1:]) == [False, True]
    assert {tuple(sorted(pair)) for pair in pairs[1:]} == {RISING[:2]}


def test_arguments_and_grid_share_their_variables() -> None:
    for each in made("k<<<n * m, 64>>>(p, n, m);"):
        _, n, m = each.arguments
        assert n is not None
        assert m is not None
        assert each.grid == (n * m, 1, 1)
        assert each.of_arguments[1] | each.of_arguments[2] == each.of_grid
        assert not each.of_arguments[1] & each.of_arguments[2]


def test_one_number_for_all_variables() -> None:
    (found,) = made("k<<<n, 64>>>(p, n, m + 1);", 7)
    assert found.arguments == (None, 7, 8)
    assert found.grid == (7, 1, 1)


def test_a_choice_that_cannot_be_launched_is_left_out() -> None:
    assert made("k<<<n / 2, 64>>>(p, n, m);", 1) == []
    assert made("k<<<n / 2, 64>>>(p, n, m);", 2) != []


def test_what_the_host_checks_holds_for_the_numbers() -> None:
    host = "if (n % 64 != 0) return; k<<<n / 64, 64>>>(p, n, 3);"
    found = made(host)
    assert found
    assert [each.arguments[1] % 64 for each in found if each.arguments[1] is not None] == [0] * 2


def test_too_many_variables_are_not_tried() -> None:
    names = ", ".join(f"int v{i}" for i in range(len(RISING) + 1))
    total = " + ".join(f"v{i}" for i in range(len(RISING) + 1))
    fewer = " + ".join(f"v{i}" for i in range(len(RISING)))
    assert made(f"k<<<{total}, 64>>>(p, 1, 2);", parameters=names) == []
    assert made(f"k<<<{fewer}, 64>>>(p, 1, 2);", parameters=names) != []


@pytest.mark.parametrize(("count", "known"), [("n * 4", True), ("q * 4", False)])
def test_bytes_behind_a_pointer(count: str, *, known: bool) -> None:
    """Only where they are made of what the launch shows as well: q is any number."""
    host = f"cudaMalloc(&p, {count}); k<<<n, 64>>>(p, n, 1);"
    found = made(host, 10, parameters="int n, int q")
    assert [each.sizes[:1] for each in found] == [(40,) if known else (None,)]


ALLOCATED = "float *q; cudaMalloc(&q, {} * sizeof(float)); k<<<n, 64>>>(q, n, m);"


@pytest.mark.parametrize(
    ("size", "largest"),
    [
        pytest.param("n", UNEVEN, id="small"),
        pytest.param("n * n * m", UNEVEN, id="as large as a device holds"),
        pytest.param("(size_t)n * n * n * m", UNEVEN // 2, id="more than any device has"),
        pytest.param("(size_t)n * n * n * n * n * m", UNEVEN // 16, id="far more"),
    ],
)
def test_no_array_is_larger_than_the_memory_of_a_device(size: str, largest: int) -> None:
    found = made(ALLOCATED.format(size))
    assert found[0].arguments[1] == largest
    assert all(each is None or each <= 288_000_000_000 for one in found for each in one.sizes)
    pairs = [each.arguments[1:] for each in found[1:]]
    assert sorted(a < b for a, b in pairs) == [False, True]


def test_what_no_smaller_number_fits_is_left_as_it_is() -> None:
    (found, _) = made("float *q; cudaMalloc(&q, (1ull << 41) * n); k<<<n, 64>>>(q, n, 5);")
    assert found.arguments[1] == UNEVEN
