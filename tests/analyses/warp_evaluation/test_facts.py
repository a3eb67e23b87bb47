"""Launches of a kernel: evaluators that are kept, and launches that are varied."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of

TEXT = """__global__ void k(int *p, int n, int m) {
    for (int i = 0; i < 4; i++) p[threadIdx.x + n] = m;
}
void run(int *p) { k<<<3, 64>>>(p, 7, 8); }"""


def test_what_the_launch_passes() -> None:
    facts = facts_of(TEXT)
    (launch,) = facts.launches
    _, n, m = facts.kernel.parameters
    assert launch.passed == {n: 7, m: 8}
    assert launch.passed_to(facts.accesses[0]) == (("n", 7),)
    assert launch.with_arguments((None, 1, None)).passed == {n: 1}
    assert launch.with_numbers((9, 1, 1), (None, 1, 2)).launch.grid == (9, 1, 1)


@pytest.mark.parametrize(("given", "held"), [("true", 1), ("false", 0), ("2", 1)])
def test_what_the_launch_passes_for_a_condition(given: str, held: int) -> None:
    text = f"""__global__ void k(int *p, bool up) {{ p[0] = up; }}
    void run(int *p) {{ k<<<1, 64>>>(p, {given}); }}"""
    facts = facts_of(text)
    assert facts.launches[0].passed == {facts.kernel.parameters[1]: held}


def test_evaluators_and_guards_are_kept() -> None:
    (launch,) = facts_of(TEXT).launches
    evaluator = launch.evaluator(1)
    assert launch.evaluator(1) is evaluator
    assert launch.guards(evaluator) is launch.guards(evaluator)
    nest = launch.facts.flow.loops
    assert launch.iterations(0, nest) is launch.iterations(0, nest)


def test_varied_launches_agree_on_the_same_values_other_blocks_may_not() -> None:
    (launch,) = facts_of(TEXT).launches
    assert launch.within(((0, 0), (0, 0), (0, 0))).uniformity is launch.uniformity
    other = launch.with_block((8, 8, 1))
    assert other.launch.block == (8, 8, 1)
    assert other.uniformity is not launch.uniformity


@pytest.mark.parametrize(
    ("threads", "warps"),
    [
        (32, [0]),
        (256, list(range(8))),
        (288, [0, 1, 2, 3, 4, 5, 6, 8]),
        (1024, [0, 4, 8, 13, 17, 22, 26, 31]),
    ],
)
def test_warps_to_look_at(threads: int, warps: list[int]) -> None:
    launch = body_facts("p[0] = 1;", (threads, 1, 1)).launches[0]
    assert list(launch.warps()) == warps


def test_the_sizes_of_open_types() -> None:
    facts = facts_of(
        "template <class T> __global__ void k(T *p) { p[threadIdx.x] = p[0]; }", (32, 1, 1)
    )
    first, own = facts.accesses
    plain, variants = facts.launches[0], facts.launches[0].variants
    assert variants
    values = {each.evaluator(0).value(own.address) for each in variants}
    assert len(values) == len(variants)
    known = plain.evaluator(0).value(first.address)
    assert {each.evaluator(0).value(first.address) for each in variants} == {known}
