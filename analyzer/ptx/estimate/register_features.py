"""What the register estimator looks at: numbers of one entry that ptxas's choice depends on.

In: an entry of a parsed module, and the functions it may call. Out: one tuple of numbers in the
order of `FEATURES`. The first is `base`, a first estimate by rules that were read off compiled
kernels: the highest pressure and what comes on top of it, the subroutines that divisions and roots
call, what lives across a call, and loads that are hoisted as long as registers cost no occupancy.
Others are distances of single pressures from it, or count what the code is made of. The model that
corrects the base stands in resources/register_model.py; a change of this list needs a new model
(`bench/registers.py`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING

from ...resources.register_cap import cap_of, free_registers
from ...source.collection import collection_paused
from ...source.records import dataclass
from ..syntax.entry import bounds_of
from .exact_resources import local_bytes
from .opcode_kinds import GROUPS, POINTS, SUBROUTINES
from .operations import ARM, KEPT
from .register_code import read_code
from .register_pressure import (
    ROUNDS,
    Schedule,
    highest_pressure,
    is_step,
    live_sets,
    members,
    unrolled,
    width_of,
)
from .scheduled_blocks import joined_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...source.text import SourceText
    from ..syntax.tree import Function
    from .operations import Code, Op

# What ptxas takes beyond live values, in registers; the medians of compiled kernels.
_BESIDES = 8
_SCHEDULED, _UNROLLED = 6, 5  # loads are hoisted, and loops unrolled, up to
_MOST_UNROLLED = 64  # registers: a loop that needs more is unrolled fewer times
_TO_SPARE = 2  # of the registers at which all threads are resident
_CALL, _CALL_LEAST = 22, 24
#: What a subroutine needs beyond what lives across it.
_BEYOND = {"float": 14, "double": 23, "wide": 20, "call": _CALL}
_FAR = 40  # a distance from the base from which on it does not matter how far
_MOST_SCHEDULED, _LONGEST_LOOP = 12, 120

#: How loops of one block end (`_test_of`).
_TESTS = ("counted", "limited", "open", "branching")

#: Pressures that are given as their distance from the base.
DISTANCES = (
    "subroutine", "low", "full", "uniform", "latency", "unrolled",
    "counted_unrolled", "limited_unrolled", "open_unrolled", "branching_unrolled",
    "held_operands", "filled",
    *(f"{test}_filled" for test in _TESTS), "counted_operands", "limited_operands", "open_operands",
    "branching_operands", "hoisted", "held", "held_width",
    "addresses", "run", "peak_start", "peak_end", "loop_live", *(f"at_{name}" for name in POINTS),
)  # fmt: skip
_UNROLLED_TESTS = ("counted", "limited")
_OF_LOOPS = tuple(f"{test}_{what}" for test in _TESTS for what in ("loops", "ops", "loads"))
_COUNTS = (
    "ops", "blocks", "largest_block", "peak_ops", "peak_accesses", "through", "loops", "self_loops",
    "kept_loops", "loop_ops", "loop_loads", *_OF_LOOPS, "inner_ops", "inner_blocks", "inner_loads",
    "most_loads", "most_stores", "most_width", "most_addresses", "double_ops", "half",
    "wide_integer", "wide_loads", "volatile", "shared", *GROUPS, *SUBROUTINES, "callee_written",
    "parameters", "threads", "min_blocks", "free", "cap", "local_bytes",
)  # fmt: skip
FEATURES: tuple[str, ...] = ("base", *DISTANCES, *_COUNTS)

Row = tuple[float, ...]


def entry_numbers(
    source: SourceText, functions: Mapping[str, Function], entry: Function
) -> dict[str, float]:
    """What decides the registers of a PTX entry, among the functions of its module, on any
    architecture.
    """
    bounds = bounds_of(entry, source)
    found: dict[str, float] = dict.fromkeys(FEATURES, 0)
    found["threads"], found["min_blocks"] = bounds.max_threads or 0, bounds.min_blocks or 0
    found["max_registers"] = bounds.max_registers or 0
    found["local_bytes"] = local_bytes(entry)
    found["parameters"] = len(entry.header.parameters or ())
    with collection_paused():
        _note_function(found, functions, entry)
    return found


def features_for(numbers: Mapping[str, float], threads: int) -> Row:
    """The features of an entry, where `threads` fit at once: 32 or 40 registers for each of all."""
    found = dict(numbers)
    found["cap"] = cap = cap_for(numbers, threads)
    free = free_registers(found["threads"], threads)
    if found["min_blocks"]:  # the kernel asks for no more threads than that
        free = max(free, cap)
    found["free"] = free
    _settle(found, free)
    return tuple([found[name] for name in FEATURES])


def cap_for(numbers: Mapping[str, float], threads: int) -> int:
    """The most registers that an entry's bounds leave a thread, where `threads` fit at once."""
    return cap_of(numbers["threads"], numbers["min_blocks"], numbers["max_registers"], threads)


