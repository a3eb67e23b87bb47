"""Launches and calls whose errors nobody looks at."""

from __future__ import annotations

import pytest
from analyses.host.host_facts import host_facts

from warplint.analyzer.analyses.host.unchecked import discarded_calls, unchecked_launches


@pytest.mark.parametrize(
    ("body", "launches", "calls"),
    [
        ("k<<<1, 32>>>(0, n);", 1, []),
        ("k<<<1, 32>>>(0, n); if (cudaGetLastError() != cudaSuccess) throw 1;", 0, []),
        ("cudaDeviceSynchronize();", 0, []),
        ("k<<<1, 32>>>(0, n); cudaDeviceSynchronize();", 1, ["cudaDeviceSynchronize"]),
        ("cudaError_t e = cudaDeviceSynchronize(); if (e) throw 1;", 0, []),
        ("if (cudaDeviceSynchronize() != cudaSuccess) throw 1;", 0, []),
        ("float *p; cudaMalloc(&p, n); cudaFree(p);", 0, ["cudaMalloc"]),
        ("cudaGetLastError(); cudaEvent_t e; cudaEventRecord(e);", 0, []),
        ("cudaSetDevice(n); cudaDeviceSynchronize();", 0, ["cudaSetDevice", "cudaDeviceS"]),
        ("cudaDeviceSynchronize(); if (cudaMemcpy(p, p, 4, n)) throw 1;", 0, []),
        ("if (cudaMemcpy(p, p, 4, n)) throw 1; cudaDeviceSynchronize();", 0, []),
        ("cudaGetDevice(&n);", 0, []),
        ("malloc(4);", 0, []),
    ],
)
def test_what_is_not_looked_at(body: str, launches: int, calls: list[str]) -> None:
    facts = host_facts(body)
    assert len(unchecked_launches(facts)) == launches
    found = [span.text for span in discarded_calls(facts)]
    assert len(found) == len(calls)
    assert all(text.startswith(name) for text, name in zip(found, calls, strict=True))


def test_they_stand_in_the_order_of_the_file() -> None:
    facts = host_facts("k<<<1, 32>>>(0, 1);\nk<<<1, 32>>>(0, 2);\nk<<<1, 32>>>(0, 3);")
    lines = [span.line for span in unchecked_launches(facts)]
    assert lines == sorted(set(lines))
    assert len(lines) == 3
