"""Memory followed from function to function: host code run once more for what it does with it.

In: the host functions of a file. Out: the events of `runtime_calls.py`, now with what callers hand
to helpers: sizes, directions, pointers, work that was begun and not waited for; with pointers that
functions return, that classes keep (`members.py`), and with managed variables, which no launch
names. Loops are run once, and a name that several functions share is not followed. The launches
themselves are read by the first walk (`walk.py`), whose budget this one does not touch.
Not handled: pointers that helpers give through parameters, constructors, virtual functions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...ir.host import HostAccess, Residence
from ..lowering.model.scope import KnownParts, LambdaValue, PointerPlace
from ..lowering.program.callees import callee_name, library_name
from ..lowering.program.parameters import names_in, parameters_of
from ..lowering.program.program import DEVICE, GLOBAL
from ..lowering.types.library_types import GROUP_BARRIERS
from ..names.cuda_functions import is_of_lanes
from ..names.host_memory import FOLLOWING, GIVERS, PLAIN_FUNCTIONS, READERS, UNWAITING
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .callees import called_name
from .checks import is_standard, only_tells
from .members import member_pointers, owner_of
from .object_members import Effect
from .runtime_calls import READ, WORK, under_way
from .settled import Frame
from .state import is_launch
from .values.kernels import kernel_name, text_of, uncast
from .values.values import apart, expanded, pointing
from .walk import HostWalk, explicit_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from ...ir.host import HostArgument, HostEvent, HostPointer
    from ...source.text import Span
    from ..lowering.model.ctypes import CType
    from ..lowering.model.scope import Binding, Scope
    from ..lowering.program.program import Program
    from ..lowering.types.constant_arithmetic import Number
    from ..lowering.types.type_reader import TypeReader
    from .values.object_scopes import ObjectScope
    from .values.values import HostValues

_DEPTH = 12  # of calls
_DIRECTION = "cudaMemcpy"  # what the names of directions begin with
_GIVING = frozenset(name for name in GIVERS if name[:4] == "cuda")


class MemoryWalk(HostWalk):
    """Runs the host functions of a file that do something with memory."""

    def __init__(self, program: Program, reader: TypeReader, values: HostValues) -> None:
        super().__init__(program, reader, values, lambda node, scope: None)
        self._effects: dict[Hashable, Effect] = {}
        self._members: dict[str, Mapping[str, HostPointer]] = {}  # by their class
        self._managed: dict[str, HostPointer] = {}
        self._used: dict[str, dict[str, bool]] = {}  # managed variables, by the name of a kernel
        self._plain: set[str] = set()  # functions that cannot wait for the device
        self._telling: set[nodes.Function] = set()  # functions that need not be followed
        self._counts = False  # a call of the runtime gets pointers to elements, not to bytes
        self._entered: list[tuple[Span, Mapping[Hashable, Span]]] = []  # calls, and what was begun

    def run_all(self, functions: Iterable[nodes.Function]) -> None:
        """Follow every function that nobody in the file calls."""
        items = [
            each for each in functions if each.body is not None and _is_of_host(each, self._program)
        ]
        called = {item: _called(item.body) for item in items}
        self._members = member_pointers(items, self._program, self._reader)
        self._managed = self._managed_variables()
        given = any(names & _GIVING for names in called.values())
        if not (self._members or self._managed or given):
            return
        self._plain = _plain(called)
        self._telling = {item for item in items if only_tells(item, self._program)}
        for item in items:
            self._functions.setdefault(item.decl.name, []).append(item)
        everywhere = {
            name for item, names in called.items() for name in names if name != item.decl.name
        }
        for item in items:
            if item.decl.name not in everywhere and item.template is None:
                self._start(item, [])

    def _managed_variables(self) -> dict[str, HostPointer]:
        found = {}
        for name, declared in self._program.variables.items():
            if "__managed__" in (getattr(declared, "storage", None) or ()):
                pointer = self._pointers.variable(name)
                if pointer is not None:
                    found[name] = pointer
        return found

    # ---- calls -----------------------------------------------------------------------------------

    def _call(self, node: Any) -> Number | None:
        given = expanded(list(node.args.exprs), self._scope) if node.args is not None else []
        name = called_name(node)
        if self._is_runtime(library_name(node.name)):
            self._read_through(node, name, given)
            self._runtime(node, name, given)
            return None
        if isinstance(self._scope.find(name), LambdaValue):
            return super()._call(node)
        self._read_through(node, name, given)
        if isinstance(node.name, c_ast.StructRef) or self._is_call_of_object(node):
            return self._call_method(node, given)
        meant = self._meant(node, name, given)
        if meant is not None and meant not in self._telling:
            return self._follow_call(node, meant, given)
        self._unfollowed(node, given)
        return None

    def _unfollowed(self, node: Any, given: list[Any]) -> None:
        if called_name(node) not in self._plain:
            self._may_wait(node)
        self._forget_given(node, given)

    def _meant(self, node: Any, name: str, given: list[Any]) -> nodes.Function | None:
        """The function of the file that is called, where that is sure."""
        followed = self._functions.get(name, ())
        if not followed or len(self._frames) >= _DEPTH:
            return None
        types = [self._values.type_of(each, self._scope) for each in given]
        named = self._callees.named(node, None, self.namespace)
        meant = self._callees.meant(named, types, len(given))
        return meant if meant in followed else None

    def _follow_call(self, node: Any, item: nodes.Function, given: list[Any]) -> Number | None:
        if self._is_own(item):
            return self._own_call(node, item, given)
        effect = self._followed_call(node, item, given, None)
        self._get(node, effect.pointer)
        self._forget_given(node, given)
        return effect.number

    def _method(
        self, node: Any, item: nodes.Function, given: list[Any], this: ObjectScope
    ) -> Effect:
        return self._followed_call(node, item, given, this)

    def _followed_call(
        self, node: Any, item: nodes.Function, given: list[Any], this: ObjectScope | None
    ) -> Effect:
        """Run a function for one call of it."""
        scope = self._bound(item, explicit_of(node), given, this)
        parameters = parameters_of(item)
        names = [getattr(parameter, "name", None) or "" for parameter in parameters]
        frame = Frame(scope, *self.changes.of(item.body)[:2])
        frame.given.update(zip(names, given, strict=False))
        frame.call, frame.outside = node.coord, self._scope
        self._entered.append((node.coord, self._begun()))
        effect = self._effect(item, frame)
        self._entered.pop()
        before = self._begun()
        self._hold_work({site: before.get(site, node.coord) for site in effect.begun or ()})
        return effect

    def _effect(self, item: nodes.Function, frame: Frame) -> Effect:
        (site, begun), scope = self._entered[-1], frame.outermost
        texts = tuple(map(text_of, frame.given.values()))
        around = (site, *begun.items()) if begun else ()
        key = (id(item), self._precise_key(scope), texts, around)
        if key not in self._effects:
            self._effects[key] = Effect()
            if begun:
                scope.names[WORK] = under_way(begun)
            number = self._executed(item, frame)
            left = self._left(frame)
            freed = self._freed(frame)
            self._effects[key] = Effect(number, frame.pointer, left, _begun_in(scope), freed)
        return self._effects[key]

    def _executed(self, item: nodes.Function, frame: Frame) -> Number | None:
        outside = self._pointers.members
        self._pointers.members = self._members.get(owner_of(item, self._program), {})
        result = super()._executed(item, frame)
        self._pointers.members = outside
        return result

    def _kept_pointers(self, item: nodes.Function, type: CType) -> Mapping[str, Binding]:
        kept = self._members.get(owner_of(item, self._program), {})
        held = ((name, type.member(name), pointer) for name, pointer in kept.items())
        return {name: pointing(name, m.type, p) for name, m, p in held if m is not None}

    def _passed(self, name: str, binding: Binding) -> Binding:
        """The very value: every call is run for what it is given."""
        return apart(name, binding) if isinstance(binding, KnownParts) else binding

    def _iterations(self, condition: Any, step: Any, body: Any, *, first: bool) -> None:
        """No loop is run round by round: once is enough."""

    def _touches(self, *parts: Any) -> bool:
        """Whether a loop matters: what it gets from the runtime does, too."""
        return True

    # ---- what is handed on -----------------------------------------------------------------------

    def _runtime(self, node: Any, name: str, given: list[Any]) -> None:
        self._counts = any(map(self._leads_to_elements, given))
        super()._runtime(node, name, given)

    def _leads_to_elements(self, node: Any) -> bool:
        """Whether a pointer says of what: a helper that takes such counts elements, not bytes."""
        node = uncast(node)
        held = self._scope.find(node.name) if isinstance(node, c_ast.ID) else None
        type = held.type if isinstance(held, PointerPlace) else None
        return type is not None and type.element is not None and (type.element.size or 0) > 1

    def _argument(self, node: Any) -> HostArgument:
        found = super()._argument(node)
        origin, call, scope = self._origin(node)
        direction = self._direction(origin, scope)
        if call is None or (self._counts and not direction):
            return replace(found, text=direction) if direction else found
        inner, self._scope = self._scope, scope
        measures = tuple(self._measured(origin))
        self._scope = inner
        text = direction or text_of(origin)
        return replace(found, text=text, measures=measures, passed_at=call)

    def _origin(self, node: Any) -> tuple[Any, Span | None, Scope]:
        """What a caller wrote for a parameter, the call that it stands in, and the scope there."""
        call, scope = None, self._scope
        for frame in reversed(self._frames):
            node = uncast(node)
            name = node.name if isinstance(node, c_ast.ID) else ""
            if name not in frame.given or frame.may_change(name) or frame.call is None:
                break
            node, call, scope = frame.given[name], frame.call, frame.outside or scope
        return node, call, scope

    def _direction(self, node: Any, scope: Scope) -> str:
        """The direction of a copy that an expression is, through a choice and a variable."""
        node = uncast(node)
        if isinstance(node, c_ast.TernaryOp):
            decided = self._values.number(node.cond, scope)
            if decided is None:
                return ""
            node = uncast(node.iftrue if decided else node.iffalse)
        if isinstance(node, c_ast.ID) and not node.name.startswith(_DIRECTION):
            node = uncast(self._initialiser(node.name))
        word = text_of(node) if isinstance(node, c_ast.ID) else ""
        return word if word.startswith(_DIRECTION) else ""

    # ---- accesses --------------------------------------------------------------------------------

    def _visit(self, node: Any) -> None:
        if isinstance(node, c_ast.ID) and node.name in self._managed:
            is_plain = self._scope.find(node.name) is None and id(node) not in self._unread
            pointer = self._managed[node.name]
            if is_plain and node.coord is not None and pointer.allocation.name:
                self._note_access(pointer, node.coord)
            return
        super()._visit(node)

    def _note_launch(self, node: Any) -> None:
        super()._note_launch(node)
        if isinstance(node, nodes.Launch) and node.coord is not None and self._managed:
            used = self._managed_in(kernel_name(node.kernel))
            for reading in (True, False):
                names = sorted(name for name, reads in used.items() if reads is reading)
                held = [self._managed[name] for name in names]
                self._begin(node.coord, held, READ if reading else "")

    def _managed_in(self, name: str) -> dict[str, bool]:
        """The managed variables that a kernel, or what it calls, speaks of: whether it only reads
        them.
        """
        if name not in self._used:
            found: dict[str, bool] = {}
            seen: set[str] = set()
            pending = [name]
            while pending:
                each = pending.pop()
                if each in seen:
                    continue
                seen.add(each)
                for function in self._program.functions.get(each, ()):
                    words = set(nodes.identifiers(function.body)) if function.body else set()
                    for used in words & self._managed.keys():
                        reads = self._call_effects.only_reads(function, used)
                        found[used] = reads and found.get(used, True)
                    pending += words & self._program.functions.keys()
            self._used[name] = found
        return self._used[name]

    def _declare(self, node: Any) -> None:
        super()._declare(node)
        init = getattr(node, "init", None)
        if isinstance(init, nodes.Construct) and len(init.arguments or ()) > 1:
            self._read_range(list(init.arguments)[:2], node.coord)

    def _read_through(self, node: Any, name: str, given: list[Any]) -> None:
        """A function of the C or C++ library that reads what it is given."""
        if node.coord is None:
            return
        if name in READERS and is_standard(node.name):
            self._read_range(given, node.coord)
        elif name in FOLLOWING:
            for each in given:
                pointer = self._pointers.of(each, self._scope)
                if pointer is not None and pointer.allocation.residence is not Residence.DEVICE:
                    self._note_shared(pointer, node.coord)

    def _read_range(self, given: Iterable[Any], span: Span | None) -> None:
        for each in given:
            pointer = self._pointers.of(each, self._scope)
            if pointer is not None and span is not None and not pointer.inside:
                self._note_shared(pointer, span)

    def _through(self, site: Hashable, begun: Span | None) -> Span | None:
        """The call that leads from where work was begun to where control is."""
        calls = (call for call, held in self._entered if held.get(site) is begun)
        return None if begun is None else next(calls, None)

    def _note_shared(self, pointer: HostPointer, span: Span) -> None:
        if pointer.allocation.residence in (Residence.MANAGED, Residence.PINNED):
            self._note_access(pointer, span)


def better_known(first: Iterable[HostEvent], second: Iterable[HostEvent]) -> tuple[HostEvent, ...]:
    """The events of two walks through host code: of a place that both came by, those of the one
    that knows more of pointers there, or of work that is under way, or else of the second.
    """
    one, other = _by_place(first), _by_place(second)
    kept: dict[HostEvent, None] = {}
    for place in one | other:
        there, also = one.get(place, []), other.get(place, [])
        is_second = bool(also) and _known(also) >= _known(there)
        kept.update(dict.fromkeys(also if is_second else there))
    return tuple(kept)


def _by_place(events: Iterable[HostEvent]) -> dict[Hashable, list[HostEvent]]:
    found: dict[Hashable, list[HostEvent]] = {}
    for event in events:
        found.setdefault((type(event), event.span), []).append(event)
    return found


def _known(events: Iterable[HostEvent]) -> int:
    """How much is known of the event of which most is."""
    return max(map(_knowledge, events), default=0)


def _knowledge(event: HostEvent) -> int:
    if isinstance(event, HostAccess):
        return int(event.begun is not None)
    return sum(each.pointer is not None for each in event.arguments)


def _is_of_host(item: nodes.Function, program: Program) -> bool:
    """Whether a function runs on the host, and nowhere else: one that takes a group of threads, or
    calls what host code cannot call, is of the device by a macro that no file in sight defines.
    """
    if GLOBAL in item.decl.funcspec or DEVICE in item.decl.funcspec:
        return False
    types = (name for each in parameters_of(item) for name in names_in(each.type))
    if not GROUP_BARRIERS.keys().isdisjoint(types):
        return False
    calls = (each for each in nodes.walk(item.body, but=nodes.Lambda) if _is_call(each))
    names = (callee_name(each.name) for each in calls)
    return not any(is_of_lanes(name) and not program.is_defined(name) for name in names)


def _is_call(node: Any) -> bool:
    return isinstance(node, c_ast.FuncCall)


def _begun_in(scope: Scope) -> Mapping[Hashable, Span]:
    held = scope.names.get(WORK)
    return getattr(held, "begun", {})


def _called(body: Any) -> set[str]:
    return {called_name(node) for node in nodes.walk(body) if isinstance(node, c_ast.FuncCall)}


def _plain(called: Mapping[nodes.Function, set[str]]) -> set[str]:
    """The functions that launch nothing and call only what cannot wait."""
    launching = {item.decl.name for item in called if _launches(item)}
    plain: set[str] = set()
    while True:
        known = plain | UNWAITING | PLAIN_FUNCTIONS
        waiting = {item.decl.name for item, names in called.items() if not names <= known}
        more = {item.decl.name for item in called} - waiting - launching
        if more <= plain:
            return plain
        plain |= more


def _launches(item: nodes.Function) -> bool:
    return any(is_launch(node) for node in nodes.walk(item.body))
