"""What `inspect barriers` shows: barriers, their decisions, and who agrees on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.barriers.barrier_control import BarrierControl, barrier_controls
from warplint.analyzer.analyses.warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Dimensions


def barriers(body: str, block: Dimensions = (64, 1, 1)) -> list[BarrierControl]:
    (launch,) = body_facts(body, block=block).launches
    return barrier_controls(launch)


def barrier(body: str, block: Dimensions = (64, 1, 1)) -> BarrierControl:
    (found,) = barriers(body, block)
    return found


def test_nothing_decides_about_a_barrier_that_every_thread_reaches() -> None:
    found = barrier("if (n) p[0] = 1; __syncthreads();")
    assert (found.controls, found.uniform, found.level) == ((), True, Uniformity.GRID)


@pytest.mark.parametrize(
    ("condition", "level", "uniform"),
    [
        ("n > 3", Uniformity.GRID, True),
        ("blockIdx.x == 1", Uniformity.BLOCK, True),
        ("threadIdx.x / 32 == 1", Uniformity.WARP, False),
        ("threadIdx.x < n", Uniformity.VARYING, False),
    ],
)
def test_a_block_barrier_needs_the_block(condition: str, level: Uniformity, uniform: bool) -> None:
    found = barrier(f"if ({condition}) __syncthreads();")
    (control,) = found.controls
    assert (control.condition, control.construct, control.way) == (condition, "if", "true")
    assert (control.level, found.level, found.uniform) == (level, level, uniform)


def test_a_warp_barrier_needs_the_warp_only() -> None:
    assert barrier("if (threadIdx.x / 32 == 1) __syncwarp();").uniform
    assert not barrier("if (threadIdx.x % 2) __syncwarp();").uniform


def test_decisions_stand_nearest_first_with_the_way_taken() -> None:
    found = barrier(
        "for (int r = 0; r < n; ++r) { if (threadIdx.x == 3) p[r] = 1; else __syncthreads(); }"
    )
    assert [(item.condition, item.construct, item.way) for item in found.controls] == [
        ("threadIdx.x == 3", "if", "false"),
        ("r < n", "for", "true"),
    ]


def test_a_switch_has_no_single_way() -> None:
    found = barrier("switch (n) { case 1: __syncthreads(); break; case 2: p[0] = 1; }")
    (control,) = found.controls
    assert (control.condition, control.construct, control.way) == ("n", "switch", "")


def test_threads_that_have_left_do_not_agree() -> None:
    found = barrier("if (threadIdx.x >= n) return; __syncthreads();")
    assert not found.uniform
    assert found.controls[0].way == "false"


def test_waiting_for_ones_own_copies_is_no_meeting() -> None:
    found = barrier("if (threadIdx.x < n) __pipeline_wait_prior(0);")
    assert found.uniform is None


def test_the_shape_of_the_block_decides() -> None:
    body = "if (threadIdx.y == 1) __syncwarp();"
    assert barrier(body, (32, 2, 1)).uniform
    assert not barrier(body, (16, 4, 1)).uniform


def test_barriers_follow_the_source() -> None:
    body = "for (int r = 0; r < n; ++r)\n __syncthreads();\n__syncthreads();\n__syncwarp();"
    lines = [item.barrier.location.span.line for item in barriers(body)]
    assert lines == [3, 4, 5]
