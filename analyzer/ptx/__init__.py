"""PTX: text → statements → Lark parse of each new shape → AST → IR."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from .collection import collection_paused
from .functions import describe_functions
from .lower import lower_ptx
from .parse import parse_ptx

if TYPE_CHECKING:
    from ..ir.kernel import Module
    from ..source.text import SourceText

__all__ = ["lower_ptx", "parse_ptx", "read_ptx"]


def read_ptx(source: SourceText) -> Module:
    """The kernels of a PTX file, its functions as written, and what could not be read."""
    with collection_paused():
        parsed = parse_ptx(source)
        module = lower_ptx(parsed)
        module.functions = describe_functions(parsed, module.kernels)
        module.diagnose = cache(lambda: parsed.diagnostics)
        return module
