"""How much is drawn of each kernel: less where there are many, so that the page opens at once."""

from __future__ import annotations

from ...source.records import dataclass

_MANY = 100  # kernels


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of what takes most room on the HTML page is drawn."""

    pictures: int  # of the accesses of a kernel, at most
    colours: bool  # of the words of the source


def detail_for(kernels: int) -> Detail:
    """How much is drawn of each kernel on the HTML page, where there are so many."""
    return Detail(6, colours=True) if kernels <= _MANY else Detail(1, colours=False)
