"""`warplint inspect ...`: what warplint believes of a kernel, for a reader to check."""

from __future__ import annotations

import click

from ..shared.lazy import LazyGroup

_COMMANDS = {
    "memory-spaces": f"{__package__}.memory_spaces",
    "kernels": f"{__package__}.kernels",
    "ir": f"{__package__}.ir",
    "cfg": f"{__package__}.cfg",
    "dataflow": f"{__package__}.dataflow",
    "uniformity": f"{__package__}.uniformity",
    "barriers": f"{__package__}.barriers",
    "accesses": f"{__package__}.accesses",
    "coverage": f"{__package__}.coverage",
}


@click.group(
    "inspect",
    cls=LazyGroup,
    modules=_COMMANDS,
    short_help="Show the results of the analyses.",
)
def command() -> None:
    """Show what the analyses know about the kernels in CUDA C++ and PTX files."""
