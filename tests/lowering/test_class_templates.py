"""Class templates: as arguments of templates, classes within them, arguments that are deduced."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.analyses.pointers.pointer_contents import displacement
from warplint.analyzer.ir.operations import Call, MemoryAccess, OpaqueOperation


def distances(text: str) -> list[list[int | None]]:
    """The distances of the accesses of each kernel from the bases of their addresses."""
    found: list[list[int | None]] = []
    for kernel in cuda_module(text).kernels:
        operations = list(kernel.operations())
        assert not any(isinstance(item, Call | OpaqueOperation) for item in operations)
        accesses = [item for item in operations if isinstance(item, MemoryAccess)]
        found.append([displacement(access.address) for access in accesses])
    return found


def test_a_class_template_as_an_argument_is_followed() -> None:
    text = """
    enum Kind { A, B };
    template <Kind kind> struct Get { __device__ static float *call(float *c, int i); };
    template <> struct Get<A>
    { __device__ static float *call(float *c, int i) { return c + i; } };
    template <> struct Get<B>
    { __device__ static float *call(float *c, int i) { return c + 2 * i; } };
    template <template <Kind> typename Get, typename... Rest>
    __device__ decltype(auto) inner(float *c, Rest&&... rest)
    { return Get<B>::call(c, static_cast<Rest&&>(rest)...); }
    template <template <Kind> typename Function, typename... Rest>
    __device__ decltype(auto) outer(float *c, Rest&&... rest)
    { return inner<Function>(c, static_cast<Rest&&>(rest)...); }
    __global__ void k(float *c) { *outer<Get>(c, 5) = 1; }
    """
    assert distances(text) == [[40]]


def test_a_class_within_a_template_has_its_arguments() -> None:
    text = """
    template <typename T, int N> struct Traits {
        struct Storage {
            T k[N];
            union { T v[N]; int w[N]; };
            __device__ T *values() { return v; }
        };
    };
    template <typename Traits> __global__ void k() {
        __shared__ typename Traits::Storage s;
        s.k[1] = 1; s.w[1] = 2; s.values()[2] = 3;
    }
    void run() { k<Traits<float, 8>><<<1, 32>>>(); k<Traits<double, 16>><<<1, 32>>>(); }
    """
    assert distances(text) == [[4, 36, 40], [8, 132, 144]]


def test_classes_of_one_name_in_two_classes_are_two() -> None:
    text = """
    struct First { struct Params { int a; float b; }; };
    struct Second { struct Params { double a; double c; float b; }; };
    template <typename T> __global__ void k(typename T::Params *p) { p->b = 1; }
    void run(First::Params *p, Second::Params *q)
    { k<First><<<1, 32>>>(p); k<Second><<<1, 32>>>(q); }
    """
    assert distances(text) == [[4], [16]]


def test_arguments_of_a_class_are_deduced_from_its_constructor() -> None:
    text = """
    #include <utility>
    template <typename F> struct Places {
        F f;
        __device__ explicit Places(F&& f) : f(std::forward<F>(f)) {}
        __device__ auto operator[](int i) { return f(i); }
    };
    template <typename T> struct Two { T *a; T *b; };
    __global__ void k(char *bytes, double *x) {
        auto places = Places([=](int i) { return reinterpret_cast<float *>(bytes + i * 64); });
        places[2][1] = 1;
        Two two{x, x + 1};
        two.b[1] = 2;
    }
    """
    assert distances(text) == [[132, 16]]


def test_arguments_of_a_function_are_deduced_from_an_instance_of_a_class() -> None:
    text = """
    template <typename T, int N> struct Row { T v[N]; };
    template <int N> struct Row<float, N> { float v[2 * N]; };
    template <typename T, int N> struct Pair { T a; Row<T, N> b; };
    template <typename Of, int Count>
    __device__ void put(const Row<Of, Count> &row, char *to) { *(Of *)(to + Count) = 1; }
    template <typename Of, int Count>
    __device__ void put_two(Pair<Of, Count> *pair, char *to) { *(Of *)(to + 2 * Count) = 1; }
    template <typename Held, int Count>
    __device__ void put_pointer(Row<Held *, Count> &row, char *to) { *(Held *)(to + Count) = 1; }
    __global__ void k(char *to) {
        Row<double, 8> plain; Row<float, 24> special;
        Pair<float, 50> pair; Row<short *, 6> pointers;
        put(plain, to); put(special, to); put_two(&pair, to); put_pointer(pointers, to);
    }
    """
    assert distances(text) == [[8, 24, 100, 6]]
    (kernel,) = cuda_module(text).kernels
    accesses = [item for item in kernel.operations() if isinstance(item, MemoryAccess)]
    assert [access.width for access in accesses] == [8, 4, 4, 2]


@pytest.mark.parametrize("given", ["Tag<1>()", "Tag<1>{}", "tag", "Tag<M>()", "Tag<M - 0>{}"])
def test_overloads_are_told_apart_by_the_arguments_of_a_class(given: str) -> None:
    text = """
    template <int N> struct Tag { enum { value = N }; };
    template <typename T> __device__ void put(T *to, Tag<0> tag) { to[10] = 0; }
    template <typename T> __device__ void put(T *to, Tag<1> tag) { to[20] = 1; }
    template <typename T> __device__ void put(T *to, Tag<2> tag) { to[30] = 2; }
    template <int M> __global__ void k(float *to) { Tag<M> tag; put(to, GIVEN); }
    void run(float *to) { k<1><<<1, 32>>>(to); }
    """
    assert distances(text.replace("GIVEN", given)) == [[80]]


def test_an_overload_for_any_argument_takes_what_no_other_does() -> None:
    text = """
    template <typename T> struct Of { T *p; };
    __device__ void put(Of<float> x) { x.p[1] = 1; }
    template <typename T> __device__ void put(Of<T> x) { x.p[2] = 2; }
    __global__ void k(float *f, double *d) { Of<float> a{f}; Of<double> b{d}; put(a); put(b); }
    """
    assert distances(text) == [[4, 16]]


def test_what_does_not_settle_them_is_not_guessed() -> None:
    text = """
    template <typename T, int N> struct Tile { T *p; };
    __global__ void k(float *x) { Tile tile{x}; tile.p[3] = 1; }
    """
    (kernel,) = cuda_module(text).kernels
    (access,) = (item for item in kernel.operations() if isinstance(item, MemoryAccess))
    assert access.width is None


def test_defaults_that_a_class_declares_count_for_a_definition_outside() -> None:
    text = """
    struct None {};
    struct Thread { __device__ int rank() const { return 1; } };
    template <unsigned mask> struct Net {
        float *data;
        __device__ Net(float *p, int shift = 2);
        template <typename Action = None, typename Group = Thread>
        __device__ void put(int i, Action action = None{}, Group group = Thread{}, int more = 3);
        __device__ void put(float *p, int i = 100);
    };
    template <unsigned m> __device__ Net<m>::Net(float *p, int shift) : data(p + shift) {}
    template <unsigned m> template <typename Action, typename Group>
    __device__ void Net<m>::put(int i, Action, Group group, int more)
    { data[i + more + group.rank()] = 1; }
    template <unsigned m> __device__ void Net<m>::put(float *p, int i) { p[i] = 1; }
    __global__ void k(float *x) { Net<3> net(x); net.put(4); net.put(4, None{}); net.put(x); }
    """
    assert distances(text) == [[40, 40, 400]]


RECURSIVE = """
template <int n> __device__ float sum(const float *x)
{ if constexpr (n == 0) return 0; else return x[n - 1] + sum<n - 1>(x); }
template <typename T> __device__ T most(T a) { return a; }
template <typename T, typename... Rest> __device__ T most(T a, Rest... rest)
{ T b = most(rest...); return a > b ? a : b; }
template <int n> __device__ int open(int i) { return i == 0 ? 0 : open<n>(i - 1); }
__device__ int factorial(int i) { return i < 2 ? 1 : i * factorial(i - 1); }
template <int n> __device__ int endless(int i) { return endless<n + 1>(i); }
"""


def test_other_instances_of_a_function_template_are_followed() -> None:
    kernel = "__global__ void k(float *x, int *y) { x[9] = sum<3>(x); y[most(1, 3, 2)] = 4; }"
    assert distances(RECURSIVE + kernel) == [[8, 4, 0, 36, 12]]


def test_recursion_is_not_followed() -> None:
    kernel = """__global__ void k(int *y) {
        y[0] = open<3>(y[1]); y[2] = factorial(y[3]); y[4] = endless<0>(3);
    }"""
    (found,) = cuda_module(RECURSIVE + kernel).kernels
    calls = [item for item in found.operations() if isinstance(item, Call)]
    assert [(call.callee, call.reason.split(" ", 1)[0]) for call in calls] == [
        ("open", "recursion"),
        ("factorial", "recursion"),
        ("endless", "calls"),
    ]


def test_a_full_specialisation_comes_before_a_partial_one() -> None:
    text = """
    template <typename T, int N> struct Vec { T v[N]; static constexpr int at = 1; };
    template <> struct Vec<float, 2> { float v[2]; static constexpr int at = 2; };
    template <> struct Vec<__nv_fp8_e4m3, 2> { char v[2]; static constexpr int at = 5; };
    template <> struct Vec<elsewhere, 2> { char v[2]; static constexpr int at = 6; };
    template <int N> struct Vec<float, N> { float v[N]; static constexpr int at = 3; };
    __global__ void k(float *c) {
        c[Vec<float, 2>::at] = 1;
        c[Vec<int, 4>::at] = 1;
        c[Vec<float, 4>::at] = 1;
        c[Vec<__nv_fp8_e4m3, 2>::at] = 1;
    }
    """
    assert distances(text) == [[8, 4, 12, 20]]


def test_the_most_specialised_of_those_that_fit_counts() -> None:
    text = """
    template <typename T, int M, int N> struct Sum { static constexpr int at = 1; };
    template <typename T, int M> struct Sum<T, M, 1> { static constexpr int at = 2; };
    template <typename T, int M, int N> struct Sum<T, M, N> { static constexpr int at = 3; };
    template <typename T> struct Sum<T *, 1, 1> { static constexpr int at = 4; };
    template <typename T, typename U> struct Pair { static constexpr int at = 5; };
    template <typename T> struct Pair<T, T> { static constexpr int at = 6; };
    template <typename T, typename U> struct Pair<T *, U> { static constexpr int at = 7; };
    template <typename T, typename U> struct Pair<T, U *> { static constexpr int at = 8; };
    __global__ void k(float *c) {
        c[Sum<float, 1, 1>::at] = 1;
        c[Sum<float, 1, 2>::at] = 1;
        c[Sum<float *, 1, 1>::at] = 1;
        c[Pair<int, float>::at] = 1;
        c[Pair<int, int>::at] = 1;
        c[Pair<int *, float>::at] = 1;
        c[Pair<float, int *>::at] = 1;
    }
    """
    assert distances(text) == [[8, 12, 16, 20, 24, 28, 32]]


def test_two_that_say_as_much_leave_it_open() -> None:
    text = """
    template <typename T, typename U> struct Pair { static constexpr int at = 5; };
    template <typename T, typename U> struct Pair<T *, U> { static constexpr int at = 7; };
    template <typename T, typename U> struct Pair<T, U *> { static constexpr int at = 8; };
    __global__ void k(float *c) { c[Pair<int *, int *>::at] = 1; c[3] = 1; }
    """
    assert distances(text) == [[None, 12]]


def test_methods_outside_of_a_class_belong_to_their_specialisation() -> None:
    text = """
    template <typename T, int N> struct Vec { T v[N]; __device__ static T *at(T *p); };
    template <> struct Vec<float, 1> { float v; __device__ static float *at(float *p); };
    template <> struct Vec<float, 2> { float2 v; __device__ static float *at(float *p); };
    template <int N> struct Vec<float, N> { __device__ static float *at(float *p); };
    template <typename T> struct Vec<T *, 2> { __device__ static float *at(float *p); };
    template <typename U, int M> __device__ U *Vec<U, M>::at(U *p) { return p + 10; }
    __device__ float *Vec<float, 1>::at(float *p) { return p + 1; }
    __device__ float *Vec<float, 2>::at(float *p) { return p + 2; }
    template <int K> __device__ float *Vec<float, K>::at(float *p) { return p + K + 100; }
    template <typename X> __device__ float *Vec<X *, 2>::at(float *p) { return p + 40; }
    __global__ void k(float *c, int *i) {
        *Vec<float, 1>::at(c) = 1;
        *Vec<float, 2>::at(c) = 1;
        *Vec<float *, 2>::at(c) = 1;
        *Vec<int, 2>::at(i) = 1;
    }
    """
    assert distances(text) == [[4, 8, 160, 40]]


def test_a_member_is_what_was_put_there_even_if_nobody_knows_its_type() -> None:
    text = """
    struct Range { int first; int limit; };
    __device__ Range make(int n) { Range r; r.first = n; r.limit = unseen(n); return r; }
    __global__ void k(int *out, int n) { Range r = make(n); out[r.first] = r.limit; }
    """
    (kernel,) = cuda_module(text).kernels
    operations = list(kernel.operations())
    (call,) = [each for each in operations if isinstance(each, Call)]
    (store,) = [each for each in operations if isinstance(each, MemoryAccess)]
    assert store.operands[1] is call


METHOD = """
template <class Data> struct Solver {
    template <int Values, int Others> void update(Data data);
    template <int Values> __device__ float *last(float *v);
};
template <int Values> __global__ void k(float *c) { c[Values] = 1; }
template <class Data>
template <int Values, int Others>
void Solver<Data>::update(Data data) { k<Values><<<1, 32>>>(data); }
template <class Data>
template <int Values>
__device__ float *Solver<Data>::last(float *v) { return v + Values; }
"""


def test_a_call_names_the_arguments_of_a_method_that_is_defined_outside_of_its_class() -> None:
    launched = "void run(Solver<float *> &s, float *c) { s.update<4, 14>(c); }"
    assert [each.instance for each in cuda_module(METHOD + launched).kernels] == ["k<4>"]
    called = "__global__ void user(float *c) { Solver<float> s; *s.last<3>(c) = 1; }"
    assert distances(METHOD + called)[-1] == [12]


def test_a_template_that_is_never_defined_is_its_specialisations() -> None:
    text = """
    template <typename T, int N> struct Pitch;
    template <> struct Pitch<float, 4> { static constexpr int value = 33; };
    template <typename T> struct Pitch<T, 2> { static constexpr int value = 17; };
    template <typename T> __global__ void k(float *c)
    { c[Pitch<T, 4>::value] = 1; c[Pitch<T, 2>::value] = 1; c[Pitch<T, 3>::value] = 1; }
    template __global__ void k<float>(float *);
    """
    assert distances(text) == [[132, 68, None]]


def test_a_template_defined_after_its_specialisation_is_both() -> None:
    text = """
    template <typename T> struct Pitch;
    template <> struct Pitch<float> { static constexpr int value = 3; };
    template <typename T> struct Pitch { static constexpr int value = 5; };
    __global__ void k(float *c) { c[Pitch<float>::value] = 1; c[Pitch<int>::value] = 1; }
    """
    assert distances(text) == [[12, 20]]


def test_specialisations_are_told_apart_by_numbers_and_types_however_often_they_are_asked_for() -> (
    None
):
    text = """
    template <int N, int M = N> struct Step { static constexpr int value = 1; };
    template <int M> struct Step<4, M> { static constexpr int value = 5 + M; };
    template <> struct Step<2 * 4, 8> { static constexpr int value = 7; };
    template <class T, int N> struct Typed { static constexpr int value = N; };
    template <int N> struct Typed<float, N> { static constexpr int value = 10 * N; };
    __global__ void k(char *c) {
        c[Step<4>::value] = c[Step<3>::value] = c[Step<8>::value] = c[Step<4, 1>::value] = 1;
        c[Step<4>::value] = c[Typed<int, 2>::value] = c[Typed<float, 2>::value] = 1;
        c[Typed<float, 3>::value] = c[Typed<int, 2>::value] = 1;
    }
    """
    assert sorted(each or 0 for each in distances(text)[0]) == [1, 2, 2, 6, 7, 9, 9, 20, 30]


def test_methods_are_those_of_the_specialisation_wherever_they_stand() -> None:
    text = """
    template <int N> struct Row
    { __device__ int at(int i); __device__ int twice() { return 2 * at(1); } };
    template <> struct Row<4>
    { __device__ int at(int i); __device__ int twice() { return at(8); } };
    template <int N> __device__ int Row<N>::at(int i) { return N * i; }
    __device__ inline int Row<4>::at(int i) { return 100 + i; }
    __global__ void k(char *c) {
        Row<3> a; Row<4> b; Row<5> d;
        c[a.twice()] = c[b.twice()] = c[d.twice()] = c[b.at(1)] = c[a.at(1)] = 1;
    }
    """
    assert sorted(each or 0 for each in distances(text)[0]) == [3, 6, 10, 101, 108]
