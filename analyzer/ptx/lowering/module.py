"""Lowers a parsed PTX module to the kernel IR: one `Kernel` in SSA form per `.entry`.

In: a `PtxModule`. Out: an `ir.kernel.Module` with language "ptx". Statements are lowered in order;
the names of a function live in its `Frame`, the state of a kernel in `Lowering`. An instruction
under a guard `@p` becomes a selection between its result and the register's old value; when it
touches memory or other threads, a branch around it with the construct "@p". What cannot be
lowered becomes an `OpaqueOperation`, never an exception.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...ir.kernel import Kernel, Module
from ...ir.kernel import Unread as NotUnderstood
from ...ir.memory import MemoryObject, Space
from ...ir.operations import Exit, OpaqueOperation, Opcode, Return
from ...ir.types import POINTER, PREDICATE, UNKNOWN, Kind, Type
from ...ir.values import Parameter, Unknown
from ...source.collection import collection_paused
from ...source.problem import Damage, Problem
from ...source.text import Span
from ...source.tokens import words_of
from ..syntax.demangle import readable
from ..syntax.entry import bounds_of, object_variables, pointer_parameters, register_variables
from ..syntax.numba_names import numba_kernel, numba_parameters
from ..syntax.statement_patterns import ATOM
from ..syntax.tree import (
    Function,
    Instruction,
    Label,
    Loc,
    PtxModule,
    Registers,
    ScopeEnd,
    ScopeStart,
    Statement,
    Unread,
    Variables,
)
from .dispatch import Dispatch, Lowered
from .forms import SPACES
from .frame import slot_of
from .kernel_lowering import Lowering
from .module_names import ModuleNames, slot_of_variable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .frame import Frame


def lower_ptx(
    module: PtxModule, named: Callable[[str], Sequence[str]] = numba_parameters
) -> Module:
    """The kernels of a PTX module; `named` are the parameters of a kernel as people know them."""
    with collection_paused():
        names = ModuleNames(module, named)
        result = Module(module.source, "ptx", problems=list(module.problems))
        dispatch = Dispatch(partial(_note, result))
        result.objects = list(names.objects.values())
        for function in module.functions:
            if function.is_entry and function.body is not None:
                result.kernels.append(lower_kernel(names, dispatch, function))
        return result


def _note(module: Module, instruction: Instruction, message: str) -> None:
    """Something of a newer PTX: the report mentions it once."""
    module.problems.append(
        Problem(
            path=module.source.path,
            message=message,
            advice="it is analysed conservatively; a newer warplint may know it",
            damage=Damage.NOTICE,
            span=Span(module.source, instruction.start, instruction.end),
        )
    )


def _instance(symbol: str) -> str:
    """The name a person knows the kernel by, when that is another than the symbol."""
    name = readable(symbol)
    return numba_kernel(symbol) if name == symbol else name


def lower_kernel(names: ModuleNames, dispatch: Dispatch, function: Function) -> Kernel:
    """The IR of one PTX entry function."""
    source = names.module.source
    kernel = Kernel(
        name=function.name,
        span=Span(source, function.start, function.header_end),
        body_span=Span(source, function.header_end, function.end),
        language="ptx",
        bounds=bounds_of(function, source),
        instance=_instance(function.name),
    )
    kernel.usage = partial(names.resources.usage, function)
    low = Lowering(names, kernel, function)
    low.pointers = pointer_parameters(function)
    _declare_parameters(low, function)
    body = function.body or ()
    low.last_instruction = _last_instruction(body)
    lower_statements(low, dispatch)
    low.locate(max(function.start, function.end - 1), function.end)
    if low.builder.current is not None:
        low.builder.terminate(Return(low.builder.location, implicit=True))
    for block, reason in low.missing:
        low.builder.start(block)
        low.builder.terminate(Exit(reason, low.builder.location))
    low.builder.finish()
    _count(kernel, function, names)
    kernel.variables = register_variables(function, source) + object_variables(kernel)
    return kernel


def _last_instruction(body: tuple[Statement, ...]) -> int:
    for index in range(len(body) - 1, -1, -1):
        if body[index].__class__ is Instruction:
            return index
    return 0


def _declare_parameters(low: Lowering, function: Function) -> None:
    declared = function.header.parameters or ()
    known = low.names.parameters_of(function)
    for index, declaration in enumerate(declared):
        slot = slot_of(declaration)
        name = declaration.name.text
        shown = known[index] or name if index < len(known) <= len(declared) else name
        span = low.kernel.span
        pointee = None
        type_ = slot.element
        whole = slot.size is None or 8 * slot.size != (type_.bits or 0)
        if whole:
            type_ = Type(Kind.AGGREGATE, None if slot.size is None else 8 * slot.size)
        elif declaration.pointer is not None or (name, 0) in low.pointers:
            space = SPACES.get((declaration.pointer.space if declaration.pointer else "")[1:])
            alignment = declaration.pointer.alignment if declaration.pointer else None
            pointee = MemoryObject(
                shown,
                space or Space.GLOBAL,
                UNKNOWN,
                None,
                alignment=None if alignment is None else alignment.alignment or None,
                pointee=True,
            )
            type_ = POINTER
        slot.declared = Parameter(type_, shown, index, span, pointee)
        low.kernel.parameters.append(slot.declared)
        low.frame.things[name] = slot


def _count(kernel: Kernel, function: Function, names: ModuleNames) -> None:
    """How much of the body was read."""
    source = names.module.source
    body = function.body or ()
    spans = [Span(source, one.start, one.end) for one in body if one.__class__ is Unread]
    kernel.unread = [NotUnderstood(span, words_of(span.text)) for span in spans]
    kernel.statements = list(map(type, body)).count(Instruction) + len(kernel.unread)
    if kernel.unread:
        kernel.status = "none" if len(kernel.unread) == kernel.statements else "partial"


def lower_statements(low: Lowering, dispatch: Dispatch) -> None:
    """Lower every statement of a PTX kernel and of what it inlines."""
    while True:
        frame = low.frame
        _lower_frame(low, dispatch, frame)
        if low.frame is frame:
            if len(low.frames) == 1:
                return
            low.pop()


def _lower_frame(low: Lowering, dispatch: Dispatch, frame: Frame) -> None:
    """The statements of a frame, up to its end or to a call that is inlined."""
    builder, seal_after = low.builder, frame.seal_after
    for index, statement in frame.rest:
        frame.index = index
        if statement.__class__ is Instruction:
            if builder.current is not None:
                opcode, operands, guard, start, end = statement
                low.locate(start, end)
                lowered = dispatch[opcode]
                if lowered.note:
                    dispatch.note_once(statement, lowered)
                if len(operands) in lowered.counts and (guard is None or lowered.jumps):
                    lowered.handler(low, statement)
                else:
                    _lower_special(low, dispatch, statement, lowered)
            if index in seal_after:
                for key in seal_after[index]:
                    if key in frame.blocks:
                        builder.seal(frame.blocks[key])
            if low.frame is not frame:
                return
        elif statement.__class__ is Loc:
            low.enter_line(statement)
        else:
            _lower_other(low, frame, statement)


def _lower_other(low: Lowering, frame: Frame, statement: Statement) -> None:
    match statement:
        case Label():
            _enter_block(low, frame, statement)
        case Registers():
            frame.declare_registers(statement, low.names)
        case Variables():
            _declare_variables(low, frame, statement)
        case ScopeStart():
            frame.open_scope()
        case ScopeEnd():
            frame.close_scope()
        case Unread():
            _lower_unread(low, statement)
        case _:
            pass


def _lower_unread(low: Lowering, statement: Unread) -> None:
    """It may do anything; the registers it names may hold anything afterwards."""
    reason = "this statement could not be parsed"
    low.locate(statement.start, statement.end)
    low.builder.emit(OpaqueOperation(reason, [], low.builder.location))
    for text in ATOM.findall(low.source.text[statement.start : statement.end]):
        register = low.frame.register(low.names.atoms.name(text))
        if register is not None:
            low.builder.write(register, Unknown(register.type, reason))


def _enter_block(low: Lowering, frame: Frame, label: Label) -> None:
    """Begin the block of a label that something jumps to."""
    labels = frame.labels
    key = labels.find(frame.scope, label.name.text)
    if key is None or key not in labels.last_use or labels.positions[key] != frame.index:
        return
    low.locate(label.start, label.end)
    block = low.block_of(label.name)
    low.builder.jump(block)
    loops = labels.last_use[key] > frame.index
    if loops or block.predecessors:
        low.builder.start(block, sealed=not loops)


def _declare_variables(low: Lowering, frame: Frame, statement: Variables) -> None:
    for declarator in statement.declarators:
        name = declarator.name.text
        if statement.space == ".param":
            frame.declare(frame.things, name, slot_of_variable(statement, declarator))
            continue
        object_ = low.names.inner_object(statement, declarator)
        frame.declare(frame.things, name, object_)
        low.hold(object_)


def _lower_special(
    low: Lowering, dispatch: Dispatch, instruction: Instruction, lowered: Lowered
) -> None:
    """An instruction under a guard, or with operands that nothing is known of."""
    opcode, operands, guard = instruction[:3]
    if len(operands) not in lowered.counts:
        return low.opaque(f"{opcode.text} is unknown with these operands", operands)
    assert guard is not None
    if lowered.effects:
        return _lower_guarded(low, instruction, lowered)
    condition = low.predicate(guard)
    if guard.negated:
        condition = low.builder.compute(Opcode.NOT, PREDICATE, condition)
    low.guard = condition
    lowered.handler(low, instruction)
    low.guard = None
    return None


def _lower_guarded(low: Lowering, instruction: Instruction, lowered: Lowered) -> None:
    """A branch around an instruction that touches memory, other threads or control."""
    guard = instruction.guard
    assert guard is not None
    builder = low.builder
    before = builder.current
    inside, after = builder.new_block("guarded"), builder.new_block("after")
    condition = low.predicate(guard)
    if guard.negated:
        builder.branch(condition, after, inside, "@p")
    else:
        builder.branch(condition, inside, after, "@p")
    if inside.predecessors:
        builder.start(inside)
        depth = len(low.frames)
        lowered.handler(low, instruction)
        if len(low.frames) > depth:
            low.frame.after = after
            return
        builder.jump(after)
    if before is not None and after.predecessors == [before, inside]:
        builder.close_side_block(before, inside, after)
    elif after.predecessors:
        builder.start(after)
