"""Instances of host function templates, as far as the file shows them.

In: the host functions that launch, and the file's text. Out: each function with a scope that binds
its template parameters: once for a plain function, once per distinct instance named in the file
(`run<4>`, `{"case", run<float, 32>}`) or in another launching template that is itself instantiated.
A use is looked for in the text, since functions that launch nothing are not parsed; its arguments
must be literals, names of constants or types. A template without a visible instance is given once,
with its parameters open.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from .. import nodes
from . import ctypes
from .scope import Scope, ValuePlace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .type_reader import TypeReader

INSTANCE_LIMIT = 32  # of one host function
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NUMBER = re.compile(r"-?\d[\w.']*$")
_NAME = re.compile(r"[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*$")


def host_instances(
    functions: Iterable[nodes.Function], reader: TypeReader, text: str
) -> Iterator[tuple[nodes.Function, Scope]]:
    """Every launching host function with the scopes it is instantiated in."""
    plain = _COMMENT.sub(" ", text)
    every = list(functions)
    named = {item.decl.name: item for item in every if item.template is not None}
    instances = _Instances(reader, named)
    for function in every:
        if function.template is None:
            instances.waiting.append((function, Scope()))
            continue
        for arguments in _textual_uses(function.decl.name, plain):
            instances.add(function, arguments, Scope())
    while instances.waiting:
        function, scope = instances.waiting.pop(0)
        yield function, scope
        for name, arguments in _uses(function, named):
            instances.add(named[name], arguments, scope)
    for name, function in named.items():
        if not instances.known[name]:
            yield function, _bound(function, [], Scope(), reader)


class _Instances:
    """The instances found so far, and those whose bodies have not been looked at."""

    def __init__(self, reader: TypeReader, names: Iterable[str]) -> None:
        self._reader = reader
        self.known: dict[str, set[object]] = {name: set() for name in names}
        self.waiting: list[tuple[nodes.Function, Scope]] = []

    def add(self, function: nodes.Function, arguments: list[Any], outer: Scope) -> None:
        """Take in an instance unless it is known, not fully bound, or one too many."""
        known = self.known[function.decl.name]
        scope = _bound(function, arguments, outer, self._reader)
        key = _key(function, scope)
        if key is not None and key not in known and len(known) < INSTANCE_LIMIT:
            known.add(key)
            self.waiting.append((function, scope))


def _bound(
    function: nodes.Function, arguments: list[Any], outer: Scope, reader: TypeReader
) -> Scope:
    scope = Scope()
    assert function.template is not None
    reader.bind_arguments(function.template, arguments, scope, outer)
    for parameter in function.template.parameters:
        if parameter.name and parameter.kind == "type":
            scope.types.setdefault(parameter.name, ctypes.unknown(parameter.name))
    return scope


def _key(function: nodes.Function, scope: Scope) -> object | None:
    """What tells instances apart; None when a parameter is still open."""
    values: list[object] = []
    assert function.template is not None
    for parameter in function.template.parameters:
        if not parameter.name or parameter.pack:
            return None
        if parameter.kind == "type":
            type = scope.types[parameter.name]
            if type.form is ctypes.Form.UNKNOWN and type.name == parameter.name:
                return None
            values.append(type.name)
        else:
            place = scope.names.get(parameter.name)
            if not isinstance(place, ValuePlace):
                return None
            values.append(getattr(place.value.value, "value", None))
    return tuple(values)


def _uses(
    function: nodes.Function, named: dict[str, nodes.Function]
) -> Iterator[tuple[str, list[Any]]]:
    """The other templates a function's body names with arguments."""
    work = [function.body]
    while work:
        node = work.pop()
        if isinstance(node, nodes.TemplateId) and node.name in named:
            yield node.name, list(node.arguments)
        work += node


def _textual_uses(name: str, text: str) -> Iterator[list[Any]]:
    """The argument lists of `name<...>` in the text, read as constants and type names."""
    seen: set[str] = set()
    for match in re.finditer(rf"\b{re.escape(name)}\s*<([^<>;{{}}()]*)>", text):
        if match.group(1) in seen:
            continue
        seen.add(match.group(1))
        arguments = [_argument(part.strip()) for part in match.group(1).split(",")]
        if all(argument is not None for argument in arguments):
            yield arguments


def _argument(text: str) -> Any:
    if _NUMBER.match(text) or text in ("true", "false"):
        return c_ast.Constant("int", text)
    words = text.split()
    if _NAME.match(text):
        return c_ast.ID(text.rsplit("::", 1)[-1].strip())
    if words and all(_NAME.match(word) for word in words):
        return c_ast.IdentifierType(words)
    return None
