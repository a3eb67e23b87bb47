"""The hook by which anything that is lowered has a function inlined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ...syntax import nodes
    from ..model.classes import Method
    from ..model.ctypes import CType
    from ..model.scope import Place


class Inlining(Protocol):
    """How a function is inlined; `result` where its name says the type."""

    def __call__(
        self,
        called: nodes.Function | Method,
        places: list[Place],
        explicit: list[Any],
        *,
        result: CType | None = None,
    ) -> Place:
        """What the call refers to."""
