"""A kernel of CUDA C++ as the operations that the register estimator for PTX works on.

In: the facts of a kernel. Out: a `Code` (ptx/estimate/operations.py), as if it were compiled: what
nobody reads is gone, what is computed twice is computed once, constants and parameters cost
nothing, sums in addresses are folded, and arrays of a thread that the compiler keeps in registers
are registers (`pointers/local_arrays.py`). Algorithm: a walk over the blocks in order, where each
value gets a number (value numbering by operands, valid where the first one dominates). Not handled:
loops are not unrolled, which the estimate is told by numbers of their own (`source_registers.py`).
"""

from __future__ import annotations

from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING

from ...hardware.local_arrays import Residence
from ...ir.memory import Space
from ...ir.operations import (
    EFFECTS,
    Barrier,
    Call,
    Compare,
    Convert,
    MemoryAccess,
    OpaqueOperation,
    Opcode,
    Operation,
    Phi,
    Pure,
    WarpOperation,
)
from ...ir.types import Kind
from ...ir.values import Constant, ObjectAddress, Parameter, Special, SpecialRegister, Value
from ...ptx.estimate.opcode_kinds import kind_of
from ...ptx.estimate.operations import Code, Op
from ..pointers.local_arrays import judge

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from ...ir.block import Block
    from ...ir.memory import MemoryObject
    from ..pointers.facts import PointerFacts

_WIDEST = 8  # registers of a value whose type is not known to be smaller
_MOST_OF_AN_ARRAY = 128  # registers
_UNIFORM = frozenset(
    each for each in Special if each.value.startswith(("ntid", "ctaid", "nctaid", "WARP_SZ"))
)
_SPACES = {Space.GENERIC: "", Space.PARAMETER: ".param", Space.CONSTANT: ".const"}
_COMPARED = frozenset({Opcode.EQ, Opcode.NE, Opcode.LT, Opcode.LE, Opcode.GT, Opcode.GE})
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
    Opcode.REM: "rem",
    Opcode.MUL_HIGH: "mul.hi",
    Opcode.AGGREGATE: "mov",
    Opcode.EXTRACT: "mov",
    Opcode.INSERT: "mov",
}
#: The instructions that functions of one number come down to, by the names they have in sources.
_FUNCTIONS = {
    **dict.fromkeys(("sqrt", "sqrtf"), "sqrt.rn"),
    **dict.fromkeys(("rsqrt", "rsqrtf"), "rsqrt.approx"),
    **dict.fromkeys(("sin", "sinf", "cos", "cosf", "tan", "tanf", "__sinf"), "sin.approx"),
    **dict.fromkeys(("exp", "expf", "exp2f", "__expf", "tanh", "tanhf", "pow"), "ex2.approx"),
    **dict.fromkeys(("log", "logf", "log2f", "__logf", "powf"), "lg2.approx"),
    **dict.fromkeys(("fma", "fmaf", "__fmaf_rn"), "fma.rn"),
}


def code_of(facts: PointerFacts) -> Code:
    """The kernel, cut down to what will need registers."""
    return _Reader(facts).code()


