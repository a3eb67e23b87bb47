"""Lowers branches, calls, returns and exits (PTX ISA 9.7.10).

A device function whose body is in the module is inlined: a new frame goes on the stack and its
`ret` jumps behind the call. Calls that are not inlined (external, indirect, recursive, too large)
become `Call`. A jump to a label that is not there ends the thread: ptxas refuses such a module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operation_kinds import Function as KnownFunction
from ...ir.operations import Call, Exit, Pure, Return, Switch
from ...ir.types import UINT32, VOID, Kind, Type
from ...source.location import Location
from ..syntax.ptx_types import type_of
from ..syntax.tree import Function, Guard, Instruction, Name, Operand, call_parts
from .frame import Frame, Slot, slot_of

if TYPE_CHECKING:
    from ...ir.block import Block
    from ...ir.values import Value
    from .kernel_lowering import Lowering

_DEEPEST = 12
_MOST_INLINED = 200_000
_NEVER_RETURN = frozenset({"__assertfail", "__assert_fail"})  # assert() of the CUDA headers
_PRINTS = "vprintf"  # what `printf` is in PTX: a format, and where its arguments lie


def branch(low: Lowering, instruction: Instruction) -> None:
    """`bra{.uni} label`, with or without a guard."""
    guard = instruction.guard
    target = low.block_of(instruction.operands[0] if instruction.operands else None)
    if guard is None:
        return low.builder.jump(target)
    return guarded_jump(low, guard, target, "bra")


def guarded_jump(low: Lowering, guard: Guard, target: Block, construct: str) -> None:
    """Go to `target` when the guard of a PTX instruction holds, else on."""
    following = low.builder.new_block("next")
    condition = low.predicate(guard)
    if guard.negated:
        low.builder.branch(condition, following, target, construct)
    else:
        low.builder.branch(condition, target, following, construct)
    if following.predecessors:
        low.builder.start(following)


def indexed_branch(low: Lowering, instruction: Instruction) -> None:
    """`brx.idx{.uni} index, list`: a number outside of the list is undefined behaviour."""
    index, names = instruction.operands[:2]
    listed = low.frame.labels.lists.get(names.text) if isinstance(names, Name) else None
    if listed is None or not listed.names:
        return leave(low, "brx to an undefined list of targets")
    if low.frame.index in low.frame.labels.unfollowed:
        reason = "a jump through a table: too many of the kernel's jumps have too many targets"
        low.opaque(reason)
        return leave(low, reason)
    blocks = [low.block_of(name) for name in listed.names]
    selector = low.value(index, UINT32)
    cases: list[tuple[int | None, Block]] = list(enumerate(blocks))
    return low.builder.terminate(Switch(selector, cases[:-1], blocks[-1], low.builder.location))


def leave(low: Lowering, name: str, *, alone: bool = False) -> None:
    """End the PTX thread here (`exit`, `trap`), and the whole grid unless it stops alone."""
    low.builder.terminate(Exit(name, low.builder.location, alone=alone))


def return_(low: Lowering, _: Instruction) -> None:
    """`ret`: out of an inlined function, or the end of the thread."""
    frame = low.frame
    if frame.exit is not None:
        low.builder.jump(frame.exit)
    else:
        last = frame.index >= low.last_instruction
        low.builder.terminate(Return(low.builder.location, implicit=last))


def exit_(low: Lowering, instruction: Instruction) -> None:
    """`exit`, `trap`."""
    mnemonic = instruction.opcode.mnemonic
    leave(low, mnemonic, alone=mnemonic == "exit")


# ---- calls ---------------------------------------------------------------------------------------


def call(low: Lowering, instruction: Instruction) -> None:
    """`call{.uni} {(results),} function{, (arguments)}{, prototype};`"""
    results, callee, arguments = call_parts(instruction.operands)
    if callee is None:
        return low.opaque("a call without a target")
    function = low.names.functions.get(callee.text)
    reason = _why_not_inlined(low, function, callee)
    if reason or function is None:
        return _emit_call(low, callee.text, results, arguments, reason)
    return _enter(low, function, results, arguments)


def _why_not_inlined(low: Lowering, function: Function | None, callee: Name) -> str:
    """Empty when the function can be inlined."""
    if function is None:
        indirect = low.frame.register(callee) is not None
        return "the callee is chosen at run time" if indirect else "the function is not declared"
    if function.body is None:
        return "the function's body is not in this module"
    if any(frame.function is function for frame in low.frames):
        return "the function is recursive"
    size = len(function.body)
    if len(low.frames) > _DEEPEST or low.inlined_statements + size > _MOST_INLINED:
        return "too much code would be inlined"
    low.inlined_statements += size
    return ""


def _emit_call(
    low: Lowering,
    callee: str,
    results: tuple[Operand, ...],
    arguments: tuple[Operand, ...],
    reason: str,
) -> None:
    values: list[Value] = []
    for operand in arguments:
        slot = low.frame.things.get(operand.text) if isinstance(operand, Name) else None
        if isinstance(slot, Slot):
            parts = sorted(slot.parts.items())
            values += [low.builder.read(part, slot.element) for _, part in parts]
        else:
            values.append(low.value(operand, UINT32))
    slots = [low.frame.things.get(r.text) if isinstance(r, Name) else None for r in results]
    first = slots[0] if slots else None
    type_ = VOID
    if isinstance(first, Slot):
        whole = first.size is None or first.size * 8 != first.element.bits
        type_ = Type(Kind.AGGREGATE, first.size and 8 * first.size) if whole else first.element
    elif results:
        type_ = UINT32
    operation = _called(callee, type_, values, low.builder.location, reason)
    low.builder.emit(operation)
    for operand, slot in zip(results, slots, strict=True):
        if isinstance(slot, Slot):
            slot.result_of = operation
        else:
            low.assign(operand, operation)
    function = low.names.functions.get(callee)
    stops = function and any(one.name == ".noreturn" for one in function.header.performance)
    if stops or callee in _NEVER_RETURN:
        leave(low, callee)


def _called(
    callee: str, type_: Type, values: list[Value], location: Location, reason: str
) -> Call | Pure:
    """A call of what the runtime of the device has is known to do no more than that."""
    if callee == _PRINTS:
        return Pure(callee, type_, values, location, KnownFunction.PRINTED)
    operation = Call(callee, type_, values, location, reason)
    operation.allocates, operation.releases = callee == "malloc", callee == "free"
    return operation


def _enter(
    low: Lowering,
    function: Function,
    results: tuple[Operand, ...],
    arguments: tuple[Operand, ...],
) -> None:
    """Push a frame for the function; formal parameters are bound to what the call passes."""
    caller = low.frame
    here = low.builder.location
    origin, assembly = here.origin, here.assembly
    site = Location(here.span, inlined_at=here.inlined_at, origin=origin, assembly=assembly)
    frame = Frame(function, site)
    frame.exit = low.builder.new_block("returned")
    header = function.header
    for formal, actual in zip(header.parameters or (), arguments, strict=False):
        slot = caller.things.get(actual.text) if isinstance(actual, Name) else None
        if formal.space == ".reg":
            register = frame.make_register(formal.name, type_of(formal.type[1:]))
            low.builder.write(register, low.value(actual, register.type))
        elif isinstance(slot, Slot) and slot.declared is None:
            frame.things[formal.name.text] = slot
        else:
            own = slot_of(formal)
            low.builder.write(own.part(0), low.value(actual, own.element))
            frame.things[formal.name.text] = own
    for formal, actual in zip(header.results or (), results, strict=False):
        slot = caller.things.get(actual.text) if isinstance(actual, Name) else None
        if formal.space == ".reg":
            register = frame.make_register(formal.name, type_of(formal.type[1:]))
            frame.results.append((register, actual))
        elif isinstance(slot, Slot):
            slot.result_of = None
            frame.things[formal.name.text] = slot
        else:
            frame.things[formal.name.text] = slot_of(formal)
    low.push(frame)