def _note_function(
    found: dict[str, float], functions: Mapping[str, Function], entry: Function
) -> None:
    code = read_code(entry)
    callees = [functions[name] for name in dict.fromkeys(code.calls) if name in functions]
    found["callee_written"] = max((highest_pressure(read_code(one)) for one in callees), default=0)
    note_code(found, code)


def note_code(found: dict[str, float], code: Code) -> None:
    """Note all features that an entry's code has; `found` has what the header says."""
    code = joined_blocks(code)
    ins, outs = live_sets(code)
    blocks = [
        _numbers(block, code, out) if block else _Numbers()
        for block, out in zip(code.blocks, outs, strict=True)
    ]
    _note_blocks(found, code, blocks)
    _note_schedules(found, code, blocks, outs)
    _note_loops(found, code, outs)
    if blocks:
        peak = max(range(len(blocks)), key=lambda index: blocks[index].most)
        found["peak_ops"] = len(code.blocks[peak])
        found["peak_accesses"] = blocks[peak].accesses
        found["peak_start"] = width_of(ins[peak], code.widths)
        found["peak_end"] = width_of(outs[peak], code.widths)
        used = {r for op in code.blocks[peak] for r in (*op.reads, *op.writes)}
        through = [code.widths[r] for r in members(outs[peak]) if r not in used]
        found["through"] = sum(through)


def _settle(found: dict[str, float], free: int) -> None:
    """The base, and the distances from it; up to `free` registers cost no occupancy."""
    low = min(found["low"], found["latency"] or found["low"])
    unrolled = min(found["unrolled"] + _UNROLLED, _MOST_UNROLLED)
    hoisted = max(found["latency"] + _SCHEDULED, unrolled)
    hoisted = min(hoisted, free - _TO_SPARE)
    found["base"] = base = min(max(low + _BESIDES, found["subroutine"], hoisted), found["cap"])
    found["low"] = low + _BESIDES
    room = min(free, found["cap"])
    found["filled"] = min(found["held_operands"] + _BESIDES, room)
    for test in _TESTS:
        most = max(found[f"{test}_operands"], found[f"{test}_unrolled"])
        found[f"{test}_filled"] = min(most + _BESIDES, room) if most else 0
    for name in ("held_width", "addresses", "run"):
        found[name] += low
    for name in DISTANCES:
        found[name] = max(min(found[name] - base, _FAR), -_FAR)


# ---- blocks --------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Numbers:
    """What one block has: pressures in the order as written, and the memory it touches."""

    most: int = 0
    uniform: int = 0
    full: int = 0
    operands: int = 0  # where nothing that an access has taken is given up before the end
    taken: int = 0  # the width of those
    start: int = 0
    hoisted: int = 0
    loads: int = 0
    width: int = 0  # of what is loaded
    run: int = 0  # the widest loads before one of them is used
    stores: int = 0
    addresses: int = 0
    accesses: int = 0
    at: dict[str, int] = field(default_factory=dict)


