"""Witnesses of divergent barriers, run once more: does the thread that is said to arrive?"""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.barriers.barrier_divergence import divergent_barriers
from warplint.analyzer.analyses.barriers.witness_replay import arrives
from warplint.analyzer.analyses.conflicts.split_blocks import Witness
from warplint.analyzer.ir.operations import Barrier

SYNC = "__syncthreads();"


def replayed(body: str, thread: int, n: int | None) -> bool | None:
    facts = body_facts(f"int t = threadIdx.x; {body}")
    numbers = {each: n for each in facts.kernel.parameters if each.name == "n" and n is not None}
    used = tuple(numbers.items())
    witness = Witness((thread, 0, 0), (63, 0, 0), 1, 64, (), None, used=used)
    barrier = facts.every(Barrier)[-1]
    branch = facts.flow.controlling_edges(barrier.block)[0].branch
    return arrives(facts.launches[0], barrier, branch, witness)


COUNTED = f"int c = 0; for (int i = t; i < n; i += 64) {{ c += 1; if (c >= 9) {{ {SYNC} }} }}"


@pytest.mark.parametrize(
    ("body", "thread", "n", "expected"),
    [
        (f"if (t < n) {{ {SYNC} }}", 3, 17, True),
        (f"if (t < n) {{ {SYNC} }}", 17, 17, False),
        (f"if (t < n) {{ if (n > 40) {{ {SYNC} }} }}", 3, 17, False),
        (f"if (t < n) {{ if (n > 40) {{ {SYNC} }} }}", 3, 41, True),
        (COUNTED, 0, 17, False),
        (COUNTED, 0, 8 * 64, False),
        (COUNTED, 0, 8 * 64 + 1, True),
        (COUNTED, 1, 8 * 64 + 1, False),
        # What the witness does not name may be anything.
        (f"if (t < 5) {{ if (n > 4000) {{ {SYNC} }} }}", 3, None, None),
        (f"if (t < n) {{ if (p[0] == 1) {{ {SYNC} }} }}", 3, 17, None),
    ],
)
def test_a_thread_arrives_with_the_numbers(
    body: str, thread: int, n: int | None, expected: bool | None
) -> None:
    assert replayed(body, thread, n) is expected


OVERLAPPING = """for (int j = 1; j <= n; j += 2)
    for (int i = t; i <= 63 * 4; i += 63) {
        if (t == 0 && i == 63 * 4) continue;
        p[i] = i;
        SYNC
        if (t > 0) q[i] = p[i - 1];
    }""".replace("SYNC", SYNC)


@pytest.mark.parametrize(("n", "skipped"), [(8, True), (8, False), (100_000, True)])
def test_a_thread_that_came_before_does_not_come_in_the_iteration_asked_for(
    n: int, *, skipped: bool
) -> None:
    text = OVERLAPPING if skipped else OVERLAPPING.replace("continue", "q[0] = 1")
    facts = body_facts(f"int t = threadIdx.x; {text}", parameters="int *p, int *q, int n")
    barrier = facts.every(Barrier)[-1]
    inner = facts.flow.loop_nest(barrier.block)[0].header
    used = tuple({each: n for each in facts.kernel.parameters if each.name == "n"}.items())
    witness = Witness((0, 0, 0), (1, 0, 0), 1, 64, (), 4, used=used)
    assert arrives(facts.launches[0], barrier, inner, witness) is not skipped


def test_what_the_run_computes_is_no_example() -> None:
    body = f"""int t = threadIdx.x; unsigned s;
    for (s = blockDim.x / 2; s > 16; s >>= 1) {{ if (t >= s) return; p[t] += p[t + s]; {SYNC} }}
    if (t < 16) {{ p[t] += p[t + 16]; {SYNC} }} if (t == 0) p[0] = 1;"""
    found = [each.witness for each in divergent_barriers(body_facts(body))]
    assert [each.assumed for each in found if each is not None] == [()]
