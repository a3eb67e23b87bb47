"""Which addresses go on by the same distance, and the registers that they have."""

from __future__ import annotations

import pytest
from analyses.compiled import code_of, mnemonics
from analyses.kernels import body_facts

from warplint.analyzer.analyses.compilation.streams import Stream, stream_of
from warplint.analyzer.ir.operations import MemoryAccess
from warplint.analyzer.ptx.estimate.register_pressure import highest_pressure

LOOP = "float s = 0; for (int i = 0; i < n; ++i) s += in[{}]; out[0] = s;"


def stream(subscript: str) -> Stream | None:
    facts = body_facts(LOOP.format(subscript), parameters="float *out, const float *in, int n")
    (loop,) = facts.flow.loops
    operations = (each for block in loop.blocks for each in block.operations)
    (access,) = (each for each in operations if isinstance(each, MemoryAccess))
    return stream_of(access.operands[0], loop, lambda _: None)


@pytest.mark.parametrize(
    ("subscript", "distance", "number"), [("i", 4, 0), ("i + 3", 4, 12), ("2 * i - 1", 8, -4)]
)
def test_a_distance_that_is_known(subscript: str, distance: int, number: int) -> None:
    found = stream(subscript)
    assert found is not None
    assert (found.distance, found.number) == (distance, number)
    assert [factor for _, factor in found.fixed] == [1]


def test_a_distance_known_before_the_loop() -> None:
    found = stream("i * n + 1")
    assert found is not None
    ((by, factor),) = found.steps
    assert (len(by), factor, found.distance) == (1, 4, 0)


@pytest.mark.parametrize("subscript", ["i * i", "i ^ 1", "i + threadIdx.x", "n"])
def test_what_does_not_go_on_by_the_same(subscript: str) -> None:
    """The sum with an unsigned number may wrap round."""
    assert stream(subscript) is None


def test_each_array_that_is_gone_through_takes_two_registers_more() -> None:
    wraps = LOOP.format("i + threadIdx.x")
    goes_on = LOOP.format("i + (int)threadIdx.x")
    assert mnemonics(wraps).count("ld") == mnemonics(goes_on).count("ld")
    one = LOOP.format("i * 7")
    two = one.replace("in[i * 7]", "in[i * 7] * out[i * 5]")
    assert highest_pressure(code_of(two)) >= highest_pressure(code_of(one)) + 2
