"""Sizes, alignments and layouts, as nvcc 13.0 prints them for a 64-bit host.

nvcc -x cu - <<< '#include <cstdio> ... printf("%zu %zu", sizeof(T), alignof(T))'
"""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.cuda.lowering.model import ctypes
from warplint.analyzer.cuda.lowering.model.builtin_types import BUILTIN, from_words
from warplint.analyzer.cuda.lowering.model.ctypes import CType, Form
from warplint.analyzer.ir import types as ir
from warplint.analyzer.ir.memory import Space
from warplint.analyzer.ir.operations import MemoryAccess, Phi

#: name: (sizeof, alignof)
VECTORS = {
    "char1": (1, 1),
    "char2": (2, 2),
    "char3": (3, 1),
    "char4": (4, 4),
    "uchar1": (1, 1),
    "uchar2": (2, 2),
    "uchar3": (3, 1),
    "uchar4": (4, 4),
    "short1": (2, 2),
    "short2": (4, 4),
    "short3": (6, 2),
    "short4": (8, 8),
    "ushort1": (2, 2),
    "ushort2": (4, 4),
    "ushort3": (6, 2),
    "ushort4": (8, 8),
    "int1": (4, 4),
    "int2": (8, 8),
    "int3": (12, 4),
    "int4": (16, 16),
    "uint1": (4, 4),
    "uint2": (8, 8),
    "uint3": (12, 4),
    "uint4": (16, 16),
    "long1": (8, 8),
    "long2": (16, 16),
    "long3": (24, 8),
    "long4": (32, 16),
    "ulong1": (8, 8),
    "ulong2": (16, 16),
    "ulong3": (24, 8),
    "ulong4": (32, 16),
    "longlong1": (8, 8),
    "longlong2": (16, 16),
    "longlong3": (24, 8),
    "longlong4": (32, 16),
    "ulonglong2": (16, 16),
    "ulonglong4": (32, 16),
    "float1": (4, 4),
    "float2": (8, 8),
    "float3": (12, 4),
    "float4": (16, 16),
    "__nv_fp8_e4m3": (1, 1),
    "__nv_fp8x2_e5m2": (2, 2),
    "__nv_fp8x4_e8m0": (4, 4),
    "__nv_fp6x4_e2m3": (4, 4),
    "__nv_fp4_e2m1": (1, 1),
    "__nv_fp4x2_e2m1": (1, 1),
    "__nv_fp4x4_e2m1": (2, 2),
    "double1": (8, 8),
    "double2": (16, 16),
    "double3": (24, 8),
    "double4": (32, 16),
    "dim3": (12, 4),
    "half": (2, 2),
    "half2": (4, 4),
    "__nv_bfloat16": (2, 2),
    "__nv_bfloat162": (4, 4),
    "cuFloatComplex": (8, 8),
    "cuDoubleComplex": (16, 16),
}


@pytest.mark.parametrize("name", VECTORS)
def test_builtin_types(name: str) -> None:
    type = BUILTIN[name]
    assert (type.size, type.alignment) == VECTORS[name]


@pytest.mark.parametrize(
    ("words", "size", "signed"),
    [
        ("char", 1, True),
        ("signed char", 1, True),
        ("unsigned char", 1, False),
        ("short int", 2, True),
        ("unsigned short", 2, False),
        ("int", 4, True),
        ("unsigned", 4, False),
        ("long", 8, True),
        ("long unsigned int", 8, False),
        ("long long", 8, True),
        ("unsigned long long int", 8, False),
        ("uint8_t", 1, False),
        ("int16_t", 2, True),
        ("uint32_t", 4, False),
        ("int64_t", 8, True),
        ("size_t", 8, False),
        ("ptrdiff_t", 8, True),
        ("uint", 4, False),
    ],
)
def test_integer_types(words: str, size: int, signed: bool) -> None:
    type = from_words(words.split())
    assert type is not None
    assert (type.form, type.size, type.signed) == (Form.INTEGER, size, signed)
    assert type.ir() == ir.integer(size * 8, signed=signed)


@pytest.mark.parametrize(
    ("words", "held"),
    [
        ("float", ir.FLOAT32),
        ("double", ir.FLOAT64),
        ("long double", ir.FLOAT64),
        ("bool", ir.PREDICATE),
        ("void", ir.VOID),
        ("__half", ir.FLOAT16),
    ],
)
def test_other_scalars(words: str, held: ir.Type) -> None:
    type = from_words(words.split())
    assert type is not None
    assert type.ir() == held


def test_other_names_are_not_builtin() -> None:
    assert from_words(["Matrix"]) is None
    assert from_words(["auto"]) is None


