"""What methods of host code do to the members of the objects that they are called on.

In: an object, which a variable is or a pointer leads to, and a method. Out: a scope with what the
members hold, in which the method runs, and what they hold behind it. Memory that a method gets
belongs to the object: it is told from that of others by the declaration or call.
Not handled: objects behind pointers (their members are not known).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...source.numbers import whole
from ...source.records import dataclass
from ..lowering.model.classes import lineage
from ..lowering.model.scope import (
    KnownParts,
    LoosePlace,
    PointerPlace,
    ValuePlace,
)
from ..lowering.program.member_paths import member_path
from ..syntax.nodes.c_ast import c_ast
from .class_scopes import ClassScopes
from .handed_over import HandedOver
from .objects import leaves
from .state import joined
from .values.kernels import uncast
from .values.object_scopes import ObjectScope
from .values.values import AXES, dimensions, held, key_of, not_known, pointing

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from ...ir.host import HostPointer, Release
    from ...source.text import Span
    from ..lowering.model.ctypes import CType
    from ..lowering.model.scope import Binding, Scope
    from ..lowering.types.constant_arithmetic import Number
    from ..syntax import nodes
    from .settled import Frame

_MOST_MEMBERS = 256  # of a class whose methods are run by themselves with members not known


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call of a function leaves: its result, the members of the object, work begun."""

    number: Number | None = None
    pointer: HostPointer | None = None
    members: Mapping[str, Binding] | None = None
    begun: Mapping[Hashable, Span] | None = None
    freed: Mapping[Hashable, Release] | None = None


@dataclass(frozen=True, slots=True)
class HostObject:
    """What a method is called on: its type, and the name that its members are held under."""

    type: CType
    path: str  # "" where it lies behind a pointer
    exact: bool  # whether it may not be of a derived class


