"""`using sizes::width;` in a function: the name stands for the constant of that namespace.

In: the declaration. Out: the scope binds the name, so that one of the file with the same name is
not taken for it. Not handled: names of variables that are no constants, of functions and of types,
which are found by their last part alone; `using namespace`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model.scope import ValuePlace
from ..types import constants

if TYPE_CHECKING:
    from ..state.context import Context

_NAMED = re.compile(r"using\s+((?:::)?\s*(?:\w+\s*::\s*)+)(\w+)\s*;?\s*$").match


def declare(context: Context, node: nodes.Using) -> None:
    """Bind the name of `using sizes::width;` in a function where it is a constant."""
    found = _NAMED(node.text)
    if found is None:
        return
    path, name = re.findall(r"\w+", found[1]), found[2]
    declared = context.program.variables.within(path, name)
    parts = [c_ast.ID(each, node.coord) for each in (*path, name)]
    written = nodes.QualifiedName(parts, False)
    value = constants.evaluate(written, context.scope, context.program, context.reader)
    if declared is None or value is None:
        return
    type = context.reader.of_file(declared.type)
    context.scope.names[name] = ValuePlace(context.constant(value, type))
