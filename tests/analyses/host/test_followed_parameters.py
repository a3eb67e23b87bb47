"""Parameters that a kernel may follow, and those that it cannot."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.analyses.facts import AnalysisOptions
from warplint.analyzer.analyses.host.facts import HostFacts
from warplint.analyzer.analyses.host.followed_parameters import may_be_followed

UNKNOWN = "__device__ void elsewhere(int *a);\n"
HOST = "void run(int *a, int *b) {{ {launches} }}\n"


def followed(
    body: str, launches: str = "k<<<1, 1>>>(a, b);", head: str = "__global__ void k(int *a, int *b)"
) -> list[bool]:
    """For each launch of a kernel with this body whether its first argument may be followed."""
    module = cuda_module(f"{UNKNOWN}{head} {{ {body} }}\n{HOST.format(launches=launches)}")
    facts = HostFacts(module, AnalysisOptions())
    return [may_be_followed(facts, launch, 0) for launch in facts.launches]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("b[0] = 1;", False),
        ("if (a) b[0] = 1;", False),
        ("b[a != b] = 1;", False),
        ("int *c = a; for (int i = 0; i < b[0]; ++i) ++c;", False),
        ("a[1] = 1;", True),
        ("int *c = b[0] ? b : a + b[1]; c[0] = 1;", True),
        ("b[0] = a[1];", True),
        ("*(int **)b = a;", True),
        ("elsewhere(a);", True),
        ('printf("%p", a);', True),
        ("atomicAdd(a, 1);", True),
        ("*(int *)((size_t)a + 4) = 1;", True),
        ('asm volatile("st.global.u32 [%0], 1;" :: "l"(a));', True),
    ],
)
def test_what_a_kernel_may_follow(body: str, *, expected: bool) -> None:
    assert followed(body) == [expected]


def test_the_instance_counts_that_a_launch_is_of() -> None:
    head = "template <bool writes> __global__ void k(int *a, int *b)"
    launches = "k<false><<<1, 1>>>(a, b); k<true><<<1, 1>>>(a, b);"
    assert followed("if constexpr (writes) a[0] = 1;", launches, head) == [False, True]


def test_members_of_structures_are_followed() -> None:
    head = "struct View { int *data; }; __global__ void k(View a)"
    assert followed("a.data[0] = 1;", "k<<<1, 1>>>(View{a});", head) == [True]


def test_nobody_knows_a_kernel_that_was_read_in_part() -> None:
    module = cuda_module(
        f"__global__ void k(int *a) {{ }}\n{HOST.format(launches='k<<<1, 1>>>(a);')}"
    )
    facts = HostFacts(module, AnalysisOptions())
    assert not may_be_followed(facts, facts.launches[0], 0)
    module.kernels[0].status = "partial"
    assert may_be_followed(facts, facts.launches[0], 0)


def test_nobody_knows_a_kernel_that_stands_elsewhere() -> None:
    head = "__global__ void other(int *a); __global__ void k(int *a, int *b)"
    assert followed("", "other<<<1, 1>>>(a);", head) == [True]
