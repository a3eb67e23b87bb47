"""The instruction of PTX that an operation comes down to, as far as registers depend on it.

In: an operation of CUDA C++. Out: its opcode as PTX writes it, and for functions of libraries how
many registers they hold at once in between: what a kernel that calls the function alone takes more
than one that multiplies (nvcc and ptxas 13.0, sm_80).
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
#: Registers in between, for 32 bits and for 64.
_BETWEEN = {
    **dict.fromkeys(("sin", "cos", "tan", "sincos"), (13, 17)),
    **dict.fromkeys(("sinpi", "cospi"), (5, 14)),
    **dict.fromkeys(("exp", "exp2", "exp10", "expm1"), (3, 6)),
    **dict.fromkeys(("log", "log2", "log10", "log1p"), (3, 12)),
    **dict.fromkeys(("tanh", "sinh", "cosh"), (5, 10)),
    **dict.fromkeys(("asin", "acos", "atan"), (3, 12)),
    **dict.fromkeys(("asinh", "acosh", "atanh"), (4, 14)),
    **dict.fromkeys(("erf", "erfc", "normcdf"), (5, 16)),
    **dict.fromkeys(("cbrt",), (5, 12)),
    **dict.fromkeys(("lgamma", "tgamma", "j0", "j1", "y0", "y1"), (9, 22)),
    **dict.fromkeys(("pow",), (6, 20)),
    **dict.fromkeys(("atan2",), (8, 19)),
    **dict.fromkeys(("fmod", "hypot"), (5, 10)),
    **dict.fromkeys(("remainder",), (8, 12)),
}

#: What has a loop in it; and of 64 bits, what calls a subroutine.
_LOOPS = frozenset({"sin", "cos", "tan", "sincos", "fmod", "remainder"})
_CALLS = frozenset(
    {"sin", "cos", "tan", "sincos", "pow", "lgamma", "tgamma", "j0", "j1", "y0", "y1"}
)


def registers_between(operation: Pure) -> int:
    """How many registers compiled code of a library's function needs at once, beside those of its
    arguments.
    """
    found = _BETWEEN.get(_plain_name(operation))
    return found[operation.type.bits == 64] if found else 0


def has_loop(operation: Operation) -> bool:
    """Whether an operation is a function of a library with a loop in it, as large angles are
    reduced by.
    """
    return isinstance(operation, Pure) and _plain_name(operation) in _LOOPS


def has_call(operation: Pure) -> bool:
    """Whether compiled code of a library's function calls a subroutine."""
    return operation.type.bits == 64 and _plain_name(operation) in _CALLS


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
