"""Files that were read for what they say to others, held until they are checked.

In: what is read of a file before any file is checked. Out: the same when its turn comes, once, so
that nothing is parsed and no host code is run twice. Files are held as they were read, with what
the file system was asked for them, as long as there is room. Only the files that are going to be
checked in the same process are held.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from ..source.file_probes import note
from ..source.records import dataclass

if TYPE_CHECKING:
    from ..source.file_probes import Probe
    from ..source.problem import Problem
    from ..source.text import SourceText
    from .read import ReadUnit

_STATEMENTS = 10_000  # of some 6 kB each


@dataclass(slots=True)
class HeldUnit:
    """A CUDA file as it was parsed for its launches; `probes` are what was asked for that."""

    text: tuple[SourceText, list[Problem]]
    unit: ReadUnit
    probes: set[Probe]


@dataclass(slots=True)
class HeldUnits:
    """The parsed CUDA files that are held until they are checked, by their paths; `wanted` are
    those that will be asked for.
    """

    wanted: frozenset[str] = frozenset()
    _held: dict[str, HeldUnit] = field(default_factory=dict)
    _room: int = _STATEMENTS

    def hold(self, path: str, held: HeldUnit) -> None:
        """Keep a file that somebody will want, if there is room."""
        statements = held.unit.unit.statements
        if path in self.wanted and path not in self._held and statements <= self._room:
            self._held[path] = held
            self._room -= statements

    def take(self, path: str) -> HeldUnit | None:
        """A file that is held, and then no longer: what was asked for it counts as asked now."""
        held = self._held.pop(path, None)
        if held is not None:
            self._room += held.unit.unit.statements
            for probe in held.probes:
                note(probe)
        return held
