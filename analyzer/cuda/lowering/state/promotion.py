"""Which variables live where, found by lowering a kernel and looking at what became of them.

In: a lowered kernel and its context. Out: what the next lowering should do otherwise. A variable
held in registers whose address was needed after all goes to memory; one whose address is taken, but
whose every use turned out to be a load or store of the whole variable, goes to registers, as
compilers do once calls are inlined (LLVM, "SROA"). A use that only a later lowering brings about
can show that a variable must not be in registers; it then stays in memory. The members of a class
go to memory one by one, and back to registers only together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import AccessKind, MemoryAccess, Opcode, Phi
from ....ir.values import ObjectAddress
from ..model.ctypes import Form
from ..model.scope import ClassPlace, HeldAddress, VariablePlace, root_of
from .homes import Homes

if TYPE_CHECKING:
    from ....ir.kernel import Kernel
    from ....ir.memory import MemoryObject
    from ....ir.operations import Operation
    from ..model.ctypes import CType
    from .context import Context

ROUNDS = 3  # lowerings of one kernel at most
_SIZE_LIMIT = 12_000  # operations beyond which a kernel is not lowered again


def corrected_homes(context: Context, kernel: Kernel) -> Homes | None:
    """Homes of variables without registers that something still takes for memory; None if none."""
    known = context.homes
    wrong = frozenset(
        id(context.slots[operand.object].declared)
        for operation in kernel.operations()
        for operand in operation.operands
        if isinstance(operand, ObjectAddress) and operand.object in context.slots
    )
    if not wrong:
        return None
    return Homes(known.memory, known.registers - wrong, known.kept | wrong)


def better_homes(context: Context, kernel: Kernel) -> Homes | None:
    """Homes of variables for another lowering; None when everything is where it belongs."""
    known = context.homes
    if context.effort > _SIZE_LIMIT or context.made >= context.most:
        return None
    memory = known.memory | _leaked(kernel)
    registers = known.registers | _direct(context, kernel)
    registers -= {node for node, _ in memory - known.memory}
    better = Homes(memory, registers - known.kept, known.kept)
    return None if better == known else better


def _leaked(kernel: Kernel) -> frozenset[tuple[int, tuple[str, ...]]]:
    """The variables in registers, and members of them, whose address something takes."""
    roots = (
        (root_of(operand.place), operation)
        for operation in kernel.operations()
        for operand in operation.operands
        if isinstance(operand, HeldAddress)
    )
    declared = (
        (root.slot if isinstance(root, VariablePlace) else root, _leaves(operation, root.type))
        for root, operation in roots
        if isinstance(root, VariablePlace | ClassPlace)
    )
    return frozenset(
        (id(each.declared), each.path[:-1] if moved else each.path)
        for each, moved in declared
        if each.declared
    )


def _leaves(operation: Operation, type: CType) -> bool:
    """Whether it moves a pointer away from what it points to, of this type, or may do so."""
    moves = isinstance(operation, Phi) or operation.opcode in (Opcode.ADD, Opcode.SUB)
    return moves and type.form is not Form.ARRAY


def _direct(context: Context, kernel: Kernel) -> frozenset[int]:
    """The variables in local memory that are only loaded and stored as a whole."""
    if not context.taken:
        return frozenset()
    spoilt: set[MemoryObject] = set()
    for operation in kernel.operations():
        for index, operand in enumerate(operation.operands):
            if isinstance(operand, ObjectAddress) and not _is_whole(operation, index, operand):
                spoilt.add(operand.object)
    bad = {declared for item, declared in context.taken.items() if item in spoilt}
    return frozenset(context.taken.values()) - bad


def _is_whole(operation: Operation, index: int, address: ObjectAddress) -> bool:
    if not isinstance(operation, MemoryAccess) or index != 0 or operation.volatile:
        return False
    moved = operation.kind in (AccessKind.LOAD, AccessKind.STORE)
    return moved and operation.element == address.object.element
