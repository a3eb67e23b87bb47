"""Types of CUDA's libraries that no header in sight defines, by the names that they have there.

In: a name, plain, with template arguments, or qualified. Out: the type as the models know it; None
or an unknown type where the name is none of the library's. A class of that name in the file is the
file's own, unless a header of the toolkit has it; so is one in a namespace of the file.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Any

from ....ir.operations import BarrierKind
from ...names.libraries import NAMESPACES, OPAQUE_CLASSES, is_library_path
from ...names.runtime import is_of_toolkit
from ...syntax import nodes
from ..model import ctypes
from ..model.ctypes import CType, Form
from ..model.scope import AtomicClass, Fragment, LibraryClass
from ..program.template_arguments import as_type
from . import atomic_types, constants, trait_names

if TYPE_CHECKING:
    from ..model.scope import Scope
    from ..program.program import Program
    from .type_reader import TypeReader

_LAYOUTS = {"row_major": True, "col_major": False}
_LEAST_OF_FRAGMENT = 5  # template arguments
_BITS = {"tf32": 32, "u4": 4, "s4": 4, "b1": 1}  # of elements that only fragments have
_BITS_OF_REGISTER = 32 * 32  # of all lanes
_WORDS_OF_HALVES = 8  # of a factor, however many a lane fills
GROUP_BARRIERS = {
    "thread_block": BarrierKind.BLOCK,
    "thread_block_tile": BarrierKind.WARP,
    "coalesced_group": BarrierKind.WARP,
    "thread_group": None,
    "grid_group": BarrierKind.GRID,
    "multi_grid_group": BarrierKind.GRID,
    "cluster_group": BarrierKind.CLUSTER,
}
#: Class templates of CUB whose methods are executed by a whole block or a whole warp.
COLLECTIVES = {
    **dict.fromkeys(
        (
            "BlockAdjacentDifference",
            "BlockDiscontinuity",
            "BlockExchange",
            "BlockHistogram",
            "BlockMergeSort",
            "BlockRadixSort",
            "BlockReduce",
            "BlockScan",
            "BlockShuffle",
        ),
        BarrierKind.BLOCK,
    ),
    **dict.fromkeys(("WarpExchange", "WarpMergeSort", "WarpReduce", "WarpScan"), BarrierKind.WARP),
}


def group_type(name: str, size: int | None = None) -> CType:
    """The type of a cooperative group, by its name in CUDA C++; the tile's size is its extent."""
    return CType(Form.CLASS, name, extent=size, origin=LibraryClass(name))


def pipeline_type(scope: str) -> CType:
    """The type that the name `cuda::pipeline` means; the scope is "" where it is not known."""
    return CType(Form.CLASS, "pipeline", origin=LibraryClass("pipeline", scope))


def is_group(type: CType) -> bool:
    """Whether a type is a cooperative group."""
    return isinstance(type.origin, LibraryClass) and type.origin.name in GROUP_BARRIERS


def is_collective(type: CType) -> bool:
    """Whether a type is a CUB collective."""
    return isinstance(type.origin, LibraryClass) and type.origin.name in COLLECTIVES


def is_of_library(type: CType | None, name: str) -> bool:
    """Whether a type is the class of that name of CUDA's libraries, modelled without its header."""
    origin = None if type is None else type.origin
    return isinstance(origin, LibraryClass) and origin.name == name


def named(name: str) -> CType | None:
    """The type that a plain name of cooperative groups, CUB, libcu++, cuRAND or the warp matrix
    functions means; template arguments are left out.
    """
    if name in GROUP_BARRIERS:
        return group_type(name)
    if name in COLLECTIVES:
        return CType(Form.CLASS, name, origin=LibraryClass(name))
    known = name in OPAQUE_CLASSES
    return CType(Form.UNKNOWN, name, origin=LibraryClass(name)) if known else None


def stands_for(definition: nodes.ClassDefinition) -> bool:
    """Whether a class in a header of the toolkit's is one whose type is modelled."""
    span = definition.coord
    return named(definition.name or "") is not None and (
        span is not None and is_of_toolkit(span.path)
    )


