"""Sizes that are padded so that warps stay whole."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.block_shape.padded_sizes import is_of_padded_size, is_padded
from warplint.analyzer.ir.operations import Barrier, Opcode

PARAMETERS = "int *p, const int *a, int n, int m, int padded"
SUM = "p[i] = __shfl_down_sync(~0u, x, 1);"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"if (i >= padded) return; int x = 0; if (i < n) x = a[i]; {SUM}", True),
        (f"if (i >= padded) return; int x = a[i]; {SUM}", False),
        (f"if (i >= padded) return; int x = 0; if (i < padded) x = a[i]; {SUM}", False),  # the same
        (f"if (i >= padded) return; int x = 0; if (m < n) x = a[i]; {SUM}", False),  # not the index
        (f"if (i >= padded) return; int x = 0; if (i == n) x = a[i]; {SUM}", False),  # no size
        (f"int x = 0; if (i < n) x = a[i]; {SUM}", False),  # nobody is out
    ],
)
def test_lanes_that_have_nothing_to_load(body: str, *, expected: bool) -> None:
    facts = body_facts(f"int i = threadIdx.x; {body}", parameters=PARAMETERS)
    (shuffle,) = (each for each in facts.kernel.operations() if each.opcode is Opcode.WARP)
    splits = {edge.branch for edge in facts.flow.controlling_edges(shuffle.block)}
    assert is_padded(facts.flow, shuffle, splits) is expected


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("if (i < n) p[i] = a[i];", True),
        ("if (i < padded) p[i] = a[i];", False),
        ("if (i < n) p[i] = 1;", False),  # nothing is loaded
        ("if (m < n) p[i] = a[i];", False),
        ("if (i < 40) p[i] = a[i];", False),  # no parameter
        ("p[i] = a[i];", False),
    ],
)
def test_a_second_size_behind_the_first(inside: str, *, expected: bool) -> None:
    body = f"int i = threadIdx.x; if (i < padded) {{ {inside} __syncthreads(); }}"
    facts = body_facts(body, parameters=PARAMETERS)
    (barrier,) = facts.every(Barrier)
    (edge,) = facts.flow.controlling_edges(barrier.block)
    assert is_of_padded_size(facts.flow, edge) is expected
