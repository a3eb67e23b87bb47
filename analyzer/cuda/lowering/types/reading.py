"""What the readers of constants, traits and specialisations ask of the reader of types.

C++ has types in its constants and constants in its types; `type_reader.py` answers, and imports
those who ask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ...syntax import nodes
    from ..model.ctypes import CType
    from ..model.scope import ClassScope, LambdaValue, Scope


class LambdaTypes(Protocol):
    """The types of the lambdas of one translation unit."""

    def of(self, node: nodes.Lambda, scope: Scope) -> CType:
        """The type of a lambda that host code hands on."""

    def held(self, held: LambdaValue) -> CType:
        """The type of a lambda that a name stands for."""


class Reader(Protocol):
    """The types that the text of one translation unit names."""

    @property
    def closures(self) -> LambdaTypes:
        """The types of lambdas."""

    def read(self, node: Any, scope: Scope) -> CType:
        """The type a type node stands for."""

    def of_file(self, node: Any) -> CType:
        """The type of a declaration at file scope."""

    def said(self, name: Any, scope: Scope) -> int | None:
        """What a trait says of its arguments; None for other names."""

    def owner(self, name: nodes.QualifiedName, scope: Scope) -> ClassScope | str | None:
        """The class that a name is qualified with, the name of one that is not known, or None."""

    def bind_arguments(
        self, template: nodes.Template, arguments: list[Any], inner: Scope, outer: Scope
    ) -> None:
        """Bind template parameters in `inner` to arguments read in `outer`, then to defaults."""

    def class_type(self, node: Any, scope: Scope) -> CType:
        """A class as its definition stands."""

    def instance(self, definition: nodes.ClassDefinition, bound: Scope) -> CType:
        """A class template with its parameters bound in a scope of their own."""
