"""Text nobody would write: bounded work, no exception, and the next kernel unharmed."""

from __future__ import annotations

from typing import Any

import pytest

from warplint.analyzer.cuda.syntax.depth import DEEPEST
from warplint.analyzer.source.problem import Damage

from .reading import unit

AFTER = "\n__global__ void after(int* p) { p[0] = 1; }\n"

STATEMENTS = {
    "parentheses": "x = " + "(" * 5000 + "1" + ")" * 5000 + ";",
    "minus signs": "x = " + "-" * 5000 + "1;",
    "sum": "x = " + "1+" * 20_000 + "1;",
    "assignments": "x = " + "y = " * 5000 + "1;",
    "calls": "f(" * 5000 + ")" * 5000 + ";",
    "members": "a" + ".b" * 10_000 + ";",
    "less": "x = " + "a<" * 5000 + "1;",
    "template arguments": "A<" * 5000 + "int" + ">" * 5000 + " x;",
    "shifts": "x = " + "a>>" * 5000 + "1;",
    "scopes": "A::" * 5000 + "f();",
    "conditions": "x = " + "a?b:" * 5000 + "1;",
    "pointers": "int " + "*" * 5000 + "p;",
    "extents": "int p" + "[1]" * 5000 + ";",
    "braces": "{" * 5000 + "}" * 5000,
    "else if": "if (x) ; " + "else if (y) ; " * 2000,
    "loops": "for(;;) " * 2000 + ";",
    "do": "do " * 2000 + "x;" + " while (1);" * 2000,
    "lambdas": "x = " + "[&]{ return " * 1000 + "1;" + "}();" * 1000,
    "launches": "k<<<" * 1000 + "1,2" + ">>>()" * 1000 + ";",
    "nothing that parses": "int 3 = ; " * 400,
    "doubtful": "(T)(a)(b) x y; " * 400,
    "odd characters": "@ $ ` \\ \x01 ü é",
    "unclosed": "f(((; g[[[; h{{ }} ;",
    "unopened": "x)); y]];",
    "long string": 'f("' + "x" * 100_000 + '");',
}


def deepest(tree: Any) -> int:
    depth = 0
    stack = [(tree, 1)]
    while stack:
        node, here = stack.pop()
        depth = max(depth, here)
        stack += [(child, here + 1) for _, child in node.children()]
    return depth


@pytest.mark.parametrize("name", STATEMENTS)
def test_statement(name: str) -> None:
    read = unit(f"__global__ void k(int* p) {{ {STATEMENTS[name]} p[1] = 2; }}{AFTER}")
    first, second = read.functions
    assert (first.decl.name, second.decl.name) == ("k", "after")
    assert read.opaque[second] == []
    assert all(deepest(function) <= DEEPEST + 10 for function in read.functions)


@pytest.mark.parametrize(
    "text",
    [
        '__global__ void k() { f("abc); }',
        "__global__ void k() { if (x) { y(); }",
        "__global__ void k() { f(; g(1, }",
        "__global__ void k(int a { f(); }",
        "__global__ void k() { /* */ */ }",
        "__global__ void k() { } }",
        "__global__ void k() { #define X\n }",
        "#if FOO\n__global__ void k() { x();",
        "struct A { int x; __device__ void f() {",
        "namespace a { namespace b {",
        "#define A (\nint x = A;",
        "int x = {1, {2, };",
    ],
)
def test_damage_before_a_kernel(text: str) -> None:
    read = unit(f"{text}\ntemplate <int N>{AFTER}")
    names = [function.decl.name for function in read.functions]
    assert "after" in names
    function = next(f for f in read.functions if f.decl.name == "after")
    assert read.opaque[function] == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{" * 20_000,
        "}" * 20_000,
        "(" * 20_000,
        "f<" * 20_000,
        "template<" * 5000,
        ";" * 20_000,
        "#" * 20_000,
        "#\n" * 5000,
        "#if X\n" * 3000,
        "#if " + "(" * 5000 + "1" + ")" * 5000,
        "#if " + "!" * 5000 + "1",
        "struct A { " * 1000 + "};" * 1000,
        "namespace a { " * 2000,
        "template <typename T> " * 2000 + "__global__ void k(T* p) {}",
        "__constant__ int t[] = " + "{" * 3000 + "1" + "}" * 3000 + ";",
        "".join(chr(index * 7919 % 0x2FFF) for index in range(30_000)),
        "__global__ void k(int* a) { if (a) {\n" * 300,
    ],
)
def test_whole_files(text: str) -> None:
    read = unit(text)
    assert all(deepest(node) <= DEEPEST + 10 for node in read.declarations)
    assert all(deepest(function) <= DEEPEST + 10 for function in read.functions)


