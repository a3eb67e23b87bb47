"""Values of the lanes of a warp, against arithmetic, and names of what is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts
from compiled_modules import of_python_only
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.warp_evaluation import warp_evaluator
from warplint.analyzer.analyses.warp_evaluation.lane_values import LaneValue
from warplint.analyzer.analyses.warp_evaluation.warp_evaluator import (
    Computation,
    Outcome,
    Unevaluable,
    WarpEvaluator,
)

if TYPE_CHECKING:
    from warplint.analyzer.ir.operations import Operation

_ROUND = "s ^= s << 13; s ^= s >> 17; s ^= s << 5;"
_STORE = "__shared__ int t[256]; t[(threadIdx.x + s) & 255] = 1; p[threadIdx.x] = t[s & 255];"


def test_a_hash_function_of_a_parameter_is_named_in_linear_time() -> None:
    facts = body_facts(f"unsigned s = n; {_ROUND * 40} {_STORE}")
    first, second = facts.shared_accesses
    assert "unknown values" in first.reason
    assert second.samples[0].conflict.degree == 1


def test_equal_computations_have_equal_names() -> None:
    facts = body_facts(
        "__shared__ int t[4096]; t[threadIdx.x * ((n ^ 5) - (n ^ 5) + 2)] = 1; "
        "t[threadIdx.x * ((n ^ 5) - (n ^ 7) + 2)] = 2;"
    )
    same, other = facts.shared_accesses
    assert same.samples[0].conflict.degree == 2
    assert "depends on a value" in other.reason


def test_a_name_is_compared_by_identity() -> None:
    name = Computation(("xor", 5))
    assert name == name
    assert name != Computation(("xor", 5))
    assert name[0] == "xor"


#: A leaf, an operation on two, or the choice of one of two by a comparison of two others.
Expression = str | tuple[str, "Expression", "Expression"]
OPERATIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: int(a < b),
    "==": lambda a, b: int(a == b),
    "/": lambda a, b: abs(a) // abs(b) * (1 if a * b >= 0 else -1) if b else None,
    "%": lambda a, b: a - b * (abs(a) // abs(b) * (1 if a * b >= 0 else -1)) if b else None,
}
expressions: st.SearchStrategy[Expression] = st.recursive(
    st.sampled_from(["t", "t", "b", "3", "8", "31", "-5"]),
    lambda inner: st.tuples(st.sampled_from(sorted(OPERATIONS)), inner, inner),
    max_leaves=6,
)


def text_of(expression: Expression) -> str:
    if isinstance(expression, str):
        return f"({expression})"
    operator, left, right = expression
    return f"({text_of(left)} {operator} {text_of(right)})"


def by_hand(expression: Expression, thread: int) -> int | None:
    """The value in C++; None where it has none, or the sum is beyond an int."""
    if isinstance(expression, str):
        leaves = {"t": thread, "b": thread % 7}
        return leaves[expression] if expression in leaves else int(expression)
    operator, left, right = expression
    first, second = by_hand(left, thread), by_hand(right, thread)
    if first is None or second is None:
        return None
    found = OPERATIONS[operator](first, second)
    return found if found is not None and abs(found) < 1 << 31 else None


@settings(max_examples=80)
@given(expressions, st.integers(0, 1))
def test_lanes_hold_what_arithmetic_gives(expression: Expression, warp: int) -> None:
    facts = body_facts(f"int t = threadIdx.x, b = t % 7; p[0] = {text_of(expression)};")
    stored = facts.accesses[-1].operands[1]
    found = facts.launches[0].evaluator(warp).value(stored)
    expected = [by_hand(expression, warp * 32 + lane) for lane in range(32)]
    if None in expected:
        return
    assert isinstance(found, LaneValue), found
    assert found.is_number
    assert list(found.lanes) == expected


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("p[threadIdx.x]", "depends on loaded data"),
        ("f(n)", "not analysed"),
        ("__shfl_xor_sync(~0u, threadIdx.x, p[0])", "another lane"),
        ("(int)(sinf(threadIdx.x))", "floating point"),
    ],
)
def test_what_is_not_known_says_why(value: str, reason: str) -> None:
    facts = body_facts(f"int x = {value}; p[1] = x;")
    stored = facts.accesses[-1].operands[1]
    found = facts.launches[0].evaluator(0).value(stored)
    assert isinstance(found, Unevaluable)
    assert reason in found.reason


def test_threads_of_a_warp_and_lanes_beyond_the_block() -> None:
    launch = body_facts("p[0] = 1;", (8, 5, 1)).launches[0]
    first, last = launch.evaluator(0), launch.evaluator(1)
    assert first.threads == tuple((t % 8, t // 8, 0) for t in range(32))
    assert first.exists == (True,) * 32
    assert last.exists == (True,) * 8 + (False,) * 24
    assert set(last.threads[8:]) == {(7, 4, 0)}
    assert (first.warp, last.warp) == (0, 1)


def test_numbers_for_symbols() -> None:
    facts = body_facts("p[0] = n * 3 + threadIdx.x;")
    stored = facts.accesses[-1].operands[1]
    launch = facts.launches[0]
    symbolic = launch.evaluator(0).value(stored)
    assert isinstance(symbolic, LaneValue)
    assert [factor for _, factor in symbolic.terms] == [3]
    known = launch.new_evaluator(0, lambda _: 5).value(stored)
    assert known == LaneValue(tuple(range(15, 47)))


@of_python_only(warp_evaluator, "replaces a method, which compiled code calls directly")
def test_what_is_undecided_for_all_warps_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    settle, tried = WarpEvaluator._settle, []

    def counted(self: WarpEvaluator, operation: Operation, *, plain: bool) -> Outcome:
        tried.append((id(self), operation))
        return settle(self, operation, plain=plain)

    monkeypatch.setattr(WarpEvaluator, "_settle", counted)
    choices = " ".join(f"q = n > {i} ? q + {i} : t + threadIdx.x / 40; *q = {i};" for i in range(9))
    facts = body_facts(f"__shared__ int t[4096]; int *q = t + (threadIdx.x > 100); {choices}")
    assert [len(access.samples) for access in facts.shared_accesses]
    assert len(tried) == len(set(tried)) > 30
