"""Shapes that people launch, by what a kernel asks for and what it allows."""

from __future__ import annotations

from math import prod

from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.launch.usual_blocks import usual_blocks
from warplint.analyzer.ir.values import Special

FLAT = frozenset({Special.THREAD_X, Special.THREAD_Y, Special.BLOCK_SIZE_X})


@given(st.integers(1, 1024), st.booleans())
def test_no_more_threads_than_the_bound(most: int, deep: bool) -> None:
    registers = FLAT | {Special.THREAD_Z} if deep else FLAT
    everything = usual_blocks(registers, None)
    allowed = usual_blocks(registers, most)
    assert [shape for shape in everything if prod(shape) <= most] == list(allowed)


def test_a_third_dimension_only_where_it_is_asked_for() -> None:
    assert {shape[2] for shape in usual_blocks(FLAT, None)} == {1}
    for register in (Special.THREAD_Z, Special.BLOCK_SIZE_Z):
        assert min(shape[2] for shape in usual_blocks({register}, None)) > 1


def test_every_usual_block_can_be_launched() -> None:
    for registers in (FLAT, {Special.THREAD_Z}):
        assert all(0 < prod(shape) <= 1024 for shape in usual_blocks(registers, None))
