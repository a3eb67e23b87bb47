"""Template arguments of host functions, as far as the file shows them.

In: a name and the file's text, or the node of a callee. Out: lists of template arguments. A use is
looked for in the text (`{"case", run<float, 32>}`), since functions that launch nothing are not
parsed; its arguments must be literals, names of constants or types.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...source.tokens import tokenize
from ..syntax import nodes
from ..syntax.c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Iterator

USE_LIMIT = 32  # of one host function
_NUMBER = re.compile(r"-? *\d[\w.']*$")
_NO_CODE = frozenset({"DIRECTIVE", "STRING"})
_NAME = re.compile(r"[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*$")


def explicit_arguments(callee: Any) -> list[Any]:
    """The template arguments written at a call or launch."""
    if isinstance(callee, nodes.QualifiedName):
        callee = callee.parts[-1]
    return list(callee.arguments) if isinstance(callee, nodes.TemplateId) else []


def code_of(text: str) -> str:
    """The words of a text without comments, literals and macros: what those expand to is met where
    they are used. For `textual_uses`.
    """
    tokens, _ = tokenize(text)
    kept = zip(tokens.kinds, tokens.texts, strict=True)
    return " ".join(word for kind, word in kept if kind not in _NO_CODE)


def textual_uses(name: str, code: str) -> Iterator[list[Any]]:
    """The argument lists of `name<...>` in the code, read as constants and type names."""
    seen: set[str] = set()
    for match in re.finditer(rf"\b{re.escape(name)}\s*<([^<>;{{}}()]*)>", code):
        if match.group(1) in seen or len(seen) >= USE_LIMIT:
            continue
        seen.add(match.group(1))
        arguments = [argument_of(part.strip()) for part in match.group(1).split(",")]
        if all(argument is not None for argument in arguments):
            yield arguments


def argument_of(text: str) -> Any:
    """The node of a template argument; None for one that is more than a number or a name."""
    if _NUMBER.match(text) or text in ("true", "false"):
        return c_ast.Constant("int", text.replace(" ", ""))
    words = text.split()
    if _NAME.match(text):
        return c_ast.ID(text.rsplit("::", 1)[-1].strip())
    if words and all(_NAME.match(word) for word in words):
        return c_ast.IdentifierType(words)
    return None
