"""Numbers for what a launch does not say, and what was asked of them."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of

from warplint.analyzer.analyses.warp_evaluation.example_numbers import (
    Example,
    data_examples,
    examples,
    examples_of_blocks,
    launched_examples,
)
from warplint.analyzer.analyses.warp_evaluation.lane_values import LaneValue, constant
from warplint.analyzer.ir.operations import Phi


def value(body: str, example: Example) -> object:
    facts = body_facts(body, parameters="int *p, int n, int m")
    store = facts.accesses[-1]
    assert store.block is not None
    evaluator = example.evaluator(facts.launches[0], 0, store.block)
    return evaluator.value_in(store.block, store.operands[1])


def test_a_number_for_every_size_and_what_it_stood_for() -> None:
    example = Example(33, 0)
    assert value("p[0] = n * 2 + m;", example) == constant(99)
    assert dict(example.named) == {"n": 33, "m": 33}
    assert not example.is_of_block
    plain = Example(33, 0)
    assert value("p[0] = threadIdx.x;", plain) == LaneValue(tuple(range(32)))
    assert plain.used == {}
    assert plain.is_of_block


FLAGS = """template <typename T> struct Base { const bool *flags; T *out; int n; };
template <typename T> struct Args : Base<T> { T scale; };
template <typename T> __global__ void k(Args<T> args) {
    if (args.flags != nullptr) args.out[0] = args.flags[0] * args.n;
}
template __global__ void k<float>(Args<float>);"""


@pytest.mark.parametrize(("number", "flag"), [(33, 1), (100, 0)])
def test_a_flag_is_true_or_false_and_a_pointer_has_no_number(number: int, flag: int) -> None:
    facts = facts_of(FLAGS)
    (store,) = (access for access in facts.accesses if access.writes)
    assert store.block is not None
    example = Example(number, 0)
    found = example.evaluator(facts.launches[0], 0, store.block)
    pointer = store.block.predecessors[0].terminator.operands[0]
    found.value_in(store.block, pointer)
    found.value_in(store.block, store.operands[1])
    (load,) = (access for access in facts.accesses if not access.writes)
    found.value_in(store.block, load)
    assert example.used[load] == flag
    assert "args.flags" not in dict(example.named)


def test_blocks_and_iterations() -> None:
    example = Example(33, 0, (5, 0, 0))
    assert value("p[0] = blockIdx.x * 10;", example) == constant(50)
    assert example.named == (("blockIdx.x", 5),)
    assert example.is_of_block
    body = "for (int i = 7; i < n; i++) p[0] = i;"
    first, second = Example(33, 0), Example(33, 2)
    assert value(body, first) == constant(7)
    assert first.iteration_of_loop is None
    assert value(body, second) == constant(9)
    assert second.iteration_of_loop == 2


@pytest.mark.parametrize(
    ("number", "block", "blocks"), [(1, 0, 1), (64, 0, 1), (65, 0, 2), (250, 0, 4), (33, 5, 6)]
)
def test_a_grid_of_as_many_blocks_as_the_elements_need(
    number: int, block: int, blocks: int
) -> None:
    example = Example(number, 0, (block, 0, 0))
    assert value("p[0] = gridDim.x;", example) == constant(blocks)


def test_a_phi_of_a_later_iteration_is_made_up() -> None:
    facts = body_facts("int x = n; for (int i = 0; i < n; i++) { p[0] = x; x = p[x]; }")
    (phi, *_) = facts.every(Phi)
    assert Example(33, 1, used={phi: 33}).is_made_up
    assert not Example(33, 0, used={phi: 33}).is_made_up
    assert not Example(33, 1, used={facts.kernel.parameters[1]: 33}).is_made_up


LAUNCHED = """__global__ void k(int *p, int n) {{ p[0] = n; }}
void run(int *p, int q) {{ {} }}"""


@pytest.mark.parametrize(
    ("launch", "numbers"),
    [
        ("k<<<1, 32>>>(p, 7);", {7}),
        ("k<<<1, 32>>>(p, q);", set()),
    ],
)
def test_numbers_near_what_the_launch_passes(launch: str, numbers: set[int]) -> None:
    (found,) = facts_of(LAUNCHED.format(launch)).launches
    near = [each.number for each in data_examples(found)]
    assert len(near) == len(set(near))
    assert numbers <= set(near[:1])
    assert {each.number for each in examples(found.launch)} <= set(near)


def test_launched_examples_hold_what_is_passed_for_the_first_and_last_block() -> None:
    (found,) = facts_of(LAUNCHED.format("k<<<4, 32>>>(p, 7);")).launches
    seen = list(launched_examples(found))
    assert {each.block for each in seen} == {(0, 0, 0), (3, 0, 0)}
    assert all(7 in each.stated.values() for each in seen)
    (of_host,) = facts_of(LAUNCHED.format("k<<<q / 32, 32>>>(p, q);")).launches
    assert all(each.can_be_launched(of_host) for each in launched_examples(of_host))


def test_numbers_that_contradict_the_launch() -> None:
    facts = facts_of(LAUNCHED.format("k<<<1, 32>>>(p, 7);"))
    n = facts.kernel.parameters[1]
    assert Example(1, 0, used={n: 7}).can_be_launched(facts.launches[0])
    assert not Example(1, 0, used={n: 8}).can_be_launched(facts.launches[0])


def test_conditions_that_contradict_the_launch() -> None:
    text = "__global__ void k(int *p, bool up) { if (up) p[0] = 1; }"
    facts = facts_of(f"{text} void run(int *p) {{ k<<<1, 32>>>(p, true); }}")
    up = facts.kernel.parameters[1]
    assert Example(1, 0, used={up: 65}).can_be_launched(facts.launches[0])  # any number is true
    assert not Example(1, 0, used={up: 0}).can_be_launched(facts.launches[0])


@pytest.mark.parametrize(
    ("grid", "blocks"),
    [((3, 1, 1), [(1, 0, 0), (2, 0, 0)]), ((1, 1, 1), []), (None, []), ((1, 2, 1), [(0, 1, 0)])],
)
def test_blocks_of_a_grid(
    grid: tuple[int, int, int] | None, blocks: list[tuple[int, int, int]]
) -> None:
    launch = facts_of("__global__ void k(int *p) { p[0] = 1; }", (32, 1, 1), grid).launches[0]
    assert [each.block for each in examples_of_blocks(launch)] == blocks


def test_the_last_block_of_a_large_grid() -> None:
    launch = facts_of("__global__ void k(int *p) { p[0] = 1; }", (32, 1, 1), (99, 1, 1)).launches[0]
    *_, last = examples_of_blocks(launch)
    assert last.block == (98, 0, 0)
