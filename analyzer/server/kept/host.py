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

from ...cuda.host.launches import HostReading
from ...cuda.host.overloads import Overloads
from ...cuda.lowering.model.ctypes import CType
from ...cuda.syntax import nodes
from ...cuda.syntax.nodes.c_ast import c_ast
from ...ir import types
from ...source.text import Span
from .class_names import ClassName, ClassNames
from .recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...cuda.lowering.program.program import Program
    from ...cuda.lowering.types.type_reader import TypeReader
    from .gaps import Gaps, Place

_MOST = 12  # readings
_ODD = (pickle.PicklingError, TypeError, AttributeError, RecursionError)
_TREES = (c_ast.Node, nodes.Function)
_TYPES = {id(each): name for name, each in vars(types).items() if isinstance(each, types.Type)}

Edges = tuple["Place", "Place"]


class KeptHosts:
    """The host code of the files that an editor's process read last."""

    def __init__(self) -> None:
        self._kept = Recent[bytes, bytes](_MOST)

    def reading(
        self,
        around: Gaps,
        program: Program,
        reader: TypeReader,
        make: Callable[[], HostReading],
    ) -> HostReading:
        """The kept one of these surroundings, else a new one."""
        data = self._kept.get(around.digest)
        classes = ClassNames(program, reader)
        if data is not None:
            launches, unnamed, events = _Reader(data, around, classes).load()
            host = HostReading(launches, unnamed, events, Overloads(program.functions, reader))
        else:
            host = make()
            data = _written(host, around, classes)
            if data is not None:
                self._kept.keep(around.digest, data)
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

    def persistent_id(self, value: Any) -> Any:
        """What stands for a value that is not written itself."""
        if isinstance(value, Span):
            return self._edges(value), None if value.macro is None else self._edges(value.macro)
        if isinstance(value, _TREES):
            raise pickle.PicklingError("a syntax tree")
        if isinstance(value, CType):
            return self._classes.name_of(value)
        return _TYPES.get(id(value))

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
        self._classes = classes

    def persistent_load(self, pid: Any) -> Any:
        """The value that something stands for."""
        if isinstance(pid, str):
            return getattr(types, pid)
        if isinstance(pid, ClassName):
            return self._classes.type(pid)
        own, macro = pid
        return self._span(own) if macro is None else _PlacedSpan(self._span(own), self._span(macro))

    def _span(self, edges: Edges) -> Span:
        (source, start), (_, end) = map(self._around.offset, edges)
        return Span(source, start, end)
