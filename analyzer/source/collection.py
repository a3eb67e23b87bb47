"""When Python looks for garbage: between pieces of work, not in the middle of them.

Kernels and the facts about them refer to each other in circles, which only the cyclic collector
takes apart, and with them the vectors of all threads. By itself it visits what lives on again and
again, and finds too late what a file has left behind. Here nothing is collected while something is
built, and then only when so much was made that memory matters: small runs end before that. In the
process of somebody who imports warplint, Python goes on as it does.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MANY = 800_000  # new containers, of some 100 bytes each, with what they hold

_owned = False  # whether all objects of the process are ours


def own_process() -> None:
    """Called once by a program that is nothing but warplint: nothing is collected by itself."""
    global _owned
    _owned = True
    gc.disable()


@contextmanager
def collection_paused() -> Iterator[None]:
    """No garbage collection inside; afterwards as it was before."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def give_back() -> None:
    """Frees what is no longer used, if so much was made since the last time that it matters."""
    if _owned and gc.get_count()[0] >= _MANY:
        gc.collect()
