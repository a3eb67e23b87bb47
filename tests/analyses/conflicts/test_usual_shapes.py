"""Whether a race of a block whose rows nobody states shows up in every block that people launch."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.conflicts.race_context import RaceContext


def context(body: str, bounds: str = "") -> RaceContext:
    """What is judged for a block of 16 by 16, of which nothing in the file tells."""
    facts = facts_of(f"""
        extern __shared__ int s[];
        __global__ {bounds} void k(const int *in, int *out) {{
            int x = threadIdx.x, y = threadIdx.y, w = blockDim.x; {body} }}""")
    return RaceContext(facts.launches[0].with_block((16, 16, 1)))


@pytest.mark.parametrize(
    ("body", "everywhere"),
    [
        ("if (x + y == 0) s[0] = in[0]; out[y * w + x] = s[0];", True),
        ("s[y * w + x] = in[x]; out[y * w + x] = s[y * w + w - 1 - x];", True),
        ("s[y * w + x] = in[x]; __syncwarp(); out[y * w + x] = s[(y ^ 2) * w + x];", False),
        ("s[y * w + x] = in[x]; out[y * w + x] = s[x * blockDim.y + y];", False),  # of one row
        ("s[x] = in[y * w + x]; out[y * w + x] = s[x];", False),  # of one row
    ],
)
def test_which_conflicts_every_shape_has(body: str, *, everywhere: bool) -> None:
    races = context(body)
    (run, *_) = races.runs.scenarios
    conflicts = [
        c for pair, c in run.seen.found.items() if pair[0].name[0] == pair[1].name[0] == "s"
    ]
    assert conflicts
    assert {races.usual.show(run, conflict) for conflict in conflicts} == {everywhere}


def test_shapes_beyond_the_bound_are_not_asked() -> None:
    body = (
        "if (blockDim.x == 32 && blockDim.y == 32) return; if (x + y == 0) s[0] = 1; out[x] = s[0];"
    )
    shown = []
    for bounds in ("", "__launch_bounds__(256)"):
        races = context(body, bounds)
        (run, *_) = races.runs.scenarios
        (conflict,) = (c for pair, c in run.seen.found.items() if pair[0].name == "s[0]")
        shown.append(races.usual.show(run, conflict))
    assert shown == [False, True]
