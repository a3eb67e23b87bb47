"""Data that one block writes for another, with and without what makes it seen."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of

from warplint.analyzer.analyses.inter_block.publications import (
    PublicationKind,
    Unfenced,
    is_awaited,
    is_of_others,
    unfenced_publications,
)


def unfenced(body: str, grid: tuple[int, int, int] = (8, 1, 1)) -> list[Unfenced]:
    text = f"""__global__ void k(int *data, int *flag, int *out, volatile int *v, int n) {{
    __shared__ int last; int t = threadIdx.x; {body} }}"""
    return list(unfenced_publications(facts_of(text, (64, 1, 1), grid)))


LAST = """data[blockIdx.x] = n; {fence}
if (atomicAdd(flag, 1) == gridDim.x - 1) {{
    for (int i = 0; i < gridDim.x; i++) out[0] += data[i]; }}"""
LOCK = """while (atomicCAS(flag, 0, 1) != 0) {{}} {taken}
data[0] += n; {fence}
atomicExch(flag, 0);"""
FLAG = """if (t == 0) {{ if (blockIdx.x == 0) {{ data[0] = n; {fence} atomicExch(flag, 1); }}
else {{ while (atomicAdd(flag, 0) == 0) {{}} {behind} out[blockIdx.x] = data[0]; }} }}"""


@pytest.mark.parametrize(
    ("fence", "missing"),
    [
        ("", True),
        ("__threadfence();", False),
        ("__threadfence_system();", False),
        ("__threadfence_block();", True),
        ("__syncthreads();", True),
        ("other(n);", False),
    ],
)
def test_fences_before_the_flag(fence: str, *, missing: bool) -> None:
    for text, kind in ((LAST, PublicationKind.LAST_BLOCK), (FLAG, PublicationKind.FLAG)):
        if text is FLAG and fence == "__syncthreads();":
            continue  # in a part of the block
        found = unfenced(text.format(fence=fence, behind="__threadfence();"))
        assert [each.kind for each in found] == ([kind] if missing else [])
        assert all(each.item.name == "*data" and each.data.writes for each in found)


@pytest.mark.parametrize(
    ("behind", "missing"),
    [
        ("", True),
        ("__threadfence_block();", True),
        ("__threadfence();", False),
        ("other(n);", False),
        ("__syncwarp();", False),  # threads meet: not judged
    ],
)
def test_fences_behind_the_wait(behind: str, *, missing: bool) -> None:
    found = unfenced(FLAG.format(fence="__threadfence();", behind=behind))
    assert [each.kind for each in found] == ([PublicationKind.AWAITED_FLAG] if missing else [])
    assert all(each.item.name == "*data" and each.data.reads for each in found)


@pytest.mark.parametrize(
    ("written", "read", "fence", "missing"),
    [
        ("m->data[1]", "m->data[1]", "", True),
        ("m->data[1]", "m->data[1]", "__threadfence();", False),
        ("m->sender", "m->data[1]", "", False),  # another member
        ("m->ready", "m->data[1]", "", False),  # the flag itself
    ],
)
def test_a_flag_beside_its_data(written: str, read: str, fence: str, *, missing: bool) -> None:
    text = f"""struct Mail {{ int data[4]; int sender; int ready; }};
    __global__ void k(Mail *m, int *out, int n) {{ if (threadIdx.x == 0) {{
    if (blockIdx.x == 0) {{ {written} = n; {fence} atomicExch(&m->ready, 1); }}
    else {{ while (atomicAdd(&m->ready, 0) == 0) {{}} out[blockIdx.x] = {read}; }} }} }}"""
    found = list(unfenced_publications(facts_of(text, (64, 1, 1), (8, 1, 1))))
    assert [each.kind for each in found] == ([PublicationKind.FLAG] if missing else [])


@pytest.mark.parametrize(
    ("taken", "fence", "kinds"),
    [
        ("__threadfence();", "__threadfence();", []),
        ("__threadfence();", "", [PublicationKind.LOCK]),
        ("", "__threadfence();", [PublicationKind.TAKEN_LOCK]),
        ("", "", [PublicationKind.LOCK]),  # of one lock the release alone
    ],
)
def test_both_ends_of_a_lock(taken: str, fence: str, kinds: list[PublicationKind]) -> None:
    found = unfenced(LOCK.format(taken=taken, fence=fence))
    assert [each.kind for each in found] == kinds


@pytest.mark.parametrize(
    "body",
    [
        "data[blockIdx.x] = n; atomicAdd(flag, 1);",  # nobody reads
        "data[blockIdx.x] = n; if (atomicAdd(flag, 1) == 7) out[0] = data[blockIdx.x];",  # its own
        "int at = atomicAdd(flag, 1); if (at < n) data[at] = n;",  # a place for each
        "flag[1] = n; if (atomicAdd(flag, 1) == 7) out[0] = flag[1];",  # of one object
        "data[blockIdx.x] = n; if (t == 0) atomicExch(flag, 1);",  # nobody waits
    ],
)
def test_nothing_is_published(body: str) -> None:
    assert unfenced(body) == []


def test_the_count_may_be_kept_in_shared_memory() -> None:
    body = """data[blockIdx.x * 64 + t] = n; {}
    if (t == 0) last = atomicAdd(flag, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) for (int i = t; i < n; i += 64) out[0] += data[i];"""
    assert [each.kind for each in unfenced(body.format(""))] == [PublicationKind.LAST_BLOCK]
    assert unfenced(body.format("__threadfence();")) == []


def test_a_single_block_needs_a_fence_of_the_block() -> None:
    assert unfenced(LOCK.format(taken="", fence=""), (1, 1, 1)) != []
    block = "__threadfence_block();"
    assert unfenced(LOCK.format(taken=block, fence=block), (1, 1, 1)) == []
    assert unfenced(LOCK.format(taken=block, fence=block), (2, 1, 1)) != []


def test_what_a_wait_may_end_with() -> None:
    text = """__global__ void k(int *flag, int n) {
        if (threadIdx.x == 0) { atomicExch(flag, 1); atomicExch(flag, 0); atomicExch(flag, n); }
        else while (atomicAdd(flag, 0) == 0) {} }"""
    facts = facts_of(text, (64, 1, 1))
    (spin,) = facts.spins
    sets = [each for each in facts.accesses if each is not spin.read]
    assert [is_awaited(facts, spin, each) for each in sets] == [True, False, True]


@pytest.mark.parametrize(
    ("written", "read", "expected"),
    [
        ("data[blockIdx.x]", "data[n]", True),
        ("data[blockIdx.x]", "data[blockIdx.x]", False),  # its own
        ("data[n]", "data[n]", False),  # one place for all
        ("data[blockIdx.x + gridDim.x * blockIdx.y]", "data[blockIdx.x]", True),
    ],
)
def test_places_of_all_blocks(written: str, read: str, *, expected: bool) -> None:
    facts = body_facts(f"{written} = 1; out[0] = {read};", parameters="int *data, int *out, int n")
    store, load, _ = facts.accesses
    assert is_of_others(store, load) is expected
