"""What the pointers of host code point to, as far as the code around them says.

In: expressions and the scope around them. Out: for `malloc`, `new`, the containers of `std` and
thrust, arrays, variables, `&x`, and pointers that are known: the allocation, with its size in bytes
as a formula. None where nothing is known; a pointer into an allocation, `p + 3`, keeps it and is
marked. What functions of the file return and what members of classes hold is known where a walk
says so (`memory_walk.py`). Not handled: arrays of pointers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ....ir.host import Allocation, HostPointer, Residence
from ....ir.host_formulas import product
from ...lowering.model.classes import lineage
from ...lowering.model.ctypes import Form, decays, is_reference
from ...lowering.model.data_models import size_by_short_long
from ...lowering.model.layouts import scalar_of
from ...lowering.model.scope import ClassScope, PointerPlace, ReferredPlace, Scope
from ...lowering.program.callees import callee_name, library_name
from ...lowering.program.member_paths import member_path
from ...names.host_memory import CONTAINER_NAMESPACES, CONTAINERS, GIVERS, TAKERS
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from .kernels import qualifiers, uncast
from .object_scopes import ObjectScope

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from ....ir.host_formulas import Formula
    from ...lowering.model.ctypes import CType
    from ...lowering.model.scope import Binding
    from ...lowering.program.program import Program
    from ...names.host_memory import Giver
    from .values import HostValues

_OPERATORS = frozenset({"operator new", "operator new[]"})
_ON_DEVICE = frozenset({"__device__", "__constant__"})
_NULL = frozenset({"nullptr", "NULL", "0"})
_OWNING = frozenset({"unique_ptr", "shared_ptr"})
_UNWRAPPING = frozenset({"raw_pointer_cast", "data"})  # of thrust and std


class HostPointers:
    """Reads the pointers in host code of one translation unit."""

    def __init__(self, program: Program, values: HostValues) -> None:
        self._program = program
        self._values = values
        self.results: dict[int, HostPointer] = {}  # of calls, by the id of their node
        self.members: Mapping[str, HostPointer] = {}  # of classes, by their name
        self.shared: set[Hashable] = set()  # sites of what the device may follow all the same

    def made(self, name: str, type: CType, init: Any, scope: Scope) -> HostPointer | None:
        """What a variable points to after its initialisation; None when that is not known."""
        if init is None or type.form not in (Form.POINTER, Form.UNKNOWN):
            return None
        node = uncast(init)
        if isinstance(node, nodes.New):
            element = self._values.read_type(node.type, scope)
            if node.place or not self._is_from_heap(element):
                return None
            count = 1 if node.count is None else self._values.formulas.of(node.count, scope)
            maker = "new" if node.count is None else "new[]"
            size = product(count, element.size)
            made = Allocation(Residence.HEAP, name, maker, node.coord, size, element.size or None)
            return HostPointer(replace(made, short_element=size_by_short_long(element)))
        giver = self._giver(node)
        if giver is not None and giver.pointer is None:
            return self.given(name, type, node, scope)
        found = self.of(node, scope)
        if found is None:
            return None
        if type.form is Form.UNKNOWN:
            # A container that is assigned hands over its elements, not its memory.
            copied = isinstance(node, c_ast.ID) and is_container(found)
            return None if copied else found
        element_size, short = _element_sizes(type)
        parts = _part_size(type)
        allocation = replace(found.allocation, element_size=element_size, part_size=parts)
        allocation = replace(allocation, short_element=short, of_pointers=_of_pointers(type))
        return found if element_size is None else replace(found, allocation=allocation)

    def _giver(self, node: Any) -> Giver | None:
        """The function of the runtime or of the C library that an expression calls for memory."""
        name = library_name(node.name) if isinstance(node, c_ast.FuncCall) else ""
        return None if self._program.is_defined(name) else GIVERS.get(name)

    def _is_from_heap(self, element: CType) -> bool:
        """Whether `new` takes from the heap: no class or file says otherwise, by what is seen of
        it. A class of managed memory says so in `operator new`, often of its base.
        """
        program = self._program
        given = (each for name in _OPERATORS for each in program.functions.get(name, ()))
        if not all(map(program.is_method, given)):
            return False
        types = [element, *(base for each in lineage(element.origin) for base in each.bases)]
        if any(
            type.form is Form.UNKNOWN for type in types if not isinstance(type.origin, ClassScope)
        ):
            return False
        members = (
            getattr(member, "decl", member)
            for each in lineage(element.origin)
            for member in each.definition.members or ()
        )
        return all(getattr(member, "name", None) not in _OPERATORS for member in members)

    def given(self, name: str, type: CType, call: Any, scope: Scope) -> HostPointer:
        """What a call of a function that gives memory gives to a variable."""
        maker = callee_name(call.name)
        giver, given = GIVERS[maker], list(call.args.exprs) if call.args is not None else []
        size: Formula | None = 1 if giver.size else None
        for at in giver.size:
            part = self._values.formulas.of(given[at], scope) if at < len(given) else None
            size = product(size, part)
        element, short = _element_sizes(type)
        parts = _part_size(type)
        made = Allocation(giver.residence, name, maker, call.coord, size, element, parts, short)
        return HostPointer(replace(made, of_pointers=_of_pointers(type)))

    def symbol(self, call: Any) -> HostPointer | None:
        """What a call that asks where a device variable is gives to a pointer."""
        given = list(call.args.exprs) if call.args is not None else []
        symbol = uncast(given[1]) if len(given) > 1 else None
        known = self.variable(symbol.name) if isinstance(symbol, c_ast.ID) else None
        if known is None or known.allocation.residence is not Residence.SYMBOL:
            return None
        maker = callee_name(call.name)
        made = replace(known.allocation, residence=Residence.DEVICE, maker=maker)
        return HostPointer(made)

    def of(self, node: Any, scope: Scope) -> HostPointer | None:
        """What an expression points to."""
        found = self._of(node, scope)
        return None if found is None or found.allocation.site in self.shared else found

    def _of(self, node: Any, scope: Scope) -> HostPointer | None:
        node = uncast(node)
        match node:
            case c_ast.ID():
                return self._named(node.name, scope)
            case c_ast.StructRef() if (held := scope.find(member_path(node))) is not None:
                return held.pointer if isinstance(held, PointerPlace) else None
            case c_ast.StructRef():
                is_own = isinstance(node.name, c_ast.ID) and node.name.name == "this"
                return self.members.get(nodes.member_name(node)) if is_own else None
            case c_ast.FuncCall() if id(node) in self.results:
                return self.results[id(node)]
            case c_ast.UnaryOp(op="&"):
                return self._address(uncast(node.expr), scope)
            case c_ast.BinaryOp() if node.op in ("+", "-"):
                found = self._moved(node, scope)
                return None if found is None else replace(found, inside=True)
            case c_ast.FuncCall(name=c_ast.StructRef(name=c_ast.ID(), field=c_ast.ID())):
                asked = nodes.member_name(node.name)
                return self.of(node.name.name, scope) if asked in ("data", "get") else None
            case nodes.Construct() if len(node.arguments) == 1 and self._owns(node.type):
                return self.of(node.arguments[0], scope)
            case c_ast.FuncCall() if self._unwraps(node.name) and node.args:
                return self.of(node.args.exprs[0], scope)
        return None

    def _owns(self, type: Any) -> bool:
        """Whether a type is a pointer of `std` that owns what it leads to, or an alias of one."""
        while isinstance(type, c_ast.Typename | c_ast.TypeDecl):
            type = type.type
        path = getattr(type, "name", None) if isinstance(type, nodes.NamedType) else None
        *around, last = path.parts if isinstance(path, nodes.QualifiedName) else (path,)
        name = getattr(last, "name", None) or ""
        alias = self._program.alias_templates.get(name)
        if alias is not None:
            return self._owns(alias.type)
        return name in _OWNING and [getattr(each, "name", "") for each in around] == ["std"]

    def _moved(self, node: Any, scope: Scope) -> HostPointer | None:
        """A pointer with a number added or taken away; the difference of two pointers is none."""
        if node.op == "+":
            return self.of(node.left, scope) or self.of(node.right, scope)
        known = self._values.type_of(node.right, scope).form in (Form.INTEGER, Form.BOOL)
        return self.of(node.left, scope) if known else None

    def _unwraps(self, callee: Any) -> bool:
        """Whether a function gives the pointer that something wraps: one of `std` or thrust."""
        name, around = callee_name(callee), qualifiers(callee)
        named = (
            set(around) <= CONTAINER_NAMESPACES if around else not self._program.functions.get(name)
        )
        return named and name in _UNWRAPPING

    def _named(self, name: str, scope: Scope) -> HostPointer | None:
        found = scope.find(name)
        if isinstance(found, PointerPlace):
            return found.pointer
        if found is not None:
            return _bound(name, found, scope, arrays=True)
        return self._global(name, arrays=True) or self.members.get(name)

    def _global(self, name: str, *, arrays: bool) -> HostPointer | None:
        declared = self._program.variables.get(name)
        if declared is None or nodes.declares_reference(declared):
            return None
        type = self._values.type_at_file_scope(declared.type)
        found = _variable(name, type, arrays=arrays, span=declared.coord)
        marks = frozenset(declared.storage or ())
        if found is None:
            return None
        if "__managed__" in marks:
            return replace(found, allocation=replace(found.allocation, residence=Residence.MANAGED))
        if marks & _ON_DEVICE:
            on_device = replace(found.allocation, residence=Residence.SYMBOL)
            return replace(found, allocation=on_device)
        return found

    def variable(self, name: str) -> HostPointer | None:
        """A variable at file scope itself."""
        return self._global(name, arrays=False)

    def symbol_itself(self, node: Any) -> HostPointer | None:
        """The variable of the device that a copy names. Of an object, any part may be meant."""
        found = self.variable(node.name) if isinstance(node, c_ast.ID) else None
        if found is None or found.allocation.residence is not Residence.SYMBOL:
            return None
        type = self._values.read_type(self._program.variables[node.name].type, Scope())
        if type.form is not Form.CLASS:
            return found
        return replace(found, allocation=replace(found.allocation, element_size=None))

    def _address(self, node: Any, scope: Scope) -> HostPointer | None:
        """What `&x` and `&x[i]` point to."""
        if isinstance(node, c_ast.ArrayRef):
            found = self.of(node.name, scope)
            first = self._values.number(node.subscript, scope) == 0
            return found if first or found is None else replace(found, inside=True)
        if not isinstance(node, c_ast.ID):
            return None
        held = scope.find(node.name)
        if held is None:
            return self._global(node.name, arrays=False)
        if isinstance(held, ReferredPlace):
            return None
        return _bound(node.name, held, scope, arrays=False) or _itself(node.name, held, scope)

    def container(self, declared: Any, scope: Scope) -> HostPointer | None:
        """What the `data()` of `thrust::device_vector<float> x(n)` points to, or of a parameter
        that is one or refers to one. An allocator of its own may take memory from anywhere.
        """
        named = declared.type
        while isinstance(named, c_ast.TypeDecl | nodes.Reference):
            named = named.type
        path = getattr(named, "name", None) if isinstance(named, nodes.NamedType) else None
        *around, last = path.parts if isinstance(path, nodes.QualifiedName) else (path,)
        if not isinstance(last, nodes.TemplateId) or last.name not in CONTAINERS:
            return None
        own = last.name in self._program.classes or last.name in self._program.alias_templates
        if around[0].name not in CONTAINER_NAMESPACES if around else own:
            return None  # somebody else's `vector`
        if len(last.arguments) > 1:
            return None
        asked = last.arguments[0] if last.arguments else None
        is_type = isinstance(asked, c_ast.Typename)
        held = self._values.read_type(asked, scope) if is_type else None
        element = None if held is None else held.size
        init, size = getattr(declared, "init", None), None
        if isinstance(init, nodes.Construct) and not init.braced and init.arguments:
            copied = self.of(init.arguments[0], scope)
            alone = len(init.arguments) == 1  # not the first of two pointers
            if copied is None:
                if alone or self._counts(init.arguments, scope):
                    size = product(self._values.formulas.of(init.arguments[0], scope), element)
            elif alone and copied.allocation.element_size == element:
                size = copied.allocation.size
        place = CONTAINERS[last.name]
        made = Allocation(place, declared.name, last.name, declared.coord, size, element)
        made = made if held is None else replace(made, short_element=size_by_short_long(held))
        return HostPointer(made) if size is not None else self.resized(HostPointer(made))

    def _counts(self, arguments: list[Any], scope: Scope) -> bool:
        """Whether the first argument of several is how many elements there are: where it and the
        second are objects, they are iterators, from which elements are taken.
        """
        forms = {self._values.type_of(each, scope).form for each in arguments[:2]}
        return not forms <= {Form.UNKNOWN, Form.CLASS}

    def resized(self, container: HostPointer) -> HostPointer:
        """A container that has some number of elements, which `size()` is from now on."""
        made = container.allocation
        count = self._values.formulas.something(f"{made.name}.size()")
        made = replace(made, size=product(count, made.element_size))
        return HostPointer(made)


def is_null(value: Any) -> bool:
    """Whether an expression of host code is a pointer to nothing."""
    value = uncast(value)
    if isinstance(value, c_ast.InitList):
        return not value.exprs
    word = getattr(value, "value", None) or getattr(value, "name", None)
    return isinstance(word, str) and word in _NULL


def is_container(pointer: HostPointer) -> bool:
    """Whether a host pointer is the memory of a container, which follows its own pointers."""
    return pointer.allocation.maker in CONTAINERS


def is_given_back(pointer: HostPointer, taker: str) -> bool:
    """Whether a function gives memory back that it is handed: one of another kind does not."""
    where = pointer.allocation.residence
    return not pointer.inside and (where is Residence.MEMBER or where in TAKERS[taker])


def is_made_by(pointer: HostPointer, node: Any) -> bool:
    """Whether memory was made where an expression stands that calls for it."""
    node, made = uncast(node), pointer.allocation
    calls = isinstance(node, c_ast.FuncCall | nodes.New)
    return calls and made.maker != "" and made.span is not None and made.span == node.coord


def elsewhere(pointer: HostPointer) -> HostPointer:
    """A host pointer where variables have other values: in a function that it is given to."""
    if isinstance(pointer.allocation.size, int):
        return pointer
    return replace(pointer, allocation=replace(pointer.allocation, size=None))


def _element_sizes(type: CType) -> tuple[int | None, int | None]:
    """The bytes of what a pointer leads to, here and where a `long` has 4; of rows, those of what
    stands in them.
    """
    if type.element is None:
        return None, None
    element = scalar_of(type.element)
    return element.size or None, size_by_short_long(element)


def _of_pointers(type: CType) -> bool:
    """Whether a pointer leads to pointers."""
    return type.element is not None and type.element.form is Form.POINTER


def _part_size(type: CType) -> int | None:
    """The bytes of the numbers that what a pointer leads to consists of, where all are alike."""
    return None if type.element is None else _size_of_parts(type.element)


def _size_of_parts(type: CType) -> int | None:
    element = scalar_of(type)
    if element.form is not Form.CLASS:
        return None
    kinds = {(scalar_of(each.type).form, scalar_of(each.type).size) for each in element.members}
    (form, size), *others = kinds or {(Form.UNKNOWN, None)}
    return None if others or form not in (Form.INTEGER, Form.FLOAT, Form.BOOL) else size


def _bound(name: str, held: Binding, scope: Scope, *, arrays: bool) -> HostPointer | None:
    """What a scope binds: a variable, or a member of the object that a method is run for. What a
    reference refers to may lie anywhere.
    """
    type, binder = getattr(held, "type", None), scope.binder(name)
    if type is None or (binder is not None and name in binder.references):
        return None
    found = _variable(name, type, arrays=arrays)
    if found is None or not isinstance(binder, ObjectScope) or binder.is_variable:
        return found
    return replace(found, allocation=replace(found.allocation, residence=Residence.MEMBER))


def _itself(name: str, held: Binding, scope: Scope) -> HostPointer | None:
    """A local variable that is a pointer: where it lies, and not where it leads."""
    type, binder = getattr(held, "type", None), scope.binder(name)
    if type is None or type.form is not Form.POINTER or is_reference(type):
        return None
    if binder is None or name in binder.references or isinstance(binder, ObjectScope):
        return None
    made = Allocation(Residence.VARIABLE, name, "", None, type.size, None, of_pointers=True)
    return HostPointer(made)


def _variable(name: str, type: CType, *, arrays: bool, span: Any = None) -> HostPointer | None:
    """The variable itself; an array, which stands for its address, only with `arrays`."""
    is_array = decays(type)
    if type.form in (Form.UNKNOWN, Form.POINTER) or (arrays and not is_array):
        return None
    element, parts = scalar_of(type), _size_of_parts(type)
    made = Allocation(Residence.VARIABLE, name, "", span, type.size, element.size or None, parts)
    return HostPointer(replace(made, short_element=size_by_short_long(element)))
