"""What a finding takes for granted, in the same words in every rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .finding import Assumption

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from ..analyses.launch.assumed_launch import AssumedLaunch


def assumed_block(launch: AssumedLaunch) -> Assumption:
    """The assumption of a finding on the shape of the block, and where it was read."""
    if launch.usual:
        shapes = ["x".join(map(str, shape)) for shape in launch.usual]
        text = f"no usual block does better: {', '.join(shapes)}"
        return Assumption("block", "every usual block", "default; set --block", text)
    return Assumption("block", list(launch.block), launch.origin)


def assumed_grid(launch: AssumedLaunch) -> tuple[Assumption, ...]:
    """The grid a finding rests on, and who says so; nothing where the launch does not."""
    grid = launch.grid
    return () if None in grid else (Assumption("grid", list(grid), launch.origin),)


def example_numbers(
    numbers: Iterable[tuple[str, int]], passed: Container[str] = (), launch: str = ""
) -> tuple[Assumption, ...]:
    """The assumptions of a finding on numbers: example values, and those a launch passes."""
    return tuple(
        Assumption(name, value, launch if name in passed else "example value")
        for name, value in dict.fromkeys(numbers)
    )


def chosen_arguments(chosen: Iterable[tuple[str, int | str]]) -> tuple[Assumption, ...]:
    """The assumptions of a finding on template arguments of an instance that was made up."""
    origin = "template argument, one of several tried"
    return tuple(Assumption(name, value, origin) for name, value in chosen)


def several_blocks() -> Assumption:
    """The assumption of a finding that an unstated grid has more than one block."""
    text = "the grid has more than one block (the kernel reads blockIdx)"
    return Assumption("grid", "more than one block", "the kernel reads blockIdx", text)


def aligned_pointer(name: str, width: int) -> Assumption:
    """The assumption of a finding that a pointer is as aligned as its access must be."""
    text = f"{name} is aligned to {width} bytes, as cudaMalloc aligns it"
    return Assumption(name, f"aligned to {width} bytes", "as cudaMalloc aligns it", text)
