"""Names of what is computed from unknown values: equal where they must be, and never slow."""

from __future__ import annotations

from analyses.kernels import body_facts

from warplint.analyzer.analyses.warp_evaluation.warp_evaluator import Computation

_ROUND = "s ^= s << 13; s ^= s >> 17; s ^= s << 5;"
_STORE = "__shared__ int t[256]; t[(threadIdx.x + s) & 255] = 1; p[threadIdx.x] = t[s & 255];"


def test_a_hash_function_of_a_parameter_is_named_in_linear_time() -> None:
    facts = body_facts(f"unsigned s = n; {_ROUND * 40} {_STORE}")
    first, second = facts.shared_accesses
    assert "unknown values" in first.reason
    assert second.samples[0].conflict.degree == 1


def test_equal_computations_have_equal_names() -> None:
    facts = body_facts(
        "__shared__ int t[4096]; t[threadIdx.x * ((n ^ 5) - (n ^ 5) + 2)] = 1; "
        "t[threadIdx.x * ((n ^ 5) - (n ^ 7) + 2)] = 2;"
    )
    same, other = facts.shared_accesses
    assert same.samples[0].conflict.degree == 2
    assert "depends on a value" in other.reason


def test_a_name_is_compared_by_identity() -> None:
    name = Computation(("xor", 5))
    assert name == name
    assert name != Computation(("xor", 5))
    assert name[0] == "xor"