class _Reader:
    def __init__(self, facts: PointerFacts) -> None:
        self._facts = facts
        self._code = Code()
        self._numbers: dict[Value, int] = {}  # registers by the value that they hold
        self._same: dict[Value, Value] = {}  # what was computed before
        self._known: dict[Hashable, list[Operation]] = {}
        self._arrays: dict[MemoryObject, int] = {}
        self._specials: dict[Special, Value] = {}

    def code(self) -> Code:
        """The blocks in their order, each with what it writes for the blocks behind it."""
        code, blocks = self._code, self._facts.kernel.blocks
        index = {block: place for place, block in enumerate(blocks)}
        for block in blocks:
            code.blocks.append([op for each in block.operations for op in self._ops(each)])
            code.successors.append([index[each] for each in block.successors])
        for block in blocks:
            self._leave(block, code.blocks[index[block]])
        code.declared = code.widths[:]
        return code

    @cached_property
    def _living(self) -> set[Value]:
        """What has an effect, or a part in one."""
        roots = [each for each in self._facts.kernel.operations() if each.opcode in EFFECTS]
        found: set[Value] = {*roots}
        work: list[Value] = [*roots]
        while work:
            operation = work.pop()
            if isinstance(operation, Operation):
                for operand in operation.operands:
                    if operand not in found:
                        found.add(operand)
                        work.append(operand)
        return found

    # ---- registers ---------------------------------------------------------------------------

    def _register(self, value: Value) -> int:
        """The register of a value, made when it is first asked for."""
        value = self._same.get(value, value)
        if isinstance(value, SpecialRegister):
            value = self._specials.setdefault(value.register, value)
        if value not in self._numbers:
            uniform = self._is_uniform(value)
            width = _width_of(value)
            loops = isinstance(value, Phi)
            self._numbers[value] = self._new(0 if uniform and not loops else width)
            self._code.uniform[-1] = 0 if uniform else width
        return self._numbers[value]

    def _new(self, width: int) -> int:
        self._code.widths.append(width)
        self._code.uniform.append(width)
        return len(self._code.widths) - 1

    def _is_uniform(self, value: Value) -> bool:
        """Whether a value lives in uniform registers: an integer of what all threads share."""
        return not self._varying.get(value, not isinstance(value, Constant | Parameter))

    @cached_property
    def _varying(self) -> dict[Value, bool]:
        """For each operation whether threads have a part in it, by what is read before it."""
        found: dict[Value, bool] = {}
        for operation in self._facts.kernel.operations():
            integer = operation.type.kind in (Kind.INTEGER, Kind.POINTER, Kind.PREDICATE)
            own = not integer or operation.opcode in EFFECTS or isinstance(operation, Pure)
            found[operation] = own or any(
                not (
                    isinstance(each, Constant | Parameter | ObjectAddress)
                    or (isinstance(each, SpecialRegister) and each.register in _UNIFORM)
                    or found.get(each) is False
                )
                for each in operation.operands
            )
        return found

    def _reads(self, operands: Iterable[Value]) -> tuple[int, ...]:
        found = [self._register(each) for each in operands if _is_held(each)]
        return tuple(dict.fromkeys(found))

    # ---- operations --------------------------------------------------------------------------

    def _ops(self, operation: Operation) -> Iterator[Op]:
        if isinstance(operation, Phi) or operation not in self._living:
            return
        if isinstance(operation, MemoryAccess):
            yield self._access(operation)
            return
        if operation.opcode not in EFFECTS and self._was_computed(operation):
            return
        if operation.opcode not in EFFECTS and self._is_folded(operation):
            return
        reads = self._reads(self._unfolded(operation.operands))
        writes = (self._register(operation),) if _has_result(operation) else ()
        if isinstance(operation, Call):
            self._code.calls.append(operation.callee)
        yield Op(kind_of(_opcode(operation)), writes, reads)

    def _access(self, access: MemoryAccess) -> Op:
        item = self._facts.points_to.object_of(access)
        if item is not None and item.space is Space.LOCAL and item in self._kept_arrays:
            return self._of_array(access, item)
        spaces = self._facts.points_to.spaces(access)
        space = next(iter(spaces)) if len(spaces) == 1 else access.space
        name = _SPACES.get(space, f".{space.value}")
        words = _words(access.width)
        element = f"{_letter(access.element.kind)}{access.element.bits or 32}"
        word = "atom" if access.atomic else "ld" if access.reads else "st"
        vector = f".v{words}" if words > 1 and word != "atom" and access.type.bits != 64 else ""
        reads = self._reads(self._unfolded(access.operands))
        writes = (self._register(access),) if _has_result(access) else ()
        return Op(kind_of(f"{word}{name}{vector}.{element}"), writes, reads)

    def _of_array(self, access: MemoryAccess, item: MemoryObject) -> Op:
        """An access to an array in registers: a part of it is written, or read."""
        if item not in self._arrays:
            words = ceil((item.size or 4) / 4)
            self._arrays[item] = self._new(min(words, _MOST_OF_AN_ARRAY))
        register = self._arrays[item]
        values = self._reads(access.operands[1:])
        if access.writes:
            return Op(kind_of("mov.b32"), (register,), (*values, register))
        return Op(kind_of("mov.b32"), (self._register(access),), (register,))

    @cached_property
    def _kept_arrays(self) -> set[MemoryObject]:
        """The arrays of a thread that the compiler keeps in registers."""
        items = [each for each in self._facts.kernel.objects if each.space is Space.LOCAL]
        kept = Residence.REGISTERS
        return {each for each in items if judge(self._facts, each).residence is kept}

    def _was_computed(self, operation: Operation) -> bool:
        """Whether a block that comes before on every path has the same value."""
        operands = tuple(self._name(each) for each in operation.operands)
        key = (operation.opcode, operation.type, operands, _more(operation))
        tree = self._facts.flow.dominators
        for other in self._known.get(key, ()):
            if tree.dominates(other.block.index, operation.block.index):
                self._same[operation] = other
                return True
        self._known.setdefault(key, []).append(operation)
        return False

    def _name(self, value: Value) -> Hashable:
        value = self._same.get(value, value)
        if isinstance(value, Constant):
            return value.type, value.value
        return value.register if isinstance(value, SpecialRegister) else id(value)

    def _is_folded(self, operation: Operation) -> bool:
        """Whether an instruction that reads the value does this, too: conversions of indices,
        constant factors in addresses, products in sums.
        """
        users = self._facts.users.get(operation, ())
        if isinstance(operation, Convert):
            same = _width_of(operation) == _width_of(operation.operands[0])
            index = operation.type.bits == 64 and operation.type.kind is not Kind.FLOAT
            return same or index
        if operation.opcode in (Opcode.MUL, Opcode.SHL):
            scaled = isinstance(operation.operands[1], Constant) and operation.type.bits == 64
            fused = operation.type.kind is Kind.FLOAT and len(users) == 1
            sums = all(each.opcode in (Opcode.ADD, Opcode.SUB) for each in users)
            return (scaled or fused) and sums
        if operation.opcode is Opcode.ADD and operation.type.kind is Kind.POINTER:
            constant = isinstance(operation.operands[1], Constant)
            return constant and all(isinstance(each, MemoryAccess) for each in users)
        return False

    def _unfolded(self, operands: Iterable[Value]) -> Iterator[Value]:
        """What is read where some of the operands are folded away."""
        for each in operands:
            value = self._same.get(each, each)
            if isinstance(value, Operation) and self._is_left_out(value):
                yield from self._unfolded(value.operands)
            else:
                yield value

    def _is_left_out(self, operation: Operation) -> bool:
        own = operation.opcode in EFFECTS or isinstance(operation, Phi)
        return not own and self._is_folded(operation)

    def _leave(self, block: Block, ops: list[Op]) -> None:
        """What is written for the phis of the blocks behind, before the jump."""
        moves: list[Op] = []
        for successor in block.successors:
            place = successor.predecessors.index(block)
            for phi in successor.phis:
                if phi in self._living and phi.type.kind is not Kind.VOID:
                    reads = self._reads(self._unfolded([phi.operands[place]]))
                    target = self._register(phi)
                    if reads != (target,):
                        moves.append(Op(kind_of("mov.b32"), (target,), reads))
        at = len(ops) - 1 if ops and ops[-1].kind.last else len(ops)
        ops[at:at] = moves


