"""Copies that contradict their pointers, and the copies next to them that do not."""

from __future__ import annotations

import pytest
from analyses.host.host_facts import host_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.host.copies import (
    Mismatch,
    is_wrong_by_short_long,
    wrong_copies,
)

MEMORY = """float *h = (float *)malloc(n * sizeof(float));
float *d; cudaMalloc(&d, n * sizeof(float));
"""
TO, FROM = "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost"


def mismatches(body: str, parameters: str = "int n, int m") -> list[Mismatch]:
    return [each.mismatch for each in wrong_copies(host_facts(body, parameters))]


@pytest.mark.parametrize(
    ("copy", "expected"),
    [
        (f"cudaMemcpy(d, h, n * sizeof(float), {TO});", []),
        (f"cudaMemcpy(h, d, n * sizeof(float), {FROM});", []),
        (f"cudaMemcpy(h, d, n * sizeof(float), {TO});", [Mismatch.DIRECTION]),
        (f"cudaMemcpyAsync(d, h, n * sizeof(float), {FROM});", [Mismatch.DIRECTION]),
        ("cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyDefault);", []),
        ("cudaMemcpy(d, d, n * sizeof(float), cudaMemcpyDeviceToDevice);", []),
        ("cudaMemcpy(h, h, n * sizeof(float), cudaMemcpyDeviceToDevice);", [Mismatch.DIRECTION]),
        (f"cudaMemcpy(d, h, n, {TO});", [Mismatch.ELEMENTS]),
        (f"cudaMemcpy(d, h, 4, {TO});", []),  # one element
        (f"cudaMemcpy(d, h, m, {TO});", []),  # any number of bytes
        ("cudaMemset(d, 0, n);", [Mismatch.ELEMENTS]),
        ("cudaMemset(d, 0, n * 4);", []),
        (f"cudaMemcpy(d, h, n * sizeof(float) * 2, {TO});", [Mismatch.TOO_LARGE]),
        (f"cudaMemcpy(d, h, n * sizeof(float) / 2, {TO});", []),
        (f"cudaMemcpy(d, h, n * sizeof(char), {TO});", [Mismatch.NARROW]),
        (f"cudaMemcpy(d, h, sizeof(h), {TO});", [Mismatch.OF_POINTER]),
        (f"cudaMemcpy(d + 8, h + 8, n, {TO});", []),  # a part
        ("cudaMemcpyToSymbol(table, h, 64 * sizeof(float));", []),
        ('cudaMemcpyToSymbol("table", h, 64 * sizeof(float));', [Mismatch.SYMBOL_NAME]),
        ("cudaMemcpyToSymbol(&table, h, 64 * sizeof(float));", [Mismatch.SYMBOL_ADDRESS]),
        ("cudaMemcpyToSymbol(table, d, 64 * sizeof(float));", [Mismatch.DIRECTION]),
        (f"cudaMemcpyToSymbol(table, h, 4, 0, {TO});", []),
        ("cudaMemcpyFromSymbol(h, state, 65 * sizeof(float));", [Mismatch.TOO_LARGE]),
        ("cudaMemcpyFromSymbol(h, state, 60 * sizeof(float), 16);", []),
        (f"cudaMemcpy(state, h, 64 * sizeof(float), {TO});", [Mismatch.PLAIN_SYMBOL]),
    ],
)
def test_copies_and_fills(copy: str, expected: list[Mismatch]) -> None:
    assert mismatches(MEMORY + copy) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("long *d; cudaMalloc(&d, 8 * sizeof(long)); cudaMemset(d, 0, 7 * sizeof(int));", [False]),
        ("long *d; cudaMalloc(&d, 8 * sizeof(long)); cudaMemset(d, 0, 7 * sizeof(char));", [True]),
        ("int h[4]; cudaMemcpy(h, q, 4 * sizeof(long), cudaMemcpyDefault);", [False]),
        ("int h[4]; cudaMemcpy(h, q, 5 * sizeof(long), cudaMemcpyDefault);", [True]),
        ("int h[4]; cudaMemcpy(h, q, 4 * sizeof(double), cudaMemcpyDefault);", [True]),
        ("char *d; cudaMalloc(&d, 4 * n); cudaMemset(d, 0, n * sizeof(long));", [False]),
        ("char *d; cudaMalloc(&d, 3 * n); cudaMemset(d, 0, n * sizeof(long));", [True]),
    ],
)
def test_what_is_wrong_on_windows_too(body: str, expected: list[bool]) -> None:
    found = wrong_copies(host_facts(body, "int n, int *q"))
    assert [is_wrong_by_short_long(each) for each in found] == expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("n * sizeof(double2 *)", [Mismatch.OF_POINTER]),
        ("n * sizeof(double2)", []),
        ("2 * n * sizeof(double2 *)", []),  # whole elements
        ("n * sizeof(char)", []),  # bytes may be counted
    ],
)
def test_pointers_of_a_caller(size: str, expected: list[Mismatch]) -> None:
    parameters = "double2 *to, const double2 *from, int n"
    assert mismatches(f"cudaMemcpy(to, from, {size}, {TO});", parameters) == expected


@pytest.mark.parametrize(
    ("allocation", "expected"),
    [
        ("cudaMalloc(&e, n);", [Mismatch.ELEMENTS]),  # copied to what has n elements
        ("cudaMalloc(&e, n * sizeof(float));", []),
        ("cudaMalloc(&e, n * sizeof(float *));", []),  # whole floats
        ("cudaMalloc(&e, sizeof(e));", [Mismatch.OF_POINTER]),
        ("cudaMalloc(&e, n * sizeof(short));", [Mismatch.NARROW]),
    ],
)
def test_allocations(allocation: str, expected: list[Mismatch]) -> None:
    body = f"{MEMORY} float *e; {allocation} cudaMemcpy(e, h, 4, {TO});"
    assert mismatches(body)[:1] == expected


@settings(max_examples=30)
@given(st.integers(1, 300), st.integers(1, 300))
def test_sizes_in_numbers(room: int, size: int) -> None:
    body = f"char *d; cudaMalloc(&d, {room}); cudaMemset(d, 0, {size});"
    assert mismatches(body) == ([Mismatch.TOO_LARGE] if size > room else [])


@settings(max_examples=30)
@given(st.integers(1, 9), st.integers(1, 9))
def test_sizes_in_multiples_of_what_nobody_knows(room: int, size: int) -> None:
    body = f"char *d; cudaMalloc(&d, n * m * {room}); cudaMemset(d, 0, m * {size} * n);"
    assert mismatches(body) == ([Mismatch.TOO_LARGE] if size > room else [])


@pytest.mark.parametrize(
    ("copy", "expected"),
    [
        (f"cudaMemcpy(d, v.data(), v.size(), {TO});", [Mismatch.ELEMENTS]),
        (f"cudaMemcpy(d, v.data(), v.size() * sizeof(float), {TO});", []),
        (f"cudaMemcpy(d, v.data(), sizeof(v), {TO});", [Mismatch.OF_CONTAINER]),
        (f"v.resize(m); cudaMemcpy(d, v.data(), v.size(), {TO});", [Mismatch.ELEMENTS]),
        (f"int k = v.size(); v.resize(m); cudaMemcpy(d, v.data(), k, {TO});", []),
        (f"cudaMemcpy(d, v.data(), b.size(), {TO});", []),
        (f"cudaMemcpy(d, b.data(), b.size(), {TO});", []),
    ],
)
def test_sizes_of_containers(copy: str, expected: list[Mismatch]) -> None:
    assert mismatches(copy, "float *d, std::vector<float> &v, std::vector<char> &b, int m") == (
        expected
    )
