"""Calls, launches and accesses of the host, each in the order of the file."""

from __future__ import annotations

from analyses.host.host_facts import host_facts

FACTS = host_facts(
    "float *p = (float *)malloc(4 * n);\np[0] = 1;\ncudaMalloc(&p, 4 * n);\n"
    "k<<<1, 32>>>(p, n);\ncudaDeviceSynchronize();"
)


def test_each_kind_of_event_by_itself() -> None:
    assert [call.name for call in FACTS.calls] == ["malloc", "cudaMalloc", "cudaDeviceSynchronize"]
    assert [launch.kernel for launch in FACTS.launches] == ["k"]
    assert [access.span.text for access in FACTS.accesses] == ["p[0]"]
