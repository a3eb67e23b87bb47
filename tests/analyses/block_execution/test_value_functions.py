"""Functions of operations: the same as arithmetic thread by thread, whatever is known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from analyses.kernels import body_facts
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.block_execution.per_thread import PerThread
from warplint.analyzer.analyses.block_execution.thread_vectors import entries
from warplint.analyzer.analyses.block_execution.value_functions import Held, function_of
from warplint.analyzer.ir.arithmetic import evaluate, wrap
from warplint.analyzer.ir.operations import Compare, Operation, Pure

if TYPE_CHECKING:
    from warplint.analyzer.analyses.block_execution.thread_vectors import Vector
    from warplint.analyzer.ir.values import Value

ANY = st.integers(-(1 << 33), 1 << 33)
COUNT = 3
TEXT = """p[0] = (n + m) * (n - m); p[1] = (n / m) ^ (n % m); p[2] = n < m; p[3] = n << m;
p[4] = (unsigned)n > (unsigned)m; p[5] = __mulhi(n, m); p[6] = min(n, m); p[7] = n == m;"""


def held(known: dict[Value, Vector]) -> Held:
    return cast("Held", SimpleNamespace(known=known, count=COUNT, of=known.get))


def operations_of_two() -> list[Operation]:
    kernel = body_facts(TEXT, parameters="int *p, int n, int m").kernel
    pair = kernel.parameters[1:]
    found = [each for each in kernel.operations() if list(each.operands) == pair]
    assert len(found) >= 6
    return found


@given(st.lists(ANY, min_size=COUNT, max_size=COUNT), ANY)
def test_what_all_agree_on_is_what_each_computes(each: list[int], other: int) -> None:
    for operation in operations_of_two():
        first, second = operation.operands
        kept = operation.compared if isinstance(operation, Compare) else operation.type
        function = function_of(operation)
        many = function(held({first: PerThread(tuple(each)), second: other}))
        alone = [function(held({first: one, second: other})) for one in each]
        expected = [
            evaluate(operation.opcode, kept, (wrap(one, kept), wrap(other, kept))) for one in each
        ]
        assert alone == expected == list(entries(many, COUNT))


def test_what_is_not_known_stays_so() -> None:
    for operation in operations_of_two():
        assert function_of(operation)(held({operation.operands[0]: 5})) is None


@pytest.mark.parametrize(
    ("text", "given_number", "expected"),
    [
        ("p[0] = (char)n;", 300, 44),
        ("p[0] = (char)n;", 44, 44),
        ("p[0] = (short)n;", -(1 << 15), -(1 << 15)),
        ("p[0] = (float)n;", 6, None),
        ("p[0] = -n;", -(1 << 31), -(1 << 31)),
        ("p[0] = __popc(n);", 7, 3),
    ],
)
def test_functions_of_one(text: str, given_number: int, expected: int | None) -> None:
    kernel = body_facts(text).kernel
    number = kernel.parameters[1]
    found = next(each for each in kernel.operations() if list(each.operands) == [number])
    vector = PerThread((given_number, given_number, None))
    assert function_of(found)(held({number: given_number})) == expected
    many = function_of(found)(held({number: vector}))
    assert list(entries(many, COUNT)) == [expected, expected, None]


def test_floating_point_is_not_known() -> None:
    kernel = body_facts("p[0] = sinf(n);").kernel
    for each in kernel.operations():
        if isinstance(each, Pure):
            assert function_of(each)(held({})) is None
