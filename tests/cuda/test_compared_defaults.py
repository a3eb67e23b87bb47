"""Template parameters whose defaults compare."""

from __future__ import annotations

import pytest

from warplint.analyzer.cuda.units.compared_defaults import with_grouped_defaults
from warplint.analyzer.source.tokens import tokenize


def grouped(text: str) -> str:
    """The text of the tokens, one blank between each two."""
    return " ".join(with_grouped_defaults(tokenize(text)[0]).texts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("template<int R, bool B = 2 * R < Width> struct A;", "B = ( 2 * R < Width ) >"),
        ("template<int R, bool B = 4 < R, int C = 1> struct A;", "B = ( 4 < R ) , int C"),
        ("template<int R = 3, bool B = R < 4> struct A;", "R = 3 , bool B = ( R < 4 ) >"),
        ("template<class T, If<Is<T>{}> N = 0, bool B = 3 < 4> struct A;", "B = ( 3 < 4 ) >"),
    ],
)
def test_comparisons(text: str, expected: str) -> None:
    assert expected in grouped(text)


@pytest.mark.parametrize(
    "text",
    [
        "template<int N, class A = array<int, N>> struct B;",
        "template<class T, class U = Foo, class V = Foo<T>> struct B;",
        "template<template<class> class C, class X = C<int>> struct B;",
        "template<template<class> typename C, typename X = C<int>> struct B;",
        "template<int N, class = enable_if_t<(N < 8)>> struct B;",
        "template<int N> bool f() { return N < 4; }",
        "int a = b < c;",
    ],
)
def test_what_stays(text: str) -> None:
    assert grouped(text) == " ".join(tokenize(text)[0].texts)
