"""Kernels to which not all rules were applied, as they would take too much work.

In: the kernels of one file with the rules that were left out. Out: one problem for the file, which
names them and says how to have them checked, and a reason for the summary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.problem import Damage, Problem
from ...source.records import dataclass
from ...source.words import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...findings.rule import Rule
    from ...ir.kernel import Kernel

_NAMED = 3  # kernels, and rules


@dataclass(frozen=True, slots=True)
class CutShort:
    """A kernel, and the rules that were not applied to it, or not to their end."""

    kernel: Kernel
    rules: tuple[Rule, ...]

    def reason(self, kernel_size: int) -> str:
        """Why, for the summary."""
        costly = all(rule.costly for rule in self.rules)
        what = "barriers and races not checked" if costly else "not checked by all rules"
        return f"{what}: too much work (raise kernel-size, now {kernel_size:,})"


def advice_on_size(kernel_size: int) -> str:
    """What to do about a kernel that takes too much work."""
    return f"set kernel-size to more than {kernel_size:,}, or split what is large"


def cut_short_problem(path: str, found: Sequence[CutShort], kernel_size: int) -> Problem:
    """What was left out in one file; there must be something."""
    codes = sorted({rule.code for item in found for rule in item.rules})
    rules = ", ".join(codes) if len(codes) <= _NAMED else plural(len(codes), "rule")
    names = ", ".join(item.kernel.label for item in found[:_NAMED])
    more = len(found) - _NAMED
    others = f" and {plural(more, 'other')}" if more > 0 else ""
    kernels = "kernel" if len(found) == 1 else "kernels"
    return Problem(
        path,
        f"{kernels} {names}{others} not checked completely, by {rules}: too much work",
        advice_on_size(kernel_size),
        Damage.PARTIAL,
        found[0].kernel.span,
        found[0].kernel.label if len(found) == 1 else None,
    )