def test_a_statement_that_is_too_deep_says_so() -> None:
    read = unit("__global__ void k() { x = 1; y = " + "1+" * 400 + "1; z = 2; }")
    (lost,) = read.opaque[read.functions[0]]
    assert lost.text.startswith("y = ")
    assert "deep" in lost.reason
    assert len(read.functions[0].body.block_items) == 3


def test_what_was_lost_is_reported_once_for_a_file() -> None:
    read = unit("__global__ void k() { int 3; x = 1; }" * 3)
    (problem,) = read.problems
    assert problem.message.startswith("3 of 6 statements, in 3 of 3 functions")
    assert problem.span is not None
    assert problem.span.text == "int 3;"


@pytest.mark.parametrize(
    ("text", "damage"),
    [
        ("__global__ void k() { int 3; }", Damage.PARTIAL),
        ("__host__ __device__ void f() { int 3; }", Damage.PARTIAL),
        ("void test() { k<<<1, 2>>>(); int 3; }", Damage.NOTICE),
        ("void test() { int 3 k<<<1, 2>>>(); }", Damage.PARTIAL),
        ("void test() { int 3; } __global__ void k() { int 3; }", Damage.PARTIAL),
    ],
)
def test_what_is_lost_in_host_code_costs_no_kernel(text: str, damage: Damage) -> None:
    (problem,) = unit(text).problems
    assert problem.damage is damage


@pytest.mark.parametrize(
    ("text", "place", "why"),
    [
        ("void f() { ??; k<<<1, 2>>>(??); }", "k<<<1, 2>>>(??);", "a launch among them"),
        ("__device__ int d() { int 4; }", "int 4;", "one in d among them"),
        ("void f() { ??; k<<<1, 2>>>(); }", "int 3;", "the first"),
    ],
)
def test_what_costs_most_is_the_place_of_what_was_lost(text: str, place: str, why: str) -> None:
    (problem,) = unit("__global__ void k() { int 3; x = 1; }\n" + text).problems
    assert problem.span is not None
    assert problem.span.text == place
    assert f"; {why}: unexpected " in problem.message


@pytest.mark.parametrize(
    ("statement", "reason", "macro"),
    [
        ("??;", "'?'", False),
        ("x = a + ;", "';'", False),
        ("k<<<n * m, ??>>>(a);", "'?'", False),
        ("k<<<n * m, 1>>>(a, ??);", "'?'", False),
        ("if (?) { x = 1; }", "'?'", False),
        ("x = OP(+, 3);", "','", True),
        ("x = a MORE ];", "'MORE'", True),
        ("x = (OP((+), 3));", "')'", True),
        ("x = MORE ?;", "';'", False),
        ("x = MORE ];", "']'", True),
        ("x = MORE(1) ];", "']'", True),
        ("int 3;", "'3'", True),
    ],
)
def test_whether_a_macro_can_be_why_a_statement_is_lost(
    statement: str, reason: str, macro: bool
) -> None:
    (problem,) = unit(f"__global__ void k(int* a) {{ a[0] = 1; {statement} }}").problems
    assert problem.message.endswith(f"unexpected {reason}")
    assert ("-I" in problem.advice) == macro
    assert ("--exclude" in problem.advice) == (not macro)


def test_a_macro_before_a_block_of_host_code_loses_nothing() -> None:
    assert not unit('void test() { SECTION("one") { k<<<1, 2>>>(); } }').problems
    assert unit('__global__ void test() { SECTION("one") { p[0] = 1; } }').problems


@pytest.mark.parametrize("flags", ["goto", "volatile goto", "goto goto"])
def test_assembly_whose_first_flag_is_no_value(flags: str) -> None:
    read = unit(f'__global__ void k() {{ asm {flags} a; ("b" ::: "memory"); c(); }}{AFTER}')
    assert [function.decl.name for function in read.functions] == ["k", "after"]
    assert read.opaque[read.functions[0]] != []


@pytest.mark.parametrize(
    "head", ["::k(int *p)", "void ::k(int *p)", "::~k(int *p)", "A::operator()(int *p)"]
)
def test_a_kernel_remains_one_whatever_its_name(head: str) -> None:
    read = unit(f"int ::x = 3;\n__global__ {head} {{ p[0] = x; }}{AFTER}")
    assert [function.decl.funcspec for function in read.functions] == [["__global__"]] * 2


def test_only_the_damaged_statement_is_lost() -> None:
    read = unit("__global__ void k() { a(); if (b) { c(); d = = f; g(); } h(); }")
    (lost,) = read.opaque[read.functions[0]]
    assert lost.text == "d = = f;"
