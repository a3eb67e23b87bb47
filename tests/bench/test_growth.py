"""The last line of the growth run has the largest of each figure."""

from __future__ import annotations

from typing import Any

from source_tree import bench_module

growth: Any = bench_module("growth")


def test_the_largest_of_each_figure_is_told() -> None:
    first = [growth.Point(200_000, 1.0, 90, ""), growth.Point(400_000, 2.5, 80, "")]
    second = [growth.Point(200_000, 6.0, 50, ""), growth.Point(400_000, 11.2, 70, "")]
    told = growth._largest([(1.32, first), (0.9, second)])
    assert told == "2 generators: exponent 1.32, 11.2 s, 90 MB at most, 1 above 10 s"


def test_no_generator_has_no_figures() -> None:
    assert growth._largest([]) == "0 generators: exponent 0.00, 0.0 s, 0 MB at most, 0 above 10 s"
