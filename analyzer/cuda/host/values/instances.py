"""Template arguments of functions that host code calls or launches, as far as the file shows them.

In: a name and the file's text, or the node of a callee; of a call, the types of its arguments. Out:
lists of template arguments; the parameters bound, as far as the call settles them or they have
defaults ([temp.deduct.call]), what is not known being left open. A use is looked for in the text
(`{"case", run<float, 32>}`), since functions that launch nothing are not parsed; its arguments must
be literals, names of constants or types.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ....source.tokens import tokenize
from ...lowering.model.ctypes import Form
from ...lowering.program.parameters import explicit_head, is_pack, parameters_of, template_head
from ...lowering.types.deduction import deduce, deducible, pack_of_types
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...lowering.model.ctypes import CType
    from ...lowering.model.scope import Scope
    from ...lowering.types.type_reader import TypeReader

Instance = tuple[nodes.Function, tuple[str, ...], tuple[object, ...]]

USE_LIMIT = 32  # of one host function
_USE = re.compile(r"\b([^\W\d]\w*)\s*<([^<>;{}()]*)>")
_NUMBER = re.compile(r"-? *\d[\w.']*$")
_NO_CODE = frozenset({"DIRECTIVE", "STRING"})
_NAME = re.compile(r"[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*$")


def explicit_arguments(callee: Any) -> list[Any]:
    """The template arguments written at a call or launch in host code."""
    if isinstance(callee, nodes.QualifiedName):
        callee = callee.parts[-1]
    return list(callee.arguments) if isinstance(callee, nodes.TemplateId) else []


def bind_template(
    function: nodes.Function,
    explicit: list[Any],
    types: Sequence[CType],
    scopes: tuple[Scope, Scope],
    reader: TypeReader,
) -> None:
    """Bind in the first scope what host code writes in the second: arguments of a template, those
    that the call settles, those by default.
    """
    scope, outer = scopes
    head, count = template_head(function), len(explicit)
    reader.bind_arguments(explicit_head(function, count), explicit, scope, outer)
    open_names = deducible(head[count:])
    for index, parameter in enumerate(parameters_of(function)):
        if is_pack(parameter):
            scope.names.update(pack_of_types(parameter, types[index:]))
            break
        if open_names and index < len(types) and types[index].form is not Form.UNKNOWN:
            deduce(parameter.type, types[index], open_names, scope)
    rest = [each for each in head[count:] if each.name not in scope.types | scope.names]
    reader.bind_arguments(nodes.Template(rest), [], scope, scope)


def code_of(text: str) -> str:
    """The words of CUDA C++ text without comments, literals and macros: what those expand to is met
    where they are used. For `TextualUses`.
    """
    tokens, _ = tokenize(text)
    kept = zip(tokens.kinds, tokens.texts, strict=True)
    return " ".join(word for kind, word in kept if kind not in _NO_CODE)


class TextualUses:
    """Which instances of each template a text writes, `f<float, 4>`; found for all in one pass."""

    def __init__(self, code: str) -> None:
        self._written: dict[str, dict[str, None]] = {}
        for match in _USE.finditer(code):
            known = self._written.setdefault(match.group(1), {})
            if len(known) < USE_LIMIT:
                known.setdefault(match.group(2))

    def of(self, name: str) -> Iterator[list[Any]]:
        """The argument lists of `name<...>`, read as constants and type names."""
        for written in self._written.get(name, ()):
            arguments = [argument_of(part.strip()) for part in written.split(",")]
            if all(argument is not None for argument in arguments):
                yield arguments


def argument_of(text: str) -> Any:
    """A template argument's text as a node; None for one that is more than a number or a name."""
    if _NUMBER.match(text) or text in ("true", "false"):
        return c_ast.Constant("int", text.replace(" ", ""))
    words = text.split()
    if _NAME.match(text):
        return c_ast.ID(text.rsplit("::", 1)[-1].strip())
    if words and all(_NAME.match(word) for word in words):
        return c_ast.IdentifierType(words)
    return None


def covers(known: Instance, other: Instance) -> bool:
    """Whether a template's instance is another one, or what that leaves open is settled in it."""
    if known[0] is not other[0]:
        return False
    named = other[0].template.parameters if other[0].template is not None else ()
    types = zip(known[1], other[1], named, strict=True)
    values = zip(known[2], other[2], named, strict=True)
    return all(
        theirs in (ours, "", each.name if each.kind == "type" else "")
        for ours, theirs, each in types
    ) and all(theirs is None or ours == theirs for ours, theirs, _ in values)
