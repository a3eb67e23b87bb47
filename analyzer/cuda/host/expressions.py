"""The expressions of host code, run as far as they are known.

In: expressions, and the state they are met in. Out: the state after them; launches, calls and
accesses through pointers are handed to the subclass. Not handled: writes through pointers and
references out of sight (a variable whose address is taken is never known), methods, exceptions.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..lowering.model import ctypes
from ..lowering.model.scope import (
    ClassScope,
    KnownParts,
    LambdaValue,
    PointerPlace,
)
from ..lowering.program.callees import callee_name
from ..lowering.program.member_paths import member_path
from ..lowering.program.parameters import parameters_of
from ..names.host_memory import PLAIN_FUNCTIONS, REFERRING
from ..names.runtime import is_of_runtime
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .call_effects import CallEffects, follows
from .callees import called_name
from .checks import is_standard
from .objects import HostObjects, assigns_itself, holds_dimensions
from .state import HostState, is_launch
from .values.conditions import STEPS
from .values.configurations import is_configuration, with_member
from .values.kernels import kernel_name
from .values.object_scopes import ObjectScope
from .values.pointers import is_container, is_made_by
from .values.values import HostValues, held, known_parts, loose, unknown_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from ..lowering.model.ctypes import CType
    from ..lowering.model.scope import Binding, Scope
    from ..lowering.program.program import Program
    from ..lowering.types.constant_arithmetic import Number
    from ..lowering.types.type_reader import TypeReader
    from .changes import Repeated
    from .settled import Frame

STEP_LIMIT = 5_000  # statements of one file
_KEEPING = frozenset({"data", "size", "begin", "end", "front", "back", "at", "get", "empty"})
_UNREAD = frozenset({"&", "sizeof", "alignof"})
# Most nodes have no effects, or those of their parts alone.
_LEAVES = frozenset({c_ast.ID, c_ast.Constant})
_PARTS = frozenset({c_ast.ExprList, c_ast.StructRef, c_ast.TernaryOp, c_ast.InitList})
_NAMING = frozenset({c_ast.StructRef, c_ast.ArrayRef, c_ast.UnaryOp, c_ast.FuncCall})
_CALLING, _CASTING = (nodes.Launch, c_ast.FuncCall), (c_ast.Cast, nodes.NamedCast)


class HostExpressions(HostState):
    """Runs host expressions; `_launch`, `_call` and `_access` are told of what they meet."""

    def __init__(self, program: Program, reader: TypeReader, values: HostValues) -> None:
        super().__init__()
        self._program = program
        self._reader = reader
        self._values = values
        self._call_effects = CallEffects(program, reader)
        self._objects = HostObjects(program, reader, self._values)
        self._followed: set[int] = set()  # calls of methods that were run, by the id of their node
        self._results: dict[int, Number | None] = {}  # of calls, by the id of their node
        self._frames: list[Frame] = []
        self._steps = 0
        #: What `&` and `sizeof` do not read, and references are bound to, by the id of its node.
        self._unread: set[int] = set()
        self._stored: set[int] = set()  # what is written, by the id of its node
        self._around: dict[int, Any] = {}  # by the id of a place, what names a part of it
        self._behind: dict[int, Any] = {}  # by the id of a pointer that lies there, what follows it
        self._idle: set[Any] = set()  # expressions whose parts do nothing

    @property
    def uses(self) -> Mapping[nodes.Function, AbstractSet[str] | None]:
        """The bodies that were asked what they do with names, with the answers."""
        return self._call_effects.answers

    @abstractmethod
    def _launch(self, node: Any) -> None:
        """Control comes by a launch."""

    @abstractmethod
    def _call(self, node: Any) -> Number | None:
        """Control comes by a call; its result where that is known."""

    @abstractmethod
    def _access(self, node: Any) -> None:
        """Control comes by `p[i]` or `*p`."""

    @abstractmethod
    def _touches_object(self, call: Any) -> bool:
        """Whether a call of a method reads or writes the object, for sure."""

    @abstractmethod
    def _cast(self, node: Any, type: CType) -> None:
        """Control comes by a cast to a type."""

    @abstractmethod
    def _release(self, node: Any) -> None:
        """Control comes by a `delete`."""

    @abstractmethod
    def _make(self, type: CType) -> None:
        """Control comes by a `new`."""

    @abstractmethod
    def _statement(self, node: Any) -> object:
        """A statement within an expression."""

    def _is_escaped(self, name: str) -> bool:
        """Whether the address of a variable is taken, in a function that is being run."""
        return any(name in frame.escaped for frame in self._frames)

    def _changed(self, name: str, held: Binding) -> Binding:
        """A container has other elements, which are of the type and at the place that it is for."""
        if isinstance(held, PointerPlace) and is_container(held.pointer):
            return replace(held, pointer=self._values.pointers.resized(held.pointer))
        return super()._changed(name, held)

    def _initialiser(self, name: str) -> Any:
        """What a variable was declared with, the innermost one of that name."""
        made = (frame.made[name][1] for frame in reversed(self._frames) if name in frame.made)
        return next(made, None)

    def _bind(self, name: str, type: CType, init: Any, scope: Scope) -> Binding:
        """What a variable of a type holds after its initialisation."""
        made = self._objects.made(type, init, scope) or self._values.bind(name, type, init, scope)
        if isinstance(made, PointerPlace) and is_made_by(made.pointer, init):
            self._forget_earlier(made)
        return made

    def _visit(self, node: Any) -> None:
        """The effects of an expression: launches, calls, assignments."""
        kind = node.__class__
        if node is None or kind in _LEAVES or node in self._idle:
            return
        if kind in _NAMING:
            self._hold_outer(node)
        if kind in _PARTS or (kind is c_ast.BinaryOp and node.op != ">>"):
            parts = list(node)
            for child in parts:
                self._visit(child)
            if all(child.__class__ in _LEAVES or child in self._idle for child in parts):
                self._idle.add(node)
            return
        if isinstance(node, nodes.Lambda):
            self._meet_lambda(node)
            return
        if isinstance(node, nodes.StatementExpression):
            self._statement(node.body)
            return
        if isinstance(node, c_ast.UnaryOp) and node.op in _UNREAD:
            self._unread.update(id(each) for each in nodes.walk(node.expr))
        elif isinstance(node, _CALLING):
            self._unread.update(map(id, self._referred(node)))
        elif isinstance(node, c_ast.Assignment):
            self._stored.add(id(node.lvalue))
        elif isinstance(node, nodes.Construct) and node.type is not None:
            self._unread.update(self._referred_by_object(node))
        for child in node:
            self._visit(child)
        if is_launch(node):
            self._launch(node)
        elif isinstance(node, nodes.Delete):
            self._release(node)
        elif isinstance(node, nodes.New):
            self._make(self._values.read_type(node.type, self._scope))
        elif isinstance(node, _CASTING):
            self._cast(node, self._values.type_of(node, self._scope))
        elif _follows(node) and id(node) not in self._unread:
            self._access(node)
        elif isinstance(node, c_ast.FuncCall):
            self._followed.discard(id(node))
            self._results[id(node)] = self._call(node)
            if id(node) not in self._followed:
                self._left_to(node)
        elif isinstance(node, c_ast.Assignment):
            self._store(node.lvalue, node.rvalue, node.op[:-1])
        elif isinstance(node, c_ast.UnaryOp) and node.op in STEPS:
            self._store(node.expr, c_ast.Constant("int", "1"), STEPS[node.op])
        elif isinstance(node, c_ast.BinaryOp) and node.op == ">>" and self._number(node) is None:
            # A stream that is read, perhaps.
            self._forget(set(nodes.identifiers(node.right)))

    def _hold_outer(self, node: Any) -> None:
        """Keep which expression names a part of another one, calls a method, or follows it."""
        if follows(node):
            self._behind[id(node.expr if isinstance(node, c_ast.UnaryOp) else node.name)] = node
        if isinstance(node, c_ast.UnaryOp):
            if node.op == "*":
                self._around[id(node.expr)] = node
        elif not isinstance(node, c_ast.StructRef) or node.type == ".":
            self._around[id(node.name)] = node

    def _is_only_named(self, node: Any) -> bool:
        """Whether what a pointer points to is named, and neither read nor written: an array in it
        stands for its address, a reference is bound to it, or a method is called on it.
        """
        while id(node) not in self._unread:
            outer = self._around.get(id(node))
            if isinstance(outer, c_ast.FuncCall):
                return isinstance(node, c_ast.StructRef) and not self._touches_object(outer)
            if not isinstance(outer, c_ast.StructRef):
                is_array = ctypes.decays(self._values.type_of(node, self._scope))
                if outer is None or not is_array:
                    return is_array
            node = outer
        return True

    def _meet_lambda(self, node: Any) -> None:
        """A lambda that is not given a name: whoever gets it may call it."""
        self._frames[-1].lambdas[id(node)] = LambdaValue(node, self._scope)

    def _referred(self, node: Any) -> Iterator[Any]:
        """The arguments of a launch or a call that a function of that name takes by reference, or
        that is not seen.
        """
        if isinstance(node, nodes.Launch):
            name, given = kernel_name(node.kernel), list(node.arguments)
        else:
            name, given = callee_name(node.name), list(node.args.exprs if node.args else ())
        if not any(_follows(_whole(each)) for each in given):
            return
        known = self._program.functions.get(name, ())
        for function in known:
            for parameter, argument in zip(parameters_of(function), given, strict=False):
                if nodes.declares_reference(parameter):
                    yield argument
        if name in REFERRING:
            yield from given
            return
        is_method = isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.StructRef)
        of_library = name in PLAIN_FUNCTIONS or is_of_runtime(name) or is_method
        if not (known or of_library or is_standard(getattr(node, "name", None))):
            yield from given

    def _referred_by_object(self, node: Any) -> Iterator[int]:
        """The arguments that an object of a class that is not seen may keep a reference to."""
        made = self._values.type_of(node, self._scope)
        seen = made.is_scalar or isinstance(made.origin, ClassScope)
        return (id(each) for each in node.arguments if not seen)

    def _left_to(self, node: Any) -> None:
        """A call that was not followed may have changed objects."""
        if self._call_effects.changes_objects(node):
            self._values.formulas.forget_members()
            self._forget_own()
        if isinstance(node.name, c_ast.StructRef):
            self._forget_object(node.name.name, nodes.member_name(node.name))

    def _forget_own(self) -> None:
        """The object that the running method is called on may have changed."""
        scopes = self._scope.outwards()
        if any(isinstance(each, ObjectScope) for each in scopes):
            self._forget_members("this")

    def _forget_objects(self, repeated: Repeated) -> None:
        """Whatever the methods that a loop calls do to their objects."""
        for call in repeated.calls:
            if not isinstance(call.name, c_ast.StructRef):
                self._left_to(call)
            elif not self._call_effects.leaves_object(called_name(call)):
                for name in nodes.identifiers(call.name.name):
                    self._forget_members(name)

    def _forget_object(self, node: Any, method: str) -> None:
        """A method was called on something: an object may have changed."""
        held = self._scope.find(node.name) if isinstance(node, c_ast.ID) else None
        if self._call_effects.leaves_object(method):
            return
        if isinstance(held, PointerPlace) and method not in _KEEPING:
            self._forget([node.name])
        if isinstance(held, KnownParts) and holds_dimensions(held.type):
            self._forget([node.name])
        path = node.name if isinstance(node, c_ast.ID) else member_path(node)
        if path:
            self._forget_members(path)

    def _store(self, target: Any, value: Any, op: str) -> None:
        if isinstance(target, c_ast.ID):
            found = self._scope.find(target.name)
            if found is None:
                self._values.formulas.forget(target.name)
            if found is None or isinstance(found, LambdaValue):
                return
            if isinstance(value, c_ast.FuncCall) and not op:
                binding = self._result_of(value, target.name, found.type)
            else:
                whole = c_ast.BinaryOp(op, target, value) if op else value
                binding = self._bind(target.name, found.type, whole, self._scope)
            if self._is_escaped(target.name):
                binding = loose(target.name, found.type)
            self._assign(target.name, binding)
            self._forget_members(target.name)
            copied = (
                {}
                if assigns_itself(found.type)
                else self._objects.parts(value, found.type, self._scope)
            )
            for path, part in copied.items():
                self._assign(f"{target.name}.{path}", part)
        elif (held_by := self._scope.find(member_path(target))) is not None:
            whole = c_ast.BinaryOp(op, target, value) if op else value
            type = getattr(held_by, "type", None) or ctypes.unknown("auto")
            self._assign(
                member_path(target), self._bind(member_path(target), type, whole, self._scope)
            )
        elif isinstance(target, c_ast.StructRef | c_ast.ArrayRef):
            self._forget_members(member_path(target))
            name, path = _member(target)
            self._values.formulas.forget(path.rpartition(".")[2])
            found = self._scope.find(name)
            if isinstance(found, KnownParts):
                written = None if op else value
                if is_configuration(found.type) or holds_dimensions(found.type):
                    known = with_member(found, path, written, self._values, self._scope)
                else:
                    known = self._with_part(found, target, written)
                self._assign(name, known)

    def _with_part(self, known: KnownParts, target: Any, value: Any) -> KnownParts:
        """A table or dimensions after one part was written."""
        number = None if value is None else self._number(value)
        member = isinstance(target, c_ast.StructRef)
        part: Any = nodes.member_name(target) if member else self._number(target.subscript)
        if part is None or part not in known.parts:
            return known_parts(dict.fromkeys(known.parts), known.type)
        changed = known_parts({**known.parts, part: number}, known.type)
        held = {axis: each for axis, each in known.held.items() if axis != part}
        now = None if value is None else unknown_of(value, self._scope)
        return replace(changed, held=held if now is None else {**held, part: now})

    def _result_of(self, call: Any, name: str, type: CType) -> Binding:
        """What a variable holds that is set to the result of a call."""
        result = self._results.get(id(call))
        if result is not None:
            return held(result, type)
        return self._bind(name, type, call, self._scope)

    def _number(self, node: Any) -> Number | None:
        if isinstance(node, c_ast.FuncCall) and self._results.get(id(node)) is not None:
            return self._results[id(node)]
        return self._values.number(node, self._scope)

    def _truth(self, node: Any) -> bool | None:
        if self._steps > STEP_LIMIT:
            return None
        self._visit(node)
        number = self._number(node)
        return None if number is None else bool(number)


def _follows(node: Any) -> bool:
    """Whether an expression is what a pointer points to."""
    return isinstance(node, c_ast.ArrayRef) or (isinstance(node, c_ast.UnaryOp) and node.op == "*")


def _whole(node: Any) -> Any:
    """What an expression names a member of: `p[i]` of `p[i].inner.x`."""
    while isinstance(node, c_ast.StructRef) and node.type == ".":
        node = node.name
    return node


def _member(target: Any) -> tuple[str, str]:
    """The variable that an assignment changes, and its member: `("config", "gridDim.x")`; what
    stands behind an index is left out.
    """
    fields: list[str] = []
    while isinstance(target, c_ast.StructRef | c_ast.ArrayRef):
        fields = [nodes.member_name(target), *fields] if isinstance(target, c_ast.StructRef) else []
        target = target.name
    return getattr(target, "name", None) or "", ".".join(fields)