#: The body of a struct: (sizeof, alignof), from nvcc.
STRUCTS = {
    "char a; int b;": (8, 4),
    "int b; char a;": (8, 4),
    "char a; char b; short c; int d;": (8, 4),
    "char tag; double weight; short id[3]; float x, y;": (32, 8),
    "float x, y, z;": (12, 4),
    "float4 v; int i;": (32, 16),
    "float3 v; int i;": (16, 4),
    "char a[3];": (3, 1),
    "char a[3]; short b;": (6, 2),
    "int *p; char c;": (16, 8),
    "bool a, b; int n;": (8, 4),
    "short a; long long b; char c;": (24, 8),
    "int m[2][3];": (24, 4),
    "struct Inner { char c; double d; } inner; char e;": (24, 8),
    "union { int i; double d; } u; int n;": (16, 8),
    "alignas(16) float x; float y;": (16, 16),
    "half2 h[3]; char c;": (16, 4),
    "float x; alignas(8) float y;": (16, 8),
    "char c; __align__(4) char d; char e;": (8, 4),
    "float x __attribute__((aligned(16))); float y;": (16, 16),
    "char c; void (*call)(int); char d;": (24, 8),
    "alignas(double) char c;": (8, 8),
    "static int shared; int own;": (4, 4),
    "int own; int f() { return own; }": (4, 4),
    "": (1, 1),
    "unsigned a : 8, b : 8, c : 8; unsigned d; float e;": (12, 4),
    "int a : 4; char c; int b : 30; short d;": (12, 4),
    "unsigned long a : 40; unsigned b : 10; int c;": (16, 8),
    "char a; int b : 24; char c;": (8, 4),
    "char a : 3; int : 0; char c; char e;": (6, 1),
    "unsigned short a : 9; unsigned short b : 9; char c;": (6, 2),
    "float x; unsigned f : 1; unsigned g : 2; float y;": (12, 4),
    "int a : 3; int b : 5;": (4, 4),
}


def object_of(declarations: str, name: str = "Thing") -> tuple[int | None, int | None]:
    """Size and alignment of the object that `name` declares in shared memory."""
    module = cuda_module(f"{declarations}\n__global__ void k() {{ __shared__ {name} object; }}")
    (object,) = [item for item in module.kernels[0].objects if item.space is Space.SHARED]
    return object.size, object.alignment


@pytest.mark.parametrize("body", STRUCTS)
def test_structs(body: str) -> None:
    assert object_of(f"struct Thing {{ {body} }};") == STRUCTS[body]


@pytest.mark.parametrize(
    ("head", "body", "layout"),
    [
        ("struct alignas(16)", "float x; int k;", (16, 16)),
        ("struct __align__(8)", "float x; float y; int k;", (16, 8)),
        ("struct __align__(4)", "double d;", (8, 8)),
        ("union alignas(32)", "char c; int i;", (32, 32)),
    ],
)
def test_aligned_classes(head: str, body: str, layout: tuple[int, int]) -> None:
    assert object_of(f"{head} Thing {{ {body} }};") == layout


@pytest.mark.parametrize(
    ("body", "layout"), [("int i; double d; char c[12];", (16, 8)), ("char c; short s;", (2, 2))]
)
def test_unions(body: str, layout: tuple[int, int]) -> None:
    assert object_of(f"union Thing {{ {body} }};") == layout


@pytest.mark.parametrize(
    ("declaration", "size"),
    [
        ("typedef float Thing;", 4),
        ("typedef float Thing[8];", 32),
        ("using Thing = double;", 8),
        ("typedef struct { int a, b; } Thing;", 8),
        ("typedef struct Thing { int a, b; } Thing;", 8),
        ("struct Thing { int a, b; }; typedef struct Thing Thing;", 8),
        ("typedef struct Thing Thing; struct Thing { int a, b; };", 8),
        ("struct Thing { int a, b; }; typedef const Thing Thing;", 8),
        ("enum Thing { A, B };", 4),
        ("template <typename T> struct Box { T a; char c; }; typedef Box<double> Thing;", 16),
        ("template <int N> struct Row { float v[N]; }; using Thing = Row<5>;", 20),
        ("template <int N> using Row = float[N]; using Thing = Row<5>;", 20),
        (
            "template <class T, int N> struct Box { T a[N]; }; "
            "template <int N> using Bytes = Box<char, N>; using Thing = Bytes<7>;",
            7,
        ),
    ],
)
def test_aliases_and_templates(declaration: str, size: int) -> None:
    assert object_of(declaration)[0] == size


@pytest.mark.parametrize(
    ("declarator", "size", "extents"),
    [
        ("float a[32]", 128, (32,)),
        ("float a[4][8]", 128, (4, 8)),
        ("float4 a[2][3][4]", 384, (2, 3, 4)),
        ("short a[sizeof(double) * 2]", 32, (16,)),
        ("char a[1 << 4]", 16, (16,)),
        ("int *a[4]", 32, (4,)),
        ("int a", 4, ()),
    ],
)
def test_arrays(declarator: str, size: int, extents: tuple[int, ...]) -> None:
    module = cuda_module(f"__global__ void k() {{ __shared__ {declarator}; }}")
    (object,) = module.kernels[0].objects
    assert (object.size, object.extents) == (size, extents)


def test_a_base_lies_before_the_members_of_a_class() -> None:
    assert object_of("struct Base { int a; }; struct Thing : Base { int b; };")[0] == 8
    assert object_of("struct Base { }; struct Thing : Base { int b; };")[0] == 4


