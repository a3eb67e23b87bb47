"""The size of types where `long` has 4 bytes: as if it were written `int`."""

from __future__ import annotations

import re

import pytest
from analyses.kernels import cuda_module
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.ir.host import HostCall

MEMBERS = ["char", "short", "int", "long", "unsigned long", "long long", "double", "float*",
           "size_t", "int64_t", "float2"]  # fmt: skip


def measured(declarations: str, type: str = "Thing") -> tuple[int | None, int | None]:
    """The size of a type of this file, and where `long` has 4 bytes."""
    module = cuda_module(
        f"{declarations} void run(void *p) {{ cudaMemset(p, 0, sizeof({type})); }}"
    )
    (call,) = (each for each in module.host if isinstance(each, HostCall))
    (measure,) = call.arguments[2].measures
    return measure.size, measure.short_size


def short(text: str) -> str:
    """The text, with `int` for each `long`."""
    return re.sub(r"(?<!long )\blong\b(?! long)", "int", text)


@pytest.mark.parametrize(
    ("declarations", "sizes"),
    [
        ("typedef long Thing;", (8, 4)),
        ("typedef unsigned long int Thing;", (8, 4)),
        ("typedef long long Thing;", (8, 8)),
        ("typedef long *Thing;", (8, 8)),
        ("typedef size_t Thing;", (8, 8)),
        ("typedef int64_t Thing;", (8, 8)),
        ("struct Thing { long rows[3]; int n; };", (32, 16)),
        ("struct Thing { union { long a; char b[6]; }; short c; };", (16, 12)),
        ("struct alignas(16) Thing { long a; };", (16, 16)),
        ("struct Base { long a; }; struct Thing : Base { int b; };", (16, 8)),
    ],
)
def test_sizes_by_both_models(declarations: str, sizes: tuple[int, int]) -> None:
    assert measured(declarations) == sizes


@given(st.lists(st.sampled_from(MEMBERS), min_size=1, max_size=6), st.integers(1, 3))
def test_a_short_long_is_laid_out_as_an_int(types: list[str], extent: int) -> None:
    members = " ".join(f"{each} m{at}[{extent}];" for at, each in enumerate(types))
    text = f"struct Inner {{ {members} }}; struct Thing {{ char a; Inner b; short c; }};"
    expected, _ = measured(short(text))
    assert expected is not None
    assert measured(text)[1] == expected
