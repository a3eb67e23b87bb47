"""What an editor says of the thing under the cursor, in Markdown, and in the margin, in a word.

In: the facts that `inspect` shows as tables. Out: short texts in its words. A name or a piece of
code is quoted, so that nothing in it is taken for Markdown.
"""

from __future__ import annotations

from operator import sub
from typing import TYPE_CHECKING

from ...analyses.memory_traffic.shared_accesses import SharedAccess
from ...ir.memory import Space
from ...resources.occupancy import Resource
from ...source.words import percent, plural
from ..resources.occupancy import headline
from ..text.access_map import lane_map, sector_map
from ..text.cells import printable_line
from ..text.palette import Palette

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...analyses.barriers.barrier_control import BarrierControl
    from ...analyses.facts import LaunchFacts
    from ...analyses.memory_traffic.access_table import CountedAccess, Side
    from ...analyses.memory_traffic.global_accesses import GlobalAccess, GlobalSample
    from ...analyses.memory_traffic.shared_accesses import Sample
    from ...analyses.storage.memory_spaces import VariableReport
    from ...analyses.warp_evaluation.uniformity import Uniformity
    from ...ir.usage import Usage
    from ..resources.occupancy import View

_PLAIN = Palette(False)
_REACHED = {
    True: "reached by all its threads or by none",
    False: "may be reached by a part of its threads only",
    None: "its threads do not wait for each other",
}
_MUCH = 2  # times the ideal sectors: less is not worth a word beside the code
_KILO = 1024
_TALL, _FIRST = 8, 4  # rows of a picture that is shown whole; else of its beginning


def quoted(text: str) -> str:
    """Text as code in the Markdown of a hover, on one line, whatever it holds."""
    line = " ".join(printable_line(text).split())
    marks = "`" * (1 + _longest_run(line))
    blank = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{marks}{blank}{line}{blank}{marks}"


def _longest_run(text: str) -> int:
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest


def variable_text(variable: VariableReport, level: Uniformity | None) -> str:
    """A hover on a variable: where it lives, how large it is, who sees it, who agrees on it."""
    size = "size unknown" if variable.bytes is None else plural(variable.bytes, "byte")
    lines = [
        f"{quoted(f'{variable.type} {variable.name}')}: **{variable.space}** memory"
        if variable.space != "register"
        else f"{quoted(f'{variable.type} {variable.name}')}: in a **register**",
        f"{size} per {variable.per}; scope: {variable.scope}; lifetime: {variable.lifetime}",
    ]
    if level is not None:
        lines.append(f"value: **{level}**")
    if variable.points_to:
        lines.append(f"points to: {quoted(' or '.join(map(str, variable.points_to)))}")
    if variable.why:
        lines.append(f"why: {printable_line(variable.why)}")
    return "  \n".join(lines)


def barrier_text(control: BarrierControl) -> str:
    """A hover on a barrier: who reaches it, and the conditions that decide."""
    barrier = control.barrier
    lines = [f"{quoted(barrier.name)}: {_REACHED[control.uniform]} ({control.level})"]
    for item in control.controls:
        taken = f" is {item.way}" if item.way else ""
        lines.append(f"line {item.span.line}: {quoted(item.condition)}{taken} ({item.level})")
    if not control.controls:
        lines.append("no condition decides about it")
    return "  \n".join(lines)


def kernel_text(launch: LaunchFacts, view: View) -> str:
    """A hover on a kernel: its resources and its occupancy."""
    assumed, name = launch.launch, quoted(launch.facts.kernel.label)
    title = f"**{name}**, block {printable_line(f'{assumed.block_text} ({assumed.origin})')}"
    return "  \n".join([title, headline(view), *map(printable_line, view.notes)])


def lens_text(view: View, usage: Usage) -> str:
    """The lens over a kernel: `≈32 regs · 1 KB · 50 % (registers)`; what is not known is
    left out.
    """
    return " · ".join(_lens(view, usage))


def _lens(view: View, usage: Usage) -> Iterator[str]:
    registers, it = usage.registers, view.occupancy
    if registers.value is not None:
        about = "≈" if registers.low is not None else ""
        yield f"{about}{registers.value} regs"
    shared = it.block.static_shared + it.block.dynamic_shared
    if shared:
        yield f"{shared / _KILO:.3g} KB" if shared >= _KILO else f"{shared} B"
    if it.blocks == 0:
        yield "cannot be launched"
        return
    most = "≤" if view.bound else "≈" if view.ends else ""
    names = ", ".join(each.value for each in Resource if each in it.limiters)
    yield f"{most}{percent(it.fraction)} ({names})"


