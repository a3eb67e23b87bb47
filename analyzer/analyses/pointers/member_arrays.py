"""Arrays inside of classes that the IR holds as one value, indexed with what is not a constant.

In: the facts of a kernel. Out: for a variable, the first index that keeps an array in it from being
a set of registers, or nothing. The IR has such accesses as the pure operations `part` and `update`
of the whole value. How large an array the compiler still keeps in registers was not measured for
members of classes, so nothing is decided here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operation_kinds import PARTS, Function
from ...ir.operations import Field, Operation, Phi, Pure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...ir.memory import Variable
    from ...ir.values import Value
    from ..dataflow.compile_time import Cause
    from .facts import PointerFacts


class MemberArrays:
    """The dynamic indices into arrays that are members of one kernel's variables."""

    def __init__(self, facts: PointerFacts) -> None:
        self._by_value: dict[Value, tuple[Cause, int]] = {}
        self._by_name: dict[str, tuple[Cause, int]] = {}
        for operation in facts.kernel.operations():
            if not isinstance(operation, Pure) or operation.function not in PARTS:
                continue
            last = len(operation.operands) - (operation.function is Function.UPDATE)
            causes = [facts.compile_time.cause(index) for index in operation.operands[1:last]]
            cause = next((cause for cause in causes if cause is not None), None)
            if cause is not None:
                self._note(operation, (cause, operation.location.span.line))

    def _note(self, operation: Operation, found: tuple[Cause, int]) -> None:
        """Give the index to all values that the whole was before, back to a phi of its variable."""
        whole: Value = operation
        while isinstance(whole, Field | Pure) and whole.operands:
            self._by_value.setdefault(whole, found)
            whole = whole.operands[0]
        self._by_value.setdefault(whole, found)
        if isinstance(whole, Phi) and whole.variable:
            self._by_name.setdefault(whole.variable, found)

    def index_into(self, variable: Variable, values: Iterable[Value]) -> str | None:
        """Why a variable that held `values` may not be in registers, in words."""
        found = next((self._by_value[value] for value in values if value in self._by_value), None)
        if found is None and (variable.size is None or variable.size > 8):
            found = self._by_name.get(variable.name)
        if found is None:
            return None
        cause, line = found
        return f"an index into a member array depends on {cause.text} (line {line})"
