"""What calls may write of what they are given: variables that go by reference, members of objects.

In: calls, and what the program declares. Out: which arguments a call may write; whether it may
change a member of some object. A function that nothing declares may take everything by reference,
but for those of C and of the standard library (`names/host_memory.py`). Also in: the body of a
function. Out: whether it only reads what a pointer leads to. Not handled: what is written through
other pointers, which changes no variable here; variables whose address is taken.
"""

from __future__ import annotations

from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any

from ..lowering.model.ctypes import Form
from ..lowering.program.callees import callee_name
from ..lowering.program.parameters import parameters_of, takes
from ..names.host_memory import CONTAINER_NAMESPACES, PLAIN_METHODS, takes_values
from ..names.runtime import is_of_runtime
from ..syntax import nodes
from ..syntax.nodes import declares_reference
from ..syntax.nodes.c_ast import c_ast
from .values.kernels import qualifiers, uncast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from ..lowering.model.ctypes import CType
    from ..lowering.program.program import Program
    from ..lowering.types.type_reader import TypeReader

_CHANGING = frozenset({"&", "++", "p++", "--", "p--"})
_NUMBERS = (Form.BOOL, Form.INTEGER, Form.FLOAT)
_LIBRARY_TYPES = frozenset({"dim3", "string", "vector", "device_vector", "host_vector", "array"})


class Taken(Enum):
    """What a kernel does with a pointer that host code gives it."""

    COPIED = "copied"  # the host makes an object of it
    READ = "read"
    BEHIND = "behind"  # written is at most what pointers lead to that lie there
    WRITTEN = "written"


