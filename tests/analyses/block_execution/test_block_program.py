"""Objects of a kernel that is run are told apart by their addresses."""

from __future__ import annotations

from analyses.kernels import facts_of

from warplint.analyzer.analyses.block_execution.block_program import BlockProgram

MANY = 40


def test_every_object_is_found_at_its_address() -> None:
    parameters = ", ".join(f"float *p{number}" for number in range(MANY))
    arrays = " ".join(f"__shared__ float a{number}[32];" for number in range(MANY))
    copies = " ".join(f"a{each}[threadIdx.x] = p{each}[threadIdx.x];" for each in range(MANY))
    facts = facts_of(f"__global__ void k({parameters}) {{ {arrays} {copies} }}")
    program = BlockProgram(facts.launches[0])
    # Global and shared ones in turn, so that each kind stands at many places among the others.
    objects = [facts.kernel.objects[each // 2 + each % 2 * MANY] for each in range(2 * MANY)]
    addresses = [program.address(item) for item in objects]
    for item, address in zip(objects, addresses, strict=True):
        assert program.object_at(address + 8) == (item, 8)