def _numbers(block: list[Op], code: Code, out: int) -> _Numbers:
    """Go through a block from its end, with what lives."""
    widths, uniform, full = code.widths, code.uniform, code.declared
    live = set(members(out))
    now = sum([widths[register] for register in live])
    now_uniform = sum([uniform[register] for register in live])
    now_full = sum([full[register] for register in live])
    taken = _taken(block)
    lost = sum([widths[register] for register in taken if register not in live])
    most_lost = now + lost
    numbers = _Numbers(now, now_uniform, now_full)
    numbers.taken = lost
    most, most_uniform, most_full, waiting = now, now_uniform, now_full, 0
    at = numbers.at
    for op in reversed(block):
        for register in op.writes:
            if register in live:
                live.remove(register)
                now -= widths[register]
                now_uniform -= uniform[register]
                now_full -= full[register]
            elif now + widths[register] > most:
                most = now + widths[register]
        kind = op.kind
        if kind.point is not None and now > at.get(kind.point, -1):
            at[kind.point] = now
        if kind.waits:
            waiting += sum([widths[register] for register in op.writes])
        elif kind.ends_wait:
            numbers.hoisted = max(numbers.hoisted, now + waiting)
            waiting = 0
        for register in op.reads:
            if register not in live:
                live.add(register)
                now += widths[register]
                now_uniform += uniform[register]
                now_full += full[register]
                if register in taken:
                    taken.remove(register)
                    lost -= widths[register]
        if now + lost > most_lost:
            most_lost = now + lost
        if now > most:
            most = now
        if now_uniform > most_uniform:
            most_uniform = now_uniform
        if now_full > most_full:
            most_full = now_full
    numbers.most, numbers.uniform, numbers.full = most, most_uniform, most_full
    numbers.operands = most_lost
    numbers.start = now
    numbers.hoisted = max(numbers.hoisted, now + waiting)
    _note_accesses(numbers, block, code)
    return numbers


def _taken(block: list[Op]) -> set[int]:
    """The registers that a block computes for its accesses to take."""
    written: set[int] = set()
    taken: set[int] = set()
    for op in block:
        if op.kind.access:
            taken.update([register for register in op.reads if register in written])
        written.update(op.writes)
    return taken


def _note_accesses(numbers: _Numbers, block: list[Op], code: Code) -> None:
    defined: set[int] = set()
    addresses: set[int] = set()
    pending: set[int] = set()
    run = 0
    for op in block:
        kind = op.kind
        if kind.access:
            numbers.accesses += 1
            addresses.update([r for r in op.reads if code.declared[r] == 2 and r in defined])
            if kind.mnemonic == "st":
                numbers.stores += 1
            elif kind.load:
                numbers.loads += 1
                width = sum([code.widths[register] for register in op.writes])
                numbers.width += width
                pending.update(op.writes)
                run += width
                numbers.run = max(numbers.run, run)
        elif pending and not pending.isdisjoint(op.reads):
            pending, run = set(), 0
        defined.update(op.writes)
    numbers.addresses = len(addresses)


def _note_blocks(found: dict[str, float], code: Code, blocks: Sequence[_Numbers]) -> None:
    filled = [numbers for numbers, block in zip(blocks, code.blocks, strict=True) if block]
    for name, own in (
        ("low", "most"), ("uniform", "uniform"), ("full", "full"), ("hoisted", "hoisted"),
        ("held_operands", "operands"),
        ("held_width", "width"), ("most_width", "width"), ("run", "run"),
        ("addresses", "addresses"), ("most_addresses", "addresses"), ("most_loads", "loads"),
        ("most_stores", "stores"),
    ):  # fmt: skip
        found[name] = max([getattr(numbers, own) for numbers in filled], default=0)
    for name in POINTS:
        found[f"at_{name}"] = max([numbers.at.get(name, -1) for numbers in filled], default=-1)
    found["subroutine"] = 0
    for name, besides in _BEYOND.items():
        live = max([numbers.at.get(name, -1) for numbers in filled], default=-1)
        if live >= 0:
            least = _CALL_LEAST if name == "call" else 0
            found["subroutine"] = max(found["subroutine"], live + besides, least)
    found["blocks"] = len(filled)
    found["largest_block"] = max([len(block) for block in code.blocks], default=0)
    kinds = Counter([op.kind for block in code.blocks for op in block])
    found["ops"] = sum(kinds.values())
    for kind, count in kinds.items():
        for name in kind.counted:
            found[name] += count
    found["wide_loads"] = sum(
        [op.kind.load and len(op.writes) > 1 for block in code.blocks for op in block]
    )


