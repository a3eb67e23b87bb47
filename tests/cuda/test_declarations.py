"""What stands at namespace scope: variables, types, prototypes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.cuda.syntax import nodes
from warplint.analyzer.cuda.units.parse import ParseOptions, parse_cuda
from warplint.analyzer.source.text import SourceText

from .reading import declarations, unit

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "__constant__ float c[4] = {1, 2};",
            "(decl {__constant__} c : array[4] of float = {1, 2})",
        ),
        ("static __device__ int x;", "(decl {static __device__} x : int)"),
        ("__managed__ float* p;", "(decl {__managed__} p : pointer to float)"),
        ("extern __shared__ float4 s[];", "(decl {extern __shared__} s : array[] of float4)"),
        ("constexpr int N = 4 * 8;", "(decl {constexpr} N : int = (* 4 8))"),
        ("const int N{4};", "(decl N : const int = {4})"),
        ("typedef float T[4];", "(typedef T : array[4] of float)"),
        ("typedef void (*F)(int);", "(typedef F : pointer to function(int) to void)"),
        ("using T = const float*;", "(typealias T pointer to const float -)"),
        (
            "enum { A, B = 4 };",
            "(decl - : (enum - (enumeratorlist (enumerator A) (enumerator B 4))))",
        ),
        ("texture<float, 2> t;", "(decl t : texture<float, 2>)"),
        ("namespace a { const int x = 1; }", "(decl x : const int = 1)"),
        ("int A::x = 3;", "(decl A::x : int = 3)"),
        (
            "struct A { int x, y[2]; static constexpr int N = 2; };",
            "(classdefinition struct A [] [(decl x : int) (decl y : array[2] of int)"
            " (decl {static constexpr} N : int = 2)] - [])",
        ),
        (
            "struct __align__(16) A : public B<int> { float x; };",
            "(classdefinition struct A [B<int>] [(decl x : float)] - [(alignas 16)])",
        ),
        (
            "template <int N> class A { public: int x[N]; A(); };",
            "(classdefinition class A [] [(decl x : array[N] of int)]"
            " (template [(templateparameter value N False int -)] -) [])",
        ),
        (
            "typedef struct { float x; } P;",
            "(typedef P : (classdefinition struct - [] [(decl x : float)] - []))",
        ),
        (
            "struct { int x; } a, *b;",
            "(decl a : (classdefinition struct - [] [(decl x : int)] - []))",
        ),
    ],
)
def test_declaration(text: str, expected: str) -> None:
    assert declarations(text)[0] == expected


def test_classes_inside_classes() -> None:
    (outer,) = unit(
        "struct A { struct B { int x; }; union { float f; int i; } u; B b; };"
    ).declarations
    assert [type(member).__name__ for member in outer.members] == [
        "ClassDefinition", "Decl", "Decl",
    ]  # fmt: skip
    assert [member.name for member in outer.members] == ["B", "u", "b"]


def test_prototypes_of_kernels_are_functions_without_body() -> None:
    (node,) = unit("__global__ void k(int* p, float);\nvoid host(int);").declarations
    assert isinstance(node, nodes.Function)
    assert node.decl.name == "k"
    assert node.decl.funcspec == ["__global__"]
    assert node.body is None


def test_member_functions_belong_to_their_class() -> None:
    read = unit("struct A { int x; __device__ int f() { return x; } };")
    (definition,) = read.declarations
    assert read.functions[0] in definition.members
    assert read.functions[0].scope == ("A",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("char data[sizeof(int) * 4];", ["data"]),
        ("char data[(2 + 2)][alignof(int)];", ["data"]),
        ("Array<int, sizeof(int)> all;", ["all"]),
        ("Array<Array<int, sizeof(int)>> all;", ["all"]),
        (
            "[[nodiscard]] int f(int); Array<int, 3> g(); bool operator<(A); int operator[](int);",
            [],
        ),
    ],
)
def test_parentheses_of_an_extent_are_no_parameters(text: str, names: list[str]) -> None:
    (definition,) = unit(
        "template <typename T, int n> struct Array {};\nstruct A { " + text + " };"
    ).declarations[1:]
    assert isinstance(definition, nodes.ClassDefinition)
    assert [member.name for member in definition.members] == names


def test_macros_of_the_file() -> None:
    read = unit("#define N (4 * 8)\n#define F(x) x\n#define GONE 1\n#undef GONE\n")
    assert {name: read.macros[name] for name in read.macros if name in ("N", "F", "GONE")} == {
        "N": "( 4 * 8 )"
    }


def test_only_what_is_used_of_a_header_is_parsed(tmp_path: Path) -> None:
    (tmp_path / "lib.cuh").write_text(
        "typedef float real;\n"
        "struct Used { real x; __device__ void f() { helper(x); } };\n"
        "struct Unused { int y; };\n"
        "__device__ void helper(float x) {}\n"
        "__device__ void unused() {}\n"
        "__global__ void idle() {}\n"
        "template <class T> __global__ void launched(T* p) {}\n"
    )
    text = (
        '#include "lib.cuh"\n__global__ void k(Used u) { u.f(); }\n'
        "void h() { launched<<<1, 2>>>(p); }"
    )
    read = parse_cuda(SourceText(str(tmp_path / "a.cu"), text), ParseOptions())
    assert {f.decl.name for f in read.functions} == {"k", "h", "f", "helper", "launched"}
    assert {getattr(d, "name", None) for d in read.declarations} == {"real", "Used"}
    f = next(f for f in read.functions if f.decl.name == "f")
    assert f.coord.path.endswith("lib.cuh")
    assert f.coord.line == 2


def test_what_a_header_names_behind_a_class_is_found(tmp_path: Path) -> None:
    header = """typedef struct { int a; union { int b; float c; }; } First;
    typedef struct { char c[3]; } *Second;
    typedef struct { int never; } Other;"""
    (tmp_path / "types.h").write_text(header, encoding="utf-8")
    text = '#include "types.h"\n__global__ void kernel(First *f, Second s) { f->a = 1; }'
    read = parse_cuda(SourceText(str(tmp_path / "main.cu"), text), ParseOptions())
    assert [node.name for node in read.declarations] == ["First", "Second"]
    first = read.declarations[0].type.type
    assert len(first.members) == 2
