"""The budget of kernels: entries from what was found, and a diff that a person can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...hardware.architectures import architecture
from ...resources.budget import Entry
from ...source.words import plural
from ..text.cells import printable_line
from ..text.palette import Palette, Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...resources.budget import Change
    from ..formats.json_report import Record
    from .occupancy import View
    from .usage import ResourceView


def budget_entry(view: ResourceView) -> Entry:
    """The entry of a kernel in a budget."""
    usage = view.row.usage
    stores, loads = usage.spill_stores.value, usage.spill_loads.value
    source = usage.registers.source
    return Entry(
        kernel=view.row.symbol or view.row.name,
        arch=view.row.arch,
        measured=source is not None and source.measured,
        registers=usage.registers.value,
        spills=None if stores is None or loads is None else stores + loads,
        static_shared=usage.static_shared.value,
        warps={_launch(x): x.occupancy.warps for x in view.launches if not x.bound},
    )


def _launch(view: View) -> str:
    block = view.occupancy.block
    return f"{block.threads} threads, {block.dynamic_shared} bytes dynamic"


def change_lines(changes: Sequence[Change], palette: Palette) -> Iterator[str]:
    """The differences between two budgets, regressions marked, and a verdict."""
    for change in changes:
        where = printable_line(f"{change.kernel} ({architecture(change.arch).name})")
        if change.before is None or change.after is None:
            yield f"  {where}: {change.what}"
            continue
        step = f"{change.before} → {change.after} ({change.after - change.before:+d})"
        mark = palette.paint("worse ", Role.ERROR) if change.regression else "better"
        yield f"{mark} {where}: {change.what} {step}"
    worse = sum(change.regression for change in changes)
    verdict = plural(worse, "regression") if worse else "no regressions"
    yield f"budget: {verdict}, {plural(len(changes), 'difference')}"


def change_record(change: Change) -> Record:
    """One difference between two budgets, as a record."""
    return {
        "kernel": change.kernel,
        "arch": change.arch,
        "what": change.what,
        "before": change.before,
        "after": change.after,
        "regression": change.regression,
    }
