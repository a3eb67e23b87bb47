"""Types of variables at file scope: read once for each namespace that they are named from."""

from __future__ import annotations

from warplint.analyzer.cuda.lowering.model.scope import Scope
from warplint.analyzer.cuda.lowering.program.program import Program
from warplint.analyzer.cuda.lowering.types.type_reader import TypeReader
from warplint.analyzer.cuda.units.parse import parse_cuda
from warplint.analyzer.source.text import SourceText

_TEXT = """
namespace narrow { typedef float real; }
namespace wide { typedef double real; }
using narrow::real;
real *positions;
"""


def test_a_type_is_read_once_and_is_the_one_that_reading_gives() -> None:
    unit = parse_cuda(SourceText("k.cu", _TEXT))
    program = Program(unit.functions, unit.declarations, unit.by_value, unit.unread, unit.scopes)
    reader = TypeReader(program)
    declared = program.variables.get("positions").type
    found = reader.of_file(declared)
    assert reader.of_file(declared) is found
    assert found == reader.read(declared, Scope())


def test_a_name_that_namespaces_share_is_read_from_each_of_them() -> None:
    unit = parse_cuda(SourceText("k.cu", _TEXT.replace("using narrow::real;", "")))
    program = Program(unit.functions, unit.declarations, unit.by_value, unit.unread, unit.scopes)
    reader = TypeReader(program)
    declared = program.variables.get("positions").type
    sizes = []
    for scope in (("narrow",), ("wide",), ("narrow",)):
        with program.seen_from(scope):
            element = reader.of_file(declared).element
            sizes.append(None if element is None else element.size)
    assert sizes == [4, 8, 4]
