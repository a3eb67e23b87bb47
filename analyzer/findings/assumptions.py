"""What a finding takes for granted, in the same words in every rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .finding import Assumption

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from ..analyses.launch.assumed_launch import AssumedLaunch


def assumed_block(launch: AssumedLaunch) -> Assumption:
    """The shape of the block, and where it was read."""
    if launch.usual:
        shapes = ["x".join(map(str, shape)) for shape in launch.usual]
        text = f"the same for every usual block: {', '.join(shapes)}"
        return Assumption("block", "every usual block", "default; set --block", text)
    return Assumption("block", list(launch.block), launch.origin)


def example_numbers(
    numbers: Iterable[tuple[str, int]], passed: Container[str] = (), launch: str = ""
) -> tuple[Assumption, ...]:
    """Values taken for names that nothing gives a value, and those that a launch passes, once."""
    return tuple(
        Assumption(name, value, launch if name in passed else "example value")
        for name, value in dict.fromkeys(numbers)
    )


def chosen_arguments(chosen: Iterable[tuple[str, int | str]]) -> tuple[Assumption, ...]:
    """Template arguments of an instance that was made up, one of several that show the same."""
    origin = "template argument, one of several tried"
    return tuple(Assumption(name, value, origin) for name, value in chosen)


def several_blocks() -> Assumption:
    """More than one block, of a kernel that reads `blockIdx` and whose grid nothing gives."""
    text = "the grid has more than one block (the kernel reads blockIdx)"
    return Assumption("grid", "more than one block", "the kernel reads blockIdx", text)


def aligned_pointer(name: str, width: int) -> Assumption:
    """A pointer as aligned as an access through it must be."""
    text = f"{name} is aligned to {width} bytes, as cudaMalloc aligns it"
    return Assumption(name, f"aligned to {width} bytes", "as cudaMalloc aligns it", text)
