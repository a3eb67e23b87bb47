"""Ensembles of trees: what a row comes to."""

from __future__ import annotations

import pytest

from warplint.analyzer.resources.trees import MILLION, grown, total

LEAF = 3  # behind two features and the architecture
#: Feature 0 up to 4: 1; above, feature 1 up to 7: 2, else 3.
FLAT = [0, 4, LEAF, 1 * MILLION, 1, 7, LEAF, 2 * MILLION, LEAF, 3 * MILLION]


@pytest.mark.parametrize(
    ("row", "value"),
    [((4, 0, 80), 1), ((5, 7, 80), 2), ((5, 8, 80), 3)],
)
def test_a_tree(row: tuple[int, ...], value: int) -> None:
    assert total({"start": 0.5, "trees": [grown(FLAT, LEAF)]}, row) == value + 0.5


def test_trees_add_up() -> None:
    single = grown([LEAF, MILLION // 2], LEAF)
    assert total({"start": 1, "trees": [grown(FLAT, LEAF), single]}, (0, 0, 90)) == 2.5
