"""Statements → control flow.

In: a statement node. Out: blocks and operations in the builder; afterwards the builder stands
behind the statement, or nowhere when control cannot get there.
Not handled: exceptions (`try` bodies are read, handlers are not), computed `goto`.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ....ir.kernel import Unread
from ....ir.operations import Return, Switch
from ....ir.values import Constant, Undeclared
from ....source.numbers import integer, whole
from ....source.tokens import words_of
from ...names.cuda_functions import is_own
from ...syntax import nodes
from ...syntax.later_body import LaterBody
from ...syntax.nodes.c_ast import c_ast
from ..expressions import casts, lifetimes
from ..expressions.variables import declare
from ..model import ctypes
from ..model.ctypes import Form
from ..model.frame import Target
from ..model.layouts import is_copied
from ..model.scope import MemoryPlace, Scope, Slot
from ..state.dispatches import dispatching
from . import assembly, range_loops, structured_bindings, using

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ....ir.block import Block
    from ....ir.values import Value
    from ..model.scope import Place
    from ..state.context import Context


def lower(context: Context, node: Any) -> None:
    """Lower one statement of device code."""
    if node is None:
        return
    handler = _STATEMENTS.get(type(node))
    if handler is None:
        outer, context.dropped = context.dropped, node
        value = context.expression(node)
        lifetimes.end_at_once(context, node, value)
        context.dropped = outer
        unknown = isinstance(node, c_ast.ID) and isinstance(value.value, Undeclared)
        if unknown and not is_own(node.name):  # a macro: CUDA's functions only act when called
            reason = f"{node.name} is not declared here"
            _opaque(context, nodes.Opaque(node.name, reason, coord=node.coord))
        return
    context.at(node)
    handler(context, node)


def _compound(context: Context, node: Any) -> None:
    with _block(context):
        for item in node.block_items or ():
            lower(context, item)


@contextmanager
def _block(context: Context) -> Iterator[None]:
    """A scope of its own; behind it control comes here without what lived in it."""
    outer, depth = context.scope, len(context.frame.alive)
    context.scope = Scope(outer)
    yield
    lifetimes.close(context, depth)
    context.scope = outer


def _declarations(context: Context, node: Any) -> None:
    for declaration in node.decls:
        lower(context, declaration)


def _type_definition(context: Context, node: Any) -> None:
    """A class or enum of the function; the members of a nameless union are variables."""
    if node.name is not None or isinstance(node, c_ast.Enum):
        context.program.add(node)
        return
    type = context.reader.read(node, context.scope)
    whole = context.local_object("union", type, "overlapping members (union)", node.coord)
    for member in type.members:
        context.scope.names[member.name] = context.field(whole, member.name)


def _structured_binding(context: Context, node: Any) -> None:
    structured_bindings.bind(context, node, context.place(node.value))


def _type_alias(context: Context, node: Any) -> None:
    context.scope.types[node.name] = context.reader.read(node.type, context.scope)


# ---- branches -----------------------------------------------------------------------------------


def _condition(context: Context, node: Any) -> Any:
    return context.truth(context.expression(_asked(context, node)))


def _asked(context: Context, node: Any) -> Any:
    """The expression that a branch asks, after what its head declares."""
    if isinstance(node, nodes.ConditionDeclaration):
        declared = node.declaration
        lower(context, declared)
        if node.condition is not None:
            return node.condition
        name = getattr(declared, "name", None) or declared.decls[-1].name
        return c_ast.ID(name, declared.coord)
    if isinstance(node, c_ast.Decl):
        lower(context, node)
        return c_ast.ID(node.name, node.coord)
    return node


def _if(context: Context, node: Any) -> None:
    with _block(context):
        _choose(context, node)


def _choose(context: Context, node: Any) -> None:
    builder = context.builder
    condition = _condition(context, node.cond)
    context.at(node.cond)
    then, join = builder.new_block("then"), builder.new_block("join")
    otherwise = builder.new_block("else") if node.iffalse is not None else join
    builder.branch(condition, then, otherwise, "if")
    builder.start(then)
    if then.predecessors:
        lower(context, node.iftrue)
    builder.jump(join)
    if node.iffalse is not None:
        builder.start(otherwise)
        if otherwise.predecessors:
            lower(context, node.iffalse)
        builder.jump(join)
    _go_on(context, join)


def _go_on(context: Context, block: Block) -> None:
    """Continue behind a construct; nowhere when nothing leads there."""
    context.builder.start(block)


def _switch(context: Context, node: Any) -> None:
    with _block(context):
        _dispatch(context, node)


def _dispatch(context: Context, node: Any) -> None:
    builder = context.builder
    selector = context.expression(_asked(context, node.cond))
    context.at(node.cond)
    body = node.stmt
    items = (body.block_items or []) if isinstance(body, c_ast.Compound) else [body]
    end = builder.new_block("after_switch")
    labels = [item for item in _flatten(items) if isinstance(item, c_ast.Case | c_ast.Default)]
    targets = {id(label): builder.new_block("case") for label in labels}
    cases: list[tuple[int | None, Block]] = []
    default = end
    for label in labels:
        if isinstance(label, c_ast.Default):
            default = targets[id(label)]
        else:
            value = context.number(label.expr)
            cases.append((whole(value), targets[id(label)]))
    if (known := _known_case(selector.value, cases, default)) is not None:
        builder.jump(known)
    elif builder.current is not None:
        builder.terminate(Switch(selector.value, cases, default, builder.location))
    context.frame.breaks.append(Target(end, len(context.frame.alive)))
    with dispatching(context, node):
        for item in _flatten(items):
            if isinstance(item, c_ast.Case | c_ast.Default):
                block = targets[id(item)]
                builder.jump(block)
                builder.start(block)
                if not block.predecessors:
                    builder.jump(end)  # nothing comes here, and so nothing falls through
            elif builder.current is not None:
                lower(context, item)
    builder.jump(end)
    context.frame.breaks.pop()
    _go_on(context, end)


def _known_case(
    selector: Value, cases: list[tuple[int | None, Block]], default: Block
) -> Block | None:
    """The one way that a constant leads, as a template argument is one; None where that is open."""
    if not isinstance(selector, Constant) or any(value is None for value, _ in cases):
        return None
    return next((block for value, block in cases if value == selector.value), default)


def _flatten(items: list[Any]) -> list[Any]:
    """Labels and statements of a switch body in order, wherever the parser hung them."""
    flat: list[Any] = []
    work = list(reversed(items))
    while work:
        item = work.pop()
        flat.append(item)
        if isinstance(item, c_ast.Case | c_ast.Default):
            work += list(reversed(item.stmts or []))
    return flat


# ---- loops --------------------------------------------------------------------------------------


def _loop(context: Context, node: Any, step: Any, construct: str) -> None:
    """`for` and `while`: test, body, step, back to the test."""
    condition, body = node.cond, node.stmt
    builder = context.builder
    header, inside = builder.new_block("test"), builder.new_block("body")
    onward, end = builder.new_block("step"), builder.new_block("end")
    _note_unrolling(context, header)
    builder.jump(header)
    builder.start_loop(header)
    if condition is not None:
        test = _condition(context, condition)
        context.at(condition)
        builder.branch(test, inside, end, construct)
    else:
        builder.jump(inside)
    builder.start(inside)
    _body(context, body, end, onward)
    builder.jump(onward)
    builder.start(onward)
    if step is not None and onward.predecessors:
        context.expression(step)
    context.at(node)
    builder.jump(header)
    builder.seal(header)
    _go_on(context, end)


def _pragma(context: Context, node: Any) -> None:
    """`#pragma unroll`, `unroll 4`, `unroll (N)`, `nounroll`: keep it for the loop behind it."""
    found = re.fullmatch(r"(no)?unroll\s*\(?\s*(\w*)\s*\)?", node.string.strip())
    if found is None:
        return
    count = found[2]
    if found[1]:
        context.unrolling = 1
    elif not count or count.isdigit():
        context.unrolling = integer(count or "0", 10)
    else:
        context.unrolling = whole(context.number(c_ast.ID(count)))


def _note_unrolling(context: Context, header: Block) -> None:
    """Give the loop that begins here what the pragma before it said."""
    if context.unrolling is not None:
        context.kernel.unrolling[header] = context.unrolling
        context.unrolling = None


def _body(context: Context, body: Any, end: Block, onward: Block) -> None:
    frame = context.frame
    frame.breaks.append(Target(end, len(frame.alive)))
    frame.continues.append(Target(onward, len(frame.alive)))
    lower(context, body)
    frame.breaks.pop()
    frame.continues.pop()


def _for(context: Context, node: Any) -> None:
    with _block(context):
        if node.init is not None:
            lower(context, node.init)
        _loop(context, node, node.next, "for")


def _while(context: Context, node: Any) -> None:
    with _block(context):
        _loop(context, node, None, "while")


def _do(context: Context, node: Any) -> None:
    builder = context.builder
    inside, test, end = (builder.new_block(label) for label in ("body", "test", "end"))
    _note_unrolling(context, inside)
    builder.jump(inside)
    builder.start_loop(inside)
    _body(context, node.stmt, end, test)
    builder.jump(test)
    builder.start(test)
    if test.predecessors:
        condition = _condition(context, node.cond)
        context.at(node.cond)
        builder.branch(condition, inside, end, "do")
    builder.seal(inside)
    _go_on(context, end)


def _range_for(context: Context, node: Any) -> None:
    range_loops.lower(context, node, _body)


# ---- jumps --------------------------------------------------------------------------------------


def _break(context: Context, node: Any) -> None:
    if context.frame.breaks:
        lifetimes.leave_for(context, context.frame.breaks[-1])
    else:
        context.opaque("break outside a loop")


def _continue(context: Context, node: Any) -> None:
    if context.frame.continues:
        lifetimes.leave_for(context, context.frame.continues[-1])
    else:
        context.opaque("continue outside a loop")


def _return(context: Context, node: Any) -> None:
    frame = context.frame
    if frame.exit is None:
        if node.expr is not None:
            context.expression(node.expr)
        lifetimes.leave(context, 0)
        context.at(node)
        if context.builder.current is not None:
            context.builder.terminate(Return(context.builder.location))
        return
    if node.expr is not None:
        _leave_with(context, node.expr)
    named = isinstance(node.expr, c_ast.ID) and not frame.returns_reference
    lifetimes.leave(context, 0, context.place(node.expr) if named and frame.alive else None)
    context.at(node)
    context.builder.jump(frame.exit, returns=True)


def _leave_with(context: Context, expression: Any) -> None:
    frame = context.frame
    if frame.returns_reference:
        _refer_to(context, context.place(expression))
        return
    if isinstance(expression, c_ast.InitList):
        places = [context.place(item) for item in expression.exprs or ()]
        value = casts.construct(context, frame.result_type, places)
    else:
        if frame.result_type.form is Form.UNKNOWN and isinstance(expression, c_ast.ID):
            given = context.place(expression).type
            if is_copied(given):  # `auto f() { std::array<T, N> a; return a; }`
                frame.result_type = given
        value = context.expression(expression)
    if frame.result_type.form is Form.UNKNOWN:
        frame.result_type = value.type
    frame.result_type = ctypes.deduced(frame.result_type, value.type)
    if frame.result is None:
        frame.result = context.registers(f"result of {frame.function_name}", frame.result_type)
    context.put(frame.result, casts.implicit(context, value, frame.result_type))


def _refer_to(context: Context, place: Place) -> None:
    """What a function that returns a reference returns: one place, or memory at an address."""
    frame = context.frame
    if isinstance(place, MemoryPlace):
        frame.referred = frame.referred or Slot("a reference")
        context.builder.write(frame.referred, place.address)
    if place not in frame.references:
        frame.references.append(place)


def _label_block(context: Context, name: str) -> Block:
    labels = context.frame.labels
    if name not in labels:
        labels[name] = context.builder.new_block(name)
    return labels[name]


def _label(context: Context, node: Any) -> None:
    block = _label_block(context, node.name)
    context.builder.jump(block)
    context.builder.start(block, sealed=False)  # a later goto may come back; finish() seals
    lower(context, node.stmt)


def _goto(context: Context, node: Any) -> None:
    context.builder.jump(_label_block(context, node.name))


# ---- the rest -----------------------------------------------------------------------------------


def _opaque(context: Context, node: Any) -> None:
    context.kernel.unread.append(Unread(node.coord, words_of(node.text), node.headed))
    context.opaque(node.reason)


def _effect(context: Context, node: Any) -> None:
    context.opaque(f"{type(node).__name__.lower()} in device code")


def _launch(context: Context, node: Any) -> None:
    values = [context.expression(argument) for argument in node.arguments]
    context.call("a kernel launch", ctypes.VOID, values, "launched from device code")


def _static_assert(context: Context, node: Any) -> None:
    if context.number(node.cond) == 0:
        context.kernel.refused = True


def _nothing(context: Context, node: Any) -> None:
    return


_STATEMENTS: dict[type, Callable[[Context, Any], None]] = {
    c_ast.Compound: _compound,
    LaterBody: _compound,
    c_ast.Decl: declare,
    c_ast.DeclList: _declarations,
    c_ast.If: _if,
    nodes.ConstexprIf: _if,
    c_ast.For: _for,
    c_ast.While: _while,
    c_ast.DoWhile: _do,
    c_ast.Switch: _switch,
    c_ast.Break: _break,
    c_ast.Continue: _continue,
    c_ast.Return: _return,
    c_ast.Label: _label,
    c_ast.Goto: _goto,
    c_ast.EmptyStatement: _nothing,
    c_ast.Pragma: _pragma,
    c_ast.StaticAssert: _static_assert,
    c_ast.Typedef: _type_alias,
    c_ast.Enum: _type_definition,
    nodes.ClassDefinition: _type_definition,
    nodes.TypeAlias: _type_alias,
    nodes.Using: using.declare,
    nodes.StructuredBinding: _structured_binding,
    nodes.RangeFor: _range_for,
    nodes.InlineAssembly: assembly.lower,
    nodes.Opaque: _opaque,
    nodes.Try: lambda context, node: lower(context, node.body),
    nodes.Throw: _effect,
    nodes.Launch: _launch,
}
