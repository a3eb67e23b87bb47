"""The parameters that functions are declared with.

In: a function of the tree, or one declared parameter. Out: what the text says of it.
"""

from __future__ import annotations

from typing import Any

from ...syntax import nodes


def parameters_of(function: nodes.Function) -> list[Any]:
    """The declared parameters, those without a name, too; `(void)` has none."""
    arguments = function.decl.type.args
    return [p for p in (arguments.params if arguments is not None else ()) if hasattr(p, "type")]


def takes(parameters: list[Any], count: int) -> bool:
    """Whether these parameters can be given so many arguments."""
    single = [parameter for parameter in parameters if not is_pack(parameter)]
    needed = sum(1 for parameter in single if default_of(parameter) is None)
    return needed <= count and (count <= len(parameters) or len(single) < len(parameters))


def default_of(parameter: Any) -> Any:
    """The expression that stands for an argument that is left out; None where there is none."""
    return getattr(parameter, "init", None)


def is_pack(parameter: Any) -> bool:
    """Whether a declared parameter takes in any number of arguments."""
    return isinstance(parameter.type, nodes.Pack)