# ---- schedules and loops -------------------------------------------------------------------------


def _note_schedules(
    found: dict[str, float], code: Code, blocks: Sequence[_Numbers], outs: Sequence[int]
) -> None:
    """The pressure of schedules, of the blocks that may be the worst.

    No schedule of a block holds more than what lives at its start and all that it writes.
    """
    widths = code.widths
    ceilings: list[tuple[int, int]] = []
    for index, block in enumerate(code.blocks):
        if block:
            ceiling = blocks[index].start
            for op in block:
                for register in op.writes:
                    ceiling += widths[register]
            ceilings.append((ceiling, index))
    ceilings.sort(reverse=True)
    for ceiling, index in ceilings[:_MOST_SCHEDULED]:
        if ceiling <= found["latency"]:
            break
        schedule = Schedule(code.blocks[index], outs[index], widths, blocks[index].start)
        found["latency"] = max(found["latency"], schedule.most)
        found["held"] = max(found["held"], schedule.held)
    for ceiling, index in ceilings:
        block, start = code.blocks[index], blocks[index].start
        if index not in code.successors[index]:
            continue
        found["self_loops"] += 1
        points = blocks[index].at
        if len(block) > _LONGEST_LOOP or "call" in points or "barrier" in points:
            continue
        if KEPT in block:
            found["kept_loops"] += 1
            continue
        test = _test_of(block)
        found[f"{test}_loops"] += 1
        operands = blocks[index].operands + (ROUNDS - 1) * blocks[index].taken
        found[f"{test}_operands"] = max(found[f"{test}_operands"], operands)
        if start + ROUNDS * (ceiling - start) <= found[f"{test}_unrolled"]:
            continue
        most = Schedule(unrolled(block), outs[index], widths, start).most
        if most > found[f"{test}_unrolled"]:
            found[f"{test}_unrolled"] = most
            found[f"{test}_ops"], found[f"{test}_loads"] = len(block), blocks[index].loads
            if test in _UNROLLED_TESTS and most > found["unrolled"]:
                found["unrolled"] = most
                found["loop_ops"], found["loop_loads"] = len(block), blocks[index].loads


def _test_of(block: list[Op]) -> str:
    """How a loop of one block ends: a counter that reaches a number, passes a limit, or else.

    A loop that had branches is not unrolled either way.
    """
    if ARM in block:
        return "branching"
    steps = {op.writes[0] for op in block if is_step(op)}
    test = next((op for op in reversed(block) if op.kind.mnemonic == "setp"), None)
    if test is None or steps.isdisjoint(test.reads):
        return "open"
    exact = "ne" in test.kind.modifiers or "eq" in test.kind.modifiers
    return "counted" if exact and len(test.reads) == 1 else "limited"


def _note_loops(found: dict[str, float], code: Code, outs: Sequence[int]) -> None:
    """Loops as jumps back in the order of the text, and the smallest of them."""
    smallest = None
    for index, successors in enumerate(code.successors):
        for successor in successors:
            if successor > index:
                continue
            found["loops"] += 1
            found["loop_live"] = max(found["loop_live"], width_of(outs[index], code.widths))
            inside = code.blocks[successor : index + 1]
            size = sum(map(len, inside))
            if smallest is None or size < smallest:
                smallest = size
                found["inner_ops"], found["inner_blocks"] = size, len(inside)
                found["inner_loads"] = sum([op.kind.load for b in inside for op in b])
