"""Blocks whose threads walk over an array together."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.block_shape.strided_rows import strided_rows
from warplint.analyzer.analyses.dataflow.slices import backward_slice

PARAMETERS = "float *p, float *q, int n, int m"
X, Y = "threadIdx.x", "threadIdx.y"


def rows(body: str) -> tuple[int, int] | None:
    found = strided_rows(body_facts(body, parameters=PARAMETERS))
    return None if found is None else found[0]


def loop(first: str, step: str = "i += 256") -> str:
    return f"for (int i = {first}; i < n; {step}) p[i] = 0;"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (loop(f"{Y} * 32 + {X}"), (32, 8)),
        (loop(f"{X} + 16 * {Y}"), (16, 16)),
        (loop(f"({Y} << 5) + {X}"), (32, 8)),
        (loop(f"{Y} * 32 + {X} + m"), (32, 8)),  # from somewhere on
        (loop(f"{Y} * 32 + {X} + 5"), (32, 8)),
        (loop(f"{Y} * 32 + {X}", "i += 32"), (32, 1)),
        (loop(f"{Y} * 32 + {X}", "i += 1024"), (32, 32)),
        (loop(f"{Y} * 2 + {X}", "i += 4"), (2, 2)),
        (loop(f"{Y} * 32 + {X}", "i += 2048"), None),  # more threads than a block may have
        (loop(f"{Y} * 32 + {X}", "i += 40"), None),  # no whole rows
        (loop(f"{Y} * 32 + {X}", "i += m"), None),  # that the launch gives
        (loop(f"{Y} * 32 + {X}", "i -= 256"), None),
        (loop(f"{Y} * m + {X}"), None),
        (loop(f"{Y} * 32 + {X} * 2"), None),
        (loop(f"{Y} + {X}"), None),
        (loop(f"{Y} * 32"), None),
        (loop(X), None),
        (loop(f"{Y} * 32 + {X} + threadIdx.z * 256"), None),
        (loop(f"{Y} * 32 + {X} + blockIdx.x * 256"), None),
        (f"p[{Y} * 32 + {X}] = 0;", None),  # no loop
        (f"for (int i = {Y} * 32 + {X}; i < n; i = (int)p[i]) p[i] = 0;", None),
    ],
)
def test_shapes(body: str, expected: tuple[int, int] | None) -> None:
    assert rows(body) == expected


def test_loops_that_agree_and_loops_that_do_not() -> None:
    first = loop(f"{Y} * 32 + {X}")
    assert rows(first + first) == (32, 8)
    assert rows(first + loop("0", "i++")) == (32, 8)  # of one thread's own
    assert rows(first + loop(f"{Y} * 16 + {X}")) is None
    assert rows(first + loop(f"{Y} * 32 + {X}", "i += 128")) is None


def test_what_moves_is_named() -> None:
    walk = f"for (int j = {Y} * 32 + {X}; j < n; j += 256) q[j] = 0;"
    facts = body_facts(loop("0", "i++") + walk, parameters=PARAMETERS)
    found = strided_rows(facts)
    assert found is not None
    (walked,) = (each for each in facts.accesses if found[1] in backward_slice(each.address))
    assert walked.name == "q[j]"


@settings(max_examples=40)
@given(st.integers(2, 40), st.integers(1, 1100))
def test_the_block_takes_each_element_once(row: int, step: int) -> None:
    """Brute force: in blocks of the shape, and in no other with such rows, all are taken once."""

    def once_each(threads: int) -> bool:
        taken = sorted(
            y * row + x + k * step for y in range(threads) for x in range(row) for k in range(3)
        )
        return taken == list(range(3 * step))

    shapes = [(row, height) for height in range(1, 1024 // row + 1) if once_each(height)]
    found = rows(loop(f"{Y} * {row} + {X}", f"i += {step}"))
    assert ([] if found is None else [found]) == shapes
