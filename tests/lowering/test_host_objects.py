"""Objects of host code: what their constructors, methods and destructors leave in their members."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.ir.host import HostLaunch

CLASSES = """
template <typename T> struct Buffer {
    T *data = nullptr;
    size_t count = 0;
    Buffer() = default;
    explicit Buffer(size_t n) : count(n) { cudaMalloc(&data, n * sizeof(T)); }
    Buffer(const Buffer &) = delete;
    Buffer(Buffer &&other) noexcept : data(other.data), count(other.count) { other.data = nullptr; }
    ~Buffer() { cudaFree(data); }
    T *get() const { return data; }
    void resize(size_t n) { if (n <= count) return; cudaFree(data); take(n); }
    void take(size_t n) { cudaMalloc(&data, n * sizeof(T)); count = n; }
    void elsewhere();
};
struct Shadow { float *p; int n; Shadow(int n) { this->n = n; cudaMalloc(&this->p, n * 4); } };
struct Pair { Buffer<float> first, second; Pair(int n) : first(n), second(2 * n) {} };
struct Base { float *p; void take(int n) { cudaMalloc(&p, n * 4); } };
struct Derived : Base { int extra; };
namespace outer { typedef struct T { float *p; T(int n) { cudaMalloc(&p, n * 4); } } T; }
void outside(Buffer<float> &b);
__global__ void k(float *p) { p[threadIdx.x] = 1; }
"""


def size_passed(body: str) -> list[object]:
    """The bytes behind the pointer that each launch passes."""
    (kernel,) = cuda_module(CLASSES + "void h(int q) { " + body + " }").kernels
    return [launch.sizes[0] for launch in kernel.launches]


@pytest.mark.parametrize(
    ("body", "size"),
    [
        ("Buffer<float> b(64); k<<<1, 64>>>(b.data);", 256),
        ("Buffer<float> b{64}; k<<<1, 64>>>(b.get());", 256),
        ("Buffer<float> b; b.take(32); k<<<1, 32>>>(b.get());", 128),
        ("Buffer<float> b(64), c(8); k<<<1, 8>>>(c.get());", 32),
        ("Buffer<float> b(64); b.resize(128); k<<<1, 64>>>(b.get());", 512),
        ("Buffer<float> b(64); b.resize(8); k<<<1, 64>>>(b.get());", 256),
        ("Shadow s(16); k<<<1, 16>>>(s.p);", 64),
        ("Pair p(16); k<<<1, 16>>>(p.second.data);", 128),
        ("Pair p(16); k<<<1, 16>>>(p.first.get());", 64),
        ("Derived d; d.take(4); k<<<1, 4>>>(d.p);", 16),
        ("outer::T t(4); k<<<1, 4>>>(t.p);", 16),
        ("Buffer<float> b(64); auto f = [&] { b.take(8); }; f(); k<<<1, 64>>>(b.data);", 32),
        # Of a class in a function, and what somebody else may have written, is not known.
        ("struct L { float *p; L(int n) { cudaMalloc(&p, n); } }; L t(4); k<<<1, 4>>>(t.p);", None),
        ("Buffer<float> b(64); b.elsewhere(); k<<<1, 64>>>(b.data);", None),
        ("Buffer<float> b(64); outside(b); k<<<1, 64>>>(b.data);", None),
        ("Buffer<float> b(64); Buffer<float> *a = &b; a->resize(512); k<<<1, 8>>>(b.data);", None),
        ("Buffer<float> b(64); if (q) b.take(q); k<<<1, 64>>>(b.data);", None),
        ("Buffer<float> b(64); while (q--) b.take(q); k<<<1, 64>>>(b.data);", None),
        ("Buffer<float> b(64); Buffer<float> c(std::move(b)); k<<<1, 64>>>(b.data);", None),
        ("Buffer<float> b(64); later([&] { b.take(8); }); k<<<1, 64>>>(b.data);", None),
    ],
)
def test_sizes_behind_the_members_of_objects(body: str, size: int | None) -> None:
    assert size_passed(body) == [size]


def freed(body: str) -> list[bool]:
    """Whether each launch passes memory that was given back."""
    events = cuda_module(CLASSES + "void h(int q) { " + body + " }").host
    launches = [each for each in events if isinstance(each, HostLaunch)]
    pointers = [each.arguments[0].pointer for each in launches]
    return [pointer is not None and pointer.freed is not None for pointer in pointers]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("float *p; { Buffer<float> b(64); p = b.get(); } k<<<1, 64>>>(p);", True),
        ("float *p; Buffer<float> b(64); { p = b.get(); } k<<<1, 64>>>(p);", False),
        ("Buffer<float> b(64), c(64); { Buffer<float> d(64); } k<<<1, 64>>>(b.get());", False),
        ("Buffer<float> b(64); cudaFree(b.data); k<<<1, 64>>>(b.get());", True),
        ("Buffer<float> b(64); cudaFree(b.data); b.take(64); k<<<1, 64>>>(b.get());", False),
    ],
)
def test_memory_that_ends_with_an_object(body: str, expected: bool) -> None:
    assert freed(body) == [expected]


def test_a_method_sees_the_members_of_its_own_object() -> None:
    module = cuda_module("""
    __global__ void step(float *a, float *b) { b[threadIdx.x] = a[threadIdx.x]; }
    struct Sim {
        float *now, *then;
        Sim(int n) { cudaMalloc(&now, n * 4); cudaMalloc(&then, n * 8); }
        void swap() { float *t = now; now = then; then = t; }
        void run() { step<<<1, 32>>>(now, then); swap(); step<<<1, 64>>>(now, then); }
    };
    int main() { Sim s(32); s.run(); }""")
    (kernel,) = module.kernels
    assert [launch.sizes for launch in kernel.launches] == [(128, 256), (256, 128)]


def test_memory_that_a_method_gives_back_is_held_by_nobody() -> None:
    classes = """
    __global__ void k(float *p) { p[threadIdx.x] = 1; }
    struct Room {
        float *base = nullptr;
        void again(int n) { cudaFree(base); cudaMalloc(&base, n); }
    };
    void h() { Room r; r.again(256); float *p = r.base; r.again(512); k<<<1, 64>>>(%s); }"""
    for given, expected in (("p", True), ("r.base", False)):
        events = cuda_module(classes % given).host
        (launch,) = [each for each in events if isinstance(each, HostLaunch)]
        pointer = launch.arguments[0].pointer
        assert pointer is not None
        assert (pointer.freed is not None) is expected


@pytest.mark.parametrize(
    ("body", "size"),
    [
        ("Run run{8}; run(q); cudaDeviceSynchronize();", 32),
        ("Run{16}(q); cudaDeviceSynchronize();", 64),
        ("auto p = own(24); k<<<1, 8>>>(p.get());", 96),
        ("float *p = plain(40); k<<<1, 8>>>(p);", 160),
    ],
)
def test_objects_that_are_called_and_functions_that_get_memory(body: str, size: int) -> None:
    text = """
    __global__ void k(float *p) { p[threadIdx.x] = 1; }
    struct Run {
        int n;
        void operator()(int q) const { float *p; cudaMalloc(&p, n * 4); k<<<1, 8>>>(p); }
    };
    struct Free { void operator()(void *p) const { cudaFree(p); } };
    std::unique_ptr<float[], Free> own(int n)
    {
        float *p;
        cudaMalloc(&p, n * 4);
        return std::unique_ptr<float[], Free>(p);
    }
    float *plain(int n) { float *p; cudaMalloc(&p, n * 4); return p; }
    void h(int q) { """
    (kernel,) = cuda_module(text + body + " }").kernels
    assert size in [launch.sizes[0] for launch in kernel.launches]


def test_classes_that_point_to_each_other_are_told_apart_by_name() -> None:
    """A type has the types of its members in it, of which each of these has twice as many."""
    classes = "\n".join(
        f"struct C{each} {{ C{each + 1} *left, *right; int n; "
        f"void run(int *p) {{ k<<<1, 32>>>(p, n); left->run(p); }} }};"
        for each in reversed(range(60))
    )
    module = cuda_module(
        "__global__ void k(int *p, int n) { p[0] = n; }\n"
        "struct C60 { int n; void run(int *p) {} };\n"
        f"{classes}\nvoid host(int *p) {{ C0 c; c.n = 7; c.run(p); }}"
    )
    passed = [each.arguments[1] for each in module.host if isinstance(each, HostLaunch)]
    assert 7 in [each.formula for each in passed]
