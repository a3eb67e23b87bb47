"""What host code does and launches, kept while it does not change.

In: a reading of host code, and what is around the bodies that it does not rest on. Out: the same
reading with its places in another text of the same surroundings. It is kept as bytes that this
process wrote; in them places are those of `gaps.py`, and classes are named (`class_names.py`). A
reading that refers to the syntax tree otherwise, or to a place in such a body, is not kept.
"""

from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any

from ...cuda.host.call_effects import CallEffects
from ...cuda.host.launches import HostReading
from ...cuda.host.overloads import Overloads
from ...cuda.lowering.model.ctypes import CType
from ...cuda.syntax import nodes
from ...cuda.syntax.nodes.c_ast import c_ast
from ...ir import types
from ...source.records import dataclass
from ...source.text import Span
from .class_names import ClassName, ClassNames
from .recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from ...cuda.lowering.program.program import Program
    from ...cuda.lowering.types.type_reader import TypeReader
    from .gaps import Gaps, Place

_MOST = 12  # readings
_ODD = (pickle.PicklingError, TypeError, AttributeError, RecursionError)
_TREES = (c_ast.Node, nodes.Function)
_TYPES = {id(each): name for name, each in vars(types).items() if isinstance(each, types.Type)}

Edges = tuple["Place", "Place"]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A reading of host code, with what it rests on of the bodies around which it is kept."""

    data: bytes
    uses: Sequence[tuple[str, int, AbstractSet[str] | None]]  # by name and number of a function


class KeptHosts:
    """The host code of the files that an editor's process read last."""

    def __init__(self) -> None:
        self._kept = Recent[bytes, _Kept](_MOST)

    def reading(
        self,
        around: Gaps,
        program: Program,
        reader: TypeReader,
        make: Callable[[], HostReading],
    ) -> HostReading:
        """The kept one of these surroundings, else a new one."""
        kept = self._kept.get(around.digest)
        classes = ClassNames(program, reader)
        effects = CallEffects(program, reader)
        functions = program.functions
        if kept is not None and all(
            effects.used(functions[name][number]) == used for name, number, used in kept.uses
        ):
            launches, unnamed, events = _Reader(kept.data, around, classes).load()
            overloads = Overloads(functions, reader)
            return HostReading(launches, unnamed, events, overloads, effects.answers)
        host = make()
        uses = [
            (str(each.decl.name), functions[each.decl.name].index(each), used)
            for each, used in host.uses.items()
        ]
        data = _written(host, around, classes)
        if data is not None:
            self._kept.keep(around.digest, _Kept(data, uses))
        return host


def _written(host: HostReading, around: Gaps, classes: ClassNames) -> bytes | None:
    data = io.BytesIO()
    try:
        _Writer(data, around, classes).dump((host.launches, host.unnamed, host.events))
    except _ODD:
        return None
    return data.getvalue()


class _PlacedSpan(Span):
    """The use of a macro, with the place in its body."""

    __slots__ = ("_macro",)

    def __init__(self, span: Span, macro: Span) -> None:
        super().__init__(span.source, span.start, span.end)
        self._macro = macro

    @property
    def macro(self) -> Span:
        """The place in the body of the macro that made the text."""
        return self._macro


class _Writer(pickle.Pickler):
    """Writes places as those of the surroundings."""

    def __init__(self, data: io.BytesIO, around: Gaps, classes: ClassNames) -> None:
        super().__init__(data, 5)
        self._around = around
        self._classes = classes

    def reducer_override(self, value: Any) -> Any:
        """What an object is made from where it is read."""
        if isinstance(value, Span):
            own, macro = self._edges(value), value.macro
            return _span_at, (own, None if macro is None else self._edges(macro))
        if isinstance(value, _TREES):
            raise pickle.PicklingError("a syntax tree")
        if isinstance(value, CType):
            name = self._classes.name_of(value)
            return NotImplemented if name is None else (_class_named, (name,))
        known = _TYPES.get(id(value))
        return NotImplemented if known is None else (_type_named, (known,))

    def _edges(self, span: Span) -> Edges:
        start = self._around.place(span.source, span.start)
        end = self._around.place(span.source, span.end)
        if start is None or end is None:
            raise pickle.PicklingError("a place in a kernel")
        return start, end


class _Reader(pickle.Unpickler):
    """Reads places where they are now."""

    def __init__(self, data: bytes, around: Gaps, classes: ClassNames) -> None:
        super().__init__(io.BytesIO(data))
        self._around = around
        self._made = {_span_at.__name__: self._placed, _class_named.__name__: classes.type}

    def find_class(self, module: str, name: str) -> Any:
        """A class, or what makes the objects that `_Writer` does not write as they are."""
        made = self._made.get(name) if module == __name__ else None
        return super().find_class(module, name) if made is None else made

    def _placed(self, own: Edges, macro: Edges | None) -> Span:
        if macro is None:
            return self._span(own)
        return _PlacedSpan(self._span(own), self._span(macro))

    def _span(self, edges: Edges) -> Span:
        (source, start), (_, end) = map(self._around.offset, edges)
        return Span(source, start, end)


def _span_at(own: Edges, macro: Edges | None) -> Span:
    """Stands for `_Reader._placed` in what is written."""
    raise NotImplementedError


def _class_named(name: ClassName) -> CType:
    """Stands for `ClassNames.type` in what is written."""
    raise NotImplementedError


def _type_named(name: str) -> types.Type:
    """The type of the IR of that name."""
    found: types.Type = getattr(types, name)
    return found
