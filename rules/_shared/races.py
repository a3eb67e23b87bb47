"""What findings about two threads have in common: their names, the place they meet, the witness.

In: a race. Out: the pieces of a finding. Threads are given as (x, y, z), places as elements of the
array where its extents are known, as bytes otherwise.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import (
    assumed_block,
    chosen_arguments,
    example_numbers,
    several_blocks,
)
from ...analyzer.findings.doubts import stated
from ...analyzer.findings.finding import (
    Assumption,
    Fact,
    Finding,
    Fix,
    Part,
    Related,
)
from ...analyzer.findings.verifying import sanitizer
from ...analyzer.findings.witness import Step, ThreadFlow
from ...analyzer.ir.memory import Space
from ...analyzer.ir.operations import AccessKind
from ...analyzer.ir.tiles import TileAccess
from ...analyzer.ir.types import Kind
from ...analyzer.source.words import listed, plural
from .barrier_advice import barrier_fix
from .places import call_sites, cuda_line, object_name, triple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...analyzer.analyses.block_execution.access_events import ThreadAccess
    from ...analyzer.analyses.races.race import Race
    from ...analyzer.analyses.races.race_groups import RaceGroup
    from ...analyzer.findings.rule import Rule
    from ...analyzer.ir.kernel import Dimensions
    from ...analyzer.ir.memory import MemoryObject
    from ...analyzer.ir.operations import MemoryAccess
    from ...analyzer.ir.values import Value

_NAMED = 3  # data, and conditions on data
_PLACE = re.compile(r"[\w.>*-]+(?:\[[^\[\]]*\])*")
_NOTHING_THERE = -1  # as programs store it: what is less is an example of a sign
_LONGEST = 40  # characters of a name or a condition that is shown as it is written
_RACECHECK = sanitizer("racecheck")  # looks at shared memory alone
_VERBS = {
    AccessKind.LOAD: "reads",
    AccessKind.STORE: "writes",
    AccessKind.ATOMIC: "updates",
    AccessKind.REDUCTION: "updates",
    AccessKind.ASYNC_COPY: "copies into",
    AccessKind.MATRIX_LOAD: "reads",
    AccessKind.TILE_LOAD: "reads",
    AccessKind.TILE_STORE: "writes",
}


def thread_name(race: Race, touch: ThreadAccess) -> str:
    """`thread (0, 0, 0)`, with its block where it is not the same for both threads; which lane has
    an element of a tile is not specified.
    """
    name = f"thread {triple(thread_index(race, touch))}"
    name = f"a lane of the warp of {name}" if isinstance(touch.access, TileAccess) else name
    if touch.block is None:
        return name
    return f"{name} of block {triple(touch.block)}"


def thread_index(race: Race, touch: ThreadAccess) -> Dimensions:
    """threadIdx of a thread of a race."""
    return thread_at(race.races.launch.launch.block, touch.thread)


def thread_at(block: Dimensions, number: int) -> Dimensions:
    """threadIdx of a thread in a finding, from its number in the block."""
    x, y, _ = block
    return number % x, number // x % y, number // (x * y)


def verb(access: MemoryAccess) -> str:
    """The word of a finding for what a thread of a race does at an access."""
    return _VERBS.get(access.kind, "touches")


def place_name(race: Race) -> str:
    """`tile[3][0]`, or `tile at byte 40` where extents are not known; `one element of tile` where
    the index is data, for which any number would do, or made of what has no name, such as the size
    of a type that is not known.
    """
    conflict = race.conflict
    if _is_placed_by_example(race):
        return f"one element of {object_name(conflict.item)}"
    widths = {touch.access.width for touch in (conflict.first, conflict.second)}
    return element_name(conflict.item, conflict.offset, widths.pop() if len(widths) == 1 else None)


def _is_placed_by_example(race: Race) -> bool:
    """Whether data that was given an example value, or a number without a name, has a part in where
    the two accesses go; the size of a type that is not known has, in an array of bytes.
    """
    from ...analyzer.analyses.dataflow.slices import (
        backward_slice,  # rules import this module to be listed
    )
    from ...analyzer.ir.values import Unknown

    data = {load for load, _ in race.data}
    parts = set(backward_slice(*(access.address for access in race.conflict.accesses)))
    if not data.isdisjoint(parts) or any(isinstance(each, Unknown) for each in parts):
        return True
    of_bytes = race.conflict.item.element.kind is not Kind.UNKNOWN
    return of_bytes and any(each.element.kind is Kind.UNKNOWN for each in race.conflict.accesses)


def element_name(item: MemoryObject, offset: int, width: int | None = None) -> str:
    """The element of an array that begins at a byte; of what a pointer in memory or in a struct
    leads to, elements are what all accesses are as wide as.
    """
    name, size = object_name(item), item.element.width or width
    single = item.size is not None and item.size == size
    if single and width in (None, size):
        return name  # a single variable
    if single or not size or offset % size:
        return f"{name} at byte {offset}" if offset else f"the start of {name}"
    index = offset // size
    subscripts: list[int] = []
    for extent in reversed(item.extents[1:]):
        if not extent:
            return f"{name} at byte {offset}"
        subscripts.append(index % extent)
        index //= extent
    subscripts.append(index)
    return name + "".join(f"[{number}]" for number in reversed(subscripts))


def when(race: Race) -> str:
    """The example values, as a clause."""
    given = [f"{name} = {value}" for name, value in _given(race.decisive)]
    given += [said_data(name, value) for name, value in _data(race) if " " not in name]
    given = list(dict.fromkeys(given))
    return f" when {', '.join(given[:_NAMED])}" if given else ""


def _given(numbers: Sequence[tuple[Value, int]]) -> Iterator[tuple[str, int]]:
    from ...analyzer.analyses.warp_evaluation.symbol_names import (
        symbol_name,  # rules import this module to be listed
    )

    for value, number in numbers:
        if name := symbol_name(value):
            yield name, number


def _data(race: Race) -> Iterator[tuple[str, int]]:
    """What was taken for data, as the source names it: `next`, `queue[5]`."""
    points_to = race.races.launch.facts.points_to
    for load, number in race.data[:_NAMED]:
        item, span = points_to.object_of(load), load.location.span
        if item is not None and item.size is not None and item.size == load.width:
            yield object_name(item), number
        elif _PLACE.fullmatch(span.text) and _is_short(span.text):
            yield span.text, number
        else:
            yield f"data of line {span.line}", number


def said_data(name: str, number: int) -> str:
    """`next = 4096`; `next < 0`, where no more than that was meant."""
    return f"{name} = {number}" if number >= _NOTHING_THERE else f"{name} < 0"


def _example_data(race: Race) -> Iterator[Assumption]:
    """What was taken for data, each once, negative numbers by their sign alone."""
    for name, number in dict.fromkeys(_data(race)):
        text = "" if number >= _NOTHING_THERE else f"{said_data(name, number)} (example value)"
        yield Assumption(name, number, "example value", text)


def _decided(race: Race) -> Iterator[Assumption]:
    """The conditions on data that were taken to hold, or not to."""
    for branch, holds in race.decided[:_NAMED]:
        text = branch.location.span.text
        if _is_short(text):
            word = "true" if holds else "false"
            yield Assumption("condition", text, f"taken for {word}", f"`{text}` is {word}")


def _presumed(race: Race) -> Iterator[Assumption]:
    """The conditions on what a thread has loaded that are taken to let the two come."""
    for branch, holds, threads in race.presumed[:_NAMED]:
        span = branch.location.span
        text = f"`{span.text}`" if _is_short(span.text) else f"the condition on line {span.line}"
        who = "both threads" if len(threads) > 1 else thread_name(race, threads[0])
        word = f"{'true' if holds else 'false'} for {who}"
        yield Assumption("condition", span.text, f"taken for {word}", f"{text} is {word}")


def _is_short(text: str) -> bool:
    return "\n" not in text and len(text) <= _LONGEST


def flows(race: Race) -> tuple[ThreadFlow, ...]:
    """The witness of a race: its two threads and what each does."""
    return tuple(_flow(race, touch) for touch in (race.conflict.first, race.conflict.second))


def _flow(race: Race, touch: ThreadAccess) -> ThreadFlow:
    width = touch.access.width
    bytes_of_it = f" ({plural(width, 'byte')})" if width else ""
    what = f"{verb(touch.access)} {place_name(race)}{bytes_of_it}"
    if race.loop is not None:
        what += f" in iteration {_round(race, touch)} of the loop"
    return ThreadFlow(thread_name(race, touch), (Step(touch.access.location.span, what),))


def _round(race: Race, touch: ThreadAccess) -> int:
    assert race.loop is not None
    nest = race.races.program.flow.loop_nest(touch.access.block)
    return touch.event.iterations[len(nest) - 1 - nest.index(race.loop)]


def evidence(group: RaceGroup) -> Iterator[Fact]:
    """The evidence of a race: the witness as data, and what else lies at this place."""
    race, conflict = group.best, group.best.conflict
    yield Fact("object", conflict.item.name)
    yield Fact("offset", conflict.offset)
    yield Fact("threads", [list(thread_index(race, t)) for t in (conflict.first, conflict.second)])
    if conflict.first.block is not None and conflict.second.block is not None:
        yield Fact("blocks", [list(conflict.first.block), list(conflict.second.block)])
    yield Fact("accesses", [t.access.kind.value for t in (conflict.first, conflict.second)])
    lines: list[int] = [
        touch.access.location.span.line for touch in (conflict.first, conflict.second)
    ]
    yield Fact("lines", list(lines))
    if race.loop is not None:
        rounds = [_round(race, touch) for touch in (conflict.first, conflict.second)]
        text = f"the accesses are in iterations {rounds[0]} and {rounds[1]} of the loop"
        yield Fact("rounds", list(rounds), text)
    if conflict.same_warp:
        yield Fact("same_warp", True, "these two threads are lanes of the same warp")
    if group.alike:
        names = list(dict.fromkeys(object_name(each.conflict.item) for each in group.alike))
        yield Fact("alike", list(names), f"the same race exists on {listed(names)}")
    if group.others:
        conflicts = "conflicts" if group.others == 1 else "conflict"
        pairs = plural(group.others, "more pair")
        yield Fact("more", group.others, f"{pairs} of accesses {conflicts} here")
    yield from cuda_line(conflict.second.access.location)


def assumptions(race: Race) -> tuple[Assumption, ...]:
    """The assumptions of a race: the launch, and numbers taken for what it does not say."""
    launch = race.races.launch.launch
    given = (
        *example_numbers(_given(race.assumed)),
        *_example_data(race),
        *_decided(race),
        *_presumed(race),
    )
    block = (assumed_block(launch), *chosen_arguments(race.races.launch.facts.kernel.chosen))
    if race.conflict.first.block is None:
        return (*block, *given)
    return (*block, _grid(race), *given)


def _grid(race: Race) -> Assumption:
    """The grid, or that it has more than one block where the launch does not say."""
    launch = race.races.launch.launch
    if None in launch.grid:
        return several_blocks()
    origin = "--grid" if race.races.launch.facts.options.grid else launch.origin
    return Assumption("grid", [size or 1 for size in launch.grid], origin)


def related(race: Race) -> tuple[Related, ...]:
    """The related places of a race: the other access, the declaration, and the inlined calls."""
    first, second = race.conflict.first, race.conflict.second
    found = [Related(first.access.location.span, f"{thread_name(race, first)} {_does(first)} here")]
    item = race.conflict.item
    if item.span is not None and item.space is Space.SHARED:
        found.append(Related(item.span, f"{item.name} is declared here"))
    for touch in (first, second):
        found += call_sites(touch.access.location)
    return tuple(dict.fromkeys(found))


def _also(group: RaceGroup) -> Iterator[Related]:
    """The other places of a stretch of code, each line once."""
    seen = {group.best.conflict.second.access.location.span.line}
    for access in group.also:
        span = access.location.span
        if span.line not in seen:
            seen.add(span.line)
            yield Related(span, "and here")


def _alike(group: RaceGroup) -> Iterator[Related]:
    """Where the same happens to other arrays: the calls that the code came through for them, or
    the later accesses.
    """
    own = {site.span for site in group.best.conflict.second.access.location.call_chain()}
    for race in group.alike:
        chain = race.conflict.second.access.location.call_chain()
        site = next((site for site in chain if site.span not in own), None)
        name = object_name(race.conflict.item)
        if site is not None:
            yield Related(site.span, f"inlined from this call for {name}")
        elif not own:
            yield Related(race.conflict.second.access.location.span, f"likewise for {name}")


def _does(touch: ThreadAccess) -> str:
    return f"{verb(touch.access)} it"


def missing_barrier(rule: Rule, group: RaceGroup) -> Finding:
    """The finding that a barrier of the block is missing, and where it must stand."""
    race = group.best
    first, second = race.conflict.first, race.conflict.second
    one = f"{thread_name(race, first)} {verb(first.access)} {place_name(race)}"
    other = f"{thread_name(race, second)} {verb(second.access)} it"
    message = f"{one} and {other}{when(race)}: no barrier {_missing_from(race)}"
    label = f"{thread_name(race, second)} {verb(second.access)} it here"
    fixes = () if race.benign else (barrier_fix(group),)
    return race_finding(rule, group, message, label, fixes)


def _missing_from(race: Race) -> str:
    """Where a barrier is missing: one in front of the wait for a copy does not order the copy."""
    if race.loop is not None:
        return "between the iterations"
    copied = race.conflict.first.access.kind is AccessKind.ASYNC_COPY
    return "after the wait for the copy" if copied else "between them"


def race_finding(
    rule: Rule, group: RaceGroup, message: str, label: str, fixes: tuple[Fix, ...]
) -> Finding:
    """The finding at the later of the two accesses, with all that is known of the race."""
    race = group.best
    kernel = race.races.launch.facts.kernel
    return Finding(
        rule,
        race.conflict.second.access.location.span,
        (Part(message),),
        kernel.label,
        rule.severity,
        doubts=stated(race.doubts, race.races.launch.facts.module.unseen),
        label=label,
        evidence=tuple(evidence(group)),
        assumptions=assumptions(race),
        related=tuple(dict.fromkeys((*related(race), *_alike(group), *_also(group)))),
        flows=flows(race),
        fixes=fixes,
        verify=_RACECHECK if race.conflict.item.space is Space.SHARED else "",
        array=race.conflict.item.name,
    )
