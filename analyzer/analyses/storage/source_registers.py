"""About how many registers a kernel of CUDA C++ will take, from its source alone.

In: the facts of a kernel, and an architecture. Out: a number with an interval that holds nine of
ten kernels of repositories that the model was not trained on (`bench/source_registers.py`). The
numbers it rests on are those of the estimate for PTX, of code as a compiler makes it
(`../compilation/`), and what a source has beside: loops that the compiler will unroll, arrays that
it keeps in registers, calls and statements that were not read. Not handled: a kernel that was not
read to its end.
"""

from __future__ import annotations

from dataclasses import replace
from math import log2
from typing import TYPE_CHECKING

from ...hardware.local_arrays import Residence
from ...ir.memory import Space
from ...ir.operations import Call, MemoryAccess, OpaqueOperation
from ...ir.types import Kind
from ...ir.usage import UNKNOWN
from ...ptx.estimate.register_features import FEATURES as OF_CODE
from ...ptx.estimate.register_features import features_for, note_code
from ...resources.register_model import threads_of
from ...resources.source_register_model import source_registers
from ..compilation.compiled_code import compiled_code
from ..pointers.local_arrays import judge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...ir.memory import MemoryObject
    from ...ir.usage import Amount, Usage
    from ..pointers.facts import PointerFacts
    from ..pointers.local_arrays import LocalArray

_MOST = 4096  # iterations, words: beyond that it does not matter how many
_WORD = 4
_STEPS = 4  # of what is counted in powers of two, in each power
#: What only a source has.
OF_SOURCE = (
    "unrolled_ops", "unrolled_loads", "trips", "known_loops", "asked_unrolling", "unknown_loops",
    "array_words", "largest_array", "dynamic_words", "calls", "opaque", "unknown_types",
    "definitions", "pointers", "classes",
)  # fmt: skip
FEATURES = (*OF_CODE, *OF_SOURCE)


def estimated_source_registers(facts: PointerFacts, arch: int) -> Amount:
    """The registers of a thread as estimated from the source; not known where a part of the kernel
    was not read.
    """
    if facts.kernel.status != "full":
        return UNKNOWN
    return source_registers(arch, source_features(facts, threads_of(arch)), FEATURES)


def estimated_usage(facts: PointerFacts, arch: int) -> Usage:
    """The usage of a kernel with registers estimated from its source, unless that would take too
    long.
    """
    usage = facts.kernel.usage(arch)
    return usage if facts.is_too_large else with_source_registers(facts, usage, arch)


def with_source_registers(facts: PointerFacts, usage: Usage, arch: int) -> Usage:
    """The usage of a kernel with registers estimated from its source, where nothing is known of
    them.
    """
    if usage.registers.known or facts.kernel.language != "cuda":
        return usage
    return replace(usage, registers=estimated_source_registers(facts, arch))


def source_features(facts: PointerFacts, threads: int) -> tuple[float, ...]:
    """The numbers by which registers are estimated from a kernel's source, in the order of
    `FEATURES`, where `threads` fit on a multiprocessor.
    """
    kernel = facts.kernel
    numbers: dict[str, float] = dict.fromkeys(OF_CODE, 0)
    numbers["threads"] = kernel.bounds.max_threads or 0
    numbers["min_blocks"] = kernel.bounds.min_blocks or 0
    numbers["max_registers"] = kernel.bounds.max_registers or 0
    numbers["parameters"] = len(kernel.parameters)
    residences = {item: judge(facts, item) for item in kernel.objects if item.space is Space.LOCAL}
    note_code(numbers, compiled_code(facts, residences))
    more = dict.fromkeys(OF_SOURCE, 0.0)
    _note_loops(facts, more)
    _note_arrays(residences, more)
    operations = list(kernel.operations())
    more["calls"] = sum(isinstance(each, Call) for each in operations)
    more["opaque"] = sum(isinstance(each, OpaqueOperation) for each in operations)
    more["unknown_types"] = sum(each.type.kind is Kind.UNKNOWN for each in operations)
    more["definitions"] = len(kernel.definitions)
    kinds = [each.type.kind for each in kernel.parameters]
    more["pointers"], more["classes"] = kinds.count(Kind.POINTER), kinds.count(Kind.AGGREGATE)
    return (*features_for(numbers, threads), *(more[name] for name in OF_SOURCE))


def _note_loops(facts: PointerFacts, more: dict[str, float]) -> None:
    """What the loops with known ends make of the operations in them."""
    flow, known = facts.flow, facts.compile_time
    for loop in flow.loops:
        times = known.at_most(loop)
        more["known_loops" if times else "unknown_loops"] += 1
        more["trips"] = max(more["trips"], min(times or 0, _MOST))
        asked = facts.kernel.unrolling.get(loop.header)
        more["asked_unrolling"] = max(more["asked_unrolling"], asked or (times or 0) * (asked == 0))
    for block in facts.kernel.blocks:
        times = 1
        for loop in flow.loop_nest(block):
            times *= known.at_most(loop) or 1
        times = min(times, _MOST)
        more["unrolled_ops"] += times * len(block.operations)
        loads = sum(isinstance(each, MemoryAccess) and each.reads for each in block.operations)
        more["unrolled_loads"] += times * loads
    for name in ("unrolled_ops", "unrolled_loads"):
        more[name] = round(_STEPS * log2(1 + more[name]))


def _note_arrays(residences: Mapping[MemoryObject, LocalArray], more: dict[str, float]) -> None:
    for item, found in residences.items():
        words = min((item.size or _WORD) // _WORD, _MOST)
        if found.residence is Residence.REGISTERS:
            more["array_words"] += words
            more["largest_array"] = max(more["largest_array"], words)
        else:
            more["dynamic_words"] += words
