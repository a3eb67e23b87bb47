"""The launches that the user states (`--launch`).

In: a module that was read, and the launches. Out: its kernels have those that name them, instead of
what the run shows of their launches. Launches of what no text of the run names are problems.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ...ir.kernel import Launch
from ...source.problem import Damage, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...config.launch import StatedLaunch
    from ...ir.kernel import Kernel, Module

ORIGIN = "--launch"

_WORD = re.compile(r"[\w$]+")


def state_launches(module: Module, stated: Sequence[StatedLaunch]) -> None:
    """Give the kernels of a module the launches that the user states (`--launch`)."""
    for kernel in module.kernels:
        scoped = kernel.language == "ptx"  # kernels of sources are known without their scopes
        own = [each for each in stated if each.is_of(*_names(kernel), scoped=scoped)]
        if own:
            kernel.launches = [_launch(kernel, each) for each in own]


def unnamed(stated: Iterable[StatedLaunch], texts: Iterable[str]) -> Iterator[Problem]:
    """Problems for launches that the user states whose kernel stands in none of the texts."""
    missing = {
        each.kernel: re.split(r"[<(]", each.kernel)[0].rpartition("::")[2] for each in stated
    }
    for text in texts if missing else ():
        words = set(_WORD.findall(text))
        for kernel, pattern in [*missing.items()]:
            # A symbol of C++ has the name among others: `_Z5scalePfi`.
            if any(fnmatchcase(word, pattern) or pattern in word for word in words):
                del missing[kernel]
    for kernel in missing:
        yield Problem(
            f"{ORIGIN} {kernel}",
            f"no input has a kernel `{kernel}`",
            "`warplint inspect kernels FILE...` lists the names",
            Damage.NOTICE,
        )


def _names(kernel: Kernel) -> set[str]:
    """The symbol, the name as written, and without scopes, template arguments and parameters."""
    label = kernel.label
    plain = label.split("(")[0].split("<")[0]
    return {kernel.name, label, plain, plain.rpartition("::")[2]}


def _launch(kernel: Kernel, stated: StatedLaunch) -> Launch:
    return Launch(
        kernel=kernel.label,
        grid=stated.grid,
        block=stated.block,
        dynamic_shared=stated.shared,
        span=kernel.span,
        arguments=stated.arguments,
        sizes=stated.sizes,
        origin=ORIGIN,
    )
