"""`warplint inspect ...`: what warplint believes of a kernel, for a reader to check."""

from __future__ import annotations

import click

from ..shared.lazy import LazyGroup

_COMMANDS = {
    "memory-spaces": f"{__package__}.inspect_memory_spaces",
    "kernels": f"{__package__}.inspect_kernels",
    "ir": f"{__package__}.inspect_ir",
    "cfg": f"{__package__}.inspect_cfg",
    "dataflow": f"{__package__}.inspect_dataflow",
    "uniformity": f"{__package__}.inspect_uniformity",
    "barriers": f"{__package__}.inspect_barriers",
    "accesses": f"{__package__}.inspect_accesses",
}


@click.group(
    "inspect",
    cls=LazyGroup,
    modules=_COMMANDS,
    short_help="Show what warplint believes of kernels.",
)
def command() -> None:
    """Show what warplint believes of the kernels in CUDA C++ and PTX files."""
