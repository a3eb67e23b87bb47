"""Members of the elements of arrays: which accesses never share a byte."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.pointers.member_places import are_apart, part_of

SOURCE = """
struct Pair {{ int first; int second; double third; }};
__global__ void k(Pair *p, Pair *q, int *n, int i, int j) {{
    {first} = 1;
    {second} = 2;
}}
"""


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("p[i].first", "p[j].second", True),
        ("p[i].first", "p[j].first", False),
        ("p[i].first", "p[j + 1].third", True),
        ("p[i].first", "q[j].second", False),  # nobody says that they are different arrays
        ("p->first", "p->second", True),
        ("p->third", "p[i].first", True),
        ("n[0]", "n[1]", True),
        ("n[i]", "n[j + 1]", False),
        ("n[2 * i]", "n[2 * j + 1]", True),
        ("n[2 * i]", "n[3 * j + 1]", False),
        ("n[6 * i]", "n[4 * j + 1]", True),
        ("p[i].second", "*(double *)&p[j].first", False),
        ("*(char *)&p[i].first", "*(int *)((char *)p + j)", False),
    ],
)
def test_parts_that_share_no_byte(first: str, second: str, expected: bool) -> None:
    facts = facts_of(SOURCE.format(first=first, second=second), (64, 1, 1))
    one, other = (part_of(each) for each in facts.accesses if each.writes)
    assert one is not None
    assert other is not None
    assert are_apart(one, other) is expected
    assert are_apart(other, one) is expected


def test_a_sum_that_is_doubled_over_and_over_has_a_stride() -> None:
    doubled = "i = i + i;" * 60
    facts = facts_of(f"__global__ void k(int *n, int i) {{ {doubled} n[i] = 1; }}", (64, 1, 1))
    (access,) = (each for each in facts.accesses if each.writes)
    part = part_of(access)
    assert part is not None
    assert part.stride == 4 << 60
