"""Every node knows where it stands."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from warplint.analyzer.cuda.syntax import nodes
from warplint.analyzer.source.text import Span
from warplint.analyzer.source.tokens import ExpandedSpan

from .reading import unit

TEXT = """\
#define IDX(i) s[(i) * 33]
template <typename T>
__global__ void k(const T* __restrict__ a, int n) {
    __shared__ float s[32 * 33];
    for (int i = threadIdx.x; i < n; i += 32) {
        IDX(i) = a[i] * 2.0f + f<int>(n >> 1, [&](int q) { return q; });
    }
#pragma unroll 4
    while (n-- > 0) asm volatile("bar.sync 0;" ::: "memory");
}
"""


def everything(node: Any) -> list[Any]:
    return [node, *(inner for _, child in node.children() for inner in everything(child))]


def found(kind: type) -> list[Any]:
    (function,) = unit(TEXT).functions
    return [node for node in everything(function) if isinstance(node, kind)]


def test_every_node_has_a_span() -> None:
    (function,) = unit(TEXT).functions
    for node in everything(function):
        assert isinstance(node.coord, Span), node
        assert node.coord.text.strip(), node


def test_children_stand_inside_their_parents() -> None:
    (function,) = unit(TEXT).functions
    for node in everything(function.body):
        for _, child in node.children():
            if isinstance(node, c_ast.TypeDecl | c_ast.PtrDecl | c_ast.ArrayDecl | c_ast.FuncDecl):
                continue  # a declarator is written inside out
            assert node.coord.start <= child.coord.start, (node, child)
            assert child.coord.end <= node.coord.end, (node, child)


def test_spans_cover_exactly_their_text() -> None:
    assert next(n.coord.text for n in found(c_ast.For)).startswith("for (int i")
    assert "n >> 1" in [n.coord.text for n in found(c_ast.BinaryOp)]
    assert "a[i]" in [n.coord.text for n in found(c_ast.ArrayRef)]
    assert found(nodes.Lambda)[0].coord.text == "[&](int q) { return q; }"
    assert found(nodes.TemplateId)[0].coord.text == "f<int>"
    assert found(c_ast.Pragma)[0].coord.text == "unroll 4"
    assert found(c_ast.Pragma)[0].string == "unroll 4"
    assert found(nodes.InlineAssembly)[0].coord.text.endswith('"memory");')


def test_a_function_covers_header_and_body() -> None:
    (function,) = unit(TEXT).functions
    assert (function.coord.line, function.coord.end_line) == (2, 10)
    assert function.header.text.startswith("template <typename T>")
    assert function.header.text.endswith("int n)")


def test_a_macro_use_is_the_place_of_what_it_makes() -> None:
    (made,) = [n for n in found(c_ast.ArrayRef) if n.coord.text == "IDX(i)"]
    assert isinstance(made.coord, ExpandedSpan)
    assert (made.coord.line, made.coord.macro.line) == (6, 1)
    inner = [n for n in everything(made) if isinstance(n, c_ast.ID) and n.name == "i"]
    assert [n.coord.text for n in inner] == ["i"]


def test_what_begins_with_an_argument_is_made_by_the_macro() -> None:
    text = (
        "#define AT(a) do { \\\n  a[0] = 1; \\\n} while (0)\n__global__ void f(int *p) { AT(p); }\n"
    )
    (function,) = unit(text).functions
    (element,) = [n for n in everything(function.body) if isinstance(n, c_ast.ArrayRef)]
    assert (element.coord.text, element.coord.macro.line) == ("AT(p)", 2)
    (argument,) = [n for n in everything(element) if isinstance(n, c_ast.ID)]
    assert (argument.coord.text, argument.coord.macro) == ("p", None)


def test_a_kernel_made_by_a_macro_stands_where_the_macro_is_used() -> None:
    (function,) = unit("#define K(n) __global__ void n() { f(); }\n\nK(a)\n").functions
    assert (function.coord.line, function.coord.text) == (3, "K(a)")


def test_windows_line_ends() -> None:
    read = unit(TEXT.replace("\n", "\r\n"))
    assert (read.functions[0].coord.line, read.functions[0].coord.end_line) == (2, 10)
