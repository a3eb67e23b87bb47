"""Asynchronous copies of memory that may be paged out, and those beside them."""

from __future__ import annotations

import pytest
from analyses.host.host_facts import host_facts

from warplint.analyzer.analyses.host.pageable_copies import pageable_copies

MEMORY = """float *h = (float *)malloc(n * sizeof(float));
float *d; cudaMalloc(&d, n * sizeof(float));
"""
TO, FROM = "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost"


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (f"{MEMORY} cudaMemcpyAsync(d, h, n, {TO}, 0);", 1),
        (f"{MEMORY} cudaMemcpy(d, h, n, {TO});", 0),
        (f"{MEMORY} float *q; cudaMallocHost(&q, n); cudaMemcpyAsync(d, q, n, {TO}, 0);", 0),
        (f"{MEMORY} float one; cudaMemcpyAsync(&one, d, 4, {FROM}, 0);", 0),  # small
        (f"{MEMORY} float many[4096]; cudaMemcpyAsync(many, d, 4, {FROM}, 0);", 1),
    ],
)
def test_memory_that_may_be_paged_out(body: str, count: int) -> None:
    assert len(list(pageable_copies(host_facts(body)))) == count
