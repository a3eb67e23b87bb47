"""Local variables that ptxas keeps in registers: those that are only accessed at constant places.

In: a function of a module. Out: whether every use of its `.local` variables is a load or store at a
constant distance from their beginning, in words of 16 or 32 bits, in which case there is no stack
frame for them. An address that goes anywhere else, or that a loop steps, says no, and so does an
access of 8 or 64 bits, even one whose value nobody reads. Not handled: arrays with few dynamic
reads, which ptxas promotes in some cases, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .syntax import Instruction, Name, Number, Variables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .syntax import Function, Operand

_COPIES = frozenset({"mov", "cvta"})
_OTHER_WORDS = ("8", "64")  # whose variables ptxas leaves in memory


def are_promoted(function: Function) -> bool:
    """Whether all local variables of a function end up in registers."""
    addresses = {
        declarator.name.text
        for statement in function.body or ()
        if isinstance(statement, Variables) and statement.space == ".local"
        for declarator in statement.declarators
    }
    for statement in function.body or ():
        if isinstance(statement, Instruction) and not _is_constant(statement, addresses):
            return False
    return True


def _is_constant(instruction: Instruction, addresses: set[str]) -> bool:
    """Whether it uses addresses as they may be used; what it derives from one is added."""
    mnemonic, operands = instruction.opcode.mnemonic, instruction.operands
    if mnemonic in ("ld", "st") and len(operands) == 2:
        value, place = operands if mnemonic == "ld" else operands[::-1]
        if instruction.opcode.text.endswith(_OTHER_WORDS) and not addresses.isdisjoint(
            _names(place)
        ):
            return False
        return addresses.isdisjoint(_names(value))
    if addresses.isdisjoint(name for operand in operands for name in _names(operand)):
        return True
    target = operands[0]
    offset = mnemonic == "add" and isinstance(operands[-1], Number)
    if not isinstance(target, Name) or not (mnemonic in _COPIES or offset):
        return False
    if target.text in addresses:
        return False  # a second time: a loop that steps it
    addresses.add(target.text)
    return True


def _names(operand: Operand) -> Iterator[str]:
    """The names in an operand, at any depth."""
    work: list[object] = [operand]
    while work:
        item = work.pop()
        if isinstance(item, Name):
            yield item.text
        elif isinstance(item, tuple):
            work.extend(item)
