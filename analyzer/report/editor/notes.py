"""The notes of a kernel and of a file: what an editor shows around the code, while it is written.

In: the facts of a kernel, after its rules have asked them, and a module. Out: notes. Every number
is one that `inspect` or `resources` shows as well, for the first launch that is analysed.
Registers are those that the file itself gives: nothing is compiled here.
Not made: notes on places in headers, beside those of functions that stand there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyses.barriers.barrier_control import barrier_controls
from ...analyses.memory_traffic.access_table import judged_accesses
from ...analyses.storage.memory_spaces import describe
from ...analyses.storage.source_registers import with_source_registers
from ...analyses.warp_evaluation.uniformity import Uniformity
from ...analyses.warp_evaluation.value_levels import value_levels
from ...findings.notes import Note, NoteKind
from ...ir.kernel import FunctionKind
from ..resources.kernel_occupancy import Given, kernel_view
from .hover_text import (
    access_hint,
    access_text,
    barrier_text,
    kernel_text,
    lens_text,
    variable_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyses.facts import KernelFacts, LaunchFacts
    from ...ir.kernel import FunctionInfo, Module

_ESTIMATED = 4_000  # operations of a kernel whose registers are estimated while one types
_KINDS = {FunctionKind.KERNEL: NoteKind.KERNEL, FunctionKind.DEVICE: NoteKind.DEVICE}


def kernel_notes(facts: KernelFacts) -> Iterator[Note]:
    """An editor's notes on one kernel; the cheap part first, as the work may be cut short."""
    kernel, launch = facts.kernel, facts.launches[0]
    yield from _variables(facts, launch)
    yield from _resources(facts, launch)
    for control in barrier_controls(launch):
        span = control.barrier.location.span
        yield Note(NoteKind.HOVER, span, barrier_text(control))
        if control.uniform is False:
            yield Note(NoteKind.HINT, span, "divergent")
    for row in judged_accesses(launch):
        span = row.access.location.span
        yield Note(NoteKind.HOVER, span, access_text(row))
        hint = access_hint(row)
        if hint:
            yield Note(NoteKind.HINT, span, hint)
    for item in kernel.launches:
        yield Note(NoteKind.LAUNCH, item.span, kernel.label, kernel.span)


def module_notes(module: Module) -> Iterator[Note]:
    """An editor's notes on the functions of a file."""
    for function in module.functions:
        if function.span.source is module.source:
            whole = function.span.to(function.body_span)
            yield Note(_KINDS[function.kind], whole, _name(function), function.span)


def _name(function: FunctionInfo) -> str:
    return "::".join((*function.scope, function.name))


def _variables(facts: KernelFacts, launch: LaunchFacts) -> Iterator[Note]:
    kernel = facts.kernel
    scope = kernel.span.to(kernel.body_span)
    levels: dict[str, Uniformity] = {}
    for value in value_levels(launch):
        if value.kind == "variable":
            levels[value.name] = max(value.level, levels.get(value.name, Uniformity.GRID))
    for variable in describe(facts):
        text = variable_text(variable, levels.get(variable.name))
        yield Note(NoteKind.VARIABLE, scope, text, variable.span, variable.name, variable.space)


def _resources(facts: KernelFacts, launch: LaunchFacts) -> Iterator[Note]:
    arch = facts.options.arch
    usage = facts.kernel.usage(arch)
    if facts.size <= _ESTIMATED:
        usage = with_source_registers(facts, usage, arch)
    view = kernel_view(launch, usage, Given())
    yield Note(NoteKind.HOVER, facts.kernel.span, kernel_text(launch, view))
    yield Note(NoteKind.LENS, facts.kernel.span, lens_text(view, usage))
    for item in facts.kernel.launches:
        yield Note(NoteKind.HOVER, item.span, kernel_text(launch, view))
