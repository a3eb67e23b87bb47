"""Calls of the CUDA runtime, and what they and the host do to memory.

In: calls, launches and accesses where control comes by. Out: variables hold what they point to
after `cudaMalloc(&p, n)`, and that it was given back after `cudaFree(p)`; every call, launch and
access is an event (`ir/host.py`) with what is known there. Work that was begun is known until a
call may wait for it, which every call may that is not known to return at once.
Streams are not told apart. Not handled here: what goes from function to function
(`memory_walk.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...ir.host import (
    HostAccess,
    HostArgument,
    HostCall,
    HostEvent,
    HostLaunch,
    HostView,
    Measure,
    Release,
    Residence,
)
from ...ir.types import UNKNOWN
from ...ir.values import Unknown
from ..lowering.model import ctypes
from ..lowering.model.ctypes import Form
from ..lowering.model.scope import KnownParts, PointerPlace, Typed, ValuePlace, WorkPlace
from ..lowering.program.callees import callee_name, library_name
from ..lowering.program.member_paths import member_path
from ..names.host_memory import (
    ANSWERED_LATER,
    FINDERS,
    FOLLOWING,
    GIVERS,
    PLAIN_FUNCTIONS,
    TAKERS,
    UNWAITING,
)
from ..names.runtime import is_of_runtime
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .call_effects import Taken, is_of_library
from .callees import Callees
from .changes import filled as filled_by
from .checks import is_standard
from .measures import Measures, measure
from .rounds import HostRounds
from .values.kernels import is_kernel, kernel_name, qualifiers, text_of, uncast
from .values.pointers import HostPointers, is_container, is_given_back
from .values.values import not_known, pointing

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping

    from ...ir.host import Allocation, HostPointer
    from ...source.text import Span
    from ..lowering.model.ctypes import CType
    from ..lowering.model.scope import Binding, Scope

WORK = "#work"  # no name of C++: what was begun
READ = "#read"  # what is only read: its site stands behind
_BEHIND = "#behind"  # what holds pointers to what may be written
_MARKS = {Taken.READ: (READ,), Taken.BEHIND: (READ, _BEHIND)}
#: What host code names itself, and what it cannot tell where it lies.
_NAMED = frozenset({Residence.VARIABLE, Residence.SYMBOL, Residence.MEMBER})
_BEGINNING = frozenset({"cudaMemcpyAsync", "cudaMemsetAsync"})
#: Where copies name a variable of the device.
_SYMBOLS = {
    "cudaMemcpyToSymbol": 0,
    "cudaMemcpyToSymbolAsync": 0,
    "cudaMemcpyFromSymbol": 1,
    "cudaMemcpyFromSymbolAsync": 1,
}


class RuntimeCalls(HostRounds):
    """Runs calls of the CUDA runtime in host code and keeps what happened."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.events: dict[HostEvent, None] = {}  # as a set that keeps its order
        self.function = ""  # that is run
        self.on_device = False  # whether only the device runs it: its memory is no host's
        self.namespace: tuple[str, ...] = ()  # that it stands in
        self._callees = Callees(self._program, self._reader)
        self._ending: set[int] = set()  # scopes at whose end objects do something, by id
        self.outdated = False  # what variables hold is not what they hold when this is executed
        self.checked: set[int] = set()  # launches and calls whose error is asked for later, by id
        #: What kernels do with arguments, by names, namespace and count: a name may have thousands.
        self._taken_by: dict[tuple[Any, ...], tuple[Taken, ...]] = {}
        self._measures = Measures()

    def reads_again(self, first: RuntimeCalls) -> None:
        """What another walk found of the text of the same functions is not looked for again."""
        self.checked, self.changes = first.checked, first.changes
        self._taken_by, self._call_effects = first._taken_by, first._call_effects
        self._offloaded_places, self._measures = first._offloaded_places, first._measures

    @property
    def _pointers(self) -> HostPointers:
        return self._values.pointers

    def _note(self, event: HostEvent) -> None:
        if not self.on_device:
            self.events.setdefault(event)

    # ---- calls -----------------------------------------------------------------------------------

    def _is_runtime(self, name: str) -> bool:
        """Whether a call is one of the runtime or of the C library."""
        known = is_of_runtime(name) or name in TAKERS or name in GIVERS or name in FOLLOWING
        return known and not self._program.is_defined(name)

    def _runtime(self, node: Any, name: str, given: list[Any]) -> None:
        """A call of the runtime, and what variables hold after it."""
        arguments = tuple(map(self._argument, given))
        if (at := _SYMBOLS.get(name)) is not None and at < len(given):
            named = self._pointers.symbol_itself(uncast(given[at]))
            one = arguments[at] if named is None else replace(arguments[at], pointer=named)
            arguments = (*arguments[:at], one, *arguments[at + 1 :])
        self._forget(name for each in given[:1] for name in self._tables(each))  # a copy's target
        giver = GIVERS.get(name)
        at = 0 if name in FINDERS else None if giver is None else giver.pointer
        filled = self._filled(node, given[at]) if at is not None and given else None
        self._note(
            HostCall(
                name,
                node.coord,
                arguments,
                self.function,
                discarded=id(node) in self._discarded and id(node) not in self.checked,
                loop=self._loop_around(),
                made=self._made(filled) if giver is not None else None,
            )
        )
        self._forget(each.name for each in filled_by(node))
        if filled is not None:
            self._forget_earlier(filled[1])
            self._assign(*filled)
        elif name in TAKERS and given:
            self._take(given[0], Release(node.coord, name))
        elif name == "cudaHostRegister" and given:
            self._register(given[0])
        elif name == "cudaPointerGetAttributes" and len(given) > 1:
            self._forget(self._holding(self._pointers.of(given[1], self._scope)))
        if name in _BEGINNING and given:
            self._begin(node.coord, [arguments[0].pointer])
        elif name not in UNWAITING and name not in TAKERS.keys() - {"cudaFree"}:
            self._wait()

    def _tables(self, node: Any) -> Iterator[str]:
        """The array of numbers that an argument is, if it is one."""
        node = uncast(node)
        held = self._scope.find(node.name) if isinstance(node, c_ast.ID) else None
        if isinstance(held, KnownParts) and held.type.form is Form.ARRAY:
            yield node.name

    def _filled(self, node: Any, target: Any) -> tuple[str, Binding] | None:
        """The variable that `cudaMalloc(&p, n)` fills, and what it holds then."""
        target = uncast(target)
        if not isinstance(target, c_ast.UnaryOp) or target.op != "&":
            return None
        variable = target.expr
        name = variable.name if isinstance(variable, c_ast.ID) else member_path(variable)
        held = self._scope.find(name)
        if held is None or self._is_escaped(name.partition(".")[0]):
            return None
        type = getattr(held, "type", None) or ctypes.unknown("auto")
        if callee_name(node.name) in GIVERS:
            called = name.removeprefix("this.")
            pointer = self._pointers.given(called, type, node, self._scope)
        elif (there := self._pointers.symbol(node)) is not None:
            pointer = there
        else:
            return name, not_known(name, type)
        return name, pointing(name, type, pointer)

    def _made(self, filled: tuple[str, Binding] | None) -> Allocation | None:
        held = None if filled is None else filled[1]
        return held.pointer.allocation if isinstance(held, PointerPlace) else None

    def _take(self, target: Any, release: Release) -> None:
        """`cudaFree(p)`: every variable that holds the allocation holds it no longer."""
        pointer = self._pointers.of(target, self._scope)
        if pointer is None or not is_given_back(pointer, release.function):
            return
        self._freeing(pointer, release)
        for name in self._holding(pointer):
            held = self._scope.find(name)
            assert isinstance(held, PointerPlace)
            freed = replace(held.pointer, freed=held.pointer.freed or release)
            self._assign(name, replace(held, pointer=freed))

    def _freeing(self, pointer: HostPointer, release: Release) -> None:
        """Memory is given back."""

    def _holding(self, pointer: HostPointer | None) -> list[str]:
        """The variables that hold an allocation."""
        if pointer is None:
            return []
        found: list[str] = []
        for name in self._visible():
            held = self._scope.find(name)
            if isinstance(held, PointerPlace) and held.pointer.allocation == pointer.allocation:
                found.append(name)
        return found

    def _register(self, target: Any) -> None:
        """`cudaHostRegister(p, n, flags)`: from now on the device may follow it, too."""
        pointer = self._pointers.of(target, self._scope)
        if pointer is not None:
            self._pointers.shared.add(pointer.allocation.site)

    def _release(self, node: Any) -> None:
        """`delete[] p`."""
        self._note(
            HostCall("delete", node.coord, (self._argument(node.expression),), self.function)
        )
        self._take(node.expression, Release(node.coord, "delete"))
        self._make(self._values.type_of(node.expression, self._scope).element or ctypes.VOID)

    def _make(self, type: CType) -> None:
        """An object begins or ends: what its class does then may wait."""
        if self._does_something(type):
            self._wait()

    def _does_something(self, type: CType) -> bool:
        """Whether a class has constructors or a destructor, as far as is seen."""
        if type.form is not Form.CLASS:
            return type.form is Form.UNKNOWN
        known = (self._program.by_value, self._program.functions)
        return any(name in each for name in (type.name, f"~{type.name}") for each in known)

    def _construct(self, node: Any, type: CType) -> None:
        self._make_variable(node, type)

    def _make_variable(self, node: Any, type: CType) -> None:
        if type.name != "auto" and not is_of_library(node) and self._does_something(type):
            self._wait()
            self._ending.add(id(self._scope))

    def _leave(self, scope: Scope) -> None:
        if id(scope) in self._ending:
            self._ending.discard(id(scope))
            self._wait()

    def _argument(self, node: Any) -> HostArgument:
        node = uncast(node)
        pointer = None if self.outdated else self._pointers.of(node, self._scope)
        return HostArgument(
            text_of(node),
            node.coord,
            self._values.formulas.of(node, self._scope),
            pointer,
            tuple(self._measured(node)),
            is_string=isinstance(node, c_ast.Constant) and node.type == "string",
            takes_address=(address := isinstance(node, c_ast.UnaryOp) and node.op == "&"),
            of_pointer=address and self._is_pointer(node.expr),
            is_element=self._is_element(node),
            element_size=self._pointed_size(node) if pointer is None else None,
        )

    def _is_pointer(self, node: Any) -> bool:
        type = self._values.type_of(node, self._scope)
        return type.form is Form.POINTER and not ctypes.is_reference(type)

    def _measured(self, node: Any) -> Iterator[Measure]:
        found = self._measures.of(node, self._initialiser)
        return (measure(each, self._values, self._scope) for each in found)

    def _pointed_size(self, node: Any) -> int | None:
        """The bytes of what a variable leads to, as its type says."""
        held = self._scope.find(node.name) if isinstance(node, c_ast.ID) else None
        type = held.type if isinstance(held, ValuePlace) else None
        return type.element.size if type is not None and type.element is not None else None

    def _is_element(self, node: Any) -> bool:
        """Whether an argument lies behind a pointer or a member that is a reference, as far as is
        known to memory of the device.
        """
        while isinstance(node, c_ast.StructRef) and node.type == ".":
            held = self._values.type_of(node.name, self._scope).members
            name = nodes.member_name(node)
            if any(each.name == name and ctypes.is_reference(each.type) for each in held):
                return True
            node = node.name
        if isinstance(node, c_ast.ID) and node.name in self._frames[-1].references:
            made = self._initialiser(node.name)
            return not isinstance(made, c_ast.ID) and self._is_element(uncast(made))
        if isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
            base = node.name
        elif isinstance(node, c_ast.UnaryOp) and node.op == "*":
            base = node.expr
        else:
            return False
        if isinstance(base, c_ast.ID) and base.name == "this":
            return False
        pointer = self._pointers.of(base, self._scope)
        return pointer is None or not (
            is_container(pointer) or pointer.allocation.residence.on_host
        )

    # ---- launches and accesses -------------------------------------------------------------------

    def _note_launch(self, node: Any) -> None:
        """A launch with what it is given; only `<<<>>>` is read."""
        span = node.coord
        if not isinstance(node, nodes.Launch) or span is None:
            self._wait()
            return
        kernel = kernel_name(node.kernel)
        key = (kernel, qualifiers(node.kernel), self.namespace, len(node.arguments))
        wanted = self._taken_by.get(key)
        if wanted is None:
            named = filter(is_kernel, self._callees.launched(node.kernel, self.namespace))
            wanted = tuple(self._call_effects.taken(named, len(node.arguments)))
            self._taken_by[key] = wanted
        arguments = tuple(
            replace(each, pointer=None) if taken is Taken.COPIED or self._is_reached(each) else each
            for each, taken in zip(map(self._argument, node.arguments), wanted, strict=True)
        )
        checked = id(node) in self.checked
        self._note(HostLaunch(kernel, span, arguments, self.function, checked, self._loop_around()))
        for each, taken in zip(arguments, wanted, strict=True):
            for mark in _MARKS.get(taken, ("",)):
                self._begin(span, [each.pointer], mark)
        self._begin(span, [p for each in node.arguments for p in self._pointers_in(each)])

    def _pointers_in(self, node: Any) -> Iterator[HostPointer]:
        """The pointers that an object has for members which a kernel is given."""
        type = self._values.type_of(node, self._scope)
        for held in self._objects.parts(node, type, self._scope).values():
            if isinstance(held, PointerPlace):
                yield held.pointer

    def _is_reached(self, given: HostArgument) -> bool:
        """Whether a device may follow a plain pointer of the host: the program asks for that."""
        pointer = given.pointer
        asked = self._program.reaches_pageable
        return asked and pointer is not None and pointer.allocation.residence.on_host

    def _cast(self, node: Any, type: CType) -> None:
        element_size = None if type.element is None else type.element.size
        pointer = self._pointers.of(node, self._scope)
        if not element_size or pointer is None or self.outdated:
            return
        known = pointer.allocation
        if known.residence is not Residence.SYMBOL and known.element_size not in (
            None,
            element_size,
        ):
            seen = (self._argument(node),)
            self._note(HostView(seen, element_size, node.coord, self.function))

    def _access(self, node: Any) -> None:
        target = node.name if isinstance(node, c_ast.ArrayRef) else node.expr
        pointer = self._pointers.of(target, self._scope)
        if pointer is None or self._is_elsewhere() or is_container(pointer):
            return
        if pointer.allocation.residence in _NAMED or self._is_only_named(node):
            return
        element = self._values.type_of(target, self._scope).element
        if element is not None and element.volatile and self._begun():
            return  # that is how a host watches what the device does
        behind = self._behind.get(id(node))
        marks = [READ] if id(node) in self._stored else []
        marks += [_BEHIND] if behind is not None and not self._is_only_named(behind) else []
        self._note_access(pointer, node.coord, marks)

    def _note_access(self, pointer: HostPointer, span: Span, marks: Iterable[str] = ()) -> None:
        """The host follows a pointer, and does what contradicts work that is marked so."""
        there: Hashable = pointer.allocation.site
        sites = [there, *((mark, there) for mark in marks)]
        site = next((each for each in sites if each in self._begun()), there)
        begun = self._begun().get(site)
        self._note(HostAccess(pointer, span, self.function, begun, self._through(site, begun)))

    def _through(self, site: Hashable, begun: Span | None) -> Span | None:
        """The call that leads from where work was begun to where control is; here there is none."""
        return None

    def _loop_around(self) -> Span | None:
        """The innermost loop of what is run."""
        return self._loops[-1] if self._loops else None

    def _is_elsewhere(self) -> bool:
        """Whether a device runs what is run, or a lambda is, which may be meant for one."""
        return self._offloaded > 0 or any(frame.is_lambda for frame in self._frames)

    # ---- work under way --------------------------------------------------------------------------

    def _begun(self) -> dict[Hashable, Span]:
        held = self._frames[-1].outermost.names.get(WORK) if self._frames else None
        return dict(held.begun) if isinstance(held, WorkPlace) else {}

    def _begin(self, span: Span, pointers: Iterable[HostPointer | None], mark: str = "") -> None:
        """A launch or a copy that works on these, or in another way that is marked."""
        begun = self._begun()
        for pointer in pointers:
            if pointer is not None:
                site = pointer.allocation.site
                begun.setdefault((mark, site) if mark else site, span)
        self._hold_work(begun)

    def _wait(self) -> None:
        """All work may be finished."""
        self._hold_work({})

    def _hold_work(self, begun: Mapping[Hashable, Span]) -> None:
        if self._frames and (begun or WORK in self._frames[-1].outermost.names):
            self._frames[-1].outermost.names[WORK] = under_way(begun)

    def _may_wait(self, node: Any) -> None:
        """A call that is not of the runtime: one of the C and C++ libraries does not wait, and some
        of cuBLAS begin work of their own.
        """
        name = library_name(node.name)
        if name in ANSWERED_LATER and not self._program.is_defined(name):
            given = list(node.args.exprs) if node.args is not None else []
            later = [given[at] for at in ANSWERED_LATER[name] if at < len(given)]
            self._begin(node.coord, [self._pointers.of(each, self._scope) for each in later])
        elif name not in UNWAITING and name not in PLAIN_FUNCTIONS and not is_standard(node.name):
            self._wait()


def under_way(begun: Mapping[Hashable, Span]) -> WorkPlace:
    """The work that host code has begun on the device, as a scope holds it."""
    return WorkPlace(Typed(Unknown(UNKNOWN, WORK), ctypes.unknown(WORK)), begun)
