"""Barriers, fences, mbarriers, waiting for copies, exchange within a warp."""

from __future__ import annotations

import pytest
from ptx.support import ir, operations

from warplint.analyzer.ir.operations import Barrier, BarrierKind, Fence, WarpOperation
from warplint.analyzer.ir.values import Constant

TID = " mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 9;\n"


def barrier(text: str) -> Barrier:
    """The one barrier of a body."""
    found = [op for op in operations(TID + text) if isinstance(op, Barrier)]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("text", "kind", "arrive", "wait"),
    [
        ("bar.sync 0;", BarrierKind.BLOCK, True, True),
        ("barrier.sync.aligned 0;", BarrierKind.BLOCK, True, True),
        ("barrier.cta.sync 0, 64;", BarrierKind.NAMED, True, True),
        ("bar.sync 3, 64;", BarrierKind.NAMED, True, True),
        ("bar.sync %r1;", BarrierKind.NAMED, True, True),
        ("bar.arrive 2, 64;", BarrierKind.NAMED, True, False),
        ("bar.warp.sync 0xffffffff;", BarrierKind.WARP, True, True),
        ("barrier.cluster.arrive.release.aligned;", BarrierKind.CLUSTER, True, False),
        ("barrier.cluster.wait.acquire.aligned;", BarrierKind.CLUSTER, False, True),
        ("cp.async.wait_group 1;", BarrierKind.ASYNC_WAIT, False, True),
        ("cp.async.wait_all;", BarrierKind.ASYNC_WAIT, False, True),
        ("cp.async.bulk.wait_group.read 0;", BarrierKind.ASYNC_WAIT, False, True),
        ("wgmma.wait_group.sync.aligned 0;", BarrierKind.ASYNC_WAIT, False, True),
        ("cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];", BarrierKind.MBARRIER, True, False),
        ("mbarrier.arrive.shared.b64 %rd1, [%r1];", BarrierKind.MBARRIER, True, False),
        (
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 128;",
            BarrierKind.MBARRIER,
            True,
            False,
        ),
        (
            "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0;",
            BarrierKind.MBARRIER,
            False,
            True,
        ),
    ],
)
def test_one_barrier(text: str, kind: BarrierKind, arrive: bool, wait: bool) -> None:
    found = barrier(text)
    assert (found.kind, found.arrive, found.wait) == (kind, arrive, wait)
    assert found.name == text.split()[0].rstrip(";")


def test_numbers_of_barriers() -> None:
    named = barrier("bar.sync 3, 64;")
    assert isinstance(named.identifier, Constant)
    assert isinstance(named.count, Constant)
    assert (named.identifier.value, named.count.value) == (3, 64)
    block = barrier("bar.sync 0;")
    assert (block.identifier, block.count) == (None, None)


def test_votes_of_the_block() -> None:
    assert ir(TID + "bar.red.or.pred %p2, 0, %p1; bar.red.popc.u32 %r2, 0, 96, !%p1;") == (
        "%0 = lt u32 tid.x, 9\n%1 = barrier.block.or %0\n%2 = not predicate %0\n"
        "%3 = barrier.named.popc %2, 0, 96"
    )


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("membar.cta;", "block"),
        ("membar.gl;", "device"),
        ("membar.sys;", "system"),
        ("fence.acq_rel.gpu;", "device"),
        ("fence.sc.cluster;", "cluster"),
        ("fence.proxy.async.shared::cta;", "block"),
        ("fence.mbarrier_init.release.cluster;", "cluster"),
        ("griddepcontrol.wait;", "system"),
    ],
)
def test_fences(text: str, scope: str) -> None:
    fence = next(op for op in operations(text) if isinstance(op, Fence))
    assert (fence.name, fence.scope) == (text.rstrip(";"), scope)


@pytest.mark.parametrize(
    ("text", "name", "masked"),
    [
        ("shfl.sync.down.b32 %r2, %r1, 4, 31, -1;", "shfl.down", True),
        ("shfl.idx.b32 %r2, %r1, 4, 31;", "shfl.idx", False),
        ("vote.sync.any.pred %p2, %p1, 0xff;", "vote.any", True),
        ("vote.ballot.b32 %r2, !%p1;", "vote.ballot", False),
        ("match.any.sync.b64 %r2, %rd1, -1;", "match.any", True),
        ("redux.sync.add.s32 %r2, %r1, -1;", "redux.add", True),
        ("elect.sync %r2|%p2, -1;", "elect", True),
        ("activemask.b32 %r2;", "activemask", False),
    ],
)
def test_exchange_within_a_warp(text: str, name: str, masked: bool) -> None:
    found = [op for op in operations(TID + text) if isinstance(op, WarpOperation)]
    assert [op.name for op in found] == [name]
    assert (found[0].mask is not None) == masked


def test_the_second_result_of_a_shuffle_depends_on_the_lane() -> None:
    assert ir(TID + "shfl.sync.up.b32 %r2|%p2, %r1, 1, 0, -1; selp.u32 %r3, %r2, 0, %p2;") == (
        "%0 = lt u32 tid.x, 9\n%1 = warp.shfl.up tid.x, 1, 0, 4294967295\n"
        "%2 = pure.shfl.up.predicate %1, laneid\n%3 = select u32 %2, %1, 0"
    )


def test_a_barrier_under_a_guard_becomes_a_branch() -> None:
    assert ir(TID + "@%p1 bar.sync 0;") == (
        "entry.0:\n%0 = lt u32 tid.x, 9\nbranch %0 ? guarded.1 : after.2\n"
        "guarded.1:\nbarrier.block\njump after.2\nafter.2:"
    )
