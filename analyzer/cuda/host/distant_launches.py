"""Launches whose kernel is defined in another file of the run, and what they are there.

In: the launches of a file and what it declares; or a kernel that it defines and the launches that
other files have of kernels of its name. Out: a `DistantLaunch` for each of its launches, with the
kernel's identity as linkers see it; or those of the others that are of this kernel, their template
arguments bound. A kernel that is `static` is nobody else's. Not handled: unnamed namespaces, which
count as the one around them, and template arguments of others that are more than a number, the name
of a constant or a type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.kernel_identity import DistantLaunch, Exports, KernelIdentity
from ..lowering.model.ctypes import Form, is_enumeration
from ..lowering.model.scope import Scope
from ..lowering.program.parameters import is_pack, parameters_of
from ..lowering.program.program import GLOBAL
from ..syntax import nodes
from .launches import Seen
from .overloads import ALIKE_LIMIT, Overloads
from .values.instances import argument_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeGuard

    from ..lowering.model.ctypes import CType
    from ..lowering.program.program import Program
    from ..lowering.types.type_reader import TypeReader
    from ..syntax.nodes import Node
    from .launches import HostReading

_NUMBERS = {Form.INTEGER: "iu", Form.FLOAT: "ff"}
_HALF = 2  # bytes: there are two such types, under many names


def identity_of(
    function: nodes.Function, reader: TypeReader, arguments: tuple[str, ...] | None = None
) -> KernelIdentity | None:
    """A kernel as other files may name it; None for one that none may."""
    if "static" in function.decl.funcspec:
        return None
    parameters = parameters_of(function)
    words: tuple[str | None, ...] | None = None
    if function.template is not None:
        words = None if any(map(is_pack, parameters)) else (None,) * len(parameters)
    else:
        words = tuple(_word(reader.read(each.type, Scope()), each.type) for each in parameters)
    scope = None if "extern" in function.decl.funcspec else function.scope
    return KernelIdentity(function.decl.name, scope, words, arguments)


def _word(type: CType, node: Node | None = None) -> str | None:
    """The word of a type; None where it is not known or has several."""
    if isinstance(node, nodes.Reference):
        return None
    if type.form in (Form.POINTER, Form.ARRAY) and type.element is not None:
        inner = _word(type.element)
        nested = type.element.form is Form.ARRAY or type.name.endswith("&")
        return None if inner is None or nested else f"{inner}*"
    if is_enumeration(type) or type.form is Form.CLASS:
        name = type.name.removeprefix("enum ").partition("<")[0]
        return name.rpartition("::")[2] or None
    if type.form in _NUMBERS:
        if type.size is None or (type.form is Form.FLOAT and type.size == _HALF):
            return None
        return f"{_NUMBERS[type.form][not type.signed]}{8 * type.size}"
    return type.form.value if type.form in (Form.BOOL, Form.VOID) else None


def exports_of(
    host: HostReading, declarations: Iterable[Node], program: Program, reader: TypeReader
) -> Exports:
    """What a CUDA file says to others: its launches and its kernels."""
    functions = [each for alike in program.functions.values() for each in alike]
    defined = [
        identity_of(each, reader)
        for each in functions
        if GLOBAL in each.decl.funcspec and each.body is not None
    ]
    kernels = tuple(each for each in dict.fromkeys(defined) if each is not None)
    mains = (each for each in program.functions.get("main", ()) if each.body is not None)
    is_program = any(not each.scope for each in mains)
    declared = [each for each in declarations if _is_prototype(each)]
    prototypes = tuple(dict.fromkeys((each.decl.name, each.coord.path) for each in declared))
    launches = tuple(_outgoing(host, declarations, reader))
    return Exports(launches, kernels, is_program, prototypes)


def _is_prototype(node: Node) -> TypeGuard[nodes.Function]:
    """Whether a kernel is declared, and defined elsewhere."""
    is_kernel = isinstance(node, nodes.Function) and GLOBAL in node.decl.funcspec
    return is_kernel and node.body is None


def _outgoing(
    host: HostReading, declarations: Iterable[Node], reader: TypeReader
) -> Iterator[DistantLaunch]:
    prototypes: dict[str, list[nodes.Function]] = {}
    for node in declarations:
        if isinstance(node, nodes.Function) and GLOBAL in node.decl.funcspec:
            prototypes.setdefault(node.decl.name, []).append(node)
    declared = Overloads(prototypes, reader)
    for item in host.launches:
        names, types = item.names, item.types
        kernels = host.overloads.meant(names, types) or declared.meant(names, types)
        if len(kernels) > ALIKE_LIMIT:
            continue
        arguments = item.launch.template_arguments or None
        known = [
            identity_of(each, reader, None if each.template is None else arguments)
            for each in kernels
        ]
        if not kernels:  # the header that declares it was not found
            known = [KernelIdentity(names[0], None, (None,) * names[-1], arguments)]
        defined = next((each.coord.path for each in kernels if each.body is not None), "")
        paths = tuple(dict.fromkeys(each.coord.path for each in kernels))
        for identity in dict.fromkeys(known):
            if identity is not None:
                yield DistantLaunch(identity, item.launch, defined, declared=paths)


def incoming(
    function: nodes.Function,
    launches: Sequence[DistantLaunch],
    reader: TypeReader,
) -> Iterator[Seen]:
    """The launches of other files that are of this kernel."""
    own = identity_of(function, reader) if launches else None
    for distant in launches:
        if own is not None and not distant.judged and own.may_be(distant.kernel):
            bound = _bound(function, distant, reader)
            if bound is not None:
                yield Seen(distant.launch, bound)


def is_judged(
    function: nodes.Function, launches: Sequence[DistantLaunch], reader: TypeReader
) -> bool:
    """Whether another file of the run looks at this kernel as it launches it."""
    told = [each.kernel for each in launches if each.judged]
    own = identity_of(function, reader) if told else None
    return own is not None and any(map(own.may_be, told))


def _bound(function: nodes.Function, distant: DistantLaunch, reader: TypeReader) -> Scope | None:
    """The kernel's template parameters, bound to the words of a launch; None where these cannot be
    read here.
    """
    bound = Scope()
    if function.template is None:
        return bound
    given = [argument_of(word) for word in distant.launch.template_arguments]
    if any(each is None for each in given):
        return None
    reader.bind_arguments(function.template, given, bound, Scope())
    return bound
