"""Copies on their way, and who reads too early, against a queue of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from warplint.analyzer.analyses.block_execution.copies_in_flight import Unwaited

#: Copies to one of two arrays, commits, waits for all but some groups, reads of an array.
STEPS = st.one_of(
    st.tuples(st.sampled_from(["copy", "read"]), st.integers(0, 1)),
    st.tuples(st.just("wait"), st.integers(0, 2)),
    st.just(("commit", 0)),
)


def found_in(body: str) -> list[Unwaited]:
    text = f"""#include <cuda_pipeline.h>
    __global__ void k(const int *in, int *out) {{
        __shared__ int a0[64], a1[64]; int t = threadIdx.x; {body} }}"""
    return list(facts_of(text, (64, 1, 1)).unwaited_copies)


def text_of(program: list[tuple[str, int]]) -> str:
    lines = {
        "copy": "__pipeline_memcpy_async(&a{0}[t], &in[t + {1}], 4);",
        "read": "out[t * 32 + {1}] = a{0}[t];",
        "wait": "__pipeline_wait_prior({0});",
        "commit": "__pipeline_commit();",
    }
    return " ".join(lines[kind].format(n, at) for at, (kind, n) in enumerate(program))


def expected(program: list[tuple[str, int]]) -> int:
    """The pairs of a copy and a read that no wait stands between."""
    groups: list[list[int]] = []
    current: list[int] = []
    pairs = 0
    for kind, number in program:
        if kind == "copy":
            current.append(number)
        elif kind == "commit":
            groups.append(current)
            current = []
        elif kind == "wait":
            groups = groups[len(groups) - number :] if number else []
        else:
            flying = [copy for group in (*groups, current) for copy in group]
            pairs += flying.count(number)
    return pairs


@settings(max_examples=60)
@given(st.lists(STEPS, max_size=7))
def test_groups_stand_in_a_queue(program: list[tuple[str, int]]) -> None:
    found = found_in(text_of(program))
    groups = sum(kind == "commit" for kind, _ in program)
    most = max((n for kind, n in program if kind == "wait"), default=0)
    if most <= groups:
        assert len(found) <= expected(program)
        if not any(kind == "wait" for kind, _ in program):
            assert len(found) == expected(program)


def test_who_reads_and_who_copied() -> None:
    (own,) = found_in(text_of([("copy", 0), ("commit", 0), ("read", 0)]))
    assert own.reader == own.copier
    assert own.committed
    assert own.waited is None
    assert own.item.name == "a0"
    (other,) = found_in("__pipeline_memcpy_async(&a0[t], &in[t], 4); out[t] = a0[63 - t];")
    assert other.reader + other.copier == 63
    assert not other.committed
    assert not other.is_collective


def test_a_wait_that_lets_the_group_run_on_is_named() -> None:
    (found,) = found_in(text_of([("copy", 0), ("commit", 0), ("wait", 1), ("read", 0)]))
    assert found.waited is not None
