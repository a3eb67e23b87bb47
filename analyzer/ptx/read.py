"""A PTX file to its module, and nothing left out of it.

In: the text of a file. Out: its kernels in IR, its functions as written, and what could not be
read; what ptxas would refuse is worked out when it is asked for. Parameters and launches are named
as the framework that made the file does, where it is known.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING

from ..ir.kernel_identity import Exports
from ..source.collection import collection_paused
from ..source.problem import Damage, Problem
from ..source.text import Span
from .functions import describe_functions
from .lowering.module import lower_ptx
from .syntax.demangle import kernel_identity
from .syntax.numba_names import numba_parameters
from .syntax.parse import parse_ptx
from .triton import triton_launch, triton_parameters

_TARGET = re.compile(r"sm_(\d{1,3})[af]?$")
_MASKED_FROM, _VOLTA = (6, 4), 70  # PTX ISA 9.7.9.7, "shfl (deprecated)"
_ENTRY = re.compile(r"\.entry\s+([A-Za-z_$%][\w$]*)")

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..ir.kernel import Diagnostic, Kernel, Launch, Module
    from ..ir.kernel_identity import DistantLaunch
    from ..source.text import SourceText
    from .syntax.tree import PtxModule


def read_ptx(source: SourceText, elsewhere: Sequence[DistantLaunch] = ()) -> Module:
    """The kernels of a PTX file, its functions as written, and what could not be read; `elsewhere`
    are launches in other files that may be of its kernels.
    """
    with collection_paused():
        parsed = parse_ptx(source)
        module = lower_ptx(parsed, partial(_parameters, source.path))
        module.problems += _without_body(parsed)
        for kernel in module.kernels:
            kernel.launches = [*_launches(source.path, kernel, elsewhere)]
        module.for_debugging = "debug" in parsed.targets
        module.may_omit_masks = _may_omit_masks(parsed)
        module.describe = cache(lambda: describe_functions(parsed, module.kernels))
        module.diagnose = cache(lambda: _diagnose(parsed))
        return module


def _may_omit_masks(parsed: PtxModule) -> bool:
    """Whether ptxas takes shuffles and votes without `.sync`, with a warning (ptxas 13.0)."""
    targets = [int(match[1]) for each in parsed.targets if (match := _TARGET.match(each))]
    is_old = parsed.version is not None and parsed.version < _MASKED_FROM
    return is_old or (bool(targets) and max(targets) < _VOLTA)


def _parameters(path: str, symbol: str) -> Sequence[str]:
    """What people call the parameters of a kernel."""
    return numba_parameters(symbol) or triton_parameters(path, symbol)


def _launches(path: str, kernel: Kernel, elsewhere: Sequence[DistantLaunch]) -> Iterator[Launch]:
    """Those that code of the run makes, else that which is written down."""
    identity = kernel_identity(kernel.name) if elsewhere else None
    known = [x.launch for x in elsewhere if identity is not None and x.kernel.may_be(identity)]
    written = None if known else triton_launch(path, kernel)
    yield from known or (() if written is None else (written,))


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
