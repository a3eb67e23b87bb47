"""What is parsed of an included file: what the main file rests on, and little else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.cuda.units.parse import parse_cuda
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path

HEADER = """
struct Small { __device__ static void go(int *p) { *p = 1; } };
struct Large { __device__ static void go(int *p) { *p = 2; } };
struct Other { __device__ void go(int *p) { *p = 3; } };
template <class T> using Aliased = Large;
template <class T> struct Traits { __device__ static int size() { return 0; } };
template <> struct Traits<Small> {
  __device__ static int size() { return 1; }
  __device__ static int small(int *p) { Small::go(p); return 1; }
};
template <class T> struct Traits<Aliased<T>> {
  __device__ static int size() { return 2; }
  __device__ static int large(int *p) { Aliased<T>::go(p); return 2; }
};
template <class T> struct Box { T value; __device__ int boxed() { return 0; } };
template <class Small> struct Traits<Box<Small>> : Large {
  __device__ static int boxes() { return 3; }
};
struct Made { __device__ int made() { return 4; } };
__device__ Made make() { return Made{}; }
"""


def parsed(tmp_path: Path, body: str) -> set[str]:
    """The functions parsed with a kernel of this body, each with the class it belongs to."""
    (tmp_path / "header.h").write_text(HEADER)
    text = f'#include "header.h"\n__global__ void k(int *p) {{ {body} }}\n'
    unit = parse_cuda(SourceText(str(tmp_path / "k.cu"), text))
    return {"::".join((*item.scope, item.decl.name)) for item in unit.functions} - {"k"}


@pytest.mark.parametrize(
    ("body", "functions"),
    [
        ("p[0] = Traits<Small>::size();", {"Traits::size"}),
        ("p[0] = Traits<Small>::small(p);", {"Traits::small", "Small::go"}),
        ("p[0] = Traits<Large>::large(p);", {"Traits::large", "Large::go"}),
        ("p[0] = Traits<Aliased<int>>::large(p);", {"Traits::large", "Large::go"}),
        ("p[0] = Traits<Box<int>>::boxes();", {"Traits::boxes"}),
        ("p[0] = make().made();", {"make", "Made::made"}),
        ("Small s; s.go(p);", {"Small::go"}),
        ("unknown(p).go(p);", set()),
    ],
)
def test_what_is_parsed_of_a_header(tmp_path: Path, body: str, functions: set[str]) -> None:
    assert parsed(tmp_path, body) == functions


def test_a_specialisation_is_read_with_the_class_that_it_is_for(tmp_path: Path) -> None:
    """Nothing but the header itself speaks of `Large`: what is written for it stays unread."""
    text = "template <class T> __device__ int size(T) { return Traits<T>::size(); }"
    (tmp_path / "header.h").write_text(HEADER)
    source = SourceText(
        str(tmp_path / "k.cu"),
        f'#include "header.h"\n{text}\n__global__ void k(int *p) {{ p[0] = size(Small()); }}\n',
    )
    unit = parse_cuda(source)
    lines = [item.coord.line for item in unit.functions if item.decl.name == "size"]
    assert sorted(lines) == [2, 6, 8]


LAUNCHERS = """
__global__ void fill(int *p) { p[threadIdx.x] = 1; }
__global__ void clear(int *p) { p[threadIdx.x] = 0; }
__global__ void unused(int *p) { p[threadIdx.x] = 2; }
extern "C" int go(int *p) { fill<<<1, 32>>>(p); return 0; }
static void by_each_source(int *p) { clear<<<1, 32>>>(p); }
inline void shared(int *p) { clear<<<1, 32>>>(p); }
template <int N> void of_any_size(int *p) { clear<<<1, N>>>(p); }
int sum(int a, int b) { return a + b; }
"""


def test_a_header_that_may_be_included_once_is_read_where_it_launches(tmp_path: Path) -> None:
    (tmp_path / "launchers.cuh").write_text(LAUNCHERS)
    unit = parse_cuda(SourceText(str(tmp_path / "main.cu"), '#include "launchers.cuh"\n'))
    assert {item.decl.name for item in unit.functions} == {"go", "fill"}
