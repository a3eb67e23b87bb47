"""What became of the suppressions of one file: what a rule about them may ask.

In: the suppressions and flaws of a file, after every finding was held against them. The rules
`SUP…` get one `SuppressionUse` for each file where other rules get the facts of a kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..source.text import SourceText
    from .rule import Rule
    from .suppressions import Flaw, Selector, Suppression


@dataclass(frozen=True, slots=True)
class SelectorUse:
    """One word of a suppression: the rules it means, and whether it was of use."""

    selector: Selector
    codes: frozenset[str]
    used: bool
    tried: bool  # its rules were applied to the whole file: not used means of no use

    @property
    def idle(self) -> bool:
        """Whether it can go."""
        return self.tried and not self.used and not any(c.startswith("SUP") for c in self.codes)


@dataclass(frozen=True, slots=True)
class SuppressionUse:
    """The suppressions of one file, in their order, with the use of each of their words."""

    source: SourceText
    uses: tuple[tuple[SelectorUse, ...], ...]
    suppressions: tuple[Suppression, ...]
    flaws: tuple[Flaw, ...]
    rules: Mapping[str, Rule]  # all there are, by code

    def each(self) -> Iterator[tuple[Suppression, tuple[SelectorUse, ...]]]:
        """Every suppression with its words."""
        return zip(self.suppressions, self.uses, strict=True)
