"""Which method a call means: by the class of the expression, unless it is virtual."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.ir.operations import MemoryAccess
from warplint.analyzer.ir.values import Constant

CLASSES = """
struct Base {
    __device__ int id() const { return 1; }
    __device__ int through() const { return id(); }
    __device__ int through_this() const { return this->id(); }
};
struct Derived : Base { __device__ int id() const { return 2; } };
struct Last : Derived { __device__ int id() const { return 3; } };
template <class D> struct Crtp {
    __device__ int id() const { return 4; }
    __device__ int run() const { return static_cast<const D *>(this)->id(); }
    __device__ int own() const { return id(); }
};
struct User : Crtp<User> { __device__ int id() const { return 5; } };
struct Shape {
    __device__ virtual int id() const { return 6; }
    __device__ int through() const { return id(); }
};
struct Round : Shape { __device__ int id() const { return 7; } };
__device__ int of_reference(const Base &b) { return b.id(); }
__device__ int of_pointer(const Base *b) { return b->id(); }
__device__ int of_copy(Base b) { return b.id(); }
__device__ int of_shape(const Shape &s) { return s.id(); }
template <class T> __device__ int of_any(const T &t) { return t.id(); }
"""


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ("Derived d; o[0] = d.id();", 2),
        ("Derived d; Base &b = d; o[0] = b.id();", 1),
        ("Derived d; Base *b = &d; o[0] = b->id();", 1),
        ("Derived d; o[0] = of_reference(d);", 1),
        ("Derived d; o[0] = of_pointer(&d);", 1),
        ("Derived d; o[0] = of_copy(d);", 1),
        ("Derived d; o[0] = of_any(d);", 2),
        ("Derived d; auto &b = d; o[0] = b.id();", 2),
        ("Derived d; o[0] = d.through();", 1),
        ("Derived d; o[0] = d.through_this();", 1),
        ("Last l; Derived &d = l; o[0] = d.id();", 2),
        ("Last l; Derived &d = l; { Base &d = l; o[0] = d.id(); }", 1),
        ("Last l; Base &b = l; Last &again = static_cast<Last &>(b); o[0] = again.id();", 3),
        ("User u; o[0] = u.run();", 5),
        ("User u; o[0] = u.own();", 4),
        ("User u; Crtp<User> &c = u; o[0] = c.id();", 4),
        ("Round r; Shape &s = r; o[0] = s.id();", 7),
        ("Round r; o[0] = of_shape(r);", 7),
        ("Round r; o[0] = r.through();", 7),
    ],
)
def test_the_class_of_the_expression_decides(body: str, number: int) -> None:
    module = cuda_module(f"{CLASSES}__global__ void k(int *o) {{ {body} }}")
    (store,) = [each for each in module.kernels[0].operations() if isinstance(each, MemoryAccess)]
    assert isinstance(store.stored, Constant)
    assert store.stored.value == number
