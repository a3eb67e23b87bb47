"""Constant expressions and literals, where a wrong number would be worse than none."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.cuda.lowering.types.number_literals import literal
from warplint.analyzer.ir.operations import AccessKind, MemoryAccess
from warplint.analyzer.ir.types import FLOAT32, FLOAT64, INT32, INT64, UINT32, UINT64, Type
from warplint.analyzer.ir.values import Constant

DECLARED = """
enum Plain { ZERO, FIVE = 5, SIX, MINUS = -2, NEXT };
enum class Scoped { A = 3, B };
constexpr int SIDE = 16;
const unsigned ALL = ~0u;
static const int TABLE_SIZE = SIDE * 2;
constexpr float HALF = 0.5f;
#define PITCH (SIDE + 1)
__host__ __device__ constexpr int cube(int x) { return x * x * x; }
__host__ __device__ constexpr int log2_of(int x) { return x > 1 ? 1 + log2_of(x / 2) : 0; }
constexpr long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
constexpr int pair(int n) { return n < 2 ? 1 : UNKNOWN_NUMBER + pair(n - 1) + pair(n - 2); }
struct Config { static constexpr int TILE = 24; enum { DEPTH = 7 }; float a, b; };
template <int N> struct Sized { float v[N]; };
"""


def extent(expression: str) -> int | None:
    """What the front end makes of an array extent."""
    module = cuda_module(
        f"{DECLARED}\n__global__ void k(int n) {{ __shared__ char s[{expression}]; }}"
    )
    return module.kernels[0].objects[-1].size


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("32", 32),
        ("0x20", 32),
        ("040", 32),
        ("0b100000", 32),
        ("1'024", 1024),
        ("32u", 32),
        ("32ull", 32),
        ("'a'", 97),
        ("SIDE * SIDE", 256),
        ("PITCH * 2", 34),
        ("TABLE_SIZE - 2", 30),
        ("SIDE / 3", 5),
        ("SIDE % 3", 1),
        ("1 << 6", 64),
        ("SIDE >> 2", 4),
        ("(SIDE & 24) | 3", 19),
        ("SIDE ^ 1", 17),
        ("-7 / 2 + 10", 7),
        ("-7 % 4 + 10", 7),
        ("SIDE > 8 ? 3 : 4", 3),
        ("SIDE == 8 || SIDE == 16", 1),
        ("!SIDE + 2", 2),
        ("~0 + 9", 8),
        ("FIVE + SIX", 11),
        ("MINUS + NEXT + 10", 7),
        ("ZERO + 1", 1),
        ("sizeof(float) * 3", 12),
        ("sizeof(Config)", 8),
        ("sizeof(Sized<5>)", 20),
        ("(int)sizeof(double4)", 32),
        ("(int)2.9", 2),
        ("static_cast<int>(SIDE * HALF)", 8),
        ("(unsigned char)300", 44),
        ("cube(3)", 27),
        ("log2_of(32)", 5),
        ("fib(40) % 1000", 155),  # 300 million calls, if none were remembered
        ("Config::TILE", 24),
        ("Config::DEPTH", 7),
        ("min(SIDE, 9)", 9),
        ("max(SIDE, 9)", 16),
        ("warpSize", 32),
        ("ALL % 100", 95),
        ("(ALL > 5) + 1", 2),
        ("(ALL >> 28) + 1", 16),
    ],
)
def test_values(expression: str, value: int) -> None:
    assert extent(expression) == value


@pytest.mark.parametrize(
    "expression", ["UNDECLARED", "SIDE / 0", "SIDE % 0", "unknown(3)", "pair(40)"]
)
def test_what_is_not_known_is_not_guessed(expression: str) -> None:
    assert extent(expression) is None


@pytest.mark.parametrize(
    ("text", "type", "value"),
    [
        ("1", INT32, 1),
        ("2147483647", INT32, 2**31 - 1),
        ("2147483648", INT64, 2**31),
        ("0x7fffffff", INT32, 2**31 - 1),
        ("0x80000000", UINT32, 2**31),
        ("0xFFFFFFFF", UINT32, 2**32 - 1),
        ("0x100000000", INT64, 2**32),
        ("0xFFFFFFFFFFFFFFFF", UINT64, 2**64 - 1),
        ("037777777777", UINT32, 2**32 - 1),
        ("1u", UINT32, 1),
        ("4294967296u", UINT64, 2**32),
        ("1l", INT64, 1),
        ("1ul", UINT64, 1),
        ("1LL", INT64, 1),
        ("1ULL", UINT64, 1),
        ("1.5", FLOAT64, 1.5),
        ("1.5f", FLOAT32, 1.5),
        ("1e3", FLOAT64, 1000.0),
        ("2.F", FLOAT32, 2.0),
        (".5", FLOAT64, 0.5),
        ("0x1p-2", FLOAT64, 0.25),
        ("0x1p3f", FLOAT32, 8.0),
    ],
)
def test_types_of_literals(text: str, type: Type, value: float) -> None:
    """C++ standard, [lex.icon], table of types; [lex.fcon]."""
    module = cuda_module(f"__global__ void k() {{ auto x = {text}; other(x); }}")
    (call,) = [o for o in module.kernels[0].operations() if o.opcode.value == "call"]
    (given,) = call.operands
    assert isinstance(given, Constant)
    assert (given.type, given.value) == (type, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", 1),
        ("false", 0),
        ("'\\n'", 10),
        ("'\\0'", 0),
        ("'\\\\'", 92),
        ("0", 0),
        ("1.5h", 1.5),
        ("0x1p9999f", None),
        ("12abc", None),
    ],
)
def test_other_literals(text: str, value: float | None) -> None:
    assert literal(text) == value


@pytest.mark.parametrize(
    ("declaration", "value"),
    [
        ("unsigned char c = 300;", 44),
        ("signed char c = 200;", -56),
        ("unsigned c = -1;", 2**32 - 1),
        ("short c = 40000;", -25536),
        ("bool c = 7;", 1),
        ("float c = 3;", 3.0),
        ("int c = 3.9;", 3),
        ("const unsigned c = ~0u;", 2**32 - 1),
        ("constexpr unsigned char c = 256 + 5;", 5),
    ],
)
def test_constants_are_held_in_their_type(declaration: str, value: float) -> None:
    module = cuda_module(f"__global__ void k(double *p) {{ {declaration} other(c); }}")
    (call,) = [o for o in module.kernels[0].operations() if o.opcode.value == "call"]
    (given,) = call.operands
    assert isinstance(given, Constant)
    assert given.value == value


def test_a_branch_on_a_constant_is_no_branch() -> None:
    module = cuda_module(
        "template <bool CHECK> __global__ void k(int *p) {"
        " if (CHECK && p[3] > 2) p[0] = 1; if (CHECK || p[3]) p[1] = 2; p[2] = CHECK ? 3 : 4; }"
        "void host(int *p) { k<false><<<1, 1>>>(p); }"
    )
    (kernel,) = module.kernels
    stores = [
        operation
        for operation in kernel.operations()
        if isinstance(operation, MemoryAccess) and operation.kind is AccessKind.STORE
    ]
    assert len(stores) == 2
    last = stores[-1].operands[1]
    assert isinstance(last, Constant)
    assert last.value == 4


def test_overloads_that_call_each_other_end() -> None:
    overloads = """
template <typename T> constexpr int width() { return least(16 / sizeof(T), 8); }
template <typename T, typename U, typename... More> constexpr int width() {
    return least(width<T>(), width<U, More...>());
}
constexpr int least(int a, int b) { return a < b ? a : b; }
"""
    kernel = "__global__ void k() { __shared__ char s[width<float, double, char>()]; s[0] = 1; }"
    assert cuda_module(overloads + kernel).kernels[0].objects[-1].size is None
