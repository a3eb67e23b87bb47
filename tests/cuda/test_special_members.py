"""Destructors and conversions are told apart by a field, however they are written."""

from __future__ import annotations

import pytest

from warplint.analyzer.cuda.syntax import nodes

from .reading import unit


@pytest.mark.parametrize(
    ("text", "destructors", "conversions"),
    [
        ("struct A { __device__ ~A() {} };", ["~A"], []),
        ("struct A { ~A(); };", ["~A"], []),
        ("struct A { virtual ~A() = default; };", ["~A"], []),
        ("struct A { ~A(); }; __device__ A::~A() {}", ["~A", "~A"], []),
        ("struct A { __device__ operator int() const { return 1; } };", [], ["operator int"]),
        ("struct A { __device__ operator float *(); };", [], ["operator float*"]),
        ("struct A { A &operator=(const A &); int operator()(int); A(int); };", [], []),
        ("struct A { void *operator new(size_t); bool operator!() const; };", [], []),
    ],
)
def test_what_a_member_is(text: str, destructors: list[str], conversions: list[str]) -> None:
    read = unit(text)
    found = {
        id(each): each
        for node in (*read.declarations, *read.functions)
        for each in nodes.walk(node)
        if isinstance(each, nodes.Function)
    }.values()
    assert [each.decl.name for each in found if each.is_destructor] == destructors
    assert [each.decl.name for each in found if each.is_conversion] == conversions
