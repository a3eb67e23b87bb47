"""What is known of each access before numbers are put in: its object, and the form of its offset.

In: a kernel, its control flow, its points-to sets. Out: for every access whether the set of objects
it may touch is known, and the form of its byte offset: an expression over thread and block indices,
loop counters, parameters and uniform symbols; one with values that depend on the path or on the
iterations of a loop; one over loaded or exchanged values, which are opaque terms of the expression;
or not known, with the reason. A pointer that memory holds is a base: the offset counts from it.
Forms rise along def-use edges until nothing changes, each value at most once per form.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from ...ir.operation_kinds import PARTS, Function
from ...ir.operations import (
    AccessKind,
    Barrier,
    Call,
    Convert,
    Field,
    MemoryAccess,
    Operation,
    Phi,
    Pure,
    WarpOperation,
    users_of,
)
from ...ir.types import Kind
from ...ir.values import Constant, Parameter, Unknown, written
from ..dataflow.affine import counted_from
from ..dataflow.fixpoint import solve
from ..dataflow.induction import induction
from ..dataflow.phi_shapes import selection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.kernel import Kernel
    from ...ir.values import Value
    from ..dataflow.control_flow import ControlFlow
    from .points_to import PointsTo


class Form(IntEnum):
    """How the offset of an address is composed; of two forms in one expression the greater one
    holds.
    """

    CLOSED = 0  # of indices, counters, parameters, uniform symbols
    STEPPED = 1  # of values that depend on the path, or on the iterations of a loop, as well
    LOADED = 2  # of values that memory or other lanes gave, as well
    UNKNOWN = 3

    def __str__(self) -> str:
        return self.name.lower()


class AddressForms:
    """The forms of the addresses of one kernel: of indices, of loaded data, or unknown."""

    def __init__(self, kernel: Kernel, flow: ControlFlow, pointers: PointsTo) -> None:
        self._flow = flow
        self._pointers = pointers
        self._forms: dict[Operation, Form] = {}
        self._reasons: dict[Operation, str] = {}
        self._symbols = _symbols(kernel)
        self._solve(list(kernel.operations()))

    def offset(self, access: MemoryAccess) -> Form:
        """The form of an access's byte offset from its object."""
        return max(self._of(access.address), self._of_base(access.address)[0])

    def offset_reason(self, access: MemoryAccess) -> str:
        """Why an offset is not known; "" when it is."""
        return self._reason(access.address) or self._of_base(access.address)[1]

    def knows_object(self, access: MemoryAccess) -> bool:
        """Whether every object that an access may touch is known."""
        targets = self._pointers.of(access.address)
        return bool(targets) and None not in targets

    def _of_base(self, address: Value) -> tuple[Form, str]:
        """An offset from something that no declaration names is not known."""
        start = counted_from(address)
        if isinstance(start, Unknown):
            return Form.UNKNOWN, start.reason
        return Form.CLOSED, ""

    def _of(self, value: Value) -> Form:
        if isinstance(value, Operation):
            return self._forms.get(value, Form.CLOSED)
        if not isinstance(value, Unknown):
            return Form.CLOSED
        if value.per_thread or value.type.kind is Kind.POINTER:
            return Form.UNKNOWN
        return Form.CLOSED

    def _reason(self, value: Value) -> str:
        if isinstance(value, Operation):
            return self._reasons.get(value, "")
        return value.reason if isinstance(value, Unknown) else ""

    def _solve(self, operations: list[Operation]) -> None:
        users = users_of(operations)

        def transfer(operation: Operation) -> Sequence[Operation]:
            form, reason = self._transfer(operation)
            if form <= self._forms.get(operation, Form.CLOSED):
                return ()
            self._forms[operation] = form
            self._reasons[operation] = reason
            return users.get(operation, ())

        solve(operations, transfer)

    def _transfer(self, operation: Operation) -> tuple[Form, str]:
        own, reason = self._own(operation)
        leaf = isinstance(operation, MemoryAccess | WarpOperation | Barrier)
        if own is Form.UNKNOWN or leaf:
            return own, reason
        operands = operation.operands
        for operand in written(operands) if isinstance(operation, Phi) else operands:
            form = self._of(operand)
            if form > own:
                own, reason = form, self._reason(operand)
        return own, reason

    def _own(self, operation: Operation) -> tuple[Form, str]:
        """What the operation itself makes of closed operands."""
        if isinstance(operation, Call):
            return Form.UNKNOWN, f"call of {operation.callee}: {operation.reason}"
        if isinstance(operation, MemoryAccess):
            return self._loaded(operation)
        if isinstance(operation, WarpOperation | Barrier):
            return Form.LOADED, ""
        if isinstance(operation, Phi):
            return self._phi(operation), ""
        if operation in self._symbols:
            return Form.CLOSED, ""
        if isinstance(operation, Pure) and operation.function in PARTS:
            if operation.type.kind is Kind.UNKNOWN:
                return Form.UNKNOWN, "a part of a value of unknown type"
            return Form.STEPPED, ""
        if isinstance(operation, Pure) and operation.function in _OPAQUE:
            named = [self._reason(item) for item in operation.operands]
            own = _OPAQUE[operation.function]
            return Form.UNKNOWN, next(filter(None, named), own)
        return Form.CLOSED, ""

    def _loaded(self, access: MemoryAccess) -> tuple[Form, str]:
        if access.type.kind is not Kind.POINTER or access.kind is not AccessKind.LOAD:
            return Form.LOADED, ""
        if None in self._pointers.of(access):
            return Form.UNKNOWN, "a pointer read from memory"
        return Form.CLOSED, ""

    def _phi(self, phi: Phi) -> Form:
        known = induction(self._flow, phi) or selection(self._flow, phi)
        return Form.CLOSED if known else Form.STEPPED


def _symbols(kernel: Kernel) -> set[Operation]:
    """What is computed from parameters and constants alone: the same for the whole grid.

    Its type may be unknown, and so how it is computed: it is a symbol of the expression all the
    same.
    """
    found: set[Operation] = set()
    for operation in kernel.operations():
        if isinstance(operation, Pure | Field | Convert) and all(
            item in found
            or isinstance(item, Parameter | Constant)
            or (isinstance(item, Unknown) and not item.per_thread)
            for item in operation.operands
        ):
            found.add(operation)
    return found


_OPAQUE = {
    Function.COMBINED: "an operator on an unknown type",
    Function.ELEMENT: "an element of unknown type",
    Function.NEW_OBJECT: "a new object of unknown type",
}
