"""Names in the symbols of Numba, which are those that numba-cuda 0.30 makes."""

from __future__ import annotations

import pytest

from warplint.analyzer.ptx.syntax.numba_names import numba_kernel, numba_parameters

TAG = (
    "B2v1B106cw51cXTLSUwv1sDUaKthqaNgoKmjgMVuW1AiA8rAEg2UjxRKtuAIAMYDWpKAqkSkPiQB1BQFk0DyoW21"
    "Oizc1a0UoPGnDpQE8oxrNQE_3d"
)
HEAD = f"_ZN8__main__5scale{TAG}E"
ROW = "5ArrayIfLi1E1C7mutable7alignedE"
PLANE = "5ArrayIdLi2E1A8readonly7alignedE"


def test_the_name() -> None:
    assert numba_kernel(f"{HEAD}{ROW}x") == "__main__.scale"
    assert numba_kernel(f"_ZN6cudapy8__main__5scale{TAG}E{ROW}") == "cudapy.__main__.scale"


def test_an_array_is_several_parameters() -> None:
    assert numba_parameters(f"{HEAD}{ROW}x") == (
        *("arg0.meminfo", "arg0.parent", "arg0.nitems", "arg0.itemsize", "arg0.data"),
        *("arg0.shape[0]", "arg0.strides[0]"),
        "arg1",
    )


def test_each_dimension_has_two_more() -> None:
    names = numba_parameters(f"{HEAD}{PLANE}{ROW}f")
    assert len(names) == 17
    assert names[5:9] == ("arg0.shape[0]", "arg0.shape[1]", "arg0.strides[0]", "arg0.strides[1]")
    assert names[-1] == "arg2"


def test_elements_with_arguments_of_their_own() -> None:
    nested = "5ArrayI9vector_tyIfLi4EELi1E1C7mutable7alignedE"
    assert numba_parameters(f"{HEAD}{nested}i") == numba_parameters(f"{HEAD}{ROW}i")


@pytest.mark.parametrize("types", ["8UniTupleIxLi2E", f"{ROW}8UniTupleIxLi2E", "5ArrayIf", "7"])
def test_other_types_name_nothing(types: str) -> None:
    assert numba_parameters(HEAD + types) == ()


@pytest.mark.parametrize(
    "symbol", ["scale", "_Z5scalePfi", "_ZN5parts5scaleEPfi", "_ZN5parts5scaleB5cxx11EPfi", "_ZN9a"]
)
def test_other_symbols(symbol: str) -> None:
    assert numba_kernel(symbol) == ""
    assert numba_parameters(symbol) == ()


@pytest.mark.parametrize(
    "symbol",
    [
        "_ZN" + "9" * 6_000 + "a",
        "_ZN1aB2v1E5ArrayIfLi" + "9" * 6_000 + "E1C",
        "_ZN1aB2v1E5ArrayIfLi999999999E1CE",
        "_ZN1aB2v1E5ArrayI" + "I" * 10_000,
    ],
)
def test_numbers_that_no_symbol_has_say_nothing(symbol: str) -> None:
    assert numba_parameters(symbol) == ()
