"""Data that is used behind the flag which hands it over."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.inter_block.late_accesses import Late, late_accesses

WAIT = "while (atomicAdd(flag, 0) == 0) {}"


def late(giver: str, taker: str) -> list[Late]:
    body = f"""if (threadIdx.x == 0) {{
        if (blockIdx.x == 0) {{ {giver} }} else {{ {taker} }}
    }}"""
    return list(late_accesses(body_facts(body, parameters="int *data, int *flag, int *out, int n")))


@pytest.mark.parametrize(
    ("giver", "taker", "count"),
    [
        ("atomicExch(flag, 1); data[0] = n;", f"{WAIT} out[1] = data[0];", 1),
        ("data[0] = n; atomicExch(flag, 1);", f"{WAIT} out[1] = data[0];", 0),
        ("atomicExch(flag, 1); out[1] = data[0];", f"{WAIT} data[0] = n;", 1),
        ("atomicExch(flag, 1); out[1] = data[0];", f"{WAIT} out[2] = data[0];", 0),  # no write
        ("atomicExch(flag, 1); data[1] = n;", f"{WAIT} out[1] = data[0];", 0),  # elsewhere
        ("atomicExch(flag, 1); data[0] = n;", f"out[1] = data[0]; {WAIT}", 0),  # before it waits
        ("atomicExch(flag, 0); data[0] = n;", f"{WAIT} out[1] = data[0];", 0),  # takes it back
        ("atomicExch(flag, 1); other(n); data[0] = n;", f"{WAIT} out[1] = data[0];", 0),
        ("atomicExch(flag, 1); if (data[3]) data[0] = n;", f"{WAIT} out[1] = data[0];", 0),
        ("atomicExch(flag, 1); atomicExch(data, n);", f"{WAIT} out[1] = atomicAdd(data, 0);", 0),
        ("atomicExch(flag, 1); data[0] = 7;", f"{WAIT} data[0] = 7;", 0),  # the same
        (
            "atomicExch(flag, 1); data[0] = n; atomicExch(flag, 2);",
            f"{WAIT} out[1] = data[0];",
            0,  # the later one may say that it is done
        ),
        (
            "for (int i = 0; i < n; i++) atomicExch(flag, 1); data[0] = n;",
            f"{WAIT} out[1] = data[0];",
            0,
        ),
    ],
)
def test_what_comes_too_late(giver: str, taker: str, count: int) -> None:
    found = late(giver, taker)
    assert len(found) == count
    assert all(each.item.name == "*data" for each in found)
