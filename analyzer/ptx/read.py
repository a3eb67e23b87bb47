"""A PTX file to its module, and nothing left out of it.

In: the text of a file. Out: its kernels in IR, its functions as written, and what could not be
read; what ptxas would refuse is worked out when it is asked for.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ..ir.kernel_identity import Exports
from ..source.collection import collection_paused
from ..source.problem import Damage, Problem
from ..source.text import Span
from .functions import describe_functions
from .lowering.module import lower_ptx
from .syntax.demangle import kernel_identity
from .syntax.parse import parse_ptx

_ENTRY = re.compile(r"\.entry\s+([A-Za-z_$%][\w$]*)")

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..ir.kernel import Diagnostic, Module
    from ..ir.kernel_identity import DistantLaunch
    from ..source.text import SourceText
    from .syntax.tree import PtxModule


def read_ptx(source: SourceText, elsewhere: Sequence[DistantLaunch] = ()) -> Module:
    """The kernels of a PTX file, its functions as written, and what could not be read; `elsewhere`
    are launches in other files that may be of its kernels.
    """
    with collection_paused():
        parsed = parse_ptx(source)
        module = lower_ptx(parsed)
        module.problems += _without_body(parsed)
        for kernel in module.kernels if elsewhere else ():
            identity = kernel_identity(kernel.name)
            kernel.launches = [x.launch for x in elsewhere if x.kernel.may_be(identity)]
        module.for_debugging = "debug" in parsed.targets
        module.describe = cache(lambda: describe_functions(parsed, module.kernels))
        module.diagnose = cache(lambda: _diagnose(parsed))
        return module


def _without_body(parsed: PtxModule) -> Iterator[Problem]:
    """Kernels that have no body and are not said to stand elsewhere: ptxas finds none either."""
    defined = {each.name for each in parsed.functions if each.body is not None}
    for function in parsed.functions:
        header = function.header
        elsewhere = ".extern" in header.linkage or function.name in defined
        if function.is_entry and function.body is None and not elsewhere:
            yield Problem(
                parsed.source.path,
                f"kernel {function.name} has no body",
                "was the file cut? A kernel of another module is declared with .extern",
                Damage.PARTIAL,
                Span(parsed.source, function.start, function.header_end),
                function.name,
            )


def ptx_exports(text: str) -> Exports:
    """What a PTX file says to others: the kernels that it defines."""
    return Exports(kernels=tuple(map(kernel_identity, _ENTRY.findall(text))))


def _diagnose(parsed: PtxModule) -> list[Diagnostic]:
    from .check.check import check_ptx

    return check_ptx(parsed)
