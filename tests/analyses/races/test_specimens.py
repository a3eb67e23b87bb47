"""Instances of templates that are made up: which races they have to agree on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.conflicts.race_kinds import RaceKind

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Kernel

HEAD = "template <int N, int M> __global__ void k(const int *in, int *out, int n)"


def _definite(body: str, head: str = HEAD) -> list[RaceKind]:
    facts = facts_of(f"{head} {{ int t = threadIdx.x; {body} }}")
    return [race.kind for race in facts.races if race.definite]


@pytest.mark.parametrize(
    "body",
    [
        "__shared__ int s[N * M]; s[t] = in[t]; out[t] = s[N * M - 1 - t];",
        "__shared__ int s[N]; for (int i = t; i < N; i += blockDim.x) s[i] = 0; out[t] = s[N / 2];",
        'static_assert(N >= 64, ""); __shared__ int s[N]; s[t] = in[t]; out[t] = s[N - 1 - t];',
    ],
)
def test_what_every_instance_shows_is_definite(body: str) -> None:
    assert RaceKind.BARRIER in _definite(body)


@pytest.mark.parametrize(
    "body",
    [
        "__shared__ int s[N]; s[t] = in[t]; __syncthreads(); out[t] = s[N - 1 - t];",
        "__shared__ int s[N * 512]; if (N > M) s[t] = 1; out[t] = s[(t + 64) % 256];",
        'static_assert(N == 1, ""); __shared__ int s[256]; s[t * N] = 1; out[t] = s[t];',
    ],
)
def test_what_some_instances_do_without_is_not(body: str) -> None:
    assert _definite(body) == []


@pytest.mark.parametrize(
    "body",
    [
        # a warp has N lanes, and a row of its own
        "__shared__ int s[M][N]; s[t / N][t % N] = in[t]; __syncwarp();"
        " out[t] = s[t / N][N - 1 - t % N];",
        # N threads keep to a column of M elements each
        "__shared__ int s[M][N]; for (int i = 0; i < M; i++) s[i][t] = in[i * n + t];"
        " int a = 0; for (int i = 0; i < M; i++) a += s[i][t]; out[t] = a;",
        # groups of N threads synchronise as far as they reach
        "__shared__ int s[M]; s[t] = in[t]; if (N > 32) __syncthreads(); else __syncwarp();"
        " for (int o = N / 2; o > 0; o /= 2) { if (t % N < o) s[t] += s[t + o];"
        " if (N > 32) __syncthreads(); else __syncwarp(); } if (t % N == 0) out[t / N] = s[t];",
        # a ring of N stages, the one of which that is filled was read an iteration earlier
        "__shared__ int s[N][M]; for (int i = 0; i < N - 1; i++) s[i][t] = in[i * M + t];"
        " int a = 0; for (int k = 0; k < n; k++) { __syncthreads(); int next = k + N - 1;"
        " if (next < n) s[next % N][t] = in[next * M + t]; a += s[k % N][M - 1 - t]; } out[t] = a;",
    ],
)
def test_what_holds_by_a_relation_of_the_numbers_is_not(body: str) -> None:
    assert _definite(body) == []


def test_a_witness_names_the_arguments_that_were_chosen() -> None:
    facts = facts_of(
        "template <typename T, int N> __global__ void k(const T *in, T *out)"
        " { __shared__ T s[N]; s[threadIdx.x] = in[threadIdx.x];"
        " out[threadIdx.x] = s[N - 1 - threadIdx.x]; }"
    )
    (race,) = [each for each in facts.races if each.definite]
    launch = race.races.launch
    chosen = dict(launch.facts.kernel.chosen)
    assert launch.launch.block == (chosen["N"], 1, 1)
    assert chosen["T"] in {"float", "double"}
    assert facts.kernel.chosen == ()


def test_what_some_of_them_show_is_possible_where_doubted_ones_are_asked_for() -> None:
    text = (
        f"{HEAD} {{ int t = threadIdx.x; constexpr int warps{{N / 32}}; __shared__ int s[32];"
        " if (t % 32 == 0) s[t / 32] = in[t]; int v = t < warps ? s[t] : 0; out[t] = v; }"
    )
    assert not [race for race in facts_of(text).races if race.definite]
    names = [[each.name for each in race.doubts] for race in facts_of(text, doubted=True).races]
    assert ["other-sizes"] in names


def test_no_more_instances_are_made_than_can_decide() -> None:
    made: list[Kernel] = []
    facts = facts_of(f"{HEAD} {{ int t = threadIdx.x; out[in[t]] = t; out[t] = N; }}")
    specimens = facts.kernel.specimens
    facts.kernel.specimens = lambda: (made.append(each) or each for each in specimens())
    assert not any(race.definite for race in facts.races)
    assert len(made) == 1  # no race of it is definite, and all would have to be
