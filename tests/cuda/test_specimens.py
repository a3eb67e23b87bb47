"""Template arguments that are made up: which are tried, and which types are taken for numbers."""

from __future__ import annotations

import pytest

from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.source.text import SourceText


def _chosen(head: str, body: str, rest: str = "") -> list[dict[str, int | str]]:
    text = f"{head} {{ {body} }} {rest}"
    (kernel,) = read_cuda(SourceText("k.cu", text)).kernels
    return [dict(specimen.chosen) for specimen in kernel.specimens()]


def test_some_relation_holds_in_some_choice() -> None:
    pairs = [
        (each["N"], each["M"])
        for each in _chosen("template <int N, int M> __global__ void k()", "")
    ]
    assert any(n == m for n, m in pairs)
    assert any(n < m for n, m in pairs)  # type: ignore[operator]
    assert any(n > m for n, m in pairs)  # type: ignore[operator]
    assert len(pairs) == len(set(pairs))


def test_numbers_that_are_asked_for_come_in_turn() -> None:
    choices = _chosen(
        "template <int N> __global__ void k(int *p)", "if (N == 4) *p = 1; if (16 == N) *p = 2;"
    )
    assert {each["N"] for each in choices} == {4, 16}


def test_flags_and_enumerations_are_of_few() -> None:
    choices = _chosen("enum E { A, B }; template <bool F, E e> __global__ void k()", "")
    assert {each["F"] for each in choices} == {0, 1}
    assert {each["e"] for each in choices} == {0, 1}


@pytest.mark.parametrize(
    ("body", "type"),
    [
        ("q[0] = p[1] + p[2];", "float"),
        ("q[0] = p[1] % 7;", "int"),
        ("T i = 3; q[i] = p[0];", "int"),
        ("q[0] = p[1].x;", None),
        ("T f = p[0]; f(q);", None),
        ("q[0] = T::zero();", None),
    ],
)
def test_types_are_what_is_done_with_them(body: str, type: str | None) -> None:
    choices = _chosen("template <typename T, int N> __global__ void k(T *q, const T *p)", body)
    assert choices[0].get("T") == type


@pytest.mark.parametrize(
    ("head", "rest"),
    [
        ("__global__ void k(int *p)", ""),
        ("template <typename T> __global__ void k(T *p)", ""),
        ("template <int... N> __global__ void k(int *p)", ""),
        ("template <int N> __global__ void k(int *p)", "void f(int *p) { k<64><<<1, 64>>>(p); }"),
    ],
)
def test_what_is_known_is_not_made_up(head: str, rest: str) -> None:
    assert _chosen(head, "p[0] = 1;", rest) == []
