"""The instruction of PTX that an operation comes down to, as far as registers depend on it.

In: an operation of CUDA C++. Out: its opcode as PTX writes it, and for functions of libraries how
many registers they hold at once in between: by how many more live at once in the PTX of a kernel
that calls the function than in that of one that multiplies (nvcc 13.0).
"""

from __future__ import annotations

from ...ir.operation_kinds import Function
from ...ir.operations import COMPARISONS, Opcode, Operation, Pure
from ...ir.types import Kind
from ...ir.values import Constant

_PLAIN = {
    Opcode.ADD: "add",
    Opcode.SUB: "sub",
    Opcode.MIN: "min",
    Opcode.MAX: "max",
    Opcode.AND: "and",
    Opcode.OR: "or",
    Opcode.XOR: "xor",
    Opcode.NOT: "not",
    Opcode.SHL: "shl",
    Opcode.SHR: "shr",
    Opcode.NEG: "neg",
    Opcode.ABS: "abs",
    Opcode.SELECT: "selp",
    Opcode.MUL_HIGH: "mul.hi",
}
#: The instructions that functions of one number come down to, by the names they have in sources.
_FUNCTIONS = {
    **dict.fromkeys(("sqrt", "sqrtf", "__fsqrt_rn"), "sqrt.rn"),
    **dict.fromkeys(("rsqrt", "rsqrtf"), "rsqrt.approx"),
    **dict.fromkeys(
        ("sin", "sinf", "cos", "cosf", "tan", "tanf", "__sinf", "__cosf"), "sin.approx"
    ),
    **dict.fromkeys(("exp", "expf", "exp2f", "__expf", "tanh", "tanhf", "pow"), "ex2.approx"),
    **dict.fromkeys(("log", "logf", "log2f", "__logf", "powf"), "lg2.approx"),
    **dict.fromkeys(("fma", "fmaf", "__fmaf_rn"), "fma.rn"),
}
_INSTRUCTIONS = {
    Function.TEXTURE: "tex.2d.f32",
    Function.MATRIX_PRODUCT: "mma.sync",
}
#: Of 32 bits and of 64: registers in between, and operations that nvcc counts where it decides
#: how often a loop is copied.
_BETWEEN = {
    **dict.fromkeys(("sin", "cos"), ((10, 12), (12, 45))),
    "sincos": ((10, 24), (12, 90)),
    "tan": ((10, 12), (5, 50)),
    **dict.fromkeys(("sinpi", "cospi"), ((7, 29), (13, 45))),
    **dict.fromkeys(("exp", "exp10"), ((3, 11), (6, 42))),
    "exp2": ((3, 3), (6, 45)),
    "expm1": ((5, 29), (4, 45)),
    "log": ((4, 29), (11, 60)),
    **dict.fromkeys(("log2", "log10"), ((4, 29), (11, 70))),
    "log1p": ((4, 35), (11, 90)),
    "tanh": ((5, 16), (5, 50)),
    "sinh": ((5, 25), (8, 60)),
    "cosh": ((3, 16), (2, 35)),
    "asin": ((5, 25), (8, 60)),
    "acos": ((5, 29), (10, 70)),
    "atan": ((5, 20), (9, 35)),
    **dict.fromkeys(("asinh", "acosh"), ((6, 45), (12, 115))),
    "atanh": ((5, 40), (13, 115)),
    "erf": ((5, 25), (10, 50)),
    "erfc": ((7, 50), (9, 115)),
    "normcdf": ((10, 70), (13, 115)),
    "cbrt": ((3, 16), (13, 50)),
    "lgamma": ((6, 300), (11, 90)),
    "tgamma": ((9, 160), (16, 90)),
    **dict.fromkeys(("j0", "j1", "y0", "y1"), ((9, 100), (22, 200))),
    "pow": ((10, 110), (9, 85)),
    "atan2": ((7, 40), (9, 50)),
    "fmod": ((10, 85), (9, 300)),
    "hypot": ((3, 24), (10, 35)),
    "remainder": ((11, 110), (10, 300)),
}

#: What has a loop in it; and of 64 bits, what calls a subroutine.
_LOOPS = frozenset({"sin", "cos", "tan", "sincos", "fmod", "remainder"})
_CALLS = frozenset(
    {"sin", "cos", "tan", "sincos", "pow", "lgamma", "tgamma", "j0", "j1", "y0", "y1"}
)


#: What divides, of 32 bits and of 64.
_DIVIDES = (
    frozenset({"atan2", "hypot"}),
    frozenset({"atan2", "log1p", "sinh", "asinh", "acosh", "atanh"}),
)


def registers_between(operation: Pure) -> int:
    """How many registers compiled code of a library's function needs at once, beside those of its
    arguments.
    """
    return _of_function(operation)[0]


def operations_of(operation: Pure) -> int:
    """How many operations a function of a library counts for where loops are copied."""
    return _of_function(operation)[1]


def _of_function(operation: Pure) -> tuple[int, int]:
    found = _BETWEEN.get(_plain_name(operation))
    return found[operation.type.bits == 64] if found else (0, 1)


def has_loop(operation: Operation) -> bool:
    """Whether an operation is a function of a library with a loop in it, as large angles are
    reduced by.
    """
    return isinstance(operation, Pure) and _plain_name(operation) in _LOOPS


def has_call(operation: Pure) -> bool:
    """Whether compiled code of a library's function calls a subroutine."""
    return operation.type.bits == 64 and _plain_name(operation) in _CALLS


def has_division(operation: Pure) -> bool:
    """Whether compiled code of a library's function divides, or takes a root like that."""
    return _plain_name(operation) in _DIVIDES[operation.type.bits == 64]


def _plain_name(operation: Pure) -> str:
    """A function's name without its namespace and the letter for 32 bits."""
    name = operation.name.removeprefix("std::")
    return name if name in _BETWEEN else name.removesuffix("f")


def opcode_of(operation: Operation) -> str:
    """The PTX instruction that an operation of the IR becomes in compiled code."""
    opcode, bits = operation.opcode, operation.type.bits or 32
    letter = "f" if operation.type.kind is Kind.FLOAT else "s"
    typed = f"{letter}{max(bits, 32) if bits != 16 or letter == 's' else 16}"
    if opcode in COMPARISONS:
        return f"setp.{opcode.value}.{_typed(operation.operands[0])}"
    if opcode in (Opcode.DIV, Opcode.REM):
        if letter == "f":
            return f"div.rn.{typed}"
        constant = isinstance(operation.operands[1], Constant)
        name = "div" if opcode is Opcode.DIV else "rem"
        return f"{'mul.hi' if constant else name}.{typed}"
    if opcode is Opcode.MUL:
        return f"mul.{'rn' if letter == 'f' else 'lo'}.{typed}"
    if opcode is Opcode.CONVERT:
        return f"cvt.{typed}.{_typed(operation.operands[0])}"
    if isinstance(operation, Pure):
        if operation.function in _INSTRUCTIONS:
            return _INSTRUCTIONS[operation.function]
        return f"{_FUNCTIONS.get(operation.name, 'prmt')}.{typed}"
    return f"{_PLAIN.get(opcode, 'mov')}.{typed}"


def _typed(value: object) -> str:
    kind = getattr(value, "type", None)
    if kind is None:
        return "u32"
    return f"{'f' if kind.kind is Kind.FLOAT else 's'}{max(kind.bits or 32, 32)}"