def template(name: nodes.TemplateId, scope: Scope, program: Program, reader: TypeReader) -> CType:
    """The type that `name<...>` means, a class template that the file does not define."""
    made = trait_names.type_named(name, scope, program, reader)
    if made is not None:
        return made
    if name.name == "thread_block_tile" and name.arguments:
        size = constants.evaluate(name.arguments[0], scope, program, reader)
        if isinstance(size, int) and size <= 32:
            return group_type(name.name, size)
        return group_type("thread_group")
    if name.name == "array" and len(name.arguments) == 2:
        extent = constants.evaluate(name.arguments[1], scope, program, reader)
        element = reader.read(as_type(name.arguments[0]), scope)
        array = ctypes.array_of(element, extent if isinstance(extent, int) else None)
        return replace(array, origin=LibraryClass(name.name))
    if name.arguments and atomic_types.is_name(name.name):
        held = reader.read(as_type(name.arguments[0]), scope)
        given = name.arguments[1] if name.arguments[1:] else None
        scoped = constants.evaluate(trait_names.as_value(given), scope, program, reader)
        number = scoped if isinstance(scoped, int) else None
        return atomic_types.atomic_class(name.name, held, atomic_types.scope_of(number))
    if name.name == "pipeline" and name.arguments:
        argument = trait_names.as_value(name.arguments[0])
        scoped = constants.evaluate(argument, scope, program, reader)
        return pipeline_type(
            atomic_types.THREAD_SCOPES.get(scoped, "") if isinstance(scoped, int) else ""
        )
    if name.name == "fragment" and len(name.arguments) >= _LEAST_OF_FRAGMENT:
        return _fragment(name, scope, program, reader)
    if name.name == "aligned_size_t":
        return ctypes.ULONG
    return named(name.name) or ctypes.unknown(name.name)


def _fragment(name: nodes.TemplateId, scope: Scope, program: Program, reader: TypeReader) -> CType:
    """`fragment<matrix_a, 16, 16, 16, half, row_major>`, as far as its shape is known."""
    use, *sizes = name.arguments[:4]
    layout = name.arguments[5] if len(name.arguments) > _LEAST_OF_FRAGMENT else None
    m, n, k = (constants.evaluate(trait_names.as_value(e), scope, program, reader) for e in sizes)
    shapes = {"matrix_a": (m, k), "matrix_b": (k, n), "accumulator": (m, n)}
    word = _last_word(use)
    rows, columns = shapes.get(word, (None, None))
    made, size = None, None
    if isinstance(rows, int) and isinstance(columns, int):
        held = reader.read(as_type(name.arguments[4]), scope)
        bits = 8 * held.size if held.size else _BITS.get(held.name.rpartition(":")[2])
        registers = None if bits is None else rows * columns * bits // _BITS_OF_REGISTER
        made = Fragment(word, rows, columns, _LAYOUTS.get(_last_word(layout)), registers)
        if registers:
            halves = word != "accumulator" and held.name == ctypes.HALF.name
            words = _WORDS_OF_HALVES if halves else registers
            size = 8 * ceil(words / 2)
    origin = LibraryClass(name.name, fragment=made)
    return CType(Form.UNKNOWN, name.name, size, size and 8, origin=origin)


def _last_word(argument: Any) -> str:
    """`matrix_a` for `nvcuda::wmma::matrix_a`."""
    node = trait_names.as_value(argument)
    node = node.parts[-1] if isinstance(node, nodes.QualifiedName) else node
    words = getattr(node, "names", None) or (getattr(node, "name", ""),)
    return str(words[-1])


def of_library(
    name: nodes.QualifiedName, scope: Scope, program: Program, reader: TypeReader
) -> CType | None:
    """`cub::BlockReduce<T, 64>` where the file has a `BlockReduce` of its own elsewhere, which may
    be an alias of the library's; None where the name is looked for as any other.
    """
    words = [getattr(part, "name", "") for part in name.parts[:-1]]
    first = next(filter(None, words), "")
    root, last = program.namespaces.get(first, (first,))[0], name.parts[-1]
    plain = getattr(last, "name", "")
    own = [each for each in (program.classes, program.aliases) if each.is_declared(plain)]
    if root not in NAMESPACES or not own or any(each.is_within(root, plain) for each in own):
        return None
    definition = program.classes.get(plain)
    if definition is not None and stands_for(definition):
        return None
    if isinstance(last, nodes.TemplateId):
        return template(last, scope, program, reader)
    return named(plain) or ctypes.unknown(f"{first}::{plain}")


def qualified(type: CType, name: nodes.QualifiedName, program: Program) -> CType:
    """A type found by the last part of its name: of no library behind another namespace."""
    if not isinstance(type.origin, LibraryClass | AtomicClass):
        return type
    words = [getattr(part, "name", "") for part in name.parts[:-1]]
    known = is_library_path(words, program.namespaces)
    return type if known else ctypes.unknown("::".join([*words, type.name]))
