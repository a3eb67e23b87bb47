"""What every thread of a block holds in every value, against arithmetic thread by thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.block_execution.assumed_numbers import AssumedNumbers, SizeScenario
from warplint.analyzer.analyses.block_execution.block_program import BlockProgram
from warplint.analyzer.analyses.block_execution.block_values import BlockValues
from warplint.analyzer.analyses.block_execution.per_thread import PerThread
from warplint.analyzer.analyses.block_execution.run_context import Place
from warplint.analyzer.analyses.block_execution.thread_vectors import entries, everyone
from warplint.analyzer.analyses.block_execution.value_functions import function_of
from warplint.analyzer.analyses.launch.sizes_to_try import LONG
from warplint.analyzer.ir.operation_kinds import WarpKind
from warplint.analyzer.ir.operations import MemoryAccess, Operation, Phi, WarpOperation
from warplint.analyzer.ir.types import UINT32

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Dimensions


def stored(body: str, block: Dimensions = (8, 4, 2), index: Dimensions = (3, 0, 1)) -> list[object]:
    """What each thread stores in the last access, computed in program order."""
    facts = body_facts(body, block)
    launch = facts.launches[0]
    program = BlockProgram(launch)
    numbers = AssumedNumbers(program, launch, SizeScenario.EQUAL)
    values = BlockValues(program, launch.launch, index, numbers)
    every = everyone(values.count)
    for operation in facts.kernel.operations():
        if not isinstance(operation, MemoryAccess | Phi):
            values.assign(operation, function_of(operation)(values), every, merge=False)
    return list(entries(values.of(facts.accesses[-1].operands[1]), values.count))


@settings(max_examples=30)
@given(
    st.integers(1, 9), st.integers(1, 5), st.integers(1, 3), st.integers(-9, 9), st.integers(1, 9)
)
def test_arithmetic_of_indices(x: int, y: int, z: int, factor: int, divisor: int) -> None:
    body = f"""p[0] = ((int)threadIdx.x * {factor} + (int)threadIdx.y) % {divisor}
        + (int)threadIdx.z * 100 + (threadIdx.x > 2 ? 1000 : 0);"""
    expected = []
    for thread in range(x * y * z):
        tx, ty, tz = thread % x, thread // x % y, thread // (x * y)
        number = tx * factor + ty
        rest = abs(number) % divisor * (1 if number >= 0 else -1)
        expected.append(rest + tz * 100 + (1000 if tx > 2 else 0))
    assert stored(body, (x, y, z)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("blockIdx.x * 10 + blockIdx.z", 31),
        ("blockDim.x * 100 + blockDim.y * 10 + blockDim.z", 842),
        ("n + 1", LONG + 1),
        ("__popc(12)", 2),
        ("~n", ~LONG),
        ("(int)(char)300", 44),
        ("(int)1.5f", 1),
        ("gridDim.x", 4),
    ],
)
def test_values_of_the_whole_block(value: str, expected: int) -> None:
    assert set(stored(f"p[0] = {value};")) == {expected}


def test_some_threads_keep_what_they_had() -> None:
    facts = body_facts("p[0] = n * 2;", (4, 1, 1))
    launch = facts.launches[0]
    program = BlockProgram(launch)
    values = BlockValues(
        program, launch.launch, (0, 0, 0), AssumedNumbers(program, launch, SizeScenario.EQUAL)
    )
    operation = next(e for e in facts.kernel.operations() if isinstance(e, Operation))
    values.assign(operation, 5, everyone(4), merge=True)
    values.assign(operation, 7, everyone(2), merge=True)
    assert list(entries(values.of(operation), 4)) == [7, 7, 5, 5]
    values.assign(operation, 9, everyone(1), merge=False)
    assert list(entries(values.of(operation), 4)) == [9, 9, 9, 9]


def test_where_a_copy_comes_from() -> None:
    facts = body_facts("p[threadIdx.x] = p[threadIdx.x + 8];", (4, 1, 1))
    launch = facts.launches[0]
    program = BlockProgram(launch)
    values = BlockValues(
        program, launch.launch, (0, 0, 0), AssumedNumbers(program, launch, SizeScenario.EQUAL)
    )
    for operation in facts.kernel.operations():
        if not isinstance(operation, MemoryAccess):
            values.assign(operation, function_of(operation)(values), everyone(4), merge=False)
    load, store = facts.accesses
    distances = [
        int(a) - int(b)  # type: ignore[call-overload]
        for a, b in zip(
            entries(values.origin(store), 4), entries(values.of(store.address), 4), strict=True
        )
    ]
    assert distances == [32] * 4
    assert values.origin(load) is None


def threads(*which: int) -> int:
    return sum(1 << 8 * each for each in which)


@pytest.mark.parametrize(
    ("kind", "place", "lanes"),
    [
        ("ELECT", Place(must=everyone(96)), dict.fromkeys(range(96), 0)),
        ("ELECT", Place(threads(3, 5, 40, 95)), {3: 3, 5: 3, 40: 8, 95: 31}),
        ("ELECT", Place(threads(3), threads(2)), {}),
        ("SHUFFLE_UP", Place(must=everyone(96)), {}),
    ],
)
def test_one_lane_of_each_warp_is_elected(kind: str, place: Place, lanes: dict[int, int]) -> None:
    facts = body_facts("out[threadIdx.x] = 1;", (96, 1, 1))
    launch = facts.launches[0]
    program = BlockProgram(launch)
    numbers = AssumedNumbers(program, launch, SizeScenario.EQUAL)
    values = BlockValues(program, launch.launch, (0, 0, 0), numbers)
    where = next(facts.kernel.operations()).location
    operation = WarpOperation(WarpKind[kind], UINT32, [], where)
    found = values.exchanged(operation, place)
    assert found == (PerThread(tuple(map(lanes.get, range(96)))) if lanes else None)
