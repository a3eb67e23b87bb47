"""What the header and the declarations of an entry say about the kernel as a whole.

Launch bounds from performance directives (PTX ISA 11.4), variables for reports, and which
parameters are pointers: those declared `.ptr`, else those whose value reaches an address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.kernel import Bounds, Dimensions
from ...ir.memory import Space, Variable
from ...source.numbers import launch_number
from ...source.text import Span
from .atoms import make_number
from .constants import evaluate_constant
from .ptx_types import bits, type_of
from .tree import Address, Function, Instruction, Name, ParameterDeclaration, Registers

if TYPE_CHECKING:
    from ...ir.kernel import Kernel
    from ...ir.memory import MemoryObject
    from ...source.text import SourceText


def bounds_of(function: Function, source: SourceText) -> Bounds:
    """What the header of a PTX entry says of its launch."""
    given = {one.name: _numbers(one.values) for one in function.header.performance}
    if not given:
        return Bounds()
    most, required = _dimensions(given.get(".maxntid")), _dimensions(given.get(".reqntid"))
    threads = required or most
    return Bounds(
        max_threads=None if threads is None else threads[0] * threads[1] * threads[2],
        max_block=most,
        required_block=required,
        min_blocks=_first(given.get(".minnctapersm")),
        max_registers=_first(given.get(".maxnreg")),
        cluster=_dimensions(given.get(".reqnctapercluster")),
        span=Span(source, function.start, function.header_end),
    )


def _numbers(words: tuple[str, ...]) -> tuple[int | None, ...]:
    """The numbers of a directive; None for one that no launch can have."""
    return tuple(launch_number(make_number(word).whole) for word in words if word[:1].isdigit())


def _first(numbers: tuple[int | None, ...] | None) -> int | None:
    return numbers[0] if numbers else None


def _dimensions(numbers: tuple[int | None, ...] | None) -> Dimensions | None:
    """`.maxntid 256` is 256 × 1 × 1."""
    if not numbers:
        return None
    x, y, z = (*numbers, 1, 1)[:3]
    return None if x is None or y is None or z is None else (x, y, z)


# ---- pointers ------------------------------------------------------------------------------------

_COPIES = frozenset({"mov", "add", "sub", "cvta", "selp", "mad"})
_NEVER = frozenset({"bra", "setp", "mul", "fma", "shl", "shr", "and", "or", "xor", "cvt", "bar"})


def pointer_parameters(function: Function) -> frozenset[tuple[str, int]]:
    """Parameters of PTX (name, offset) whose 64 bits reach the base of an address or a `cvta`."""
    if all(map(_says_whether_it_points, function.header.parameters or ())):
        return frozenset()
    loaded: dict[Name, tuple[str, int]] = {}
    sources: dict[Name, list[Name]] = {}
    work: list[Name] = []
    for statement in function.body or ():
        if statement.__class__ is not Instruction:
            continue
        mnemonic = statement[0].mnemonic
        if mnemonic in _NEVER:
            continue
        if mnemonic == "ld" and "param" in statement.opcode.modifiers:
            _note_load(statement, loaded)
        elif mnemonic in _COPIES:
            _note_copy(statement, sources, work)
        else:
            for operand in statement.operands:
                if operand.__class__ is Address and operand.base.__class__ is Name:
                    work.append(operand.base)
    if not loaded:
        return frozenset()
    reached: set[Name] = set()
    while work:
        name = work.pop()
        if name not in reached:
            reached.add(name)
            work.extend(sources.get(name, ()))
    return frozenset(place for name, place in loaded.items() if name in reached)


def _says_whether_it_points(parameter: ParameterDeclaration) -> bool:
    """Declared `.ptr`, or too small to hold an address."""
    if parameter.pointer is not None:
        return not parameter.extents
    return not (parameter.extents or parameter.vector) and bits(type_of(parameter.type[1:])) < 64


def _note_copy(statement: Instruction, sources: dict[Name, list[Name]], work: list[Name]) -> None:
    """An operation whose result may be an address when an operand is one: 64 bits wide."""
    opcode, operands = statement.opcode, statement.operands
    if not operands or (not opcode.text.endswith("64") and opcode.mnemonic != "mad"):
        return
    names = [operand for operand in operands[1:] if operand.__class__ is Name]
    if opcode.mnemonic == "mad":
        names = names[-1:]
    target = operands[0]
    if isinstance(target, Name):
        sources.setdefault(target, []).extend(names)
    if opcode.mnemonic == "cvta":
        work.extend(names)


def _note_load(statement: Instruction, loaded: dict[Name, tuple[str, int]]) -> None:
    """`ld.param.u64 %rd1, [name+8]`, and the vector form of it."""
    target, address = (*statement.operands, None, None)[:2]
    if not isinstance(address, Address) or not isinstance(address.base, Name):
        return
    width = bits(type_of(statement.opcode.modifiers[-1])) // 8
    if width != 8:
        return
    offset = evaluate_constant(address.offset) if address.offset is not None else 0
    targets = getattr(target, "elements", (target,))
    for index, one in enumerate(targets):
        if isinstance(one, Name):
            loaded[one] = (address.base.text, (offset or 0) + width * index)


# ---- variables -----------------------------------------------------------------------------------


def register_variables(function: Function, source: SourceText) -> list[Variable]:
    """One variable for each bank of registers that a PTX function declares."""
    variables: list[Variable] = []
    for statement in function.body or ():
        if not isinstance(statement, Registers):
            continue
        span = Span(source, statement.start, statement.end)
        width = bits(type_of(statement.type[1:])) // 8
        for name, count in statement.names:
            text = name.text if count is None else f"{name.text}<{count.text}>"
            number = 1 if count is None else count.whole
            variables.append(
                Variable(
                    text,
                    statement.type[1:],
                    Space.REGISTER,
                    span,
                    "virtual registers, private to each thread; ptxas assigns the physical ones",
                    width * number,
                )
            )
    return variables


_REASONS = {
    Space.SHARED: "declared .shared: one copy per thread block, visible to all its threads",
    Space.LOCAL: "declared .local: private to each thread, kept in device memory",
    Space.GLOBAL: "declared .global: in device memory, visible to all threads and the host",
    Space.CONSTANT: "declared .const: in constant memory, read-only for kernels",
    Space.PARAMETER: "a kernel parameter: in constant memory, the same for every thread",
}


def object_variables(kernel: Kernel) -> list[Variable]:
    """The memory objects of a PTX kernel, and its parameters, as variables."""
    variables = [_object_variable(item) for item in kernel.objects if not item.pointee]
    for parameter in kernel.parameters:
        variables.append(
            Variable(
                parameter.name,
                str(parameter.type),
                Space.PARAMETER,
                parameter.span,
                _REASONS[Space.PARAMETER],
                parameter.type.width,
                parameter.pointee,
            )
        )
    return variables


def _object_variable(item: MemoryObject) -> Variable:
    reason = _REASONS.get(item.space, f"declared .{item.space.value}")
    if item.dynamic:
        reason = "declared .extern .shared without a size: dynamic shared memory of the launch"
    extents = "".join(f"[{'' if extent is None else extent}]" for extent in item.extents)
    return Variable(
        item.name, f"{item.element}{extents}", item.space, item.span, reason, item.size, item
    )
