"""Tables of launches: what may be left out, and what is said of a row that cannot be read."""

from __future__ import annotations

import pytest

from warplint.analyzer.resources.occupancy_table import ANSWERS, RowError, answer_rows

LAUNCH = {"cc": "9.0", "threads_per_block": "256", "regs_per_thread": "64"}


def test_three_columns_are_enough() -> None:
    (row,) = answer_rows([LAUNCH])
    assert list(row) == [*LAUNCH, *ANSWERS]
    assert (row["blocks_per_sm"], row["occupancy"]) == ("4", "0.500000")
    assert row["limiters"] == "registers"


def test_empty_cells_are_defaults_and_other_columns_are_kept() -> None:
    (row,) = answer_rows([{**LAUNCH, "carveout": "", "kernel": "transpose", "blocks_per_sm": "?"}])
    assert (row["kernel"], row["blocks_per_sm"], row["carveout"]) == ("transpose", "4", "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cc": "9.9"}, "row 2: unknown architecture '9.9'"),
        ({"cc": ""}, "row 2: column cc is missing or empty"),
        ({"threads_per_block": "many"}, "row 2: threads_per_block is 'many', not a whole number"),
        ({"threads_per_block": "0"}, "row 2: threads must be at least 1, not 0"),
        ({"cache_config": "l2"}, "row 2: cache_config is 'l2', not one of none, shared, l1, equal"),
    ],
)
def test_a_row_that_cannot_be_read(change: dict[str, str], message: str) -> None:
    with pytest.raises(RowError) as caught:
        list(answer_rows([LAUNCH, LAUNCH | change]))
    assert str(caught.value).startswith(message)
