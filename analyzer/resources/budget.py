"""The budget gate: what kernels took when it was last agreed on, and what got worse since.

In: the numbers of kernels as `Entry` values, before and now. Out: every difference, and whether it
is a regression: more registers, more spilled bytes, more shared memory, or fewer resident warps. A
number is compared only with one of the same standing: an estimate never fails a measured budget.
Kernels that came or went are differences, not regressions.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

VERSION = 1

#: What is compared: name, unit, and whether more is worse.
_COMPARED = (
    ("registers", "registers", True),
    ("spills", "bytes spilled", True),
    ("static_shared", "bytes of static shared memory", True),
)


class BudgetError(ValueError):
    """A file that is no budget of kernels' resources."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One kernel on one architecture; `occupancy` in warps, by launch; `measured` by a compiler."""

    kernel: str
    arch: int
    measured: bool
    registers: int | None = None
    spills: int | None = None  # bytes stored and loaded
    static_shared: int | None = None
    warps: Mapping[str, int] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int]:
        """What makes two entries the same kernel."""
        return self.kernel, self.arch


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two budgets of kernels' resources."""

    kernel: str
    arch: int
    what: str
    before: int | None
    after: int | None
    regression: bool


def changes(before: Iterable[Entry], after: Iterable[Entry]) -> list[Change]:
    """Every difference between two budgets, in the order of the kernels now."""
    known = {entry.key: entry for entry in before}
    found: list[Change] = []
    for entry in after:
        old = known.pop(entry.key, None)
        if old is None:
            found.append(Change(entry.kernel, entry.arch, "new kernel", None, None, False))
        else:
            found += _of_kernel(old, entry)
    found += [Change(e.kernel, e.arch, "kernel removed", None, None, False) for e in known.values()]
    return found


def _of_kernel(old: Entry, new: Entry) -> Iterator[Change]:
    if old.measured == new.measured:
        for name, unit, more_is_worse in _COMPARED:
            before, after = getattr(old, name), getattr(new, name)
            if before is not None and after is not None and before != after:
                worse = (after > before) == more_is_worse
                yield Change(new.kernel, new.arch, unit, before, after, worse)
        for launch, after in new.warps.items():
            before = old.warps.get(launch)
            if before is not None and before != after:
                what = f"resident warps, {launch}"
                yield Change(new.kernel, new.arch, what, before, after, after < before)


def to_document(entries: Iterable[Entry]) -> dict[str, Any]:
    """A budget as plain data, for JSON."""
    return {
        "warplint_budget": VERSION,
        "kernels": [
            {
                "kernel": entry.kernel,
                "arch": entry.arch,
                "measured": entry.measured,
                "registers": entry.registers,
                "spills": entry.spills,
                "static_shared": entry.static_shared,
                "warps": dict(entry.warps),
            }
            for entry in entries
        ],
    }


def from_document(document: Any) -> list[Entry]:
    """The entries of a stored budget; raises BudgetError for anything else."""
    if not isinstance(document, dict) or document.get("warplint_budget") != VERSION:
        raise BudgetError("not a budget that --write-baseline has written")
    kernels = document.get("kernels")
    if not isinstance(kernels, list):
        raise BudgetError("the list of kernels is missing")
    return [_entry(item) for item in kernels]


def _entry(item: Any) -> Entry:
    try:
        warps = {str(k): int(v) for k, v in item["warps"].items()}
        registers, spills, shared = (item[name] for name, _, _ in _COMPARED)
        for number in (registers, spills, shared):
            if number is not None and not isinstance(number, int):
                raise BudgetError("a number is not whole")
        return Entry(
            kernel=str(item["kernel"]),
            arch=int(item["arch"]),
            measured=bool(item["measured"]),
            registers=registers,
            spills=spills,
            static_shared=shared,
            warps=warps,
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BudgetError(f"an entry is damaged: {error}") from None
