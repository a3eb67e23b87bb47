"""What is known when compiling: constants, counters, and the reasons why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.ir.operations import Operation

if TYPE_CHECKING:
    from warplint.analyzer.analyses.dataflow.compile_time import CompileTime
    from warplint.analyzer.analyses.facts import KernelFacts


def known(body: str) -> tuple[CompileTime, KernelFacts]:
    facts = body_facts(body, parameters="int *p, int n, const int *index")
    return facts.compile_time, facts


def cause_of_store(body: str) -> str | None:
    """Why the index of the last store to `p` is not a constant."""
    compile_time, facts = known(body)
    address = [item for item in facts.accesses if item.writes][-1].address
    if not isinstance(address, Operation):
        return None  # the very pointer
    cause = compile_time.cause(address.operands[1])
    return None if cause is None else cause.text


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("p[3] = 1;", None),
        ("int i = 2; p[i * 4 + 1] = 1;", None),
        ("for (int i = 0; i < 8; ++i) p[i] = 1;", None),
        ("for (int i = 0; i < 8; ++i) for (int k = i; k < 8; ++k) p[i + k] = 1;", None),
        ("int i = 1; if (n) i = 1; p[i] = 1;", None),
        ("p[n] = 1;", "`n`, a kernel parameter"),
        ("p[threadIdx.x] = 1;", "`threadIdx.x`"),
        ("p[blockDim.y * 2] = 1;", "`blockDim.y`"),
        ("p[index[2]] = 1;", "`index[2]`, which is loaded"),
        ("int i = 1; if (n) i = 2; p[i] = 1;", "a value selected by `n`, a kernel parameter"),
        ("int i = 1; if (3 > 2) { i = 2; } if (n) p[0] = 1; p[i] = 1;", None),
        (
            "for (int i = 0; i < n; ++i) p[i] = 1;",
            "the counter of a loop with a trip count unknown at compile time",
        ),
        (
            "int i = 0; for (; i < 8; ++i) if (index[i]) break; p[i] = 1;",
            "the iteration in which a loop ends",
        ),
        (
            "int i = 0; while (i < 8) { if (index[i]) break; i++; } p[2 * i + 1] = 1;",
            "the iteration in which a loop ends",
        ),
        (
            "int i = 0; for (;; ++i) { p[i] = 1; if (index[i]) break; }",
            "the counter of a loop with a trip count unknown at compile time",
        ),
        ("for (int i = 0; i < 8; ++i) { p[i] = 1; if (index[i]) return; }", None),
        ("int i = 0, k = 3; for (; i < 8; ++i) if (index[i]) break; p[k] = 1;", None),
    ],
)
def test_what_keeps_an_index_from_being_a_constant(body: str, cause: str | None) -> None:
    assert cause_of_store(body) == cause


@pytest.mark.parametrize(
    ("loop", "iterations"),
    [
        ("for (int i = 0; i < 8; ++i)", 8),
        ("for (int i = 7; i >= 0; --i)", 8),
        ("for (int i = 0; i < 8; i += 3)", 3),
        ("for (int s = 64; s > 0; s >>= 1)", 7),
        ("for (unsigned s = 1; s < 100; s *= 2)", 7),
        ("for (int i = 0; i != 5; ++i)", 5),
        ("for (int i = 0; i < 8; ++i) if (index[i]) break; else", None),
        ("for (int i = 0; i < n; ++i)", None),
        ("for (int i = n; i < 8; ++i)", None),
        ("for (int i = 0; i < 1000000; ++i)", None),
        ("for (int i = 0; ; ++i)", None),
    ],
)
def test_rounds_of_a_loop(loop: str, iterations: int | None) -> None:
    compile_time, facts = known(f"{loop} p[1] += 1;")
    found = [compile_time.iterations(each) for each in facts.flow.loops]
    assert found == [iterations]


def test_a_loop_with_its_test_at_the_end_runs_once_at_least() -> None:
    compile_time, facts = known("int i = 0; do { p[i] = 1; ++i; } while (i < 5);")
    assert [compile_time.iterations(each) for each in facts.flow.loops] == [5]


@pytest.mark.parametrize(
    ("inner", "iterations"),
    [
        ("for (int k = 0; k < i; ++k)", 3),
        ("for (int k = i; k < 8; ++k)", 8),
        ("for (int k = 0; k < i * n; ++k)", None),
        ("for (int k = 7; k > 6; --k)", 1),
    ],
)
def test_an_inner_loop_has_the_rounds_of_its_longest_run(
    inner: str, iterations: int | None
) -> None:
    compile_time, facts = known(f"for (int i = 0; i < 4; ++i) {inner} p[k] = 1;")
    assert [compile_time.iterations(each) for each in facts.flow.loops] == [4, iterations]


def test_an_inner_loop_does_not_need_the_course_of_the_outer_one() -> None:
    compile_time, facts = known("for (int i = 0; i < n; ++i) for (int k = 0; k < 3; ++k) p[k] = 1;")
    assert [compile_time.iterations(each) for each in facts.flow.loops] == [None, 3]


def test_counters_are_found_through_arithmetic() -> None:
    compile_time, facts = known(
        "for (int i = 0; i < 4; ++i) for (int k = 0; k < 3; ++k) p[4 * k + 1] = 1;"
    )
    store = facts.accesses[-1]
    (counter,) = compile_time.counters(store.address)
    assert counter.header.terminator.location.span.text == "k < 3"


def test_loops_that_do_not_depend_on_each_other_are_counted_one_by_one() -> None:
    nest = "".join(f"for (int i{level} = 0; i{level} < 500; ++i{level}) " for level in range(5))
    compile_time, facts = known(f"{nest} p[i4] = 1;")
    assert [compile_time.iterations(each) for each in facts.flow.loops] == [500] * 5


def test_a_loop_in_a_triangle_is_counted_for_each_row() -> None:
    compile_time, facts = known(
        "for (int i = 0; i < 9; ++i) for (int k = 0; k < i; ++k)"
        " for (int j = 0; j < k; ++j) for (int l = 0; l < 3; ++l) p[j] = 1;"
    )
    assert [compile_time.iterations(each) for each in facts.flow.loops] == [9, 8, 7, 3]


def test_a_loop_that_data_may_end_has_a_most() -> None:
    compile_time, facts = known("for (int i = 0; i < 8; ++i) { if (index[i]) break; p[i] = 1; }")
    assert [compile_time.at_most(each) for each in facts.flow.loops] == [8]
    assert [compile_time.iterations(each) for each in facts.flow.loops] == [None]
