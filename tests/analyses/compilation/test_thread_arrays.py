"""Elements of arrays of a thread."""

from __future__ import annotations

from warplint.analyzer.analyses.compilation.held import in_register, number_held, whole
from warplint.analyzer.analyses.compilation.thread_arrays import Cells, load, store
from warplint.analyzer.ir.memory import MemoryObject, Space
from warplint.analyzer.ir.types import FLOAT32

ITEM = MemoryObject("a", Space.LOCAL, FLOAT32, 64)
ONE, TWO = in_register(1, 1), in_register(2, 1)


def test_a_load_is_what_was_stored() -> None:
    cells: Cells = {}
    store(cells, ITEM, 4, 4, ONE)
    store(cells, ITEM, 8, 4, number_held(2))
    assert load(cells, ITEM, 4, 4) is ONE
    assert load(cells, ITEM, 8, 4).number == 2
    assert load(cells, ITEM, 12, 4).registers == ()
    store(cells, ITEM, 4, 4, TWO)
    assert load(cells, ITEM, 4, 4) is TWO


def test_structures_are_taken_apart_and_put_together() -> None:
    cells: Cells = {}
    store(cells, ITEM, 0, 8, whole([(0, 4, ONE), (4, 4, TWO)]))
    assert load(cells, ITEM, 4, 4) is TWO
    assert load(cells, ITEM, 0, 8).registers == (1, 2)


def test_parts_of_a_wide_element() -> None:
    cells: Cells = {}
    store(cells, ITEM, 0, 8, in_register(3, 2))
    assert load(cells, ITEM, 4, 4).registers == (3,)
    assert load(cells, ITEM, 0, 4).registers == (3,)
    store(cells, ITEM, 0, 16, in_register(4, 4))
    assert len(load(cells, ITEM, 0, 16).fields) == 4
