"""What a module declares outside of functions: variables, functions, source files.

Later declarations of a name win, definitions over declarations: PTX modules forward-declare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import MemoryObject, Space
from ...ir.types import UINT8
from ...source.location import OriginLine
from ...source.text import Span
from ..estimate.exact_resources import ModuleResources
from ..syntax.constants import array_size, extent_of
from ..syntax.demangle import readable
from ..syntax.numba_names import numba_parameters
from ..syntax.ptx_types import bits, type_of
from ..syntax.tree import Declarator, Function, PtxModule, SourceLine, Variables, make_number
from .forms import SPACES
from .frame import RegisterBank, Slot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...ir.types import Type

_LOCAL = "_ZZ"  # Itanium C++ ABI 5.1.6: a variable of a function, and that one's name
_VECTOR = {".v2": 2, ".v4": 4, ".v8": 8}


class ModuleNames:
    """The names of a PTX module's own scope; objects are shared by all its kernels."""

    def __init__(
        self, module: PtxModule, named: Callable[[str], Sequence[str]] = numba_parameters
    ) -> None:
        self.module = module
        self._named = named
        self.atoms = module.atoms
        self.functions: dict[str, Function] = {}
        self.objects: dict[str, MemoryObject] = {}
        self.inner_objects: dict[tuple[int, str], MemoryObject] = {}
        self.resources = ModuleResources(module)
        self._banks: dict[tuple[str, Type], RegisterBank] = {}
        self._places: dict[int, OriginLine | None] = {}
        self._origins: dict[tuple[int, int, int], OriginLine] = {}
        for item in module.items:
            if isinstance(item, Function):
                if item.body is not None or item.name not in self.functions:
                    self.functions[item.name] = item
            elif isinstance(item, Variables):
                for declarator in item.declarators:
                    name = declarator.name.text
                    self.objects[name] = make_object(module, item, declarator)

    def bank(self, base: str, type: Type) -> RegisterBank:
        """The registers that `base<…>` declares in the kernels of this module."""
        known = self._banks.get((base, type))
        if known is None:
            known = self._banks[base, type] = RegisterBank(base, type)
        return known

    def parameters_of(self, function: Function) -> Sequence[str]:
        """What people call the parameters of a kernel, from the first one on; empty: unknown."""
        return self._named(function.name)

    def thing(self, name: str) -> MemoryObject | Function | None:
        """The variable or function of a name."""
        return self.objects.get(name) or self.functions.get(name)

    def inner_object(self, statement: Variables, declarator: Declarator) -> MemoryObject:
        """The object of a declaration inside a function: one, however often it is inlined."""
        key = (statement.start, declarator.name.text)
        known = self.inner_objects.get(key)
        if known is None:
            known = self.inner_objects[key] = make_object(self.module, statement, declarator)
        return known

    def origin_of(self, place: SourceLine) -> OriginLine | None:
        """The line of a `.loc`; places are made once for each text, so identity will do."""
        key = id(place)
        if key in self._places:
            return self._places[key]
        found = self._places[key] = self.origin(place.file, place.line, place.column)
        return found

    def origin(self, file: int, line: int, column: int) -> OriginLine | None:
        """The line a `.loc` names; None for line 0, which means no line."""
        if line == 0:
            return None
        known = self._origins.get((file, line, column))
        if known is None:
            path = self.module.files.get(file, f"file {file}")
            known = self._origins[file, line, column] = OriginLine(path, line, column)
        return known


def make_object(module: PtxModule, statement: Variables, declarator: Declarator) -> MemoryObject:
    """The memory object of one variable declared in PTX (PTX ISA 5.4)."""
    element = type_of(statement.type.lstrip("."))
    width = bits(element) // 8 if element.bits else 1
    alignment: int | None = None
    managed = False
    for qualifier in statement.qualifiers:
        width *= _VECTOR.get(qualifier[0], 1)
        if qualifier[0] == ".align":
            alignment = make_number(qualifier[1]).alignment
        managed = managed or ".managed" in qualifier
    extents = tuple(map(extent_of, declarator.extents))
    size = array_size(width, declarator.extents)
    space = SPACES.get(statement.space[1:], Space.GLOBAL)
    if size is None and declarator.initialiser:
        size = width * (declarator.initialiser.count(",") + 1)
    return MemoryObject(
        name=readable(declarator.name.text),
        space=space,
        element=element if element.bits else UINT8,
        size=size,
        alignment=alignment or width,
        extents=extents,
        span=Span(module.source, statement.start, statement.end),
        dynamic=space is Space.SHARED and size is None,
        managed=managed,
        in_function=declarator.name.text.startswith(_LOCAL),
        linkage=statement.linkage[0] if statement.linkage else "",
    )


def slot_of_variable(statement: Variables, declarator: Declarator) -> Slot:
    """The slot of a `.param` declared in a body."""
    element = type_of(statement.type.lstrip("."))
    size = array_size(bits(element) // 8, declarator.extents)
    return Slot(declarator.name.text, element, size)
