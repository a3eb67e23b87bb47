"""What doubts ask of a warp operation whose mask and lanes do not fit together."""

from __future__ import annotations

from analyses.kernels import body_facts

from warplint.analyzer.analyses.warp_intrinsics.warp_members import mismatches
from warplint.analyzer.ir.operations import MemoryAccess
from warplint.analyzer.ir.values import Parameter


def test_a_size_that_was_chosen_and_what_decides() -> None:
    for bound, sizes in (("n", True), ("8", False)):
        body = f"if (threadIdx.x < {bound}) p[0] = __shfl_xor_sync(~0u, n, 1);"
        (found,) = mismatches(body_facts(body))
        candidate = found.candidate
        assert candidate is not None
        assert candidate.assumes_size is sizes
        assert candidate.names_all
        decided = set(candidate.decided_on())
        assert any(isinstance(each, Parameter) for each in decided) is sizes
        assert not any(isinstance(each, MemoryAccess) for each in decided)
