"""Destructors: which run, in which order, and on which ways out of a block."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.ir.operations import Call, MemoryAccess
from warplint.analyzer.ir.values import Constant

CLASSES = """
struct Note {
    int *log, number;
    __device__ Note(int *log, int number) : log(log), number(number) {}
    __device__ ~Note() { *log = number; }
};
struct Plain { int *log; ~Plain() = default; };
struct Hidden { int *log; __device__ ~Hidden(); };
struct Base { Note first; __device__ Base(int *log) : first(log, 1) {} };
struct Whole : Base {
    Note second;
    __device__ Whole(int *log) : Base(log), second(log, 2) {}
};
__device__ Note made(int *log) { Note made(log, 7); return made; }
"""


def _stored(body: str) -> list[object]:
    """What the stores of a kernel with that body put down, in the order of the text."""
    source = CLASSES + "__global__ void k(int *out, const int *in, int n) {" + body + "}"
    (kernel,) = cuda_module(source).kernels
    return [
        value.value if isinstance(value, Constant) else value
        for operation in kernel.operations()
        if isinstance(operation, MemoryAccess) and operation.writes
        for value in operation.operands[1:]
    ]


@pytest.mark.parametrize(
    ("body", "stored"),
    [
        ("Note a(out, 1); Note b(out, 2); *out = 0;", [0, 2, 1]),
        ("{ Note a(out, 1); } *out = 0;", [1, 0]),
        ("Note(out, 1); *out = 0;", [1, 0]),
        ("const Note &a = Note(out, 1); *out = 0;", [0, 1]),
        ("Note a = made(out); *out = 0;", [0, 7]),
        ("Whole w(out);", [2, 1]),
        ("Plain p{out}; *out = 0;", [0]),
        ("for (Note a(out, 1); false;) ; *out = 0;", [1, 0]),
    ],
)
def test_objects_end_with_their_blocks(body: str, stored: list[object]) -> None:
    """In the reverse of their order, members before bases."""
    assert _stored(body) == stored


@pytest.mark.parametrize("leaving", ["break", "continue", "return"])
def test_every_way_out_of_a_block_ends_its_objects(leaving: str) -> None:
    """Once on the way that leaves early, once at the end."""
    body = f"for (int i = 0; i < n; i++) {{ Note a(out, 1); if (in[i]) {leaving}; }}"
    assert _stored(body) == [1, 1]


def test_an_unseen_destructor_may_do_anything() -> None:
    """It is a call that is not read."""
    source = CLASSES + "__global__ void k(int *out) { Hidden h{out}; }"
    (kernel,) = cuda_module(source).kernels
    assert any(isinstance(operation, Call) for operation in kernel.operations())


def test_parameters_end_with_the_function_and_copies_are_made() -> None:
    """The copy constructor writes, then the body, then the destructor of the parameter."""
    classes = """
    struct Copied {
        int *log;
        __device__ Copied(int *log) : log(log) {}
        __device__ Copied(const Copied &other) : log(other.log) { *log = 5; }
        __device__ ~Copied() { *log = 6; }
    };
    __device__ void take(Copied copied) { *copied.log = 0; }
    """
    source = classes + "__global__ void k(int *out) { Copied c(out); take(c); *out = 9; }"
    (kernel,) = cuda_module(source).kernels
    assert [
        value.value
        for operation in kernel.operations()
        if isinstance(operation, MemoryAccess)
        for value in operation.operands[1:]
        if isinstance(value, Constant)
    ] == [5, 0, 6, 9, 6]


@pytest.mark.parametrize("destructor", ["", "__device__ ~N0() { __syncthreads(); }"])
def test_classes_that_double_are_bounded(destructor: str) -> None:
    """Each holds two of the one before it: a walk of all parts would not end."""
    first = f"struct N0 {{ int x; __device__ N0() : x(0) {{}} {destructor} }};"
    rest = "".join(f"struct N{i} {{ N{i - 1} one, two; }};" for i in range(1, 17))
    source = f"{first}{rest}__global__ void k() {{ {'N16 a; N16 b; N16 c;'} }}"
    (kernel,) = cuda_module(source).kernels
    left = [each.callee for each in kernel.operations() if isinstance(each, Call)]
    assert left.count("~N16") == (2 if destructor else 0)
    assert kernel.size < 100_000
