"""Instances of templates that are made up: which races they have to agree on."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.conflicts.race_kinds import RaceKind

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
