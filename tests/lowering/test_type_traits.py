"""What `<type_traits>`, `decltype` and `alignof` say, as static_assert of nvcc 13.0 confirms."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module, facts_of

from warplint.analyzer.analyses.pointers.pointer_contents import displacement
from warplint.analyzer.ir.operations import Call, MemoryAccess, OpaqueOperation

HEAD = """
#include <type_traits>
#include <cstdint>
enum Color { RED, GREEN };
enum class Narrow : unsigned char { NONE, SOME };
struct Flagged { Narrow kind; int value; };
template <typename T> struct Box { T held; };
template <typename T> struct is_half : std::false_type {};
template <> struct is_half<half> : std::true_type {};
template <typename T> __device__ T first(const T* p) { return p[0]; }
template <typename T> __device__ int is_plain_float(const T& value)
{ if constexpr (std::is_same_v<T, float>) return 1; else return 0; }
template <typename T, int N> struct Span { T held; };
template <typename T> struct is_box : std::false_type {};
template <typename T> struct is_box<Box<T>> : std::true_type {};
template <typename T> struct extent { static constexpr int value = 0; };
template <typename T> struct is_elsewhere : std::false_type {};
template <typename T> struct is_elsewhere<elsewhere::Crate<T>> : std::true_type {};
template <typename T, int N> struct extent<Span<T, N>> { static constexpr int value = N; };
template <int N> struct extent<Span<char, N>> { static constexpr int value = -N; };
template <typename T> constexpr bool is_number() { return std::is_arithmetic<T>(); }
template <typename T> constexpr bool is_plain() { return is_number<T>() or is_box<T>{}; }
template <int N> constexpr int twice(int n) { return N * n; }
"""

#: expression of the file: its value
VALUES = {
    "std::is_same_v<float, float>": 1,
    "std::is_same<int, unsigned>::value": 0,
    "std::is_same_v<const float, float>": 0,
    "std::is_same_v<half, __half>": 1,
    "std::is_same_v<float*, const float*>": 0,
    "std::is_same_v<Box<int>, Box<int>>": 1,
    "std::is_same_v<Box<int>, Box<float>>": 0,
    "std::is_same_v<Color, int>": 0,
    "std::is_same_v<std::conditional_t<(sizeof(int) > 2), long*, int>, long*>": 1,
    "std::is_same_v<typename std::conditional<false, long, double>::type, double>": 1,
    "std::is_same_v<std::remove_cv_t<const float>, float>": 1,
    "std::is_same_v<std::make_unsigned_t<int>, unsigned>": 1,
    "std::is_integral_v<unsigned long>": 1,
    "std::is_integral_v<Color>": 0,
    "std::is_floating_point_v<double>": 1,
    "std::is_pointer_v<float*>": 1,
    "std::is_arithmetic_v<half>": 0,
    "std::is_arithmetic_v<short>": 1,
    "std::is_signed_v<float>": 1,
    "std::is_signed_v<unsigned char>": 0,
    "std::is_unsigned_v<bool>": 1,
    "std::is_unsigned_v<Narrow>": 0,
    "std::is_same_v<std::byte, unsigned char>": 0,
    "is_box<Box<int>>::value": 1,
    "is_box<Span<int, 2>>::value": 0,
    "is_box<float>::value": 0,
    "is_elsewhere<Flagged>::value": 0,
    "is_elsewhere<int>::value": 0,
    "extent<Span<int, 5>>::value": 5,
    "extent<Span<char, 5>>::value": -5,
    "extent<Box<int>>::value": 0,
    "is_number<int>()": 1,
    "is_number<Box<int>>()": 0,
    "is_plain<Box<int>>()": 1,
    "is_plain<float *>()": 0,
    "twice<3>(4)": 12,
    "is_half<half>::value": 1,
    "is_half<float>::value": 0,
    "std::integral_constant<int, 7>::value": 7,
    "alignof(double)": 8,
    "alignof(int4)": 16,
    "sizeof(Narrow)": 1,
    "sizeof(Flagged)": 8,
    "sizeof(decltype(first(x)))": 4,
    "sizeof(decltype(x + 1))": 8,
    "sizeof(decltype(1.0f * 2.0))": 8,
}


def distance_of_store(body: str) -> int | None:
    """The constant distance from x, in floats, of the one store of a kernel."""
    facts = facts_of(f"{HEAD}__global__ void k(float *x) {{ {body} }}", (32, 1, 1))
    assert not any(isinstance(o, Call | OpaqueOperation) for o in facts.kernel.operations())
    (store,) = (access for access in facts.accesses if access.writes)
    distance = displacement(store.address)
    return None if distance is None else distance // 4


@pytest.mark.parametrize("expression", VALUES)
def test_values(expression: str) -> None:
    assert distance_of_store(f"x[{expression}] = 1;") == VALUES[expression]


def test_signed_and_plain_characters_are_not_told_apart() -> None:
    assert distance_of_store("x[std::is_same_v<int8_t, char>] = 1;") is None


def test_a_parameter_by_reference_to_const_has_the_plain_type() -> None:
    assert distance_of_store("const float y = 2; x[is_plain_float(y)] = 1;") == 1


def test_only_the_arm_that_is_compiled_is_lowered() -> None:
    module = cuda_module(
        f"""{HEAD}
        template <typename T> __global__ void k(T *x) {{
            if constexpr (std::is_same_v<T, float>) x[1] = 1; else x[2] = 2;
        }}
        void run(float *x, double *y) {{ k<float><<<1, 32>>>(x); k<double><<<1, 32>>>(y); }}"""
    )
    stores = [
        [displacement(o.address) for o in kernel.operations() if isinstance(o, MemoryAccess)]
        for kernel in module.kernels
    ]
    assert stores == [[4], [16]]
