"""Where paths meet."""

from __future__ import annotations

from analyses.compiled import mnemonics

from warplint.analyzer.analyses.compilation.emission import Emission
from warplint.analyzer.analyses.compilation.held import NOTHING, in_register, number_held, whole
from warplint.analyzer.analyses.compilation.joins import Joins


def two_paths() -> tuple[Emission, list[int]]:
    emission = Emission(100)
    first = emission.begin([])
    return emission, [emission.begin([first]), emission.begin([first])]


def moves(emission: Emission) -> int:
    return sum(map(len, emission.code.blocks))


def test_what_is_the_same_is_no_register() -> None:
    emission, blocks = two_paths()
    joins, value = Joins(emission, frozenset()), in_register(emission.register(1), 1)
    assert joins.joined(blocks, [value, value], None) is value
    assert joins.joined(blocks, [value, NOTHING], None) is value
    assert joins.joined(blocks, [NOTHING, NOTHING], None) is NOTHING
    assert moves(emission) == 0


def test_what_differs_is_written_by_each() -> None:
    emission, blocks = two_paths()
    value = in_register(emission.register(1), 1)
    found = Joins(emission, frozenset()).joined(blocks, [value, number_held(1)], None)
    assert found.registers not in ((), value.registers)
    assert moves(emission) == 2


def test_aggregates_are_joined_part_by_part() -> None:
    emission, blocks = two_paths()
    one, other, same = (in_register(emission.register(1), 1) for _ in range(3))
    pairs = [whole([(0, 4, each), (4, 4, same)]) for each in (one, other)]
    found = Joins(emission, frozenset()).joined(blocks, pairs, None)
    assert len(found.fields) == 2
    assert moves(emission) == 4


def test_counters_go_in_steps() -> None:
    found = mnemonics("int k = 0; while (in[k] > 0) k += 3; out[0] = k;")
    assert found.count("add") >= 1
    assert "mov" in found


def test_a_choice_writes_once() -> None:
    emission, _ = two_paths()
    joins, value = Joins(emission, frozenset()), in_register(emission.register(1), 1)
    assert joins.selected((0,), [value, value], None) is value
    found = joins.selected((0,), [value, number_held(1)], None)
    assert found.registers not in ((), value.registers)
    assert moves(emission) == 1
    assert mnemonics("float s = in[0]; if (s > 1) s = 2; out[0] = s;").count("selp") == 1
