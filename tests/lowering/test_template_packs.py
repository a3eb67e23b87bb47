"""Packs of types and of constants: in names, folds, specialisations, lists and sizes."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.analyses.pointers.pointer_contents import displacement
from warplint.analyzer.ir.operations import Call, MemoryAccess, OpaqueOperation
from warplint.analyzer.ir.values import Constant

BEFORE = """
template <int... I> struct Row {
    static constexpr int size = sizeof...(I);
    static constexpr int product = (I * ... * 1);
    static constexpr int reversed = (1 - ... - I);
    static constexpr bool ordered = ((I < 9) && ...);
};
template <int N, int... I> struct Made { using type = typename Made<N - 1, N - 1, I...>::type; };
template <int... I> struct Made<0, I...> { using type = Row<I...>; };
template <int First, int... Rest> struct Tail {
    static constexpr int first = First;
    static constexpr int next = Tail<Rest...>::first;
};
template <int First> struct Tail<First> {
    static constexpr int first = First;
    static constexpr int next = -1;
};
template <class... T> struct Bytes;
template <> struct Bytes<> { static constexpr int sum = 0; };
template <class T, class... R> struct Bytes<T, R...> {
    static constexpr int sum = sizeof(T) + Bytes<R...>::sum;
};
template <int N, class T, class... R> struct Nth { using type = typename Nth<N - 1, R...>::type; };
template <class T, class... R> struct Nth<0, T, R...> { using type = T; };
template <class... T> struct All;
template <> struct All<> { __device__ int sum() const { return 0; } };
template <class T, class... R> struct All<T, R...> {
    T head;
    All<R...> rest;
    __device__ All(T first, R... others) : head(first), rest(others...) {}
    __device__ int sum() const { return head + rest.sum(); }
};
template <int... I> __device__ int added(Row<I...>) { return ((2 * I) + ...); }
template <int... I> __device__ int counted() { return sizeof...(I); }
template <class T, T... I> __device__ int listed() { T held[] = {1, I...}; return sizeof held; }
template <class... T> __device__ int sizes(T... given) { return Bytes<T...>::sum; }
template <int N> struct Unrolled {
    template <class F> __device__ static void run(F &&body) {
        Unrolled<N - 1>::run(static_cast<F &&>(body));
        body(N - 1);
    }
};
template <> struct Unrolled<0> { template <class F> __device__ static void run(F &&) {} };
"""


def stored(statement: str) -> list[object]:
    """The constants that a kernel of one statement stores; nothing in it is left unread."""
    text = f"{BEFORE}\n__global__ void k(int *p) {{ {statement} }}"
    operations = list(cuda_module(text).kernels[-1].operations())
    assert not any(isinstance(each, Call | OpaqueOperation) for each in operations)
    values = [each.stored for each in operations if isinstance(each, MemoryAccess) and each.writes]
    return [value.value if isinstance(value, Constant) else None for value in values]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Row<4, 8, 2>::size", 3),
        ("Row<>::size", 0),
        ("Row<4, 8, 2>::product", 64),
        ("Row<>::product", 1),
        ("Row<4, 8>::reversed", -11),
        ("Row<4, 8>::ordered", 1),
        ("Row<4, 9>::ordered", 0),
        ("Row<>::ordered", 1),
        ("added(Row<1, 2, 3>{})", 12),
        ("added(typename Made<4>::type{})", 12),
        ("counted<5, 6>()", 2),
        ("listed<short, 5, 6>()", 6),
        ("Tail<7, 8, 9>::next", 8),
        ("Tail<7>::next", -1),
        ("Bytes<int, double, char>::sum", 13),
        ("sizes(1, 2.0, 'c')", 13),
        ("sizes()", 0),
        ("sizeof(Nth<1, int, double, char>::type)", 8),
        ("All<int, int, int>(1, 2, 3).sum()", 6),
        ("[](auto... each) { return (each + ...); }(1, 2, 3)", 6),
    ],
)
def test_values(value: str, expected: int) -> None:
    assert stored(f"*p = {value};")[-1] == expected


def test_static_methods_of_instances_are_no_recursion() -> None:
    assert stored("Unrolled<3>::run([&](int i) { p[i] = i; });") == [0, 1, 2]


def test_instances_of_kernels_have_all_elements_in_their_names() -> None:
    text = f"""{BEFORE}
    template <int... I> __global__ void values(int *p) {{ ((p[I] = I), ...); }}
    template <class... T> __global__ void types(int *p) {{ *p = Bytes<T...>::sum; }}
    void run(int *p) {{
        values<0, 2><<<1, 1>>>(p); values<0, 3, 4><<<1, 1>>>(p);
        types<int, char><<<1, 1>>>(p); types<int><<<1, 1>>>(p);
    }}
    """
    kernels = cuda_module(text).kernels
    found = {
        kernel.instance: [
            displacement(each.address)
            for each in kernel.operations()
            if isinstance(each, MemoryAccess)
        ]
        for kernel in kernels
    }
    assert found == {
        "values<0, 2>": [0, 8],
        "values<0, 3, 4>": [0, 12, 16],
        "types<int, char>": [0],
        "types<int>": [0],
    }


def test_what_a_launch_hands_to_a_kernel_of_a_pack() -> None:
    text = """
    struct Store { __device__ void operator()(int *p, double *q) const { p[2] = 1; q[3] = 2; } };
    template <class F, class... A> __global__ void call(F f, A... given) { f(given...); }
    template <class... T> __global__ void zero(T *...p) { ((p[1] = 0), ...); }
    template <class F, class... A> void run(F f, A... given) { call<<<1, 1>>>(f, given...); }
    void host(int *p, double *q) { run(Store{}, p, q); zero<<<1, 1>>>(p, q, p); }
    """
    called, zeroed = cuda_module(text).kernels
    assert called.instance == "call<Store, int*, double*>"
    assert [each.name for each in called.parameters] == ["f", "given[0]", "given[1]"]
    assert zeroed.instance == "zero<int, double, int>"
    for kernel, expected in ((called, [8, 24]), (zeroed, [4, 8, 4])):
        operations = list(kernel.operations())
        assert not any(isinstance(each, Call | OpaqueOperation) for each in operations)
        accesses = [each for each in operations if isinstance(each, MemoryAccess)]
        assert [displacement(each.address) for each in accesses] == expected


@pytest.mark.parametrize(
    "statement",
    [
        "template <int... I> __global__ void k(int *p) { *p = Row<I...>::size; }",
        "template <class... T> __global__ void k(int *p) { *p = Bytes<T...>::sum; }",
        "template <int... I> __global__ void k(int *p) { *p = Tail<I...>::first; }",
        "template <int... I> __global__ void k(int *p) { *p = Tail<4, I...>::next; }",
    ],
)
def test_what_nobody_says_has_no_value(statement: str) -> None:
    operations = cuda_module(f"{BEFORE}\n{statement}").kernels[0].operations()
    (store,) = [each for each in operations if isinstance(each, MemoryAccess)]
    assert not isinstance(store.stored, Constant)


SEQUENCES = """
template <size_t... I> __device__ int sum(std::index_sequence<I...>) { return (0 + ... + I); }
template <class T, T... I> __device__ int all(std::integer_sequence<T, I...>) { return (I + ...); }
template <class... T> __device__ int types() { return sum(std::index_sequence_for<T...>{}); }
"""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("sum(std::index_sequence<3, 4>{})", 7),
        ("sum(std::make_index_sequence<5>{})", 10),
        ("sum(std::make_index_sequence<0>())", 0),
        ("all(std::make_integer_sequence<int, 4>{})", 6),
        ("types<int, char, float>()", 3),
        ("std::make_index_sequence<5>::size()", 5),
    ],
)
def test_sequences_of_the_standard_library(value: str, expected: int) -> None:
    text = f"{SEQUENCES}\n__global__ void k(int *p) {{ *p = {value}; }}"
    operations = list(cuda_module(text).kernels[0].operations())
    assert not any(isinstance(each, Call | OpaqueOperation) for each in operations)
    (store,) = [each for each in operations if isinstance(each, MemoryAccess)]
    assert isinstance(store.stored, Constant)
    assert store.stored.value == expected


def test_a_sequence_of_more_numbers_than_any_kernel_has_is_not_made() -> None:
    value = "sum(std::make_index_sequence<1 << 30>())"
    text = f"{SEQUENCES}\n__global__ void k(int *p) {{ *p = {value}; }}"
    operations = list(cuda_module(text).kernels[0].operations())
    stores = [each for each in operations if isinstance(each, MemoryAccess)]
    assert not any(isinstance(each.stored, Constant) for each in stores)
