"""The launch that a fact holds for, in the words of every report on kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..text.cells import printable_line

if TYPE_CHECKING:
    from ...analyses.warp_evaluation.facts import WarpLaunch
    from ..formats.json_report import Record


def launch_record(launch: WarpLaunch) -> Record:
    """The kernel and the block shape assumed for it."""
    kernel, assumed = launch.facts.kernel, launch.launch
    return {
        "kernel": kernel.label,
        "kernel_line": kernel.span.line,
        "block": list(assumed.block),
        "block_origin": assumed.origin,
    }


def launch_title(launch: WarpLaunch) -> str:
    """`copy<float, 32> (copy.cu:3), block 32x1x1 (launch at line 11)`."""
    kernel, assumed = launch.facts.kernel, launch.launch
    name = kernel.label
    place = f"{kernel.span.path}:{kernel.span.line}"
    return printable_line(f"{name} ({place}), block {assumed.block_text} ({assumed.origin})")
