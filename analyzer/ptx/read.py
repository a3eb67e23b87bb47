"""A PTX file to its module, and nothing left out of it.

In: the text of a file. Out: its kernels in IR, its functions as written, and what could not be
read; what ptxas would refuse is worked out when it is asked for.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ..source.collection import collection_paused
from .functions import describe_functions
from .lowering.module import lower_ptx
from .syntax.parse import parse_ptx

if TYPE_CHECKING:
    from ..ir.kernel import Diagnostic, Module
    from ..source.text import SourceText
    from .syntax.tree import PtxModule


def read_ptx(source: SourceText) -> Module:
    """The kernels of a PTX file, its functions as written, and what could not be read."""
    with collection_paused():
        parsed = parse_ptx(source)
        module = lower_ptx(parsed)
        module.describe = cache(lambda: describe_functions(parsed, module.kernels))
        module.diagnose = cache(lambda: _diagnose(parsed))
        return module


def _diagnose(parsed: PtxModule) -> list[Diagnostic]:
    from .check.check import check_ptx

    return check_ptx(parsed)
