"""How far the array reaches that an address leads into, where it is a member."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.pointers.member_bounds import leaves_member, member_bounds

HEAD = """struct Pair { int first[4]; int second[2]; int last; };
__global__ void k(Pair *p, int n, int m) {
"""


def bounds(body: str) -> tuple[int, int] | None:
    facts = facts_of(f"{HEAD}{body}\n}}")
    (access,) = facts.accesses
    item = facts.points_to.object_of(access)
    assert item is not None
    return member_bounds(item, access.address, facts.points_to)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[n].first[m] = 1;", (0, 16)),
        ("p[n].second[m] = 1;", (16, 24)),
        ("p[n].second[1] = 1;", (16, 24)),
        ("p[3].first[2] = 1;", (0, 16)),
        ("p[n].last = 1;", None),  # no array
    ],
)
def test_the_bytes_of_an_element(body: str, expected: tuple[int, int] | None) -> None:
    assert bounds(body) == expected


@pytest.mark.parametrize("member", ["first", "second"])
def test_a_byte_beyond_the_member(member: str) -> None:
    facts = facts_of(f"{HEAD}p[n].{member}[m] = 1;\n}}")
    (access,) = facts.accesses
    item = facts.points_to.object_of(access)
    assert item is not None
    inside = range(16) if member == "first" else range(16, 24)
    for offset in range(0, 3 * 28, 4):
        left = leaves_member(item, access.address, facts.points_to, offset)
        assert left is (offset % 28 not in inside)


def test_plain_arrays_have_no_members_to_leave() -> None:
    facts = facts_of("__global__ void k(int *p, int n) { p[n] = 1; }")
    (access,) = facts.accesses
    item = facts.points_to.object_of(access)
    assert item is not None
    assert member_bounds(item, access.address, facts.points_to) is None
    assert not leaves_member(item, access.address, facts.points_to, 4)
