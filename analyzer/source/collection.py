"""When Python looks for garbage: between pieces of work, not in the middle of them.

Kernels and the facts about them refer to each other in circles, which only the cyclic collector
takes apart, and with them the vectors of all threads. By itself it visits what lives on again and
again, and finds too late what a file has left behind. Here nothing is collected while something is
built, and then only when so much was made that memory matters: small runs end before that. What
was made is counted in containers, and in all objects, of which a few containers may hold many. In
the process of somebody who imports warplint, Python goes on as it does.
"""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONTAINERS = 800_000  # new ones
_OBJECTS = 1_500_000  # more than were left the last time, of some 100 bytes each

_owned = False  # whether all objects of the process are ours
_left = 0  # objects behind the last collection


def own_process() -> None:
    """Switch Python's garbage collection off, once, in a program that is nothing but warplint."""
    global _owned, _left
    _owned, _left = True, sys.getallocatedblocks()
    gc.disable()


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause Python's garbage collection inside of the `with`; afterwards it is as before."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def tidy() -> None:
    """Collect Python's garbage: all objects that are no longer used, while nobody waits."""
    global _left
    gc.collect()
    _left = sys.getallocatedblocks()


def tidy_young() -> None:
    """Collect Python's garbage of the last piece of work; older objects are not visited.

    It takes a tenth of the time that the work took, and is for moments in which nobody waits.
    """
    global _left
    if _owned:
        gc.collect(0)
        _left = sys.getallocatedblocks()


def give_back() -> None:
    """Collect Python's garbage, if so much was made since the last time that it matters."""
    global _left
    if not _owned:
        return
    if gc.get_count()[0] >= _CONTAINERS or sys.getallocatedblocks() - _left >= _OBJECTS:
        gc.collect()
        _left = sys.getallocatedblocks()
