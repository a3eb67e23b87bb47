"""What is read and never written: where it makes a difference, and what may have written it."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.storage.unwritten import unwritten_reads, unwritten_uses
from warplint.analyzer.ir.memory import Space


def _uses(body: str) -> list[tuple[str, int]]:
    facts = body_facts(body)
    return [(each.name, each.use.location.span.line) for each in unwritten_uses(facts)]


def _reads(body: str, space: Space) -> list[tuple[str, int]]:
    found = unwritten_reads(body_facts(body), space)
    return [(each.item.name, each.load.location.span.line) for each in found]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("int x;\nint y = x * 2;\np[0] = y + n;", 3),
        ("int x;\nint y = n;\ny += x;\nif (y > 3) p[0] = n;", 4),
        ("int x;\np[0] = x;", None),
        ("int x;\nfor (int i = 0; i < n; i++)\nx += i;\np[0] = x;", 4),  # a phi of the loop
        (
            "int x;\nfor (int i = 0; i < n; i++)\nfor (int j = 0; j < n; j++)\nx += j;\np[0] = x;",
            5,
        ),
    ],
)
def test_where_the_variable_itself_is_taken(body: str, line: int | None) -> None:
    (use,) = unwritten_uses(body_facts(body))
    assert (None if use.taken is None else use.taken.location.span.line) == line


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x;\np[0] = x;", [("x", 3)]),
        ("int x;\np[0] = x * 2 + n;", [("x", 3)]),
        ("int x;\np[x] = n;", [("x", 3)]),
        ("int x;\nif (x > 3) p[0] = n;", [("x", 3)]),
        ("int x;\nfor (int i = 0; i < n; i++) x += i;\np[0] = x;", [("x", 4)]),
        ("int x;\nfor (int i = 0; i < x; i++) p[i] = 0;", [("x", 3)]),
        ("int x, y;\np[0] = x;\np[1] = x;\np[2] = y;", [("x", 3), ("y", 5)]),
    ],
)
def test_a_variable_without_a_value_is_told_where_it_makes_a_difference(
    body: str, expected: list[tuple[str, int]]
) -> None:
    assert _uses(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "int x;\nx = n;\np[0] = x;",
        "int x;\nint y = x + 1;\np[0] = n;",  # nothing comes of it
        "int x;\nif (n > 3) x = 1;\nif (n > 3) p[0] = x;",  # the same condition
        "int x;\nwhile (n-- > 0) x = n;\np[0] = x;",  # who knows that n is positive
        "int x;\np[0] = __shfl_sync(0xffffffff, x, 0);",  # all but one may be thrown away
        "int x;\nread_in(x);\np[0] = x;",  # by reference
        'int x;\nasm("mov.u32 %0, %laneid;" : "=r"(x));\np[0] = x;',
    ],
)
def test_nothing_is_said_of_a_variable_that_something_may_have_written(body: str) -> None:
    assert _uses(body) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("__shared__ int s[64];\np[0] = s[n];", [("s", 3)]),
        ("__shared__ int s[64];\np[0] = s[n];\np[1] = s[n + 1];", [("s", 3)]),
        ("__shared__ int s[64], t[64];\nt[n] = n;\np[0] = s[n];", [("s", 4)]),
        ("__shared__ int s[64];\ns[threadIdx.x] = n;\np[0] = s[n];", []),
        ("__shared__ int s[64];\natomicAdd(&s[0], n);\np[0] = s[n];", []),
        ("__shared__ int s[64];\nint *q = n ? s : p;\nq[0] = n;\np[0] = s[n];", []),
        ("__shared__ int s[64];\nfill(s);\np[0] = s[n];", []),
        ("__shared__ int s[64];\nfill(s[1]);\np[0] = s[n];", []),
        ("__shared__ int s;\nfill({p, s});\np[0] = s;", []),  # a struct with `int &`, perhaps
        ("__shared__ int s;\nfill(lib::View{p, s});\np[0] = s;", []),
        ("__shared__ int s;\nlib::View v{p, s};\nfill(v);\np[0] = s;", []),
        ("__shared__ int s, t;\nfill({p, t});\np[0] = s;", [("s", 4)]),
        ("__shared__ int s;\nfill(p, s + 1);\np[0] = s;", [("s", 3)]),  # a number of its own
        ("extern __shared__ int s[];\np[0] = s[n];", []),
    ],
)
def test_shared_arrays_that_no_thread_writes(body: str, expected: list[tuple[str, int]]) -> None:
    assert _reads(body, Space.SHARED) == expected


def test_local_arrays_are_asked_for_by_themselves() -> None:
    body = "__shared__ int s[64];\nint own[4];\np[0] = s[n] + own[n & 3];"
    assert _reads(body, Space.LOCAL) == [("own", 4)]
    assert _reads(body, Space.SHARED) == [("s", 4)]


def test_a_struct_of_a_class_that_is_not_known_may_have_been_filled() -> None:
    body = "lib::Tile tiles[4];\nlib::fill(p);\np[0] = tiles[n & 3].x[0];"
    assert _reads(body, Space.LOCAL) == []
