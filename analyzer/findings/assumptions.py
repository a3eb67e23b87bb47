"""What a finding takes for granted, in the same words in every rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .finding import Assumption

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..analyses.launch.assumed_launch import AssumedLaunch


def assumed_block(launch: AssumedLaunch) -> Assumption:
    """The shape of the block, and where it was read."""
    return Assumption("block", list(launch.block), launch.origin)


def example_numbers(numbers: Iterable[tuple[str, int]]) -> tuple[Assumption, ...]:
    """Values taken for names that nothing gives a value."""
    return tuple(Assumption(name, value, "chosen as an example") for name, value in numbers)