def _is_held(value: Value) -> bool:
    """Whether a value is in a register at all, and in no constant bank."""
    if isinstance(value, SpecialRegister):
        return value.register not in _UNIFORM
    return isinstance(value, Operation)


def _width_of(value: Value) -> int:
    """Registers of a value; predicates have their own."""
    kind, bits = value.type.kind, value.type.bits
    if kind in (Kind.PREDICATE, Kind.VOID):
        return 0
    if isinstance(value, Compare):
        return 0
    if bits is None:
        return 1
    return min(max(1, ceil(bits / 32)), _WIDEST)


def _words(width: int | None) -> int:
    return 1 if width is None else max(1, min(ceil(width / 4), 4))


def _has_result(operation: Operation) -> bool:
    return operation.type.kind is not Kind.VOID and operation.opcode not in (
        Opcode.JUMP,
        Opcode.BRANCH,
        Opcode.SWITCH,
        Opcode.RETURN,
        Opcode.EXIT,
    )


def _more(operation: Operation) -> Hashable:
    """What tells operations with the same operands apart."""
    if isinstance(operation, Pure):
        return operation.name
    if isinstance(operation, Convert):
        return operation.source
    return getattr(operation, "offset", getattr(operation, "compared", None))


def _letter(kind: Kind) -> str:
    return "f" if kind is Kind.FLOAT else "u"


def _opcode(operation: Operation) -> str:
    """What the operation is called in PTX, as far as the estimate asks."""
    opcode, bits = operation.opcode, operation.type.bits or 32
    letter = "f" if operation.type.kind is Kind.FLOAT else "s"
    typed = f"{letter}{max(bits, 32)}"
    if opcode in _COMPARED:
        return f"setp.lt.{typed}"
    if opcode in (Opcode.DIV, Opcode.REM):
        rounding = ".rn" if letter == "f" else ""
        constant = isinstance(operation.operands[1], Constant)
        return f"mul.hi.{typed}" if constant else f"{_divided(opcode)}{rounding}.{typed}"
    if opcode is Opcode.MUL:
        return f"mul.{'rn' if letter == 'f' else 'lo'}.{typed}"
    if opcode is Opcode.CONVERT:
        return f"cvt.{typed}.u32"
    if opcode in _PLAIN:
        return f"{_PLAIN[opcode]}.{typed}"
    if isinstance(operation, Pure):
        return f"{_FUNCTIONS.get(operation.name, 'prmt')}.{typed}"
    if isinstance(operation, Barrier):
        return "bar.sync"
    if isinstance(operation, WarpOperation):
        return "shfl.sync.idx.b32"
    return _OTHER.get(opcode, "call" if isinstance(operation, OpaqueOperation) else "bra")


def _divided(opcode: Opcode) -> str:
    return "div" if opcode is Opcode.DIV else "rem"


_OTHER = {
    Opcode.CALL: "call",
    Opcode.FENCE: "membar.gl",
    Opcode.RETURN: "ret",
    Opcode.EXIT: "exit",
    Opcode.BRANCH: "bra",
    Opcode.JUMP: "bra",
    Opcode.SWITCH: "brx.idx",
}
