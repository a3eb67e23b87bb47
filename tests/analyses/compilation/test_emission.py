"""What is computed once, and where."""

from __future__ import annotations

import pytest

from warplint.analyzer.analyses.compilation.emission import Emission, TooLongError
from warplint.analyzer.analyses.compilation.held import in_register, number_held

KEY = ("add", "x")


def test_a_value_is_known_where_its_block_comes_before() -> None:
    emission = Emission(100)
    first = emission.begin([])
    value = emission.note(KEY, in_register(emission.register(1), 1))
    left = emission.begin([first])
    assert emission.known(KEY) is value
    other = emission.note("left", in_register(emission.register(1), 1))
    right = emission.begin([first])
    assert emission.known("left") is None
    emission.begin([left, right])
    assert emission.known("left") is None
    assert emission.known(KEY) is value
    assert other.registers != value.registers


def test_what_is_uniform_costs_nothing() -> None:
    emission = Emission(100)
    emission.begin([])
    shared = emission.given("n", 1)
    own = in_register(emission.register(1), 1)
    uniform = emission.computed("add.s32", [shared, shared], "uniform", 1)
    varying = emission.computed("add.s32", [shared, own], "varying", 1)
    widths = emission.code.widths
    assert [widths[each] for each in (*uniform.registers, *varying.registers)] == [0, 1]


def test_a_constant_that_is_added_is_computed_where_it_is_read() -> None:
    emission = Emission(100)
    emission.begin([])
    value = in_register(emission.register(1), 1).plus(4)
    (first,) = emission.reads([value])
    (again,) = emission.reads([value])
    assert first == again != value.registers[0]
    assert [op.kind.mnemonic for op in emission.code.blocks[0]] == ["add"]


def test_zero_needs_no_register() -> None:
    emission = Emission(100)
    assert emission.constant(number_held(0)) == ()
    assert emission.constant(number_held(2)) == emission.constant(number_held(2)) != ()


def test_code_has_an_end() -> None:
    emission = Emission(1)
    emission.begin([])
    emission.emit("bar.sync")
    with pytest.raises(TooLongError):
        emission.emit("bar.sync")


def test_moves_stand_before_the_jump() -> None:
    emission = Emission(10)
    block = emission.begin([])
    target = in_register(emission.register(1), 1)
    emission.emit("bra")
    emission.move(block, target, in_register(emission.register(1), 1), step=False)
    emission.move(block, target, target.plus(1), step=True)
    assert [op.kind.mnemonic for op in emission.code.blocks[0]] == ["mov", "add", "bra"]


def branch(emission: Emission, arm: int) -> tuple[int, list[int]]:
    """A block that branches round another, which has `arm` sums."""
    head = emission.begin([])
    condition = emission.register(0)
    emission.emit("bra", (), (condition,))
    inside = emission.begin([head])
    emission.code.successors[head] = [inside]
    for _ in range(arm):
        emission.emit("add.f32", (emission.register(1),), ())
    return condition, [head, inside]


def test_little_is_computed_without_a_branch() -> None:
    emission = Emission(100)
    condition, ends = branch(emission, 2)
    assert emission.without_branch(ends) == (condition,)
    assert [len(block) for block in emission.code.blocks] == [2, 0]
    assert emission.current == ends[0]
    assert emission.code.successors == [[], []]


def test_much_or_a_store_stays_behind_its_branch() -> None:
    emission = Emission(100)
    _, ends = branch(emission, 5)
    assert emission.without_branch(ends) is None
    emission = Emission(100)
    _, ends = branch(emission, 1)
    emission.emit("st.global.f32", (), (emission.register(1),))
    assert emission.without_branch(ends) is None
    assert [len(block) for block in emission.code.blocks] == [1, 2]
