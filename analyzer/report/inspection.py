"""What `inspect` lists, as records for JSON and as text for people.

In: kernels as the front ends hand them over. Out: one record per kernel, with names that stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .json_report import Record, dump, input_record, place_record
from .table import render_table
from .words import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..engine.result import InputResult
    from ..findings.finding import Data
    from ..ir.kernel import Bounds, Kernel, Launch
    from .palette import Palette


def render_records(name: str, records: Iterable[Record], inputs: Iterable[InputResult]) -> str:
    """One JSON object: a list named after what it lists, and the inputs."""
    return dump({name: list(records), "inputs": [_input(item) for item in inputs]})


def kernel_record(kernel: Kernel) -> Record:
    """A kernel's place, parameters, bounds, launches, and how much of it was read."""
    unread = len(kernel.unread)
    return {
        "path": kernel.span.path,
        "name": kernel.name,
        "instance": kernel.instance,
        "language": kernel.language,
        "line": kernel.span.line,
        "column": kernel.span.column,
        "end_line": kernel.body_span.end_line,
        "parameters": [{"name": p.name, "type": str(p.type)} for p in kernel.parameters],
        "bounds": _bounds(kernel.bounds),
        "launches": [_launch(launch) for launch in kernel.launches],
        "status": kernel.status,
        "statements": kernel.statements,
        "unread": unread,
        "unread_share": round(unread / kernel.statements, 4) if kernel.statements else 0.0,
        "unread_places": [place_record(span) for span in kernel.unread],
    }


def kernel_lines(kernels: Sequence[Kernel], palette: Palette) -> list[str]:
    """The kernels as a table."""
    rows = [
        (
            f"{kernel.span.path}:{kernel.span.line}",
            kernel.instance or kernel.name,
            kernel.language,
            kernel.status,
            f"{len(kernel.unread)}/{kernel.statements}",
            _bounds_text(kernel.bounds),
            "; ".join(map(_launch_text, kernel.launches)) or "-",
        )
        for kernel in kernels
    ]
    head = ("place", "kernel", "language", "read", "unread", "bounds", "launches")
    return [*render_table(head, rows, palette), plural(len(kernels), "kernel")]


def _input(item: InputResult) -> Record:
    """An input without the counts that only `check` makes."""
    record = input_record(item)
    return {key: record[key] for key in ("path", "status", "kernels", "problems")}


def _bounds(bounds: Bounds) -> Record:
    return {
        "max_threads": bounds.max_threads,
        "max_block": _list(bounds.max_block),
        "required_block": _list(bounds.required_block),
        "min_blocks": bounds.min_blocks,
        "max_registers": bounds.max_registers,
        "cluster": _list(bounds.cluster),
        "line": bounds.span.line if bounds.span else None,
    }


def _bounds_text(bounds: Bounds) -> str:
    values: Sequence[tuple[str, object]] = (
        ("threads ≤", bounds.max_threads),
        ("block ≤", _shape(bounds.max_block)),
        ("block =", _shape(bounds.required_block)),
        ("blocks ≥", bounds.min_blocks),
        ("registers ≤", bounds.max_registers),
        ("cluster =", _shape(bounds.cluster)),
    )
    return ", ".join(f"{name} {value}" for name, value in values if value is not None) or "-"


def _launch(launch: Launch) -> Record:
    return {
        "line": launch.span.line,
        "column": launch.span.column,
        "grid": _list(launch.grid),
        "grid_text": launch.grid_text,
        "block": _list(launch.block),
        "block_text": launch.block_text,
        "dynamic_shared": launch.dynamic_shared,
        "dynamic_shared_text": launch.shared_text,
        "template_arguments": list(launch.template_arguments),
    }


def _launch_text(launch: Launch) -> str:
    shared = launch.shared_text or launch.dynamic_shared
    pieces = [
        launch.grid_text or _shape(launch.grid),
        launch.block_text or _shape(launch.block),
        str(shared) if shared else None,
    ]
    return f"<<<{', '.join(filter(None, pieces))}>>> line {launch.span.line}"


def _list(shape: Sequence[int | None] | None) -> Data:
    return None if shape is None else list(shape)


def _shape(shape: Sequence[int | None] | None) -> str | None:
    if shape is None:
        return None
    return "×".join("?" if size is None else str(size) for size in shape)