class CallEffects:
    """What the calls in host code of one translation unit may write: variables, members."""

    def __init__(self, program: Program, reader: TypeReader) -> None:
        self._program = program
        self._reader = reader
        #: What the bodies of functions do not only read behind, as far as somebody asked.
        self.answers: dict[nodes.Function, AbstractSet[str] | None] = {}
        self._asked = 0  # how often somebody asked what a body does
        # Of calls, which the rounds of a loop come by again and again.
        self._written: dict[tuple[Any, int], list[bool]] = {}
        self._changing: dict[Any, bool] = {}

    def written(self, node: Any, count: int) -> list[bool]:
        """For each of so many arguments of a call whether it may be written."""
        key = (node, count)
        found = self._written.get(key)
        if found is None:
            found = self._written[key] = self._may_be_written(node, count)
        return found

    def _may_be_written(self, node: Any, count: int) -> list[bool]:
        target = node.name
        if isinstance(target, c_ast.StructRef):
            name = callee_name(target.field)
            known = self._declared(name, count, methods=True)
            plain = name in PLAIN_METHODS or name in self._program.by_value
        else:
            name = callee_name(target)
            known = self._declared(name, count, methods=False)
            around = qualifiers(target)
            plain = takes_values(name, around) or name in self._program.by_value
        return self._of_parameters(known, count, plain=plain)

    def written_by_constructor(self, type: CType, named: Any, count: int) -> list[bool]:
        """The same of the arguments that an object of a type is made from; `named` declares it."""
        if type.form not in (Form.CLASS, Form.UNKNOWN):
            return [False] * count
        known = self._declared(type.name, count, methods=True) if type.form is Form.CLASS else []
        plain = type.name in self._program.by_value or is_of_library(named)
        return self._of_parameters(known, count, plain=plain)

    def taken(self, named: Iterable[nodes.Function], count: int) -> Iterator[Taken]:
        """What the kernels that a launch may mean do with each argument that is a pointer."""
        known = [each for each in named if takes(parameters_of(each), count)]
        types = [self._reader.parameter_types(each, None) for each in known]
        for at in range(count):
            here = [each[at] for each in types if at < len(each)]
            inner = [each.element for each in here]
            if here and all(each.form is Form.CLASS for each in here):
                yield Taken.COPIED  # into an object
                continue
            reads = bool(here) and all(each is not None and each.const for each in inner)
            reads = reads or (bool(known) and all(_asked(self.only_reads, e, at) for e in known))
            pointers = bool(here) and all(each and each.form is Form.POINTER for each in inner)
            leaves = pointers and all(_asked(self._leaves_pointers, each, at) for each in known)
            yield Taken.READ if reads else Taken.BEHIND if leaves else Taken.WRITTEN

    def only_reads(self, function: nodes.Function, name: str) -> bool:
        """Whether a body does nothing with a pointer but read behind it: `p[i]`, `*p`, `p->x`."""
        names = self.used(function)
        return names is not None and name not in names

    def _leaves_pointers(self, function: nodes.Function, name: str) -> bool:
        """The same of an array of pointers: `p[i][j] = x` stores behind a pointer that lies there,
        and leaves the array as it is.
        """
        names = self._used_otherwise(function.body, of_pointers=True)
        return names is not None and name not in names

    def used(self, function: nodes.Function) -> AbstractSet[str] | None:
        """The names that a body does not only read behind; None where that is not known."""
        self._asked += 1
        if function not in self.answers:
            self.answers[function] = None  # of a function that calls itself nothing is known
            bodies, by_value = self._program.bodies, self._program.by_value
            find = partial(self._found_otherwise, function.body)
            found = find()[0] if bodies is None else bodies.used(function, by_value, find)
            self.answers[function] = found
        return self.answers[function]

    def _found_otherwise(self, body: Any) -> tuple[AbstractSet[str] | None, bool]:
        """The names that a body does anything else with; whether no other body was asked for it."""
        before = self._asked
        return self._used_otherwise(body), self._asked == before

    def _used_otherwise(self, body: Any, *, of_pointers: bool = False) -> set[str] | None:
        """The names that a body does anything else with; None if some of it was not understood.
        Of arrays of pointers, what is stored behind one of these is not stored into the array.
        """
        behind: dict[int, Any] = {}  # a pointer's name, by id, and the access through it
        written: set[int] = set()
        mentions: list[Any] = []
        for node in nodes.walk(body):
            if isinstance(node, c_ast.ID):
                mentions.append(node)
            elif isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
                behind[id(uncast(node.name))] = node
            elif isinstance(node, c_ast.UnaryOp) and node.op == "*":
                behind[id(uncast(node.expr))] = node
            elif isinstance(node, nodes.Opaque):
                return None
            else:
                places = map(_stored if of_pointers else _path, self._changed(node))
                written.update(id(each) for place in places for each in place)
        return {
            each.name
            for each in mentions
            if id(each) not in behind or id(behind[id(each)]) in written
        }

    def _changed(self, node: Any) -> Iterator[Any]:
        """What a node may write, or lets others write."""
        if isinstance(node, c_ast.Assignment):
            yield node.lvalue
        elif isinstance(node, c_ast.UnaryOp) and node.op in _CHANGING:
            yield node.expr
        elif isinstance(node, c_ast.Decl) and node.init is not None and is_written(node):
            yield node.init
        elif isinstance(node, c_ast.FuncCall):
            given = list(node.args.exprs) if node.args is not None else []
            if isinstance(node.name, c_ast.StructRef):
                yield node.name.name
            pairs = zip(given, self.written(node, len(given)), strict=True)
            yield from (each for each, changed in pairs if changed)

    def changes_objects(self, node: Any) -> bool:
        """Whether a call may change a member of an object, or a variable of another file. What
        gets nothing but results of the runtime checks them.
        """
        found = self._changing.get(node)
        if found is None:
            found = self._changing[node] = self._may_change_objects(node)
        return found

    def _may_change_objects(self, node: Any) -> bool:
        target = node.name
        if isinstance(target, c_ast.StructRef):
            method = callee_name(target.field)
            return method not in PLAIN_METHODS and not self.leaves_object(method)
        name = callee_name(target)
        known = self._program.functions.get(name, ())
        if not known:
            given = node.args.exprs if node.args is not None else ()
            checks = bool(given) and all(map(_is_result, given))
            return not (checks or takes_values(name, qualifiers(target)))
        return any(self._program.is_method(each) or not self._is_of_numbers(each) for each in known)

    def leaves_object(self, method: str) -> bool:
        """Whether a method changes nothing of its object: every one of that name is `const`."""
        known = [
            each
            for each in self._program.functions.get(method, ())
            if self._program.is_method(each)
        ]
        return bool(known) and all("const" in each.suffixes for each in known)

    def _is_of_numbers(self, function: nodes.Function) -> bool:
        """Whether a function gets numbers and pointers to numbers alone."""
        for type in self._reader.parameter_types(function, None):
            inner = type.element if type.form in (Form.POINTER, Form.ARRAY) else type
            if inner is None or inner.form not in _NUMBERS:
                return False
        return True

    def _declared(self, name: str, count: int, *, methods: bool) -> list[nodes.Function]:
        """The functions that a call of that name may mean, no prototype beside its definition."""
        found = [
            each
            for each in self._program.functions.get(name, ())
            if takes(parameters_of(each), count) and (not methods or self._program.is_method(each))
        ]
        if len(found) < 2 or all(each.body is None for each in found):
            return found
        defined = [self._signature(each) for each in found if each.body is not None]
        return [e for e in found if e.body is not None or self._signature(e) not in defined]

    def _signature(self, function: nodes.Function) -> list[str]:
        return [type.name for type in self._reader.parameter_types(function, None)]

    def _of_parameters(
        self, known: Sequence[nodes.Function], count: int, *, plain: bool
    ) -> list[bool]:
        if not known:
            return [not plain] * count
        return [any(self._writes(each, at) for each in known) for at in range(count)]

    def _writes(self, function: nodes.Function, at: int) -> bool:
        """Whether a function may write an argument: its body says what it does with a reference."""
        parameters = parameters_of(function)
        parameter = parameters[min(at, len(parameters) - 1)] if parameters else None
        if parameter is None or not is_written(parameter):
            return False
        return function.body is None or not self.only_reads(function, parameter.name)


