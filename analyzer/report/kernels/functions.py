"""What `inspect kernels` lists: kernels and device functions as they are written.

In: functions as the front ends describe them. Out: one record per definition, with names that
stay, and a table. Bounds are numbers where all analysed instances of a kernel agree on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.kernel import Bounds, FunctionKind
from ...source.words import plural
from ..formats.json_report import Record, place_record
from ..text.table import render_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...findings.finding import Data
    from ...ir.kernel import FunctionInfo, Instance, Launch
    from ..text.palette import Palette

_HEAD = ("location", "function", "kind", "parsed", "opaque", "bounds", "launches")


def function_record(function: FunctionInfo) -> Record:
    """A function's place, parameters, bounds, launches, and how much of it was read."""
    opaque = len(function.opaque)
    return {
        "path": function.span.path,
        "line": function.span.line,
        "column": function.span.column,
        "end_line": function.body_span.end_line,
        "name": function.name,
        "scope": list(function.scope),
        "kind": function.kind.value,
        "language": function.language,
        "template_parameters": None if function.template is None else _template(function),
        "specialization": list(function.specialization),
        "qualifiers": list(function.qualifiers),
        "launch_bounds": {
            "text": " ".join(function.attributes),
            **_bounds(agreed_bounds(function.instances)),
        },
        "parameters": [
            {"name": item.name, "type": item.type, "default": item.default or None}
            for item in function.parameters
        ],
        "launches": [_launch(launch) for launch in function.launches],
        "instances": [
            {"name": item.name, "launch_bounds": _bounds(item.bounds)}
            for item in function.instances
        ],
        "status": function.status,
        "statements": function.statements,
        "opaque_statements": opaque,
        "opaque_share": round(opaque / function.statements, 4) if function.statements else 0.0,
        "opaque_places": [place_record(span) for span in function.opaque],
    }


def function_lines(functions: Sequence[FunctionInfo], palette: Palette) -> list[str]:
    """The functions as a table."""
    rows = [
        (
            f"{function.span.path}:{function.span.line}",
            _title(function),
            function.kind.value,
            function.status,
            f"{len(function.opaque)}/{function.statements}",
            _bounds_text(function),
            "; ".join(dict.fromkeys(map(_launch_text, function.launches))) or "-",
        )
        for function in functions
    ]
    kernels = sum(function.kind is FunctionKind.KERNEL for function in functions)
    counts = [plural(kernels, "kernel"), plural(len(functions) - kernels, "device function")]
    return [*render_table(_HEAD, rows, palette), ", ".join(counts)]


def agreed_bounds(instances: Sequence[Instance]) -> Bounds:
    """The launch bounds to list for all instances of a kernel; None where they do not agree."""
    names = ("max_threads", "max_block", "required_block", "min_blocks", "max_registers", "cluster")
    agreed = {
        name: getattr(instances[0].bounds, name)
        for name in names
        if len({getattr(item.bounds, name) for item in instances}) == 1
    }
    return Bounds(**agreed, span=instances[0].bounds.span if instances else None)


def _template(function: FunctionInfo) -> Data:
    return [
        {
            "kind": item.kind,
            "name": item.name,
            "type": item.type,
            "default": item.default or None,
        }
        for item in function.template or ()
    ]


def _title(function: FunctionInfo) -> str:
    """`space::name<T, N>`."""
    arguments = function.specialization or [item.name for item in function.template or ()]
    name = "::".join((*function.scope, function.name))
    return f"{name}<{', '.join(arguments)}>" if arguments else name


def _bounds_text(function: FunctionInfo) -> str:
    bounds = agreed_bounds(function.instances)
    values: Sequence[tuple[str, object]] = (
        ("threads ≤", bounds.max_threads),
        ("block ≤", _shape(bounds.max_block)),
        ("block =", _shape(bounds.required_block)),
        ("blocks ≥", bounds.min_blocks),
        ("registers ≤", bounds.max_registers),
        ("cluster =", _shape(bounds.cluster)),
    )
    known = ", ".join(f"{name} {value}" for name, value in values if value is not None)
    return known or " ".join(function.attributes) or "-"


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


def _launch(launch: Launch) -> Record:
    return {
        "path": launch.span.path,
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
