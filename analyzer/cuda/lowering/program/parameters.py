"""The parameters that functions are declared with.

In: a function of the tree, or one declared parameter. Out: what the text says of it.
"""

from __future__ import annotations

from typing import Any

from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast


def parameters_of(function: nodes.Function | nodes.Lambda) -> list[Any]:
    """The parameters in a function's node, those without a name, too; `(void)` has none."""
    if isinstance(function, nodes.Lambda):
        declared = function.parameters
    else:
        declared = function.decl.type.args
    return [p for p in (declared.params if declared is not None else ()) if hasattr(p, "type")]


def template_head(function: nodes.Function) -> list[Any]:
    """A function's template parameters, those first that a call gives arguments for: outside of a
    class template the head of the class stands before a method's own.
    """
    head = function.template.parameters if function.template is not None else []
    of_class = {name for each in function.owner or () for name in names_in(each)}
    return sorted(head, key=lambda parameter: parameter.name in of_class)


def explicit_head(function: nodes.Function, count: int) -> nodes.Template:
    """The template parameters that so many template arguments are for. Not among them: packs of a
    function that takes in any number of arguments, as these may add to what is written.
    """
    varies = any(map(is_pack, parameters_of(function)))
    head = template_head(function)[:count]
    return nodes.Template([each for each in head if not (varies and each.pack)])


def names_in(node: Any, but: type | None = None) -> list[str]:
    """The names in the tree of a type, or of a template argument, which may be a value; not those
    that nodes of a kind hold.
    """
    found: list[str] = []
    for each in nodes.walk(node, but):
        if isinstance(each, c_ast.ID | nodes.TemplateId):
            found.append(each.name)
        found += getattr(each, "names", None) or ()
    return found


def takes(parameters: list[Any], count: int) -> bool:
    """Whether so many arguments, of whatever type, fit the parameters that a function declares."""
    single = [parameter for parameter in parameters if not is_pack(parameter)]
    needed = sum(1 for parameter in single if default_of(parameter) is None)
    return needed <= count and (count <= len(parameters) or len(single) < len(parameters))


def takes_in(function: nodes.Function, count: int) -> bool:
    """Whether a function can be called with so many arguments: `f(int, ...)` with any further."""
    declared = function.decl.type.args
    open_ended = any(
        isinstance(each, c_ast.EllipsisParam)
        for each in (declared.params if declared is not None else ())
    )
    parameters = parameters_of(function)
    return takes(parameters, min(count, len(parameters)) if open_ended else count)


def is_settled(function: nodes.Function, count: int) -> bool:
    """Whether a call with so many template arguments tells all of a function, and no more: the
    others have a default, or a parameter of the function names them. Those of a class are told by
    the object.
    """
    head = template_head(function)
    if count > len(head) and not any(each.pack for each in head):
        return False
    of_class = {name for each in function.owner or () for name in names_in(each)}
    named = {name for each in parameters_of(function) for name in names_in(each.type)}
    return all(
        parameter.default is not None or parameter.pack or parameter.name in named | of_class
        for parameter in head[count:]
    )


def default_of(parameter: Any) -> Any:
    """The expression that stands for an argument that is left out; None where there is none."""
    return getattr(parameter, "init", None)


def is_pack(parameter: Any) -> bool:
    """Whether a function declares a parameter as a pack: for any number of arguments."""
    return isinstance(parameter.type, nodes.Pack)