def test_padding_at_the_end_of_a_base_matters_only_where_a_member_fits_into_it() -> None:
    base = "struct Base { int *p; char c; }; "
    assert object_of(base + "struct Thing : Base { int *q; };")[0] == 24
    assert object_of(base + "struct Middle : Base { }; struct Thing : Middle { };")[0] == 16
    assert (
        object_of(base + "struct Middle : Base { }; struct Thing : Middle { int d; };")[0] is None
    )


def test_a_nameless_union_has_its_place_among_the_members() -> None:
    text = "struct Thing { char a; union { struct { short x, y; }; int both; }; char c[5]; };"
    assert object_of(text)[0] == 16
    assert object_of("struct Thing { struct { char a; int b; }; char c; };")[0] == 12


def test_a_class_whose_layout_the_abi_hides_is_not_guessed() -> None:
    padded = "struct Base { int *p; char c; }; struct Thing : Base { char b; };"
    assert object_of(padded)[0] is None
    virtual = "struct Thing { int a; __device__ virtual int get() { return a; } };"
    assert object_of(virtual)[0] is None
    not_parsed = "struct Thing { int a; virtual int on_the_host(int); virtual ~Thing(); };"
    assert object_of(not_parsed)[0] is None
    assert object_of("struct Thing { int a; struct Inner { virtual void f(); }; int b; };")[0] == 8
    assert object_of("struct Thing : Elsewhere { int b; };")[0] is None
    assert object_of("struct Thing { int a : WIDTH; int b; };")[0] is None


def test_members_behind_bit_fields_have_their_place() -> None:
    type = ctypes.lay_out(
        "Thing",
        [("a", ctypes.INT, None), ("b", ctypes.INT, None), ("c", ctypes.CHAR, None)],
        union=False,
        widths={0: 3, 1: 30},
    )
    assert [member.offset for member in type.members] == [None, None, 8]


def test_members_behind_an_unknown_one_have_no_place() -> None:
    type = ctypes.lay_out(
        "Thing",
        [("a", ctypes.INT, None), ("b", ctypes.unknown("T"), None), ("c", ctypes.INT, None)],
        union=False,
    )
    assert [member.offset for member in type.members] == [0, None, None]
    assert type.size is None


# ---- conversions (C++ standard, [conv.prom] and [expr.arith.conv]) -------------------------------

SHORT, USHORT, UCHAR = BUILTIN["int16_t"], BUILTIN["uint16_t"], BUILTIN["uint8_t"]


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        (ctypes.CHAR, ctypes.CHAR, ctypes.INT),
        (USHORT, UCHAR, ctypes.INT),
        (SHORT, ctypes.UINT, ctypes.UINT),
        (ctypes.INT, ctypes.UINT, ctypes.UINT),
        (ctypes.INT, ctypes.LONG, ctypes.LONG),
        (ctypes.UINT, ctypes.LONG, ctypes.LONG),
        (ctypes.ULONG, ctypes.LONG, ctypes.ULONG),
        (ctypes.ULONG, ctypes.INT, ctypes.ULONG),
        (ctypes.BOOL, ctypes.BOOL, ctypes.INT),
        (ctypes.INT, ctypes.FLOAT, ctypes.FLOAT),
        (ctypes.FLOAT, ctypes.DOUBLE, ctypes.DOUBLE),
        (ctypes.LONG, ctypes.FLOAT, ctypes.FLOAT),
    ],
)
def test_usual_arithmetic_conversions(left: CType, right: CType, result: CType) -> None:
    assert ctypes.arithmetic(left, right) == result
    assert ctypes.arithmetic(right, left) == result


def test_an_unknown_type_stays_unknown() -> None:
    assert ctypes.arithmetic(ctypes.unknown("T"), ctypes.INT).form is Form.UNKNOWN


def test_which_variable_is_of_an_open_type_does_not_go_by_its_name() -> None:
    kernel = """
    template <class T> __global__ void k(float *out, int n) {
        { T sum = 0; for (int i = 0; i < n; ++i) sum += 1; out[0] = sum; }
        { int sum = 0; for (int i = 0; i < n; ++i) sum += 2; out[1] = sum; }
    }"""
    operations = cuda_module(kernel).kernels[0].operations()
    phis = [each for each in operations if isinstance(each, Phi) and each.variable == "sum"]
    assert [each.open for each in phis] == [True, False]


@pytest.mark.parametrize("init", ["{n % 32}", "(n % 32)", " = n % 32"])
def test_auto_is_of_the_type_of_what_it_begins_with(init: str) -> None:
    text = f"__global__ void k(int *p, int n) {{ auto const x{init}; p[x] = 1; }}"
    (kernel,) = cuda_module(text).kernels
    assert not [o for o in kernel.operations() if o.opcode.value == "pure"]


def test_the_element_of_an_automatic_pointer_has_a_size() -> None:
    (kernel,) = cuda_module("__global__ void k(int *p) { auto *x{p + 1}; *x = 1; }").kernels
    (store,) = (o for o in kernel.operations() if isinstance(o, MemoryAccess))
    assert store.width == 4
