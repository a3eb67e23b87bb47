"""When garbage is collected."""

from __future__ import annotations

import subprocess
import sys

from warplint.analyzer.source.collection import collection_paused, give_back

OWNED = """
import gc, weakref
from warplint.analyzer.source import collection

class Circle:
    def __init__(self):
        self.itself = self

collection.own_process()
assert not gc.isenabled()
gone = weakref.ref(Circle())
collection.give_back()
assert gone() is not None, "too early"
kept = [[] for _ in range(collection._MANY)]
collection.give_back()
assert gone() is None, "too late"
"""


def test_circles_are_given_back_once_there_are_many() -> None:
    """In a process of its own: what a program decides for itself stays decided."""
    subprocess.run([sys.executable, "-c", OWNED], check=True, timeout=60)


def test_nobody_elses_objects_are_looked_through() -> None:
    import gc
    import weakref

    class Circle:
        def __init__(self) -> None:
            self.itself = self

    with collection_paused():
        assert not gc.isenabled()
        gone = weakref.ref(Circle())
        give_back()
        assert gone() is not None
    assert gc.isenabled()
