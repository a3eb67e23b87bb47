"""Ensembles of regression trees as documents hold them, and what they say.

In: for each tree its nodes as numbers, a feature and a threshold each, in millionths of a value at
leaves, which have the number of features plus one instead of a feature. Out: the sum of the leaves
that a row comes to. What is left of a node follows right behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

MILLION = 1_000_000  # values of leaves are given in millionths

Node = tuple[int, int, Any, Any]  # feature, number, what is below, and what is above the number


def grown(flat: list[int], leaf: int) -> Node:
    """The root of a regression tree, built from the flat list of its nodes.

    A node is followed by all that is below its number; `leaf` instead of a feature ends it.
    """
    done: list[Node] = []
    for at in range(len(flat) - 2, -1, -2):
        feature, number = flat[at], flat[at + 1]
        ends = feature == leaf
        done.append((feature, number, *((None, None) if ends else (done.pop(), done.pop()))))
    return done[0]


def total(ensemble: Any, row: Sequence[float]) -> float:
    """The number that an ensemble of regression trees gives for a row of features."""
    found = 0
    leaf = len(row)
    for feature, number, low, high in ensemble["trees"]:
        while feature != leaf:
            feature, number, low, high = low if row[feature] <= number else high
        found += number
    return float(ensemble["start"]) + found / MILLION
