"""Statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .base import Extension
from .c_ast import c_ast

if TYPE_CHECKING:
    from ....source.text import Span


class InlineAssembly(Extension):
    """`asm volatile("text" : outputs : inputs : clobbers)`; operands are AssemblyOperand.

    `template` is the text with adjacent literals joined and escapes resolved, for the PTX reader.
    """

    __slots__ = ("template", "volatile", "outputs", "inputs", "clobbers")
    child_fields = ("outputs", "inputs")
    attr_names = ("template", "volatile", "clobbers")


class AssemblyOperand(Extension):
    """`[symbol] "constraint" (expression)`."""

    __slots__ = ("symbol", "constraint", "expression")
    child_fields = ("expression",)
    attr_names = ("symbol", "constraint")


class ConstexprIf(c_ast.If):
    """`if constexpr (...)`; fields as c_ast.If."""

    __slots__ = ()


class ConditionDeclaration(Extension):
    """`if (T x = e; condition)`: the declaration in an if, while or switch and what follows."""

    __slots__ = ("declaration", "condition")
    child_fields = ("declaration", "condition")


class RangeFor(Extension):
    """`for (T x : range) body`."""

    __slots__ = ("declaration", "range", "body")
    child_fields = ("declaration", "range", "body")


class Try(Extension):
    """`try { } catch (...) { }`; `handlers` are Compound."""

    __slots__ = ("body", "handlers")
    child_fields = ("body", "handlers")


class Opaque(Extension):
    """A statement that could not be read: it may do anything. `reason` says why.

    `headed` is the place of the statement that it stands before and may decide about, as
    `FOR_EACH(i)` does before a block. `literal` says that no macro can be what breaks it.
    """

    __slots__ = ("text", "reason", "headed", "literal")
    attr_names = ("text", "reason")

    def __init__(
        self,
        text: str,
        reason: str,
        headed: Span | None = None,
        *,
        literal: bool = False,
        coord: Span | None = None,
    ) -> None:
        super().__init__(text, reason, headed, literal, coord=coord)
