"""What may be asked of a kernel's operations: by class, by use, by parameter."""

from __future__ import annotations

from analyses.kernels import body_facts

from warplint.analyzer.analyses.dataflow.slices import backward_slice
from warplint.analyzer.ir.operations import Barrier, MemoryAccess, Operation
from warplint.analyzer.ir.values import Special

FACTS = body_facts("int x = n * 2; p[x + threadIdx.x] = 1; __syncthreads(); p[blockIdx.y] = p[3];")


def test_operations_of_a_class_and_those_derived_from_it() -> None:
    everything = list(FACTS.kernel.operations())
    assert FACTS.every(Operation) == everything
    for kind in (Barrier, MemoryAccess):
        assert FACTS.every(kind) == [each for each in everything if isinstance(each, kind)]
    assert tuple(FACTS.every(MemoryAccess)) == FACTS.accesses
    assert len(FACTS.accesses) == 3


def test_the_special_registers_that_are_asked_for() -> None:
    assert FACTS.registers == {Special.THREAD_X, Special.BLOCK_Y}


def test_what_has_a_part_in_where_accesses_go() -> None:
    expected = {part for access in FACTS.accesses for part in backward_slice(access.address)}
    assert expected == FACTS.address_parts
    first, load, last = FACTS.accesses
    assert {first.address, load.address, last.address} <= FACTS.address_parts
    assert load not in FACTS.address_parts  # it is stored


def test_uses_and_what_a_parameter_has_a_part_in() -> None:
    pointer, size = FACTS.kernel.parameters
    first, load, last = FACTS.accesses
    assert FACTS.is_used(load)
    assert not FACTS.is_used(first)
    assert first.address in FACTS.forward_slice(size)
    assert last.address not in FACTS.forward_slice(size)
    assert {first.address, load.address, last.address} <= FACTS.forward_slice(pointer)
    assert FACTS.forward_slice(size) is FACTS.forward_slice(size)
