"""What each kernel of a file may cost: fair, within the limits, and nothing goes to waste."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.coverage.remedies import Remedy
from warplint.analyzer.analyses.dataflow.reachability import reachable
from warplint.analyzer.analyses.launch.allowance import METER
from warplint.analyzer.analyses.launch.kernel_size import work_of_file, work_of_kernel
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.coverage import Gap
from warplint.analyzer.engine.inputs import InputFile, Inputs
from warplint.analyzer.engine.inspection import inspect_kernels
from warplint.analyzer.engine.kernels import shares as engine
from warplint.analyzer.engine.kernels.shares import Shares
from warplint.analyzer.engine.result import ExitCode
from warplint.analyzer.findings.rule import Category, Input
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from random import Random

    from warplint.analyzer.analyses.facts import KernelFacts
    from warplint.analyzer.findings.finding import Finding
    from warplint.analyzer.ir.kernel import Kernel, Module

SIZE = 35_000
MOST, FILE = work_of_kernel(SIZE), work_of_file(SIZE)


def kernel(size: int, body: object = None, made: int = 0) -> Any:
    """A kernel of so many operations; those of one body are instances of a template."""
    return SimpleNamespace(
        size=size, body_span=body or object(), made=made, is_open=False, label=""
    )


def allowed(
    sizes: list[int], wanted: list[float], bodies: list[object] | None = None
) -> list[float]:
    """What kernels are allowed that would do so much if they could."""
    kernels = zip(sizes, bodies or [None] * len(sizes), strict=True)
    shares = Shares([kernel(size, body) for size, body in kernels], SIZE)
    found = [0.0] * len(sizes)
    for turn in shares.turns:
        with shares.allowed(turn):
            found[turn.at] = METER.left
            METER.spend(min(wanted[turn.at], METER.left))
    return found


def test_a_kernel_alone_may_do_as_much_as_one_may() -> None:
    assert allowed([100], [0]) == [MOST]


def test_small_kernels_do_not_limit_a_large_one() -> None:
    assert allowed([1_000, *[10] * 50], [MOST, *[5_000] * 50])[0] == MOST


@pytest.mark.parametrize("count", [6, 100, 5_000])
def test_no_file_costs_more_than_its_limit(count: int) -> None:
    found = allowed([10_000] * count, [MOST] * count)
    assert sum(found) <= max(FILE, min(count / 8, 6) * MOST) * 1.000001


def test_the_last_kernel_gets_its_part_whatever_stands_before_it() -> None:
    greedy = allowed([10_000] * 500, [MOST] * 500)
    assert min(greedy) == pytest.approx(6 * MOST / 500)
    assert allowed([100_000] * 20 + [50], [MOST] * 21)[-1] == pytest.approx(FILE / 21)


def test_a_file_of_many_kernels_may_cost_more_but_not_one_of_many_instances() -> None:
    assert sum(allowed([10_000] * 40, [MOST] * 40)) == pytest.approx(5 * MOST)
    assert sum(allowed([10_000] * 40, [MOST] * 40, ["body"] * 40)) == pytest.approx(FILE)


def test_the_first_instance_of_each_template_comes_before_further_ones() -> None:
    bodies: list[object] = [*["one"] * 30, "two", "three", "three"]
    found = allowed([10_000] * 33, [MOST] * 33, bodies)
    assert [found[0], found[30], found[31]] == [MOST] * 3
    assert 0 < found[32] < MOST / 10
    assert found[32] == pytest.approx(found[1])


def test_a_small_kernel_may_have_its_block_run_before_further_instances_get_anything() -> None:
    bodies: list[object] = [*["one"] * 200, *map(str, range(10))]
    assert allowed([140] * 210, [MOST] * 210, bodies)[-10:] >= [300_000.0] * 10


def test_what_is_left_over_is_for_those_behind() -> None:
    found = allowed([10_000] * 20, [0] * 19 + [MOST])
    assert found[0] < MOST
    assert found[-1] == MOST


def test_what_it_took_to_read_the_file_counts() -> None:
    shares = Shares([kernel(35_000, made=100_000) for _ in range(10)], SIZE)
    with shares.allowed(shares.turns[0]):
        assert METER.left == pytest.approx(FILE / 20)


def test_texts_that_others_read_are_allowed_halves() -> None:
    shares = Shares([kernel(35_000) for _ in range(10)], SIZE)
    with shares.allowed(shares.turns[0], shared=True):
        assert METER.left == MOST / 4
    with shares.allowed(shares.turns[1]):
        assert METER.left > FILE / 10  # with what was left over


def test_an_error_is_paid_for_as_well() -> None:
    shares = Shares([kernel(10)] * 2, SIZE)

    def fail() -> None:
        with shares.allowed(shares.turns[0]):
            METER.spend(400)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with shares.allowed(shares.turns[1]):
        assert METER.left == MOST


FILES = st.lists(
    st.tuples(st.integers(1, 60_000), st.integers(0, MOST)), min_size=1, max_size=80
).map(lambda kernels: ([size for size, _ in kernels], [float(want) for _, want in kernels]))


@given(FILES)
def test_nobody_gets_less_than_it_needs_or_an_equal_part_and_all_no_more_than_there_is(
    file: tuple[list[int], list[float]],
) -> None:
    sizes, wanted = file
    found, most = allowed(sizes, wanted), work_of_file(SIZE, len(sizes))
    spent = sum(map(min, found, wanted))
    assert spent <= most * 1.000001
    assert min(found) >= min(most / len(sizes), MOST) * 0.999999
    assert max(found) <= MOST


@given(FILES, st.randoms(use_true_random=False))
def test_the_order_of_kernels_does_not_matter(
    file: tuple[list[int], list[float]], random: Random
) -> None:
    kernels = dict(zip(*file, strict=True))  # one of each size
    moved = random.sample(sorted(kernels), len(kernels))
    there = allowed(moved, [kernels[size] for size in moved])
    here = allowed([*kernels], [*kernels.values()])
    assert dict(zip(moved, there, strict=True)) == dict(zip(kernels, here, strict=True))


@given(FILES, st.integers(0, 100_000))
def test_a_larger_budget_gives_nobody_less_and_a_larger_kernel_gets_no_less(
    file: tuple[list[int], list[float]], made: int
) -> None:
    sizes, _ = file
    found = allowed(sizes, [MOST] * len(sizes))
    ordered = [part for _, part in sorted(zip(sizes, found, strict=True))]
    assert ordered == pytest.approx(sorted(found))
    shares = Shares([kernel(size, made=made) for size in sizes], SIZE)
    for turn in shares.turns:
        with shares.allowed(turn):
            assert METER.left <= found[turn.at] * 1.000001
            METER.spend(METER.left)


KERNELS = "".join(
    f"__global__ void k{number}(int *o) {{ o[threadIdx.x * 4] = {number}; }}\n"
    for number in range(4)
)


@pytest.fixture
def file(monkeypatch: pytest.MonkeyPatch) -> InputFile:
    """A file of four kernels, for which nothing may be done."""
    monkeypatch.setattr(engine, "work_of_file", lambda *_: 0)
    return InputFile("k.cu", Input.CUDA, KERNELS.encode())


def test_kernels_that_were_cut_short_are_one_problem(file: InputFile) -> None:
    result = check(Inputs([file]), Settings(), tuple(load_rules().values()))
    (item,), (problem,) = result.inputs, result.problems
    assert result.exit_code is ExitCode.NOT_ANALYSABLE
    assert problem.message.startswith("kernels k0, k1, k2 and 1 other not checked completely, by ")
    assert (item.status, item.kernels, item.accesses) == ("partial", 4, 4)
    reason = "not checked by all rules: too much work (raise kernel-size, now 35,000)"
    assert item.unanalysed == (Gap("kernel", reason, Remedy.SIZE, 4, 4),)


def test_what_is_wrong_leaves_half_to_what_is_slow_and_has_what_that_leaves_over() -> None:
    text = "__global__ void k(float *o, float *i) { o[threadIdx.x] = i[threadIdx.x * 32]; }"
    usual, order = load_rules(), list[str]()

    def greedy(facts: KernelFacts) -> Iterator[Finding]:
        order.append("wrong")
        while True:
            METER.spend(1_000)

    def slow(facts: KernelFacts) -> Iterable[Finding]:
        order.append("slow")
        assert usual["GLB001"].check is not None
        return usual["GLB001"].check(facts)

    rules = (
        replace(usual["GLB001"], check=slow),
        replace(usual["GLB001"], code="TST001", category=Category.CORRECTNESS, check=greedy),
    )
    result = check(Inputs([InputFile("k.cu", Input.CUDA, text.encode())]), Settings(), rules)
    assert order == ["wrong", "slow", "wrong"]
    assert [each.rule.code for each in result.findings] == ["GLB001"]
    assert ["TST001" in each.message for each in result.problems] == [True]


def test_what_is_inspected_costs_no_more_than_a_check(file: InputFile) -> None:
    def walks(kernel: Kernel, module: Module) -> list[str]:
        for _ in range(2):
            list(reachable(kernel.blocks, lambda block: block.successors))
        return [kernel.name]

    result = inspect_kernels(Inputs([file]), Settings(), "inspect", walks)
    assert result.rows == ()
    assert [each.message for each in result.problems] == [
        f"kernel k{number} is not shown: too much work" for number in range(4)
    ]
