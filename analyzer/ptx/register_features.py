"""What the register estimator looks at: numbers of one entry that ptxas's choice depends on.

In: an entry of a parsed module, and the functions it may call. Out: one tuple of numbers in the
order of `FEATURES`: pressures under several schedules, what the code is made of, its loops, and
what the kernel says of its launch. The model that reads them stands in resources/register_model.py;
a change of this list needs a new model (`bench/registers.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..resources.register_cap import register_cap
from .entry import bounds_of
from .exact_resources import local_bytes
from .register_code import read_code
from .register_pressure import (
    LIMITS,
    block_pressures,
    live_out,
    scheduled_pressure,
    width_of,
    written_pressure,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..source.text import SourceText
    from .register_code import Code, Op
    from .register_pressure import BlockPressure
    from .syntax import Function

_LARGE = 72  # live registers from which on ptxas adds a share instead of a fixed number

_GROUPS: dict[str, frozenset[str]] = {
    "fma": frozenset({"fma", "mad"}),
    "add": frozenset({"add", "sub"}),
    "mul": frozenset({"mul"}),
    "logic": frozenset({"and", "or", "xor", "shl", "shr", "not", "lop3", "bfe", "bfi", "prmt"}),
    "divide": frozenset({"div", "rem"}),
    "special": frozenset({"sqrt", "rsqrt", "rcp", "sin", "cos", "ex2", "lg2", "tanh"}),
    "convert": frozenset({"cvt"}),
    "compare": frozenset({"setp", "set"}),
    "select": frozenset({"selp", "min", "max", "slct"}),
    "move": frozenset({"mov"}),
    "matrix": frozenset({"mma", "wmma", "ldmatrix", "wgmma"}),
    "warp": frozenset({"shfl", "vote", "match", "redux", "activemask"}),
    "atomic": frozenset({"atom", "red"}),
    "barrier": frozenset({"bar", "barrier"}),
    "texture": frozenset({"tex", "tld4", "suld", "sust"}),
    "store": frozenset({"st"}),
    "branch": frozenset({"bra", "brx"}),
    "async": frozenset({"cp", "mbarrier"}),
}
_GROUP_OF = {mnemonic: group for group, names in _GROUPS.items() for mnemonic in names}
_SPACES = ("global", "shared", "local", "param", "const", "generic")

FEATURES: tuple[str, ...] = (
    "base",
    "low",
    "written",
    "latency",
    "least",
    *(f"limit{limit}" for limit in LIMITS),
    "full",
    "entry_live",
    "mean_pressure",
    "loop_written",
    "loop_latency",
    "loop_live",
    "self_loop_ops",
    "self_loop_written",
    "self_loop_latency",
    "self_loop_loaded",
    "loops",
    "blocks",
    "ops",
    "largest_block",
    "peak_ops",
    "peak_loads",
    "peak_loaded",
    "most_loads",
    "most_loaded",
    *_GROUPS,
    *(f"load_{space}" for space in _SPACES),
    "wide_loads",
    "double",
    "half",
    "wide_integer",
    "divide_float",
    "divide_wide",
    "calls",
    "callee_written",
    "parameters",
    "threads",
    "cap",
    "local_bytes",
)

Row = tuple[float, ...]


def register_features(
    entry: Function, functions: Mapping[str, Function], bounds: tuple[int, int, int]
) -> Row:
    """The numbers of one entry; `bounds` are threads, the cap on registers, bytes of `.local`."""
    code = read_code(entry)
    outs = live_out(code)
    by_block = block_pressures(code, outs)
    pressures = [p for p, block in zip(by_block, code.blocks, strict=True) if block]
    pressures = pressures or [scheduled_pressure([], 0, [])]
    found: dict[str, float] = dict.fromkeys(FEATURES, 0)
    _note_pressures(found, code, pressures, outs)
    _note_loops(found, code, by_block, outs)
    for block in code.blocks:
        for op in block:
            _note_op(found, op)
    found["calls"] = len(code.calls)
    callees = [functions[name] for name in dict.fromkeys(code.calls) if name in functions]
    found["callee_written"] = max((_plain_pressure(one) for one in callees), default=0)
    found["parameters"] = len(entry.header.parameters or ())
    found["threads"], found["cap"], found["local_bytes"] = bounds
    found["low"] = low = min(found[name] for name in ("written", "latency", "least"))
    found["base"] = 1.05 * low + 6 if low > _LARGE else low + 8
    return tuple(found[name] for name in FEATURES)


def entry_features(source: SourceText, functions: Mapping[str, Function], entry: Function) -> Row:
    """The numbers of an entry, among the functions of its module."""
    bounds = bounds_of(entry, source)
    told = (bounds.max_threads or 0, register_cap(bounds), local_bytes(entry))
    return register_features(entry, functions, told)


def _note_pressures(
    found: dict[str, float], code: Code, pressures: list[BlockPressure], outs: list[int]
) -> None:
    found["written"] = max(p.written for p in pressures)
    found["latency"] = max(p.latency for p in pressures)
    found["least"] = max(p.least for p in pressures)
    for index, limit in enumerate(LIMITS):
        found[f"limit{limit}"] = max(p.limited[index] for p in pressures)
    filled = [(block, out) for block, out in zip(code.blocks, outs, strict=True) if block]
    found["full"] = max(
        (written_pressure(b, out, code.declared)[0] for b, out in filled), default=0
    )
    if filled:
        found["entry_live"] = width_of(filled[0][1], code.widths)
        ops = sum(len(block) for block, _ in filled)
        weighted = zip(filled, pressures, strict=True)
        found["mean_pressure"] = sum(len(b) * p.written for (b, _), p in weighted) / ops
        peak = max(range(len(filled)), key=lambda i: pressures[i].latency)
        found["peak_ops"] = len(filled[peak][0])
        found["peak_loads"], found["peak_loaded"] = _loads(filled[peak][0], code.widths)
        loads = [_loads(block, code.widths) for block, _ in filled]
        found["most_loads"] = max(count for count, _ in loads)
        found["most_loaded"] = max(width for _, width in loads)
        found["ops"], found["largest_block"] = ops, max(len(block) for block, _ in filled)
    found["blocks"] = len(filled)


def _note_loops(
    found: dict[str, float], code: Code, pressures: list[BlockPressure], outs: list[int]
) -> None:
    """Loops as jumps back in the order of the text, and blocks that are a loop of their own."""
    for index, successors in enumerate(code.successors):
        for successor in successors:
            if successor > index:
                continue
            found["loops"] += 1
            found["loop_live"] = max(found["loop_live"], width_of(outs[index], code.widths))
            for inside in range(successor, index + 1):
                pressure = pressures[inside]
                found["loop_written"] = max(found["loop_written"], pressure.written)
                found["loop_latency"] = max(found["loop_latency"], pressure.latency)
        if index in successors and code.blocks[index]:
            block, pressure = code.blocks[index], pressures[index]
            if len(block) >= found["self_loop_ops"]:
                found["self_loop_ops"] = len(block)
                found["self_loop_written"] = pressure.written
                found["self_loop_latency"] = pressure.latency
                found["self_loop_loaded"] = _loads(block, code.widths)[1]


def _loads(block: list[Op], widths: list[int]) -> tuple[int, int]:
    """How many loads from memory a block has, and the registers they fill."""
    loads = [op for op in block if op.mnemonic == "ld" and op.modifiers[:1] != ("param",)]
    return len(loads), sum(widths[register] for op in loads for register in op.writes)


def _note_op(found: dict[str, float], op: Op) -> None:
    mnemonic, modifiers = op.mnemonic, op.modifiers
    if mnemonic == "ld":
        space = next((name for name in _SPACES if name in modifiers), "generic")
        found[f"load_{space}"] += 1
        found["wide_loads"] += len(op.writes) > 1
        return
    group = _GROUP_OF.get(mnemonic)
    if group is not None:
        found[group] += 1
    last = modifiers[-1] if modifiers else ""
    if last == "f64":
        found["double"] += 1
    elif last in ("f16", "f16x2", "bf16", "bf16x2"):
        found["half"] += 1
    elif last.endswith("64"):
        found["wide_integer"] += 1
    if group == "divide":
        found["divide_float"] += last in ("f32", "f64")
        found["divide_wide"] += last in ("s64", "u64", "f64")


def _plain_pressure(function: Function) -> int:
    """The highest pressure of a function that is called, as written."""
    code = read_code(function)
    outs = live_out(code)
    return max(
        (
            written_pressure(block, out, code.widths)[0]
            for block, out in zip(code.blocks, outs, strict=True)
            if block
        ),
        default=0,
    )