def access_hint(row: CountedAccess) -> str:
    """The hint behind a costly access in an editor: `8-way` or `32 sectors`; else nothing."""
    if row.never or row.reason:
        return ""
    words = []
    if row.shared is not None and isinstance(row.shared.outcome, SharedAccess):
        conflict = row.shared.outcome.worst.conflict
        if conflict.wavefronts > conflict.ideal:
            words.append(f"{conflict.degree:.2g}-way")
    side = row.global_side
    if side is not None and not isinstance(side.outcome, SharedAccess):
        use = side.outcome.worst.use
        if use.ratio >= _MUCH:
            words.append(plural(use.sectors, "sector"))
    return ", ".join(words)


def access_text(row: CountedAccess) -> str:
    """A hover on a memory access: what it costs, and a picture of the worst warp."""
    access, launch = row.access, row.launch.launch
    found = row.launch.facts.points_to.object_of(access)
    width = "" if access.width is None else f", {plural(access.width, 'byte')} per lane"
    where = f" of {quoted(found.name)}" if found is not None and found.name else ""
    head = f"{access.kind.value}{where}, {row.space.value} memory{width}"
    if row.bounds is not None:
        unit = "wavefront" if row.bounds.space is Space.SHARED else "sector"
        cost = (
            f"{row.bounds.least} to {plural(row.bounds.most, unit)} per warp, decided by "
            f"{printable_line(row.bounds.decided_by)}; ideal {row.bounds.ideal}"
        )
        return f"{head}  \n{cost}"
    if row.never:
        return f"{head}  \nnever executed"
    if row.reason:
        return f"{head}  \nnot analysed: {printable_line(row.reason)}"
    lines = [head]
    for side in row.sides:
        lines += _side_lines(side, row)
    block = printable_line(f"{launch.block_text} ({launch.origin})")
    lines.append(f"block {block}")
    pictures = [_picture(side, row) for side in row.sides]
    return "  \n".join(lines) + "\n\n" + "\n\n".join(pictures)


def _side_lines(side: Side, row: CountedAccess) -> Iterator[str]:
    outcome = side.outcome
    if isinstance(outcome, SharedAccess):
        conflict = outcome.worst.conflict
        what = plural(conflict.wavefronts, "wavefront")
        what += f" for {_which(outcome.worst)}, ideal {conflict.ideal}"
        way = conflict.wavefronts > conflict.ideal
        yield f"**{conflict.degree:.2g}-way bank conflict**: {what}" if way else what
    else:
        use = outcome.worst.use
        what = f"{plural(use.sectors, 'sector')} for {_which(outcome.worst)}, ideal {use.ideal}"
        yield f"**{what}**" if use.ratio >= _MUCH else what
    share = _share(side, row)
    if share:
        yield share


def _which(worst: Sample | GlobalSample) -> str:
    """The warp of a picture, and when."""
    if worst.warp == worst.iteration == 0:
        return "a warp"
    when = f" in iteration {worst.iteration}" if worst.iteration else ""
    return f"warp {worst.warp}{when}"


def _share(side: Side, row: CountedAccess) -> str:
    """The totals of the launch, where they were counted."""
    if side.totals is None:
        return ""
    unit = "wavefronts" if isinstance(side.outcome, SharedAccess) else "sectors"
    warps = plural(side.totals.warps, "warp")
    return f"{side.totals.units:,} {unit} over {warps} of the launch, ideal {side.totals.ideal:,}"


def _picture(side: Side, row: CountedAccess) -> str:
    """The lanes of the worst warp; rows in the middle are left out where all steps are equal."""
    outcome: SharedAccess | GlobalAccess = side.outcome
    offsets = outcome.worst.offsets
    if isinstance(outcome, SharedAccess):
        layout = row.launch.facts.architecture.shared_memory
        width, (_, head, *rows) = 4, lane_map(outcome, layout, _PLAIN)
        rows, marks = rows[: len(offsets)], rows[len(offsets) :]
    else:
        width, (_, head, *rows) = 6, sector_map(outcome, _PLAIN)
        marks = []
    if len(rows) > _TALL and _is_even(offsets):
        rows = [*rows[:_FIRST], f"{'…':>{width}}", rows[-1]]
    return "\n".join(["```text", head, *rows, *marks, "```"])


def _is_even(offsets: Sequence[int | None]) -> bool:
    """Whether every lane accesses memory, each as far behind the one before."""
    known = [each for each in offsets if each is not None]
    return len(known) == len(offsets) and len(set(map(sub, known[1:], known))) == 1
