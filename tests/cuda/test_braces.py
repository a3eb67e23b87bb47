"""A brace or parenthesis too many or too few costs the function it is in, not the next ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.cuda.units import braces
from warplint.analyzer.cuda.units.parse import parse_cuda
from warplint.analyzer.source.reader import read_source

from .reading import unit

if TYPE_CHECKING:
    import re
    from pathlib import Path

TEXT = """\
namespace a {
struct S {
  __device__ int get(int i) const {
    return i;
  }
};
__device__ float first(float x) {
  if (x > 0.f) {
    x += 1.f;
  }
  return x;
}
template <typename T>
__device__ T second(
    T x,
    T y) {
  return x + y;
}
__device__ inline int third(int n)
{
  for (int i = 0; i < n; ++i)
  {
    n -= i;
  }
  return n;
}
__global__ void last(float *p) { p[0] = first(p[1]); }
}
"""
NAMES = ["get", "first", "second", "third", "last"]


def damaged(old: str, new: str, name: str) -> None:
    """All functions are found and whole, `name` aside."""
    assert TEXT.count(old) == 1
    whole = {function.decl.name: function.coord.text for function in unit(TEXT).functions}
    assert list(whole) == NAMES
    found = {
        function.decl.name: function.coord.text
        for function in unit(TEXT.replace(old, new)).functions
    }
    del whole[name]
    assert {each: text for each, text in found.items() if each != name} == whole


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("    x += 1.f;\n  }", "    x += 1.f;", "first"),
        ("  return x;\n}", "  return x;", "first"),
        ("  return x + y;\n}", "  return x + y;", "second"),
        ("  return n;\n}", "  return n;", "third"),
        ("    n -= i;\n  }", "    n -= i;", "third"),
    ],
)
def test_a_missing_closing_brace(old: str, new: str, name: str) -> None:
    damaged(old, new, name)


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("(x > 0.f) {", "(x > 0.f)", "first"),
        ("(float x) {", "(float x)", "first"),
        ("++i)\n  {", "++i)", "third"),
    ],
)
def test_a_missing_opening_brace(old: str, new: str, name: str) -> None:
    damaged(old, new, name)


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("(x > 0.f) {", "(x > 0.f) { {", "first"),
        ("x += 1.f;", "x { += 1.f;", "first"),
        ("x += 1.f;", "x } += 1.f;", "first"),
        ("(float x) {", "(float x) { {", "first"),
        ("n -= i;", "}\n    n -= i;", "third"),
    ],
)
def test_a_brace_too_many(old: str, new: str, name: str) -> None:
    damaged(old, new, name)


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("(float x) {", "((float x) {", "first"),
        ("(float x) {", "(float x {", "first"),
        ("    T y) {", "    T y {", "second"),
        ("(int n)\n", "(int n\n", "third"),
    ],
)
def test_a_parenthesis_in_a_header(old: str, new: str, name: str) -> None:
    damaged(old, new, name)


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("template <typename T>", "template <typename T", "second"),
        ("float first(float x)", "float (float x)", "first"),
    ],
)
def test_a_header_that_is_not_one(old: str, new: str, name: str) -> None:
    damaged(old, new, name)


@pytest.mark.parametrize(
    "damage",
    [
        "enum E\n{ {\n  A,\n  B\n};\n",
        "struct S {\n  enum\n  {\n    A = 1\n  ;\n  int x;\n};\n",
        "static T table[] = {\n  {1, 2, 3}\n  4, 5}\n};\n",
        "__device__ = int f(int a)\n{\n  return a;\n}\n",
    ],
)
def test_a_brace_too_many_or_too_few_costs_no_other_function(damage: str) -> None:
    read = unit(
        f"{damage}\n__device__ int first(int* p)\n{{\n  return *p;\n}}\n\n"
        "__host__ __device__ int second(int* p)\n{\n  return *p;\n}\n"
    )
    names = [function.decl.name for function in read.functions if not read.opaque[function]]
    assert names[-2:] == ["first", "second"]


@pytest.mark.parametrize("word", ["uint32_t", "namspace", "clas", "::"])
def test_a_damaged_first_word_of_a_scope_costs_nothing_inside(word: str) -> None:
    read = unit(
        f"{word} outer {{\n__device__ int f(int a) {{ return a; }}\n"
        "__global__ void k(int* p) { *p = f(1); }\n}\n__global__ void after(int* p) { *p = 1; }\n"
    )
    assert [(function.scope, function.decl.name) for function in read.functions] == [
        (("outer",), "f"),
        (("outer",), "k"),
        ((), "after"),
    ]


def test_damage_in_a_file_leaves_the_braces_of_its_headers_alone(tmp_path: Path) -> None:
    header = "namespace a { namespace b\n{\n  struct S {\n    int x; };\n}}\n"
    (tmp_path / "s.h").write_text(header)
    path = tmp_path / "k.cu"
    path.write_text(
        '#include "s.h"\nnamespace a {\n__device__ int t[] = {\n  {1, 2\n  3} }\n};\n'
        "__global__ void k(S* p) { p->x = 1; }\n}\n"
    )
    source, _ = read_source(path)
    assert source is not None
    (function,) = parse_cuda(source).functions
    assert (function.scope, function.decl.name) == (("a",), "k")


@pytest.mark.parametrize("base", ["A<int>", "A<B<1>>", "A<B<(3>>1)>>", "A<C<B<1>>>"])
def test_braces_behind_template_arguments_initialise_a_base(base: str) -> None:
    read = unit(
        f"struct S : {base} {{ int k; __device__ S(int n) : {base}{{n}}, k{{n}} {{ k = n; }} }};"
    )
    (made,) = read.functions
    assert len(made.initializers) == 2
    assert len(made.body.block_items) == 1
    assert not read.problems


def test_a_line_is_measured_once_for_all_of_its_braces(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[int] = []
    blanks = braces._BLANKS

    def counted(text: str, begin: int) -> re.Match[str] | None:
        measured.append(begin)
        return blanks(text, begin)

    monkeypatch.setattr(braces, "_BLANKS", counted)
    text = "int a;\r  void f() " + "{" * 2_000 + "\n\t}\n"
    unit(text)
    assert sorted(measured) == [7, 2_019]
