"""Results of kernels while their files are edited: known without their intermediate form.

In and out: as of `engine/kernel_results.py`. The key of a kernel that was read before is looked up
by what it was read from (`kept_reading.py`), and its anchors are found where they are now, so that
a kernel that an edit does not touch is neither lowered nor written down.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from ..engine.kernel_results import KernelResults
from ..engine.kernels.anchors import Anchors
from ..ir.memory import Space
from ..source.records import dataclass
from .anchor_places import AnchorPlace, anchor_place
from .kept_reading import KeptReading
from .recent import Recent

if TYPE_CHECKING:
    from ..engine.file_check import Asked
    from ..engine.kernels.kernel_content import Contents
    from ..ir.kernel import Kernel, Module

_MOST = 800  # kernels


@dataclass(slots=True)
class EditedKernels(KernelResults):
    """The kernels that were checked last, with what their reading left."""

    kept_reading: KeptReading = field(default_factory=KeptReading)
    _known: Recent[bytes, tuple[bytes, list[AnchorPlace]]] = field(
        default_factory=lambda: Recent(_MOST)
    )
    _answers: bool = False  # the kernel at hand, for constants that other kernels use

    @property
    def reading(self) -> KeptReading:
        """What is kept of the reading of files."""
        return self.kept_reading

    def _content(
        self, kernel: Kernel, module: Module, asked: Asked
    ) -> tuple[bytes, Anchors] | None:
        self._answers = kernel is module.kernels[0] and bool(module.objects_in(Space.CONSTANT))
        try:
            return KernelResults._content(self, kernel, module, asked)
        finally:
            if kernel is module.kernels[-1]:
                self.kept_reading.end()

    def _key(self, kernel: Kernel, contents: Contents) -> tuple[bytes, Anchors]:
        """As that of the contents, which is known where the kernel was read before."""
        around, own = self.kept_reading.surroundings, self.kept_reading.key(kernel)
        if around is None or own is None or self._answers:
            return contents.key(kernel)
        own += contents.asked
        known = self._known.get(own)
        if known is not None:
            found = [each.anchor(around) for each in known[1]]
            return known[0], Anchors(contents.functions, found)
        key, anchors = contents.key(kernel)
        places = [anchor_place(each, around, kernel) for each in anchors.found]
        if None not in places:
            self._known.keep(own, (key, [each for each in places if each is not None]))
        return key, anchors
