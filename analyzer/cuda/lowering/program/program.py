"""The file-scope names of a translation unit: functions, types, constants, device variables.

In: the declarations and functions the parser found. Out: lookups by plain name, seen from where
control is (`scoped_names.py`); of enumerators the namespaces are not told apart, and functions
answer with all, from which `namespaces.py` takes those that are meant. A name that classes declare
(a constant, a type, an enumerator) is found without its class only when a single class declares it.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...names.libraries import ENUMERATORS, LIBRARY_ENUMS
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from .constant_calls import ConstantCalls
from .defaults import give_defaults
from .effects import changed
from .namespaces import Alike, alias_of, seen_from, used_by
from .scoped_names import Place, ScopedNames
from .template_arguments import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ...syntax.later_body import KeptBodies
    from ...syntax.nodes import Node
    from .namespaces import Path

    Functions = list[nodes.Function]
    ByName = dict[str, Functions]
    Method = tuple[nodes.ClassDefinition, str]

DEVICE = "__device__"
GLOBAL = "__global__"


class Program:
    """Indexes of one translation unit."""

    def __init__(
        self,
        functions: Iterable[nodes.Function],
        declarations: Iterable[Node],
        by_value: frozenset[str] = frozenset(),
        unread: Mapping[str, frozenset[tuple[str, ...]]] | None = None,
        scopes: Mapping[int, tuple[str, ...]] | None = None,
    ) -> None:
        self.reaches_pageable = False  # it asks whether the device follows pointers of the host
        self.bodies: KeptBodies | None = None  # what an earlier reading found in bodies
        self.unread = unread or {}  # by name, where functions stand that are not parsed
        self.by_value = by_value  # functions, read or not, that write nothing they are given
        self.functions: dict[str, list[nodes.Function]] = {}
        #: By name: how many functions had it, and which of them stand in which class.
        self._sorted: dict[str, tuple[int, ByName]] = {}
        #: By name: how many functions had it, seen from where, and which of them are no methods.
        self._free: dict[str, tuple[tuple[int, Path, Path], Alike]] = {}
        #: By the id of a class, which is kept: how many members it had, and its functions by name.
        self._members: dict[int, tuple[nodes.ClassDefinition, int, ByName]] = {}
        #: By a class and a name: how much there was to look through, and the methods found in it.
        self._methods_of: dict[Method, tuple[tuple[int, ...], Functions]] = {}
        self._place = Place()
        self._scopes = scopes or {}
        self._adding: tuple[str, ...] = ()  # the namespaces and classes around what is taken in
        self._in_class = False
        self.classes = ScopedNames(self._place)  # name → ClassDefinition
        self.aliases = ScopedNames(self._place)  # name → c_ast type node or TypeAlias.type
        self.alias_templates: dict[str, nodes.TypeAlias] = {}
        self.namespaces = self._place.aliases  # by alias
        self._used: dict[str, list[tuple[Path, Path]]] = {}  # by name: where, and what is meant
        self.variables = ScopedNames(self._place)  # name → c_ast.Decl
        self.enumerators: dict[str, tuple[Any, int]] = {}  # base expression + distance
        #: By the enum's name as well; None where several enums of that name have it.
        self.of_enum: dict[tuple[str, str], tuple[Any, int] | None] = {}
        self.instantiations: dict[str, list[nodes.Function]] = {}  # explicit ones
        self.declared_kernels: dict[str, list[nodes.Function]] = {}  # defined here or elsewhere
        self.class_instantiations: list[tuple[Path, Any]] = []  # where, and the instance's type
        self._of_classes: dict[str, int] = {}  # name → id of the class that declares it
        self.specializations: dict[str, list[nodes.ClassSpecialization]] = {}
        #: Templates that are declared; one that is defined nowhere is its specialisations.
        self._undefined: dict[str, tuple[nodes.ClassDefinition, tuple[str, ...]]] = {}
        self._enum_of: dict[str, Any] = {}  # enumerator → the enum that declares it
        self._methods: set[int] = set()  # by id of the function
        self._varying: set[int] = set()  # by id of the class
        self.enums: dict[str, Any] = {}  # name → its underlying type, if written
        self._address_taken: dict[int, frozenset[str]] = {}  # by id of the body
        self._changed: dict[int, frozenset[str]] = {}
        self.constant_calls = ConstantCalls()
        for function in functions:
            self.functions.setdefault(function.decl.name, []).append(function)
        self._taken = {id(each) for same in self.functions.values() for each in same}
        for declaration in declarations:
            self._adding = self._scopes.get(id(declaration), ())
            self.add(declaration)
        self._adding = ()
        for name, (declared, scope) in self._undefined.items():
            if name in self.specializations and not self.classes.is_declared(name):
                self.classes.declare(name, declared, scope)
        self._add_enums_of_libraries()

    def _add_enums_of_libraries(self) -> None:
        for name, members in LIBRARY_ENUMS.items():
            self._add_library_enum(name, members)
        for name, number in ENUMERATORS.items():
            self.enumerators.setdefault(name, (None, number))

    def _add_library_enum(self, name: str, members: Mapping[str, int]) -> None:
        """An enum of a header that was not found; what the file declares itself goes first."""
        if name in self.enums or name in self.aliases or name in self.classes:
            return
        self.enums[name] = None
        for member, number in members.items():
            self.of_enum[name, member] = (None, number)
            if f"{name}_{member}" not in self.variables:
                self.enumerators.setdefault(f"{name}_{member}", (None, number))

    def add(self, node: Node) -> None:
        """Take in one declaration; what it does not name is ignored."""
        if isinstance(node, nodes.ClassDefinition):
            self._add_class(node)
        elif isinstance(node, nodes.Function) and node.instantiation:
            self.instantiations.setdefault(node.decl.name, []).append(node)
        elif isinstance(node, nodes.Function) and GLOBAL in node.decl.funcspec:
            self.declared_kernels.setdefault(node.decl.name, []).append(node)
        elif isinstance(node, nodes.ClassInstantiation):
            self.class_instantiations.append((self._adding, node.type))
        elif isinstance(node, c_ast.Enum):
            self._add_enum(node)
        elif isinstance(node, nodes.TypeAlias | c_ast.Typedef):
            self._add_inner(node.type)
            if not self._in_class and nodes.names_itself(node):
                return  # `typedef struct point point;` is C's way to say it without `struct`
            self.aliases.declare(node.name, node.type, self._adding, of_class=self._in_class)
            if getattr(node, "template", None) is not None:
                self.alias_templates.setdefault(node.name, node)
        elif isinstance(node, c_ast.Decl):
            self._add_inner(node.type)
            if node.name and not isinstance(node.type, c_ast.FuncDecl):
                self.variables.declare(node.name, node, self._adding, of_class=self._in_class)
        elif isinstance(node, nodes.Using):
            alias, used = alias_of(node.text), used_by(node.text)
            if alias is not None:
                self.namespaces.setdefault(*alias)
            if used is not None:
                self._used.setdefault(used[-1], []).append((self._adding, used))
        elif isinstance(node, c_ast.DeclList):
            for declaration in node.decls:
                self.add(declaration)

    def brought(self, before: Sequence[str], name: str) -> Path | None:
        """The path of what a namespace has by a using declaration: `group::sync` of another one."""
        path = tuple(before)
        places = self._used.get(name, ())
        return next((used for scope, used in places if scope[-len(path) :] == path), None)

    def _add_inner(self, type_node: Node) -> None:
        """A class or enum defined inside a declaration or typedef."""
        inner = _innermost(type_node)
        if isinstance(inner, nodes.ClassDefinition):
            self._add_class(inner)
        elif isinstance(inner, c_ast.Enum):
            self._add_enum(inner)

    def _add_class(self, node: nodes.ClassDefinition) -> None:
        if node.name and isinstance(node, nodes.ClassSpecialization):
            self.specializations.setdefault(node.name, []).append(node)
        elif node.name and node.members is None:
            self._undefined.setdefault(node.name, (node, self._adding))
        elif node.name:
            self.classes.declare(node.name, node, self._adding)
        if node.template is not None or self.varies(node):
            self._varying.update(id(each) for each in map(_defined_by, node.members or ()) if each)
        for member in node.members or ():
            if isinstance(member, nodes.Function):
                if "friend" not in member.decl.funcspec:
                    self._methods.add(id(member))
                if id(member) not in self._taken:
                    self._taken.add(id(member))
                    self.functions.setdefault(member.decl.name, []).append(member)
            elif isinstance(member, c_ast.Decl) and "static" not in (member.storage or ()):
                self._add_inner(member.type)
            elif isinstance(member, nodes.ClassDefinition):
                self._add_inside(node.name, member)
            elif not getattr(member, "name", None):
                self.add(member)
            else:
                self._add_member(id(node), node.name, member)

    @contextmanager
    def seen_from(self, scope: tuple[str, ...]) -> Iterator[None]:
        """Names are looked up from within these namespaces and classes."""
        outer, self._place.scope = self._place.scope, scope
        try:
            yield
        finally:
            self._place.scope = outer

    @property
    def scope(self) -> tuple[str, ...]:
        """The namespaces and classes that names are looked up from."""
        return self._place.scope

    def scope_of(self, node: nodes.ClassDefinition) -> tuple[str, ...]:
        """The namespaces around a class."""
        return self._scopes.get(id(node), ())

    def varies(self, node: nodes.ClassDefinition) -> bool:
        """Whether a class is another one in each instance of the template around it."""
        return id(node) in self._varying

    def _add_inside(self, name: str | None, member: Any) -> None:
        before = self._adding, self._in_class
        self._adding, self._in_class = (*self._adding, *filter(None, [name])), True
        self.add(member)
        self._adding, self._in_class = before

    def _add_member(self, owner: int, inside: str | None, member: Any) -> None:
        """A constant, type or enum of a class: by its plain name while no other class has one."""
        name = member.name
        declared = self.variables.is_declared(name) or self.aliases.is_declared(name)
        known = declared or name in self.enums
        if known and name not in self._of_classes:
            return  # a name of the file
        if self._of_classes.setdefault(name, owner) == owner:
            self._add_inside(inside, member)
            return
        self.variables.withdraw(name)
        self.aliases.withdraw(name)
        self.alias_templates.pop(name, None)
        self.enums.pop(name, None)

    def _add_enum(self, node: Any) -> None:
        if node.name:
            self.enums.setdefault(node.name, node.underlying_type)
        if node.values is None:
            return
        anchor: Any = None
        distance = 0
        for enumerator in node.values.enumerators:
            if enumerator.value is not None:
                anchor, distance = enumerator.value, 0
            entry = (anchor, distance)
            if node.name:
                key = node.name, enumerator.name
                known = self.of_enum.setdefault(key, entry)
                if known != entry:
                    self.of_enum[key] = None
            if self._enum_of.setdefault(enumerator.name, node) is node:
                self.enumerators[enumerator.name] = entry
            else:
                self.enumerators.pop(enumerator.name, None)
            distance += 1

    def called(self, node: nodes.Construct) -> str:
        """The function of this file that `half(x)` calls; "" when the name is that of a type."""
        inner = node.type
        while isinstance(inner, c_ast.Typename | c_ast.TypeDecl):
            inner = inner.type
        name = " ".join(getattr(inner, "names", None) or ())
        if node.braced or name not in self.functions:
            return ""
        return "" if name in self.classes or name in self.aliases else name

    def is_defined(self, name: str) -> bool:
        """Whether a function of that name has a body."""
        return any(each.body is not None for each in self.functions.get(name, ()))

    def device_functions(self, name: str) -> list[nodes.Function]:
        """The functions of that name with a body that a kernel may call."""
        return [
            function
            for function in self.functions.get(name, ())
            if function.body is not None and GLOBAL not in function.decl.funcspec
        ]

    def free_functions(self, name: str, around: Path) -> Alike:
        """Those of them that belong to no class, those of the namespaces around a call in front;
        gone through once for calls from one place.
        """
        key = len(self.functions.get(name, ())), self._place.scope, around
        known = self._free.get(name)
        if known is None or known[0] != key:
            found = [each for each in self.device_functions(name) if not self.is_method(each)]
            known = self._free[name] = key, Alike(seen_from(found, around))
        return known[1]

    def is_method(self, function: nodes.Function) -> bool:
        """Whether a function belongs to a class, defined inside or outside of it."""
        return id(function) in self._methods or bool(
            function.scope and function.scope[-1] in self.classes
        )

    def methods(self, owner: nodes.ClassDefinition, name: str) -> list[nodes.Function]:
        """The member functions of a class with a body, wherever it stands; looked for again where
        more came in.
        """
        functions, others = self.functions.get(name, ()), self.specializations.get(owner.name, ())
        state = len(owner.members or ()), len(functions), len(others)
        known = self._methods_of.get((owner, name))
        if known is None or known[0] != state:
            known = self._methods_of[owner, name] = state, self._found_methods(owner, name)
        return known[1]

    def _found_methods(self, owner: nodes.ClassDefinition, name: str) -> list[nodes.Function]:
        inside = self._inside(owner).get(name, [])
        found = [member for member in inside if member.body is not None]
        if len(found) < len(inside) or not inside:
            outside = [
                function
                for function in self._by_class(name).get(owner.name or "", ())
                if function.body is not None
                and all(function is not member for member in found)
                and self._is_of(function, owner)
            ]
            for function in outside:
                give_defaults(function, inside)
            found += outside
        return found

    def _inside(self, owner: nodes.ClassDefinition) -> dict[str, list[nodes.Function]]:
        """The functions that stand in a class, by name; gone through again where more came in."""
        members = owner.members or ()
        _, count, found = self._members.get(id(owner), (owner, -1, {}))
        if count != len(members):
            found = {}
            for member in members:
                if isinstance(member, nodes.Function):
                    found.setdefault(member.decl.name, []).append(member)
            self._members[id(owner)] = owner, len(members), found
        return found

    def _by_class(self, name: str) -> dict[str, list[nodes.Function]]:
        """The functions of a name that stand in classes or namespaces, by those."""
        known = self.functions.get(name, [])
        found = self._sorted.get(name)
        if found is None or found[0] < len(known):
            sorted_: dict[str, list[nodes.Function]] = {}
            for function in known:
                if function.scope:
                    sorted_.setdefault(function.scope[-1], []).append(function)
            found = self._sorted[name] = len(known), sorted_
        return found[1]

    def _is_of(self, function: nodes.Function, owner: nodes.ClassDefinition) -> bool:
        """Whether a function defined outside of its class belongs to this very specialisation."""
        if function.owner is None:
            return True
        written = pattern(function.owner, function.template)
        if isinstance(owner, nodes.ClassSpecialization):
            return written == pattern(owner.arguments, owner.template)
        return all(
            written != pattern(other.arguments, other.template)
            for other in self.specializations.get(owner.name, ())
        )

    def address_taken(self, body: Any) -> frozenset[str]:
        """The names whose address a function body takes (`&x`, `&x.member`); kept per body."""
        if id(body) not in self._address_taken:
            self._address_taken[id(body)] = frozenset(_address_taken(body))
        return self._address_taken[id(body)]

    def changed(self, body: Any) -> frozenset[str]:
        """The variables that a function body changes as a whole; kept per body."""
        if id(body) not in self._changed:
            self._changed[id(body)] = frozenset(changed(body))
        return self._changed[id(body)]


def _address_taken(body: Any) -> Iterator[str]:
    for node in () if body is None else nodes.walk(body):
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            target = node.expr
            while isinstance(target, c_ast.StructRef) and target.type == ".":
                target = target.name
            if isinstance(target, c_ast.ID):
                yield target.name


def _innermost(type_node: Any) -> Any:
    """What arrays and pointers are made of."""
    while isinstance(type_node, c_ast.TypeDecl | c_ast.PtrDecl | c_ast.ArrayDecl):
        type_node = type_node.type
    return type_node


def _defined_by(member: Any) -> nodes.ClassDefinition | None:
    """The class that a member is or declares something of: `struct { T x; } a, b[2];`."""
    declares = isinstance(member, c_ast.Decl | c_ast.Typedef | nodes.TypeAlias)
    inner = _innermost(member.type) if declares else member
    return inner if isinstance(inner, nodes.ClassDefinition) else None
