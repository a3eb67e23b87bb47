"""A brace or parenthesis too many or too few costs the function it is in, not the next ones."""

from __future__ import annotations

import pytest

from .reading import unit

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
