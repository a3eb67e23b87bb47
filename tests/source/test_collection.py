"""When garbage is collected."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
kept = MADE
collection.give_back()
assert gone() is None, "too late"
gone = weakref.ref(Circle())
collection.give_back()
assert gone() is not None, "once more for what lives on"
"""


@pytest.mark.parametrize(
    "made",
    [
        "[[] for _ in range(collection._CONTAINERS)]",
        "[1000.5 + each for each in range(collection._OBJECTS)]",
    ],
)
def test_circles_are_given_back_once_much_was_made(made: str) -> None:
    """In a process of its own: what a program decides for itself stays decided."""
    program = OWNED.replace("MADE", made)
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


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
