"""Races of a block: which are shown, what they are, and where the barrier goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.conflicts.race_kinds import RaceKind
from warplint.analyzer.analyses.races.missing_barriers import barrier_place
from warplint.analyzer.analyses.races.race_groups import grouped

if TYPE_CHECKING:
    from warplint.analyzer.analyses.races.race import Race

HEAD = """__global__ void k(const int *in, int *out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x;"""


def _races(body: str, threads: int = 256) -> list[Race]:
    return list(facts_of(f"{HEAD}\n{body} }}", (threads, 1, 1)).races)


def _only(body: str) -> Race:
    (race,) = [race for race in _races(body) if race.kind is not RaceKind.EQUAL_WRITES]
    return race


def test_a_witness_has_two_threads_at_one_place() -> None:
    race = _only("s[t] = in[t]; out[t] = s[255 - t];")
    first, second = race.conflict.first, race.conflict.second
    assert race.kind is RaceKind.BARRIER
    assert race.definite
    assert first.address == second.address
    assert first.thread + second.thread == 255
    assert first.thread // 32 != second.thread // 32


def test_a_race_between_rounds_names_its_loop() -> None:
    race = _only(
        "for (int r = 0; r < 9; r++) { s[t] = in[t + r]; __syncthreads(); out[t] = s[t ^ 77]; }"
    )
    assert race.kind is RaceKind.BARRIER_IN_LOOP
    assert (race.conflict.first.event.iterations, race.conflict.second.event.iterations) == (
        (0,),
        (1,),
    )


@pytest.mark.parametrize(
    ("body", "definite"),
    [
        ("if (in[t] > 0) s[0] = t; __syncthreads(); out[t] = s[0];", True),
        ("if (in[t] == 7) s[0] = t; __syncthreads(); out[t] = s[0];", False),
        ("if (t == 0) s[0] = 1; if (in[t] > 3) s[0] = 2; __syncthreads(); out[t] = s[0];", True),
        ("if (in[t]) s[t] = 1; else out[t] = s[t ^ 64];", False),
        ("volatile int *v = s; v[t] = 1; out[t] = v[t ^ 64];", False),
        ("s[t * n % 256] = t; __syncthreads(); out[t] = s[t];", False),
    ],
)
def test_what_is_definite(body: str, definite: bool) -> None:
    shown = [race for race in _races(body) if race.kind is not RaceKind.EQUAL_WRITES]
    assert any(race.definite for race in shown) is definite


def test_a_size_that_hides_a_race_is_not_enough() -> None:
    """Rows overlap when n is small: the launch decides, not the kernel."""
    assert not [r for r in _races("s[(t / 16) * n + t % 16] = t;") if r.definite]


def test_the_barrier_goes_where_everybody_passes() -> None:
    race = _only("s[t] = in[t];\nif (t < 100)\nout[t] = s[t + 100];")
    place = barrier_place(race.races, race)
    assert place is not None
    assert place.location.span.line == 5


def test_the_barrier_goes_before_the_loop_that_only_reads() -> None:
    race = _only(
        "s[t] = in[t]; int sum = 0;\nfor (int k = 0; k < 8; k++)\nsum += s[k];\nout[t] = sum;"
    )
    place = barrier_place(race.races, race)
    assert place is not None
    assert place.block is not race.conflict.second.access.block


def test_pairs_at_one_line_are_one_group() -> None:
    facts = facts_of(
        f"{HEAD}\ns[t] = in[t];\nout[t] = s[(t + 1) % 256] + s[(t + 2) % 256]; }}", (256, 1, 1)
    )
    (group,) = grouped(facts, RaceKind.BARRIER)
    assert group.others == 1


@pytest.mark.parametrize(
    ("body", "definite"),
    [
        ("s[t] = in[t]; out[t] = s[in[t + 256]];", [True]),
        ("s[in[t] & 255] = t; out[t] = s[t];", [False, False]),  # and with each other
        ("s[t] = in[t]; __syncthreads(); out[t] = s[in[t + 256]];", []),
        ("s[t] = in[t]; __syncwarp(); out[t] = s[in[t + 256]];", []),  # of its own warp?
        ("if (t < 128) s[t + 128] = in[t]; out[t] = s[in[t + 256] & 127];", []),  # another part
        ("s[t] = in[t]; out[t] = s[(t & ~7) + (in[t + 256] & 7)];", []),  # perhaps its own
        ("s[t] = t; out[t] = s[s[t]];", []),
        ("s[t] = in[t]; out[t] = s[out[t]];", [False]),
        ("s[t] = 1; out[t] = s[(int)(t * 0.5f)];", [False]),
    ],
)
def test_a_thread_may_be_led_to_any_element(body: str, definite: list[bool]) -> None:
    races = [race for race in _races(body) if race.kind is not RaceKind.EQUAL_WRITES]
    assert [race.definite for race in races] == definite


UNKNOWN = """template <typename T, int STEP> __global__ void k(const T *in, T *out) {
    __shared__ T part[256];
    part[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    @
    out[blockIdx.x * 256 + threadIdx.x] = part[threadIdx.x * STEP & 255];
}"""


@pytest.mark.parametrize(
    ("barrier", "doubted", "count"), [("", True, 1), ("", False, 0), ("__syncthreads();", True, 0)]
)
def test_elements_and_sizes_of_a_template_that_nobody_gives_are_possible_on_request(
    barrier: str, doubted: bool, count: int
) -> None:
    found = facts_of(UNKNOWN.replace("@", barrier), doubted=doubted).sized.races
    assert [race.definite for race in found] == [False] * count


OF_A_CLASS = """template <class L> __global__ void k(const int *in, int *out) {
    __shared__ int part[L::rows * L::columns];
    part[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    @
    out[blockIdx.x * 256 + threadIdx.x] = part[threadIdx.x / L::columns];
}"""


@pytest.mark.parametrize(("barrier", "count"), [("", 1), ("__syncthreads();", 0)])
def test_so_are_members_of_a_class_that_nobody_gives(barrier: str, count: int) -> None:
    found = facts_of(OF_A_CLASS.replace("@", barrier), doubted=True).sized.races
    assert [race.definite for race in found] == [False] * count
