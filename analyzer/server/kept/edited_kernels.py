"""Results of kernels while their files are edited: known without their intermediate form.

In and out: as of `engine/kernel_results.py`. The key of a kernel that was read before is looked up
by what it was read from (`reading.py`) and by its launches, and its anchors are found where
they are now, so that a kernel that an edit does not touch is neither lowered nor written down.
"""

from __future__ import annotations

from dataclasses import field
from hashlib import sha256
from typing import TYPE_CHECKING

from ...engine.kernel_results import Content, KernelResults
from ...engine.kernels.anchors import Anchors
from ...engine.kernels.graph_text import GraphText
from ...engine.kernels.kernel_content import done_by_host
from ...source.records import dataclass
from .anchor_places import AnchorPlace, anchor_place
from .gaps import as_bytes
from .reading import KeptReading
from .recent import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...engine.kernels.anchors import Anchor
    from ...engine.kernels.kernel_content import Contents
    from ...ir.kernel import Kernel
    from .surroundings import Surroundings

_MOST = 800  # kernels


@dataclass(frozen=True, slots=True)
class _Known:
    """The key of a kernel, where its anchors are, and a digest of their texts."""

    key: bytes
    places: list[AnchorPlace | int]
    texts: bytes


@dataclass(slots=True)
class EditedKernels(KernelResults):
    """The kernels that were checked last, with what their reading left."""

    kept_reading: KeptReading = field(default_factory=KeptReading)
    _known: Recent[bytes, _Known] = field(default_factory=lambda: Recent(_MOST))

    @property
    def reading(self) -> KeptReading:
        """What is kept of the reading of files."""
        return self.kept_reading

    def end(self) -> None:
        """Nothing of a file is kept beyond its check."""
        KernelResults.end(self)
        self.kept_reading.end()

    def _keyed(self, kernel: Kernel, contents: Contents) -> Content:
        """By the key of the contents, which is known where the kernel was read before."""
        around, own = self.kept_reading.surroundings, self._read_from(kernel)
        if around is None or own is None:
            return Content(*contents.key(kernel))
        launches = Anchors(contents.functions)
        own += contents.asked + self._beside(kernel, launches)
        known = self._known.get(own)
        if known is not None:
            found = [
                launches.found[each] if isinstance(each, int) else each.anchor(around.kernels)
                for each in known.places
            ]
            if known.texts == _texts(found):  # comments and all
                return Content(known.key, Anchors(contents.functions, found))
        key, anchors = contents.key(kernel, own)
        places = _places(kernel, anchors.found, launches.found, around)
        if places is not None:
            self._known.keep(own, _Known(key, places, _texts(anchors.found)))
        return Content(key, anchors)

    def _read_from(self, kernel: Kernel) -> bytes | None:
        """What a kernel was read from, and the others that its result rests on."""
        module, reading = self._module, self.kept_reading
        assert module is not None  # whose contents are asked
        others = [each for each in module.instances(kernel) if each is not kernel]
        if any(
            each is kernel for each in module.kernels[:1]
        ):  # which answers for constants that other kernels use
            others += filter(reading.has_constants, module.kernels)
        keys = [reading.key(each) for each in (kernel, *others)]
        return None if None in keys else b"".join(filter(None, keys))

    def _beside(self, kernel: Kernel, anchors: Anchors) -> bytes:
        """What the key of a kernel rests on beside its form: its launches, and where they are; the
        functions that are kept apart, and conditions that nobody decides.
        """
        module = self._module
        assert module is not None  # whose contents are asked
        text = GraphText(anchors.place)
        reading, instances = self.kept_reading, module.instances(kernel)
        text.add([(each.launches, each.other_instances) for each in (kernel, *instances)])
        unsuited, constants = reading.is_unsuited(kernel), reading.has_constants(kernel)
        if any(each.is_open for each in instances):
            constants = any(map(reading.has_constants, module.kernels))
        for value in done_by_host(module, kernel, unsuited=unsuited, constants=constants):
            text.add(value)
        hashed = sha256(as_bytes("\n".join(text.lines)))
        for each in anchors.found:
            hashed.update(as_bytes(f"\0{each.source.text[each.start : each.end]}"))
        hashed.update(repr(anchors.order()).encode())
        for spans in (module.kept_apart, module.unseen.undecided, module.unseen.defaults):
            for span in spans:
                hashed.update(as_bytes(f"\0{span.text}"))
        return hashed.digest()


def _texts(anchors: Iterable[Anchor]) -> bytes:
    """A digest of the texts of anchors."""
    hashed = sha256()
    for each in anchors:
        hashed.update(as_bytes(f"\0{each.source.text[each.start : each.end]}"))
    return hashed.digest()


def _places(
    kernel: Kernel, anchors: Sequence[Anchor], launches: Sequence[Anchor], around: Surroundings
) -> list[AnchorPlace | int] | None:
    """Where anchors are: those of the launches by their numbers; None where one cannot be found."""
    numbers = {(id(each.source), each.start, each.end): n for n, each in enumerate(launches)}
    whole = kernel.body_span
    reached = {each.start for each in around.reached(whole.text)}
    reached.update(around.kernels.covered(whole), around.comments)
    places: list[AnchorPlace | int] = []
    for each in anchors:
        number = numbers.get((id(each.source), each.start, each.end))
        place = anchor_place(each, around.kernels, reached) if number is None else number
        if place is None:
            return None
        places.append(place)
    return places
