"""What somebody may keep who reads the same file again and again while it changes.

In: a file as it was parsed, and how each later step is made. Out: the same step, made or kept. Only
a language server keeps anything (`server/kept/reading.py`); what it hands out is what would be
made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..ir.kernel import Kernel
    from ..ir.kernel_identity import DistantLaunch
    from .host.launches import HostReading, Seen
    from .lowering.program.program import Program
    from .lowering.types.type_reader import TypeReader
    from .syntax import nodes
    from .syntax.later_body import KeptBodies
    from .units.parse import TranslationUnit


class Keeping(Protocol):
    """What `read_cuda` asks at each step, so that what is made of a changing file can be kept."""

    @property
    def bodies(self) -> KeptBodies:
        """What is kept of the bodies of functions."""

    def begin(
        self, unit: TranslationUnit, options: object, elsewhere: Sequence[DistantLaunch]
    ) -> None:
        """A file was parsed, and is about to be lowered."""

    def host(
        self, program: Program, reader: TypeReader, make: Callable[[], HostReading]
    ) -> HostReading:
        """What host code does."""

    def kernel(
        self,
        function: nodes.Function,
        at: tuple[int, int],
        make: Callable[[], Kernel],
        first: Seen | None,
    ) -> Kernel:
        """The kernel of an instance of a function; what makes it may be called later. `at` are the
        number of the instance and how many operations it may have, `first` the launch that says
        its template arguments.
        """
