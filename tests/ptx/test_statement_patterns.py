"""The parser that reads each shape once agrees with plain Lark over the whole text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from ptx.reference import outline, outline_by_lark
from ptx.support import FIXTURES, parsed

from warplint.analyzer.ptx.syntax.statement_patterns import ATOM, ShapeError, StatementPatterns
from warplint.analyzer.ptx.syntax.tree import Atoms, Name, Number

if TYPE_CHECKING:
    from pathlib import Path


def normal(line: str) -> str:
    """Directive names that the grammar keeps as a filtered token are compared without them."""
    for word in ("function_name", "inlined_at"):
        line = line.replace(word, " ")
    return " ".join(line.split())


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_both_parsers_read_the_same(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    module = parsed(text)
    assert module.problems == []
    own = list(map(normal, outline(module)))
    reference = list(map(normal, outline_by_lark(text)))
    assert len(own) > 100
    assert own == reference


def test_a_shape_serves_every_statement_that_has_it() -> None:
    shapes = StatementPatterns("operands", Atoms())
    first = shapes.read(" %r1, [%rd2+4], {%f1, %f2}")
    second = shapes.read(" foo, [bar+128], {7, %p}")
    assert [type(operand) for operand in first] == [type(operand) for operand in second]
    assert second[1].base.text == "bar"
    assert second[1].offset.value == 128
    assert [element.text for element in second[2].elements] == ["7", "%p"]


def test_atoms_are_made_once() -> None:
    atoms = Atoms()
    assert atoms["%r1"] is atoms["%r1"]
    assert isinstance(atoms["%r1"], Name)
    assert isinstance(atoms["0x10"], Number)


def test_a_name_is_no_number_in_a_declaration() -> None:
    shapes = StatementPatterns("registers", Atoms())
    assert shapes.read(".reg .b32 %r<12>")[2][0][1].value == 12
    with pytest.raises(ShapeError, match="expected a number"):
        shapes.read(".reg .b32 %r<count>")


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        ("%r1, [%rd2+-4]", ["%r1", "%rd2", "4"]),
        ("{%r1, _}, %tid.x", ["%r1", "_", "%tid.x"]),
        ("0f3F800000, 1.5e-3, 0xFFU", ["0f3F800000", "1.5e-3", "0xFFU"]),
        ("(.s64) x, [a].unified", ["x", "a"]),
        (".param .align 8 .b8 p[16]", ["8", "p", "16"]),
        (".reg .f32 %f<10>", ["%f", "10"]),
        ("$L__BB0_1, foo$bar", ["$L__BB0_1", "foo$bar"]),
    ],
)
def test_where_a_text_is_cut(text: str, atoms: list[str]) -> None:
    assert ATOM.split(text)[1::2] == atoms


@pytest.mark.parametrize(
    ("text", "offset"),
    [("%r1,, %r2", 4), ("[%r1", 4), ("%r1 %r2", 4), ("{a, b", 5), ("a ? b", 5), ("#", 0)],
)
def test_what_fits_no_shape(text: str, offset: int) -> None:
    with pytest.raises(ShapeError) as caught:
        StatementPatterns("operands", Atoms()).read(text)
    assert caught.value.offset == offset
    assert caught.value.message.startswith("expected ")


@pytest.mark.parametrize("text", ["(" * 200 + "1" + ")" * 200, "-" * 500 + "1", "1" + "+1" * 300])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(ShapeError, match="too deeply"):
        StatementPatterns("operands", Atoms()).read(text)
