"""Class templates with open parameters: laid out once for all scopes that mean the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplint.analyzer.cuda.lowering.model import ctypes
from warplint.analyzer.cuda.lowering.model.scope import Scope
from warplint.analyzer.cuda.lowering.program.program import Program
from warplint.analyzer.cuda.lowering.types.type_reader import TypeReader
from warplint.analyzer.cuda.units.parse import parse_cuda
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from warplint.analyzer.cuda.lowering.model.ctypes import CType

_TILE = """
template <class T, int WIDTH> struct Tile {
    typedef T value;
    enum { HALF = WIDTH / 2 };
    value held[extent];
    __device__ value *at(int i) { return held + i * local; }
};
"""
_POINTERS = 16
_TREE = "".join(
    [
        "template <class T> struct Tree { T held;",
        *(f" Tree *t{at};" for at in range(_POINTERS)),
        "};",
    ]
)


def _laid_out(text: str, name: str, *scopes: Scope) -> list[CType]:
    unit = parse_cuda(SourceText("k.cu", text))
    program = Program(unit.functions, unit.declarations, unit.by_value, unit.unread, unit.scopes)
    reader = TypeReader(program)
    return [reader.class_type(program.classes[name], scope) for scope in scopes]


def _scope(**types: CType) -> Scope:
    made = Scope(Scope())
    made.types.update(types)
    return made


def test_scopes_that_bind_nothing_of_a_class_share_its_layout() -> None:
    first, second = _laid_out(_TILE, "Tile", Scope(), _scope(local=ctypes.INT, value=ctypes.INT))
    assert first is second


def test_the_same_argument_gives_the_same_layout() -> None:
    first, second = _laid_out(_TILE, "Tile", _scope(T=ctypes.FLOAT), _scope(T=ctypes.FLOAT))
    assert first is second


def test_another_argument_gives_another_layout() -> None:
    text = _TILE.replace("extent", "4")
    types = (ctypes.FLOAT, ctypes.DOUBLE, ctypes.pointer_to(ctypes.INT))
    found = _laid_out(text, "Tile", Scope(), *(_scope(T=each) for each in types))
    assert [each.size for each in found] == [None, 16, 32, 32]


def test_what_a_pointer_points_to_tells_arguments_apart() -> None:
    pointers = [ctypes.pointer_to(each) for each in (ctypes.FLOAT, ctypes.INT)]
    first, second = _laid_out(_TILE, "Tile", *(_scope(T=each) for each in pointers))
    assert first is not second


def test_a_name_that_waits_to_be_bound_tells_scopes_apart() -> None:
    waiting = Scope()
    waiting.pending["extent"] = lambda: None
    first, second = _laid_out(_TILE, "Tile", Scope(), waiting)
    assert first is not second


def test_many_pointers_to_the_class_itself_cost_no_power_of_their_number() -> None:
    """Each pointer had the class laid out anew, and that each of its pointers."""
    (found,) = _laid_out(_TREE, "Tree", _scope(T=ctypes.INT))
    assert found.size == 8 + 8 * _POINTERS