class ObjectMembers(HandedOver):
    """Keeps what the members of objects of host code hold."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._class_scopes = ClassScopes(self._program, self._reader)

    @abstractmethod
    def _method(
        self, node: Any, item: nodes.Function, given: list[Any], this: ObjectScope
    ) -> Effect:
        """Run a method, or a constructor, for an object."""

    # ---- objects ---------------------------------------------------------------------------------

    @property
    def _this(self) -> ObjectScope | None:
        """The members of the object that the running method is called on."""
        scopes = self._scope.outwards()
        return next((each for each in scopes if isinstance(each, ObjectScope)), None)

    def _object_scope(
        self, type: CType, known: Mapping[str, Binding], path: str, owner: CType | None = None
    ) -> ObjectScope:
        """The scope of the members of an object in a method of its class, or of a base."""
        around = self._class_scopes.within(owner or type)
        scope = ObjectScope(around, is_variable=self._is_variable(path))
        scope.names["this"] = around.names["this"]
        held: dict[str, Binding] = {}
        for member in type.members:
            if member.name:
                held[member.name] = not_known(f"{path}.{member.name}", member.type)
        for name, inner in leaves(type):
            held[name] = not_known(f"{path}.{name}", inner)
        scope.hold({**held, **self._containers(type), **known})
        return scope

    def _is_variable(self, path: str) -> bool:
        """Whether what has that name is a variable of host code, or a part of one."""
        name = path.partition(".")[0]
        own = self._this
        if name == "this" or isinstance(self._scope.binder(name), ObjectScope):
            return own is not None and own.is_variable
        return bool(self._frames) and name not in self._frames[-1].references

    def _containers(self, type: CType) -> dict[str, Binding]:
        """The members of a class that are containers, with some number of elements each."""
        found: dict[str, Binding] = {}
        for each in reversed(list(lineage(type.origin))):
            for declared in each.definition.members or ():
                if isinstance(declared, c_ast.Decl) and declared.name:
                    made = self._values.pointers.container(declared, each.scope)
                    member = None if made is None else type.member(declared.name)
                    if made is not None and member is not None:
                        found[declared.name] = pointing(declared.name, member.type, made)
        return found

    def _unknown_object(self, item: nodes.Function) -> ObjectScope | None:
        """The members of an object that a method is run for whoever calls it."""
        type = self._class_scopes.class_of(item)
        if type is None or len(type.members) > _MOST_MEMBERS:
            return None
        return self._object_scope(type, self._kept_pointers(item, type), "this")

    def _kept_pointers(self, item: nodes.Function, type: CType) -> Mapping[str, Binding]:
        """What the members of a class are known to point to, whatever the object is."""
        return {}

    def _held(self, path: str) -> dict[str, Binding]:
        """What the members of a variable, or of a part of it, hold."""
        scope = self._scope.binder(path.partition(".")[0])
        if path == "this":
            own = self._this
            return {} if own is None else own.held()
        if scope is None:
            return {}
        whole = scope.names.get(path)
        if isinstance(whole, KnownParts):
            return _unpacked(whole)
        return {each[len(path) + 1 :]: scope.names[each] for each in scope.members_of(path)}

    def _object(self, node: Any, *, arrow: bool) -> HostObject | None:
        """The object that an expression is, or points to."""
        node = uncast(node)
        own = self._this
        if isinstance(node, c_ast.UnaryOp) and node.op == "*" and not arrow:
            return self._object(node.expr, arrow=True)
        if arrow and isinstance(node, c_ast.ID) and node.name == "this":
            return None if own is None else HostObject(self._own_type(), "this", exact=False)
        type = self._values.type_of(node, self._scope)
        if arrow:
            element = type.element
            return None if element is None else HostObject(element, "", exact=False)
        if isinstance(node, c_ast.ID):
            held = self._scope.find(node.name)
            exact = node.name not in self._frames[-1].references
            if isinstance(held, LoosePlace) or held is None:
                return HostObject(type, "", exact=False)
            return HostObject(type, node.name, exact)
        path = member_path(node)
        return HostObject(type, path, exact=bool(path))

    def _own_type(self) -> CType:
        held = self._scope.find("this")
        assert isinstance(held, ValuePlace)
        assert held.type.element is not None
        return held.type.element

    # ---- methods ---------------------------------------------------------------------------------

    def _effect_on(
        self,
        node: Any,
        item: nodes.Function,
        given: list[Any],
        found: HostObject,
        owner: CType | None = None,
    ) -> Effect:
        """Run a method on an object, whose members then hold what it leaves."""
        known = self._held(found.path) if found.path else {}
        this = self._object_scope(found.type, known, found.path or "this", owner)
        before = self._sites()
        effect = self._method(node, item, given, this)
        if isinstance(self._scope.find(found.path), KnownParts) and "const" not in item.suffixes:
            self._forget([found.path])
        members = _owned(effect.members or {}, before, found.path, node.coord)
        for path, was in known.items():
            name = f"{found.path}.{path}"
            if self._scope.find(name) is not None:
                left = members.get(path) or not_known(name, getattr(was, "type", None))
                self._assign(name, left)
        for site, release in (effect.freed or {}).items():
            self._take_site(site, release)
        pointer = effect.pointer
        if pointer is not None and effect.members is not None:
            for path, left in effect.members.items():
                if isinstance(left, PointerPlace) and left.pointer == pointer:
                    now = members[path]
                    assert isinstance(now, PointerPlace)
                    return replace(effect, pointer=now.pointer)
        return effect

    def _precise_key(self, scope: Scope) -> Hashable:
        """What a function is given and its object holds, variables that are not known by what they
        are.
        """
        given = ((name, self._key(name, each, scope)) for name, each in scope.names.items())
        this = scope.parent
        members = this.held() if isinstance(this, ObjectScope) else {}
        own = ((name, self._key(name, each, this or scope)) for name, each in members.items())
        types = ((name, type.name) for name, type in scope.types.items())
        return tuple(given), tuple(own), tuple(types)

    def _key(self, name: str, bound: Binding, scope: Scope) -> object:
        formula = None
        if isinstance(bound, ValuePlace) and not isinstance(bound, KnownParts | PointerPlace):
            formula = self._values.formulas.of(c_ast.ID(name), scope)
        return key_of(bound) if formula is None else formula

    def _freed(self, frame: Frame) -> Mapping[Hashable, Release]:
        """What a method has given back however it returns: none where it may return before that."""
        this = frame.this
        return {} if this is None or frame.left else dict(this.freed)

    def _freeing(self, pointer: HostPointer, release: Release) -> None:
        self._note_freed(pointer.allocation.site, release)

    def _note_freed(self, site: Hashable, release: Release) -> None:
        """The running method gives memory back, if it does so however it returns."""
        this = self._this
        if this is not None and not self.is_conditional:
            this.freed.setdefault(site, release)

    def _take_site(self, site: Hashable, release: Release) -> None:
        self._note_freed(site, release)
        for name in self._visible():
            bound = self._scope.find(name)
            if isinstance(bound, PointerPlace) and bound.pointer.allocation.site == site:
                freed = replace(bound.pointer, freed=bound.pointer.freed or release)
                self._assign(name, replace(bound, pointer=freed))

    def _get(self, node: Any, pointer: HostPointer | None) -> None:
        """What a call of a function returns: memory that it got is that of the call."""
        if pointer is None or node.coord is None:
            self._pointers.results.pop(id(node), None)
            return
        if pointer.allocation.maker and pointer.allocation.site not in self._sites():
            pointer = replace(pointer, allocation=replace(pointer.allocation, span=node.coord))
        self._pointers.results[id(node)] = pointer

    def _sites(self) -> set[Hashable]:
        """What tells apart the allocations that variables hold."""
        held = (each for scope in self._scope.outwards() for each in scope.names.values())
        return {each.pointer.allocation.site for each in held if isinstance(each, PointerPlace)}

    def _left(self, frame: Frame) -> dict[str, Binding] | None:
        """What the members of its object hold behind a method, however it returns."""
        if frame.this is None:
            return None
        ends = [*frame.left, *([frame.this.held()] if frame.ended else [])]
        if not ends:
            return None
        first, *others = ends
        for other in others:
            first = {path: joined(path, held, other.get(path)) for path, held in first.items()}
        return first


def _unpacked(known: KnownParts) -> dict[str, Binding]:
    """The members of an object whose numbers and dimensions are known."""
    found: dict[str, Binding] = {}
    for member in known.type.members:
        if member.type.name == "dim3":
            x, y, z = (whole(known.parts.get(f"{member.name}.{axis}")) for axis in AXES)
            found[member.name] = dimensions((x, y, z))
        elif member.type.is_scalar and (number := known.parts.get(member.name)) is not None:
            found[member.name] = held(number, member.type)
    return found


def _owned(
    members: Mapping[str, Binding], before: set[Hashable], path: str, span: Span | None
) -> dict[str, Binding]:
    """The members of an object behind a call that may have got memory for them, which is theirs."""
    found: dict[str, Binding] = {}
    names: dict[Hashable, str] = {}
    owner = "" if path == "this" else f"{path.removeprefix('this.')}."
    for name, member in members.items():
        found[name] = member
        if not isinstance(member, PointerPlace) or not path or span is None:
            continue
        made = member.pointer.allocation
        if made.maker and made.site not in before:
            now = replace(made, name=names.setdefault(made.site, f"{owner}{name}"), span=span)
            found[name] = replace(member, pointer=replace(member.pointer, allocation=now))
    return found
