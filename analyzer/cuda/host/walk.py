"""Host code on its way to its launches: constants followed through branches, loops and calls.

In: the host functions of a file. Out: every launch with the scope in force there, once for each
distinct way of getting to it that the file shows: a function called with other constants, a round
of a loop over block sizes. A function that nobody in the file calls, or only as a method, has
parameters that are not known; so has one whose launches no call leads to.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

from ..lowering.model import ctypes
from ..lowering.model.scope import (
    LambdaValue,
    PointerPlace,
    Scope,
    Typed,
    ValuePlace,
)
from ..lowering.program.callees import callee_name, library_name
from ..lowering.program.parameters import default_of, is_pack, parameters_of
from ..lowering.resolution.function_specializations import Call, is_full, is_meant
from ..names.host_memory import GIVERS
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .call_effects import is_written
from .callees import launched_and_called
from .expressions import STEP_LIMIT
from .object_calls import ObjectCalls
from .object_members import Effect
from .objects import named_parts
from .settled import Frame
from .sides import two_sided
from .statements import Flow
from .values.file_scope import file_scope_shapes
from .values.instances import (
    USE_LIMIT,
    TextualUses,
    bind_template,
    code_of,
    covers,
    explicit_arguments,
)
from .values.kernels import is_of_device, type_word
from .values.object_scopes import ObjectScope
from .values.values import apart, expanded, key_of, loose, not_known, packed, pointing

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

    from ..lowering.model.ctypes import CType
    from ..lowering.model.scope import Binding
    from ..lowering.program.program import Program
    from ..lowering.types.constant_arithmetic import Number
    from ..lowering.types.type_reader import TypeReader
    from .values.instances import Instance
    from .values.values import HostValues

DEPTH_LIMIT = 32  # of calls; `BOOL_SWITCH` and the like nest two lambdas each


class HostWalk(ObjectCalls):
    """Runs the host functions of one file; `record` is told of each launch."""

    def __init__(
        self,
        program: Program,
        reader: TypeReader,
        values: HostValues,
        record: Callable[[Any, Scope], None],
    ) -> None:
        super().__init__(program, reader, values)
        self._record = record
        self._functions: dict[str, list[nodes.Function]] = {}  # that lead to a launch
        self._giving: set[nodes.Function] = set()  # that get memory
        self._names_of_giving: set[str] = set()
        self._specialised: set[str] = set()  # names of these with an explicit specialisation
        self._called: dict[nodes.Function, set[str]] = {}  # the names of what each one calls
        self.launches: list[Any] = []  # every one of the file, in order
        self._met: set[Any] = set()  # launches that were come by
        self._ran: dict[Hashable, Effect] = {}
        self._instances: set[Instance] = set()  # functions with the template arguments they ran for
        self._two_sided: dict[int, frozenset[str]] = {}  # by the id of a body
        self._shapes: Mapping[str, Binding] = {}  # grids and blocks at file scope

    def _launch(self, node: Any) -> None:
        self._met.add(node)
        self._record(node, self._scope)
        self._note_launch(node)

    def _may_lead(self, name: str) -> bool:
        return name in self._functions or isinstance(self._scope.find(name), LambdaValue)

    def run(self, functions: Iterable[nodes.Function], text: str) -> None:
        """Follow every way to a launch."""
        launches: dict[nodes.Function, list[Any]] = {}
        called = self._called
        for item in functions:
            if item.body is not None:
                launches[item], called[item] = launched_and_called(item.body)
        self.launches = [node for found in launches.values() for node in found]
        self._shapes = file_scope_shapes(list(launches), self.launches, self._program, self._values)
        leads = self._leading_to([item for item, found in launches.items() if found])
        leading = [item for item in launches if item in leads]
        self._giving = {
            item
            for item, names in called.items()
            if not names.isdisjoint(GIVERS) and _returns(item) and not self._program.is_method(item)
        }
        self._names_of_giving = {item.decl.name for item in self._giving}
        for item in leading:
            self._functions.setdefault(item.decl.name, []).append(item)
        for name in self._functions:
            if any(map(is_full, self._program.functions[name])):
                self._specialised.add(name)
        used = {name for item in leading for name in called[item] if name != item.decl.name}
        for item in leading:
            if item.decl.name not in used and item.template is None:
                self._start_open(item)
        templates = [item for item in leading if item.template is not None]
        uses = TextualUses(code_of(text) if templates else "")
        for item in templates:
            for arguments in self._uses(item.decl.name, uses):
                bound = self._bound(item, arguments, [])
                types = (self._reader.read(each.type, bound) for each in parameters_of(item))
                if not self._is_meant(item, self._use(item.decl.name, arguments, types)):
                    continue
                wanted = _instance(item, bound)
                if not any(covers(each, wanted) for each in self._instances):
                    self._start(item, arguments)
        entered = {item for item, *_ in self._instances}
        for item in leading:  # called by a name that several have, or by nobody who is followed
            if item not in entered:
                self._start_open(item)
        self.ruled_out -= self._met
        for item in leading:
            if any(node not in self._met for node in launches[item]):
                self._start(item, [], blind=True)

    def _leading_to(self, launching: list[nodes.Function]) -> set[nodes.Function]:
        """The functions that launch something, and those that call one of them by its name."""
        callers: dict[str, list[nodes.Function]] = {}
        for item, called in self._called.items():
            for name in called:
                callers.setdefault(name, []).append(item)
        found, work = set(launching), list(launching)
        for item in work:  # grows while it is gone through
            more = [each for each in callers.get(item.decl.name, ()) if each not in found]
            found.update(more)
            work += more
        return found

    def run_others(self) -> None:
        """Follow the functions that lead to no launch but call the runtime."""
        self._steps = 0
        entered = {item for item, *_ in self._instances}
        for item, called in self._called.items():
            if item not in entered and any(map(self._is_runtime, called)):
                self._start(item, [])

    def _uses(self, name: str, uses: TextualUses) -> Iterator[list[Any]]:
        """Lists of template arguments that the file gives a function it does not call."""
        for instance in self._program.instantiations.get(name, ())[:USE_LIMIT]:
            yield list(instance.specialization or ())
        yield from uses.of(name)

    # ---- functions -----------------------------------------------------------------------------

    def _start(self, item: nodes.Function, explicit: list[Any], *, blind: bool = False) -> None:
        """Run a function that nobody calls; `blind` takes every branch."""
        steps = self._steps
        if blind:
            self._steps = STEP_LIMIT
        self._enter(item, explicit, [])
        if blind:
            self._steps = steps

    def _start_open(self, item: nodes.Function) -> None:
        """Run a function that nobody calls; a method of a class template for each instance that the
        file names.
        """
        types = self._class_scopes.named_instances(item)
        for type in types:
            known = self._kept_pointers(item, type)
            self._method(None, item, [], self._object_scope(type, known, "this"))
        if not types:
            self._start(item, [])

    def _call(self, node: Any) -> Number | None:
        """A call of a function of the file, or of a lambda."""
        given = expanded(list(node.args.exprs), self._scope) if node.args is not None else []
        name = callee_name(node.name)
        if self._is_runtime(library_name(node.name)):
            self._runtime(node, name, given)
            return None
        self._may_wait(node)
        bound = self._scope.find(name)
        if isinstance(bound, LambdaValue):
            return self._call_lambda(bound, given)
        if isinstance(node.name, c_ast.StructRef) or self._is_call_of_object(node):
            return self._call_method(node, given)
        if len(self._frames) >= DEPTH_LIMIT:
            self._forget_given(node, given)
            return None
        leading = self._functions.get(name, ())
        is_known = leading or self._this is not None or name in self._names_of_giving
        named = self._callees.named(node, None, self.namespace) if is_known else []
        explicit = explicit_arguments(node.name)
        item = self._meant_of(named, name, explicit, given)
        if item is not None and self._is_own(item):
            return self._own_call(node, item, given)
        if item is not None and (item in leading or item in self._giving):
            effect = self._enter(item, explicit, given)
            self._get(node, effect.pointer)
            for parameter, argument in zip(parameters_of(item), given, strict=False):
                if is_written(parameter) and isinstance(argument, c_ast.ID):
                    self._forget([argument.name])
            return effect.number
        self._forget_given(node, given)
        return None

    def _meant_of(
        self, named: list[nodes.Function], name: str, explicit: list[Any], given: list[Any]
    ) -> nodes.Function | None:
        """Which of the functions that a call may name it means, by what it passes."""
        if not named:
            return None
        types = [self._values.type_of(each, self._scope) for each in given]
        call = self._use(name, explicit, types)
        alike = (each for each in named if self._is_meant(each, call))
        return self._callees.meant(alike, types, len(given))

    def _use(self, name: str, explicit: list[Any], types: Iterable[CType]) -> Call | None:
        """A use of a name that has explicit specialisations; the types are read for these alone."""
        known = name in self._specialised
        return Call(explicit, list(types), self._scope) if known else None

    def _is_meant(self, item: nodes.Function, call: Call | None) -> bool:
        """Whether a use is of this one of a template and its explicit specialisations."""
        if call is None:
            return True
        name = item.decl.name
        alike = [each for each in self._program.functions[name] if each.scope == item.scope]
        return is_meant(item, alike, call, self._program, self._reader)

    def _doubt_sides(self, condition: Any) -> None:
        frame = self._frames[-1]
        given = frame.outermost.names
        pointers = {name for name, held in given.items() if isinstance(held, PointerPlace)}
        words = set(nodes.identifiers(condition)) if pointers and condition is not None else set()
        if not words or words & pointers or frame.body is None:
            return
        own = takewhile(lambda each: each is not frame.outermost, self._scope.outwards())
        if any(not words.isdisjoint(each.names) for each in own):
            return  # what the function finds out itself
        if id(frame.body) not in self._two_sided:
            self._two_sided[id(frame.body)] = two_sided(frame.body)
        self._forget(pointers & self._two_sided[id(frame.body)])

    def _enter(self, item: nodes.Function, explicit: list[Any], given: list[Any]) -> Effect:
        scope = self._bound(item, explicit, given)
        self._instances.add(_instance(item, scope))
        types = tuple((name, type.name) for name, type in scope.types.items())
        values = tuple((name, key_of(binding)) for name, binding in scope.names.items())
        key = (item, types, values, self._steps >= STEP_LIMIT)
        if key in self._ran:
            return self._ran[key]
        self._ran[key] = Effect()
        frame = Frame(scope, *self.changes.of(item.body)[:2])
        number = self._executed(item, frame)
        self._ran[key] = Effect(number, frame.pointer)
        return self._ran[key]

    def _method(
        self, node: Any, item: nodes.Function, given: list[Any], this: ObjectScope
    ) -> Effect:
        scope = self._bound(item, explicit_of(node), given, this)
        self._instances.add(_instance(item, scope))
        own = getattr(this.names["this"], "type", None)
        # By its name and its arguments: a type hashes all of its members, and theirs.
        name = own and type_word(own if own.element is None else own.element)
        key = (item, name, self._precise_key(scope), self._steps >= STEP_LIMIT)
        if key not in self._ran:
            self._ran[key] = Effect()
            frame = Frame(scope, *self.changes.of(item.body)[:2])
            number = self._executed(item, frame)
            left = self._left(frame)
            self._ran[key] = Effect(number, frame.pointer, left, freed=self._freed(frame))
        return self._ran[key]

    def _executed(self, item: nodes.Function, frame: Frame) -> Number | None:
        """Run the body of a function in a frame."""
        scope, frame.body = frame.outermost, item.body
        for name in frame.escaped & scope.names.keys():
            scope.names[name] = loose(name, getattr(scope.names[name], "type", None))
        for path in [path for name in frame.escaped for path in scope.members_of(name)]:
            del scope.names[path]
        if isinstance(scope.parent, ObjectScope):
            frame.this = scope.parent
            frame.this.loosen(frame.escaped)
        outside, self.namespace = self.namespace, item.scope
        caller, self.function = self.function, item.decl.name
        above, self.on_device = self.on_device, is_of_device(item)
        with self._program.seen_from(item.scope):
            result = self._inside(frame, lambda: self._body(item, frame))
        self.namespace, self.function, self.on_device = outside, caller, above
        return result

    def _body(self, item: nodes.Function, frame: Frame) -> None:
        if frame.this is not None and self._is_constructor(item):
            self._initialise(item)
        frame.ended = self._statement(item.body) is not Flow.RETURN

    def _inside(self, frame: Frame, run: Callable[[], object]) -> Number | None:
        """Run the body of a function or lambda; what it returns when that is one number."""
        caller = self._scope
        self._scope = frame.outermost
        self._frames.append(frame)
        run()
        for waiting in list(frame.lambdas.values()):
            self.outdated, before = True, self.outdated
            self._call_lambda(waiting, [])
            self.outdated = before
        self._frames.pop()
        self._scope = caller
        returned = set(frame.returned)
        return returned.pop() if len(returned) == 1 else None

    def _call_lambda(self, bound: LambdaValue, given: list[Any]) -> Number | None:
        for frame in self._frames:
            frame.lambdas.pop(id(bound.node), None)
        if len(self._frames) >= DEPTH_LIMIT or self._tick():
            return None
        scope = Scope(bound.scope)
        parameters = getattr(bound.node.parameters, "params", None) or []
        self._bind_parameters(parameters, given, scope)
        frame = Frame(scope, *self.changes.of(bound.node.body)[:2])
        frame.is_lambda = True
        return self._inside(frame, lambda: self._statement(bound.node.body))

    def _bound(
        self,
        item: nodes.Function,
        explicit: list[Any],
        given: list[Any],
        this: ObjectScope | None = None,
    ) -> Scope:
        """The scope of a call: template arguments and parameters."""
        scope = Scope(self._unknown_object(item) if this is None else this)
        parameters = parameters_of(item)
        named = this is not None and self._class_scopes.names_anew(item, this, scope)
        if item.template is not None and not named:
            types = [self._values.type_of(argument, self._scope) for argument in given]
            bind_template(item, explicit, types, (scope, self._scope), self._reader)
            for parameter in item.template.parameters:
                if parameter.name and parameter.kind == "type":
                    scope.types.setdefault(parameter.name, ctypes.unknown(parameter.name))
                if parameter.name and parameter.kind == "value" and not parameter.pack:
                    self._leave_open(parameter, scope)
                place = scope.names.get(parameter.name)
                if type(place) is ValuePlace:  # nobody may write it
                    held = place.value
                    fixed = Typed(held.value, ctypes.qualified(held.type, const=True))
                    scope.names[parameter.name] = ValuePlace(fixed)
        for name, shape in self._shapes.items():
            if scope.find(name) is None:
                scope.names[name] = shape
        self._bind_parameters(parameters, given, scope, exactly=this is not None)
        return scope

    def _leave_open(self, parameter: nodes.TemplateParameter, scope: Scope) -> None:
        """A number that no instance in sight says is the same one all over the function."""
        if parameter.name not in scope.names:
            type = self._reader.read(parameter.type, scope)
            scope.names[parameter.name] = not_known(parameter.name, type)

    def _bind_parameters(
        self, parameters: list[Any], given: list[Any], scope: Scope, *, exactly: bool = False
    ) -> None:
        for index, parameter in enumerate(parameters):
            if not getattr(parameter, "name", None):
                continue
            if is_pack(parameter):
                for place, item in enumerate(given[index:]):
                    name = packed(parameter.name, place)
                    type = self._values.type_of(item, self._scope)
                    scope.names[name] = apart(name, self._bind(name, type, item, self._scope))
                scope.names[parameter.name] = not_known(parameter.name)
                continue
            if nodes.declares_reference(parameter):
                scope.references |= {parameter.name}
            type = ctypes.decayed(self._reader.read(parameter.type, scope))
            default = default_of(parameter)
            container = self._values.pointers.container(parameter, scope)
            if container is not None:
                if index < len(given):
                    container = self._container_given(container, parameter, given[index])
                binding: Binding = pointing(parameter.name, type, container)
            elif index < len(given):
                binding = self._bind(parameter.name, type, given[index], self._scope)
            elif default is not None and given:
                binding = self._bind(parameter.name, type, default, scope)
            else:
                binding = not_known(parameter.name, type)
            is_own = exactly or (container is not None and index >= len(given))
            passed_on = binding if is_own else self._passed(parameter.name, binding)
            scope.names[parameter.name] = passed_on
            if index < len(given) and isinstance(binding, ValuePlace):
                known = self._objects.parts(given[index], binding.type, self._scope)
                parts = named_parts(parameter.name, binding.type, known).items()
                passed = {p: self._passed(f"{parameter.name}.{p}", part) for p, part in parts}
                scope.hold_members(parameter.name, passed)

    def _passed(self, name: str, binding: Binding) -> Binding:
        """What a parameter holds that a caller gives this."""
        return apart(name, binding)

    def table(self, name: str) -> list[Any]:
        """What an array was declared with, if nothing changes it: the arguments of a launch."""
        if any(frame.may_change(name) for frame in self._frames):
            return []
        init = self._initialiser(name)
        return list(init.exprs or ()) if isinstance(init, c_ast.InitList) else []


def _instance(item: nodes.Function, scope: Scope) -> Instance:
    """A function and what its template parameters are bound to."""
    named = item.template.parameters if item.template is not None else ()
    types = (scope.types.get(parameter.name) for parameter in named)
    values = (scope.names.get(parameter.name) for parameter in named)
    return (
        item,
        tuple("" if type is None else type.name for type in types),
        tuple(None if value is None else key_of(value) for value in values),
    )


def explicit_of(node: Any) -> list[Any]:
    """The template arguments that a call is written with."""
    target = node.name if isinstance(node, c_ast.FuncCall) else None
    return explicit_arguments(target.field if isinstance(target, c_ast.StructRef) else target)


def _returns(item: nodes.Function) -> bool:
    """Whether a function returns anything, such as the memory that it gets."""
    result = getattr(getattr(item.decl.type, "type", None), "type", None)
    return not isinstance(result, c_ast.IdentifierType) or result.names != ["void"]
