"""Bodies that were read before are read again only where somebody asks, and nothing shows it."""

from __future__ import annotations

from typing import Any

import pytest

from warplint.analyzer.cuda.units.unit import UnitParser

from .test_kernel_results import TEXT, Checking


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the bodies that are read."""
    found: list[str] = []
    body = UnitParser._body

    def reading(self: UnitParser, piece: Any, span: Any) -> Any:
        found.append(span.text)
        return body(self, piece, span)

    monkeypatch.setattr(UnitParser, "_body", reading)
    return found


def bodies(read: list[str], text: str, after: str) -> list[str]:
    """What is read of a text after another one; shown is what another process shows."""
    checking = Checking()
    checking.check(text)
    read.clear()
    shown = checking.check(after)
    found = [*read]
    assert shown == Checking().check(after)
    return found


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("// a comment", "// another one", ["a comment", "v + v"]),  # and what it calls
        ("in[threadIdx.y * 32 +", "in[threadIdx.y * 64 +", ["tile"]),
        ("v + v", "v * 2", ["v * 2", "threadIdx.x;"]),  # and what calls it
    ],
)
def test_only_what_an_edit_touches_and_calls_is_read(
    read: list[str], old: str, new: str, words: list[str]
) -> None:
    found = bodies(read, TEXT, TEXT.replace(old, new))
    expected = [word.replace("a comment", "another one") for word in words]
    assert len(found) == len(expected)
    assert all(any(word in each for each in found) for word in expected)


def test_a_body_is_read_again_where_the_names_around_it_are_others(read: list[str]) -> None:
    text = "__global__ void k(int *a, int b) { int x = (A)(b); a[threadIdx.x] = x; }\n"
    typed = "typedef long A;\n" + text
    assert len(bodies(read, text, typed)) == 1
    assert len(bodies(read, typed, text)) == 1
    assert len(bodies(read, typed, typed.replace("= x", "= +x"))) == 1


@pytest.mark.parametrize("lost", ["int x = = 3;", "a[0 = 4;", "@;"])
def test_what_is_lost_in_a_body_is_reported_each_time(read: list[str], lost: str) -> None:
    text = f"__global__ void k(int *a) {{ {lost} a[threadIdx.x] = 1; }}\n"
    text += "__global__ void other(int *a) { a[threadIdx.x] = 2; }\n"
    found = bodies(read, text, text.replace("= 2", "= 3"))
    assert [lost in each for each in found] == [True, False]
    found = bodies(read, text, text.replace("= 1", "= 3"))
    assert [lost in each for each in found] == [True]


def test_where_a_line_ends_decides_what_a_word_is(read: list[str]) -> None:
    text = "__global__ void k(int *a) {\n    CHECKED\n    a[threadIdx.x] = 1;\n}\n"
    joined = text.replace("CHECKED\n", "CHECKED")
    assert len(bodies(read, text, joined)) == 1
    assert len(bodies(read, joined, text)) == 1


HOST = """
struct Four { int v[4]; };
__device__ int first(Four &four) { return four.v[0]; }
__global__ void k(Four *a, int *out) { out[threadIdx.x] = %s; }
int main() {
    Four *a;
    int *out;
    cudaMallocManaged(&a, 512);
    cudaMalloc(&out, 128);
    k<<<1, 32>>>(a, out);
    int v = a[0].v[0];
    return v;
}
"""


def test_what_a_kernel_only_reads_is_known_without_its_body(read: list[str]) -> None:
    text = HOST % "a[threadIdx.x].v[0]"
    after = text.replace("int v = a[0]", "int v = a[1]")
    assert [each for each in bodies(read, text, after) if "threadIdx" in each] == []


@pytest.mark.parametrize(
    ("old", "new"), [("a[0].v[1]", "++a[0].v[1]"), ("four.v[0]", "++four.v[0]")]
)
def test_what_a_kernel_writes_through_another_function_is_asked_again(
    read: list[str], old: str, new: str
) -> None:
    text = HOST % ("first(a[0])" if "four" in old else old)
    before, after = Checking().check(text), Checking().check(text.replace(old, new))
    assert "API005" not in str(before)
    assert "API005" in str(after)
    bodies(read, text, text.replace(old, new))