def _asked(
    question: Callable[[nodes.Function, str], bool], kernel: nodes.Function, at: int
) -> bool:
    """What a question says of a parameter and the body of a kernel, where both are known."""
    declared = parameters_of(kernel)[at : at + 1]
    name = str(getattr(declared[0], "name", None) or "") if declared else ""
    return bool(name) and kernel.body is not None and question(kernel, name)


def _path(node: Any) -> Iterator[Any]:
    """An expression for a place, and the expressions for what it is a part of."""
    while node is not None:
        node = uncast(node)
        yield node
        node = _whole(node)


def _whole(node: Any) -> Any:
    """What an expression for a place says it is a part of, or lies behind."""
    if isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
        return node.name
    return node.expr if isinstance(node, c_ast.UnaryOp) else None


def _stored(node: Any) -> Iterator[Any]:
    """An expression for a place, and what that lies in, as far as to the pointer that is followed
    last; all of its path where a cast may make an array of what a pointer leads to.
    """
    path = list(_path(node))
    is_cast = any((inner := _whole(each)) is not uncast(inner) for each in path)
    for each in path:
        yield each
        if not is_cast and follows(each):
            return


def follows(node: Any) -> bool:
    """Whether an expression is what a pointer points to, or a member of it."""
    is_arrow = isinstance(node, c_ast.StructRef) and node.type == "->"
    is_star = isinstance(node, c_ast.UnaryOp) and node.op == "*"
    return is_arrow or is_star or isinstance(node, c_ast.ArrayRef)


def is_written(parameter: Any) -> bool:
    """Whether a call in host code may change what is passed for a parameter."""
    inner = getattr(parameter.type, "type", None)
    return declares_reference(parameter) and "const" not in (getattr(inner, "quals", None) or ())


def _is_result(node: Any) -> bool:
    """Whether an argument is what a call of the runtime returns, or a constant."""
    if isinstance(node, c_ast.FuncCall):
        return is_of_runtime(callee_name(node.name))
    return isinstance(node, c_ast.Constant)


def is_of_library(declared: Any) -> bool:
    """Whether a variable of host code is declared with a type of `std` or of CUDA."""
    named = declared.type
    while isinstance(named, c_ast.TypeDecl | nodes.Reference):
        named = named.type
    if isinstance(named, c_ast.IdentifierType):
        plain = named.names[-1]
        return plain in _LIBRARY_TYPES or plain[:4] in ("cuda", "cubl") or plain[-2:] == "_t"
    path = getattr(named, "name", None) if isinstance(named, nodes.NamedType) else None
    if isinstance(path, nodes.QualifiedName):
        return getattr(path.parts[0], "name", "") in CONTAINER_NAMESPACES
    return getattr(path, "name", "") in _LIBRARY_TYPES
