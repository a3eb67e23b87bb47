"""What the result of a kernel rests on, as a key: the same key, the same findings.

In: a kernel that was just read, its module, and what is asked of it. Out: a hash, and the anchors:
the pieces of text that the kernel's places lie in. A place counts by the anchor and where it is in
it, so that a kernel has the same key when text before it grows or shrinks. An anchor is the
definition of a function of device code, else the lines themselves; its text, and which of two comes
first, are a part of the key. The lines they take are not: `moved_lines.py`.
The kernel counts as the intermediate form that the rules see, with all that was inlined into it,
its launches and other instances of its text, and of the module what rules ask of it. Not handled:
PTX, where the module is asked for more.
"""

from __future__ import annotations

import io
import pickle
from bisect import bisect_right
from dataclasses import fields
from hashlib import sha256
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..ir.memory import Space
from ..source.records import dataclass
from ..source.text import SourceText, Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..engine.file_check import Asked
    from ..ir.kernel import Kernel, Module
    from ..ir.memory import MemoryObject
    from .moved_lines import Extent

_NOT_INLINED = {"__noinline__", "noinline"}
_OF_FILES = ("of_file", "compile_commands", "include_paths")  # what they did is in the kernel


@dataclass(frozen=True, slots=True)
class Anchor:
    """A piece of text that places are counted from."""

    source: SourceText
    start: int
    end: int
    is_function: bool = False

    @property
    def lines(self) -> Extent:
        """The first and the last line."""
        return self.source.position(self.start)[0], self.source.position(self.end)[0]


class Anchors:
    """The anchors of one kernel, in the order in which they are met."""

    def __init__(self, functions: Mapping[int, Sequence[Span]]) -> None:
        self._functions = functions  # by the id of their text, in its order
        self._numbers: dict[tuple[int, int], int] = {}
        self.found: list[Anchor] = []

    def place(self, span: Span) -> tuple[int, int, int]:
        """The number of an anchor, the start behind its own, and the length."""
        around = self._around(span)
        key = (id(around.source), around.start)
        number = self._numbers.get(key)
        if number is None or self.found[number].end < around.end:
            number = self._numbers[key] = len(self.found)
            self.found.append(around)
        return number, span.start - around.start, span.end - span.start

    def known(self, span: Span) -> tuple[int, int, int] | None:
        """The same for a place that lies in what was met; None for another one."""
        around = self._around(span)
        number = self._numbers.get((id(around.source), around.start))
        if number is None or self.found[number].end < span.end:
            return None
        return number, span.start - around.start, span.end - span.start

    def _around(self, span: Span) -> Anchor:
        source = span.source
        functions = self._functions.get(id(source), ())
        at = bisect_right(functions, span.start, key=lambda each: each.start) - 1
        if at >= 0 and functions[at].start <= span.start and span.end <= functions[at].end:
            return Anchor(source, functions[at].start, functions[at].end, is_function=True)
        starts = source.line_starts
        first, last = bisect_right(starts, span.start), bisect_right(starts, span.end)
        end = starts[last] if last < len(starts) else len(source.text)
        return Anchor(source, starts[first - 1], end)


class Contents:
    """The keys of the kernels of one module."""

    def __init__(self, module: Module, asked: Asked) -> None:
        self._module = module
        functions: dict[int, list[Span]] = {}
        apart = []
        for each in module.functions:
            if each.span.source is each.body_span.source:
                whole = each.span.to(each.body_span)
                functions.setdefault(id(whole.source), []).append(whole)
            if _NOT_INLINED & set(each.qualifiers):
                apart.append((each.scope, each.name))
        for spans in functions.values():
            spans.sort(key=lambda each: each.start)
        self._functions = functions
        self._asked = (
            _settings(asked),
            [rule.code for rule in asked.rules],
            sorted(apart),
            module.source.path,
            module.for_hip,
        )

    def key(self, kernel: Kernel) -> tuple[bytes, Anchors]:
        """The key of a kernel and its anchors; raises what pickling raises."""
        module, anchors = self._module, Anchors(self._functions)
        constants = _constants(module) if kernel is module.kernels[0] else None
        data = io.BytesIO()
        _Pickler(data, anchors).dump(
            (kernel, module.instances(kernel), constants, module.unseen, self._asked)
        )
        hashed = sha256(data.getvalue())
        for each in anchors.found:
            text = each.source.text[each.start : each.end]
            hashed.update(f"\0{each.source.path}\0{text}".encode("utf-8", "surrogatepass"))
        places = [(each.source.path, each.start) for each in anchors.found]
        hashed.update(repr(sorted(range(len(places)), key=places.__getitem__)).encode())
        return hashed.digest(), anchors


class _Pickler(pickle.Pickler):
    """Writes what can be compared, and never is read: places by their anchors, no functions."""

    def __init__(self, data: io.BytesIO, anchors: Anchors) -> None:
        super().__init__(data, 5)
        self._anchors = anchors

    def reducer_override(self, value: Any) -> Any:
        """What stands for a value."""
        if isinstance(value, Span):
            return tuple, ((*self._anchors.place(value), value.macro),)
        if isinstance(value, SourceText):
            return str, (value.path,)
        if isinstance(value, FunctionType):
            return str, (value.__qualname__,)
        return NotImplemented


def _constants(module: Module) -> list[MemoryObject]:
    """What the first kernel of a file answers for, whichever uses it."""
    used = (item for kernel in module.kernels for item in kernel.objects)
    return [item for item in (*module.objects, *used) if item.space is Space.CONSTANT]


def _settings(asked: Asked) -> str:
    """The settings that analyses see."""
    known = asked.settings.at(asked.file.path)
    values = {each.name: getattr(known, each.name) for each in fields(known)}
    return repr([(name, values[name]) for name in sorted(values) if name not in _OF_FILES])
