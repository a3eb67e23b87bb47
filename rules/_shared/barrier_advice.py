"""What to do about a missing barrier, in words and as edits.

In: races that one finding tells of. Out: the fix. A place is named only where a run with a barrier
there has shown no race and no thread that misses it (`races/missing_barriers.py`), and where the
words mean that place: where the code must be changed to make one, they say how.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Applicability, Fix
from ...analyzer.ir.operations import AccessKind, Branch, Jump, Return
from ...analyzer.ir.tiles import TileAccess
from ...analyzer.source.records import dataclass
from ...analyzer.source.words import listed, plural
from .barrier_edits import Statements, barrier_edits
from .places import block_barrier, is_loop, line_name

if TYPE_CHECKING:
    from ...analyzer.analyses.races.missing_barriers import Placement
    from ...analyzer.analyses.races.race import Race
    from ...analyzer.analyses.races.race_groups import RaceGroup
    from ...analyzer.findings.finding import Edit
    from ...analyzer.ir.block import Block
    from ...analyzer.ir.operations import Operation

_TOLD = 2  # places of barriers that are spelt out
_READ_AND_WRITTEN = {AccessKind.LOAD, AccessKind.STORE}
#: What orders a reader of old values, and one of new ones, where blocks race as threads do.
_TO_READ_OLD, _TO_READ_NEW = "to read what was there before, ", "to read what is written here, "
_BETWEEN_BLOCKS = (
    f"{_TO_READ_OLD}write into a second array and exchange the two after each "
    f"launch; {_TO_READ_NEW}read it in a launch of its own: no barrier of the block "
    "orders blocks, which race, too"
)


@dataclass(frozen=True, slots=True)
class _Advice:
    """What orders the accesses as they come now, and what makes them come the other way round,
    where that may be meant.
    """

    title: str
    edits: tuple[Edit, ...] = ()
    turned: str = ""

    def fix(self, more: str = "") -> Fix:
        """Unsafe: that every thread reaches the barrier is known for the assumed launch only."""
        title = f"{self.title}{more}"
        if self.turned:
            title = f"{_TO_READ_OLD}{title}; {_TO_READ_NEW}{self.turned}"
        made = Applicability.UNSAFE if self.edits else Applicability.ADVICE
        return Fix(title, made, self.edits)


def barrier_fix(group: RaceGroup) -> Fix:
    """The fix for a race: where barriers of the block order the accesses, found by running it."""
    from ...analyzer.analyses.races.race_groups import crosses_blocks

    barrier = block_barrier(group.best.races.launch.facts.kernel)
    if not crosses_blocks(group):
        return _advice(group, barrier).fix()
    if {each.kind for each in group.best.conflict.accesses} == _READ_AND_WRITTEN:
        return Fix(_BETWEEN_BLOCKS)
    return Fix(f"{_advice(group, barrier).title}: it orders one block only, but blocks race, too")


def warp_barrier_fix(group: RaceGroup) -> Fix:
    """Where barriers of the warp order the accesses of two lanes; those of single elements may do
    without memory.
    """
    ptx = group.best.races.launch.facts.kernel.language == "ptx"
    barrier = "bar.warp.sync 0xffffffff" if ptx else "__syncwarp()"
    shuffle = "shfl.sync" if ptx else "__shfl_down_sync"
    of_tile = any(isinstance(each, TileAccess) for each in group.best.conflict.accesses)
    return _advice(group, barrier).fix("" if of_tile else f", or use `{shuffle}`")


def _advice(group: RaceGroup, barrier: str) -> _Advice:
    """What orders all races of a group, in words, and the edits where the text has a place."""
    from ...analyzer.analyses.races.missing_barriers import placements

    best = group.best
    if not (best.definite or best.races.launch.facts.options.doubted):
        return _Advice(_somewhere(barrier))  # nobody sees it: that is not worth further runs
    placed = placements(group)
    here = best.conflict.second.access.location.span.path
    last = placed[-1]
    if last.before is None:
        turned = _turned(barrier) if _may_be_turned(last) else ""
        return _Advice(_made_room(last, barrier, here), turned=turned)
    late = next((each for each in placed if each.is_after_head), None)
    if late is not None and late.before is not None:
        return _Advice(_after_head(late.before, barrier, here))
    found = [(each.race, each.before) for each in placed if each.before is not None]
    statements = Statements(best.races.launch.facts)
    edits = barrier_edits(statements, found, f"{barrier};")
    places = list(dict.fromkeys(_where(statements, race, before, here) for race, before in found))
    if len(places) > _TOLD:
        places[_TOLD:] = [f"in {plural(len(places) - _TOLD, 'more place')}"]
    return _Advice(f"insert `{barrier}` {listed(places)}", edits)


def _after_head(decision: Operation, barrier: str, here: str) -> str:
    """A condition that makes one of the two accesses: the barrier belongs behind it."""
    line = line_name(decision.location.span, here)
    if isinstance(decision, Jump):
        what, then = f"the start value of the loop on {line}", "begin the loop with it"
    else:
        what, then = f"the condition on {line}", "branch on it"
    return f"keep {what} in a variable, insert `{barrier}` after that, and only then {then}"


def _made_room(placed: Placement, barrier: str, here: str) -> str:
    """How to change code that has no place for a barrier between the two accesses."""
    decision = placed.splits
    if decision is None:
        return _somewhere(barrier)
    line = line_name(decision.location.span, here)
    if is_loop(decision):
        return (
            f"run the loop on {line} equally often in every thread, and insert `{barrier}` "
            "between the two accesses in its body"
        )
    ways = (decision.then, decision.otherwise) if isinstance(decision, Branch) else ()
    if any(map(_only_returns, ways)):
        return (
            f"let no thread return on {line}: make each of the two accesses under a condition of "
            f"its own, and insert `{barrier}` between them"
        )
    return (
        f"split the branch on {line}: end it after the first access, insert `{barrier}` where "
        "every thread reaches it, and make the second access in a branch of its own"
    )


def _may_be_turned(placed: Placement) -> bool:
    """Whether what is read before it is written may be meant to be what is written: by a thread
    that reads what others write again and again by itself, some more often than others, as in
    `for (j = 0; j < i; j++)`. Where all read all, nobody can wait for the others to write.
    """
    from ...analyzer.analyses.warp_evaluation.uniformity import Uniformity

    race, decision = placed.race, placed.splits
    first, second = race.candidate.accesses
    if decision is None or (first.kind, second.kind) != (AccessKind.LOAD, AccessKind.STORE):
        return False
    launch = race.races.launch
    inside = [
        loop
        for loop in launch.facts.flow.loop_nest(first.block)
        if is_loop(decision) or decision.block not in loop.blocks
    ]
    ends = (block for loop in inside for block in loop.exits)
    return any(launch.uniformity.of_branch(each) > Uniformity.BLOCK for each in ends)


def _turned(barrier: str) -> str:
    return (
        f"let every thread run a loop with `{barrier}` in it, in which each step reads only what "
        "earlier steps have written"
    )


def _only_returns(block: Block) -> bool:
    """Whether a way does nothing but to leave the kernel: `if (i >= n) return;`."""
    first = block.operations[0]
    if isinstance(first, Return):
        return not first.implicit
    return isinstance(first, Jump) and first.returns


def _somewhere(barrier: str) -> str:
    return f"insert `{barrier}` between the two accesses, where every thread reaches it"


def _where(statements: Statements, race: Race, before: Operation, here: str) -> str:
    """Where a barrier goes, in words."""
    first, second = race.candidate.accesses
    line = line_name(before.location.span, here)
    if before is second:
        start = first.location.span
        near = line_name(start, here) == line
        together = near or statements.is_one(first, second)
        if race.loop is None and together:
            return f"between the load and the store on {line}"
        return f"before {line}"
    if race.loop is not None:
        loop = line_name(race.loop.header.terminator.location.span, here)
        return f"at the end of the loop body (loop on {loop})"
    return f"before the branch or loop on {line}"
