"""Lowers barriers, fences, asynchronous waits and the exchange of values within a warp.

PTX ISA 9.7.12 and 9.7.13. `bar.sync 0` is the block's barrier; with another or a variable number,
or for a count of threads, it is NAMED. The count is kept with it. `mbarrier` operations are of kind
MBARRIER; `arrive` and `wait` say what they do, their first operand is the barrier's address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...ir.barrier_numbers import identified
from ...ir.operation_kinds import (
    MATCHES,
    REDUCTIONS,
    SHUFFLES,
    VOTES,
    FenceKind,
    MbarrierAction,
    WarpKind,
)
from ...ir.operations import (
    Barrier,
    BarrierKind,
    Fence,
    Opcode,
    Pure,
    WarpOperation,
)
from ...ir.types import PREDICATE, UINT32, UINT64, VOID
from ...ir.values import Constant, Unknown, Value
from ..syntax.tree import Address, Pair
from . import arithmetic as lower_arithmetic
from .arithmetic import pure_now
from .memory import emit_store

if TYPE_CHECKING:
    from ...ir.types import Type
    from ..syntax.tree import Instruction, Operand
    from .arithmetic import Handler, Prepare
    from .forms import Form
    from .kernel_lowering import Lowering

# ---- barriers (9.7.12.1) -------------------------------------------------------------------------


def barrier(form: Form) -> Handler:
    """`bar`, `barrier`: block barriers, named barriers, votes, warps and clusters."""
    word = next((m for m in form.modifiers if m in _BARRIERS), "sync")
    if "warp" in form.modifiers:
        return warp_barrier(form)
    if "cluster" in form.modifiers:
        return cluster_barrier(form)
    return block_vote(form) if word == "red" else block_barrier(form, word == "sync")


_BARRIERS = ("sync", "red", "arrive")


def block_barrier(form: Form, waits: bool) -> Handler:
    """`bar.sync a{, b}`, `bar.arrive a, b`."""

    def lower(low: Lowering, instruction: Instruction) -> None:
        numbers = [low.value(operand, UINT32) for operand in instruction.operands[:2]]
        count = numbers[1] if len(numbers) > 1 else None
        kind, identifier = identified(numbers[0] if numbers else None, count)
        where = low.builder.location
        low.builder.emit(
            Barrier(kind, form.text, where, identifier=identifier, count=count, wait=waits)
        )

    return lower


def block_vote(form: Form) -> Handler:
    """`bar.red.popc.u32 d, a{, b}, {!}c`, `bar.red.and.pred p, a{, b}, {!}c`."""
    vote = next((m for m in form.modifiers if m in ("popc", "and", "or")), "and")
    type_ = UINT32 if vote == "popc" else PREDICATE

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, identifier, *rest = instruction.operands
        predicate = low.value(rest[-1], PREDICATE) if rest else Constant(PREDICATE, 1)
        count = low.value(rest[0], UINT32) if len(rest) > 1 else None
        kind, number = identified(low.value(identifier, UINT32), count)
        result = Barrier(
            kind,
            form.text,
            low.builder.location,
            type=type_,
            operands=[predicate],
            vote=vote,
            identifier=number,
            count=count,
        )
        low.builder.emit(result)
        low.assign(target, result)

    return lower


def warp_barrier(form: Form) -> Handler:
    """`bar.warp.sync membermask`."""

    def lower(low: Lowering, instruction: Instruction) -> None:
        mask = [low.value(operand, UINT32) for operand in instruction.operands[:1]]
        low.builder.emit(Barrier(BarrierKind.WARP, form.text, low.builder.location, operands=mask))

    return lower


def cluster_barrier(form: Form) -> Handler:
    """`barrier.cluster.arrive`, `barrier.cluster.wait`."""
    arrives = form.has("arrive")

    def lower(low: Lowering, _: Instruction) -> None:
        low.builder.emit(
            Barrier(
                BarrierKind.CLUSTER,
                form.text,
                low.builder.location,
                arrive=arrives,
                wait=not arrives,
            )
        )

    return lower


# ---- fences (9.7.12.4) ---------------------------------------------------------------------------


def fence(form: Form) -> Handler:
    """`membar`, `fence`, `griddepcontrol`; a fence between proxies orders its own thread's work."""
    narrow = form.mnemonic == "fence" or form.has("proxy")
    scope = form.scope or ("block" if narrow else "system")
    kind = FenceKind.MBARRIER_INIT if form.has("mbarrier_init") else FenceKind.MEMORY
    kind = FenceKind.PROXY if form.has("proxy", "cp_fenceproxy") else kind

    def lower(low: Lowering, _: Instruction) -> None:
        low.builder.emit(Fence(form.text, scope, low.builder.location, kind))

    return lower


# ---- mbarrier (9.7.13.15) ------------------------------------------------------------------------

_ARRIVING = ("arrive", "arrive_drop", "complete_tx", "expect_tx")


def mbarrier(form: Form) -> Handler:
    """`init` and `inval` store; `arrive` arrives; `test_wait` and `try_wait` wait."""
    word = form.modifiers[0] if form.modifiers else ""
    if word in ("init", "inval"):
        return _mbarrier_store(form)
    if word == "pending_count":
        return lambda low, instruction: pure_now(low, instruction, form)
    arrives = any(word.startswith(one) for one in _ARRIVING)
    type_ = UINT64 if arrives else PREDICATE

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, operands = _target_and_rest(instruction.operands)
        values = [value for operand in operands for value in low.values(operand, UINT64)]
        result = Barrier(
            BarrierKind.MBARRIER,
            form.text,
            low.builder.location,
            type=VOID if target is None else type_,
            operands=values,
            arrive=arrives,
            wait=not arrives,
            mbarrier=_action(form, word),
            remote=form.has("cluster", "shared::cluster"),
        )
        low.builder.emit(result)
        if target is not None:
            low.assign(target, result)

    return lower


def _action(form: Form, word: str) -> MbarrierAction:
    if word.startswith("arrive"):
        expects = form.has("expect_tx")
        return MbarrierAction.ARRIVE_EXPECTING if expects else MbarrierAction.ARRIVE
    return MbarrierAction.TRANSACTIONS if word in _ARRIVING else MbarrierAction.WAIT


def _target_and_rest(operands: tuple[Operand, ...]) -> tuple[Operand | None, tuple[Operand, ...]]:
    if operands and not isinstance(operands[0], Address):
        return operands[0], operands[1:]
    return None, operands


def _mbarrier_store(form: Form) -> Handler:
    def lower(low: Lowering, instruction: Instruction) -> None:
        address, *rest = instruction.operands
        count = low.value(rest[0], UINT32) if rest else Unknown(UINT64, "what `inval` leaves")
        emit_store(low, form, [low.address(address), count], 8, UINT64)

    return lower


# ---- what the IR does not model -----------------------------------------------------------------


def hidden_state(form: Form) -> Handler:
    """PTX instructions that act on what the IR does not model: queues, register limits, timers."""

    def lower(low: Lowering, instruction: Instruction) -> None:
        values = [
            value for operand in instruction.operands for value in low.values(operand, UINT32)
        ]
        low.builder.emit(Pure(form.text, VOID, values, low.builder.location, form.function))

    return lower


# ---- within a warp (9.7.9.6, 9.7.13.8 ff.) -------------------------------------------------------


def shuffle(form: Form) -> Handler:
    """`shfl{.sync}.mode.b32 d{|p}, a, b, c{, membermask}`."""
    kind = next((_SHUFFLES[m] for m in form.modifiers if m in _SHUFFLES), WarpKind.SHUFFLE_INDEX)
    masked = form.has("sync")

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, *sources = instruction.operands
        values = [low.value(operand, UINT32) for operand in sources]
        mask = values.pop() if masked and len(values) > 3 else None
        _exchange(low, target, _Exchange(kind, UINT32, values, mask))

    return lower


def vote(form: Form) -> Handler:
    """`vote{.sync}.mode d, {!}a{, membermask}`."""
    kind = next((_VOTES[m] for m in form.modifiers if m in _VOTES), WarpKind.VOTE_ANY)
    masked = form.has("sync")
    type_ = UINT32 if kind is WarpKind.VOTE_BALLOT else PREDICATE

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, source, *rest = instruction.operands
        values = [low.value(source, PREDICATE)]
        mask = low.value(rest[0], UINT32) if masked and rest else None
        _exchange(low, target, _Exchange(kind, type_, values, mask))

    return lower


def match_or_reduce(form: Form) -> Handler:
    """`match.any.sync`, `match.all.sync d|p`, `redux.sync.op`, `elect.sync d|p, membermask`."""
    kind = next((kind for kind in _OTHERS if _is_written(kind, form)), WarpKind.REDUCE)
    type_ = form.type if form.mnemonic == "redux" else UINT32

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, *sources = instruction.operands
        values = [low.value(operand, form.type) for operand in sources[:-1]]
        mask = low.value(sources[-1], UINT32) if sources else None
        _exchange(low, target, _Exchange(kind, type_, values, mask))

    return lower


def active_mask(form: Form) -> Handler:
    """`activemask.b32 d`."""

    def lower(low: Lowering, instruction: Instruction) -> None:
        _exchange(low, instruction.operands[0], _Exchange(WarpKind.ACTIVE_MASK, UINT32, [], None))

    return lower


def _is_written(kind: WarpKind, form: Form) -> bool:
    """Whether an opcode is this one: `match` and `any`, `redux` and `add`, `elect`."""
    mnemonic, *mode = kind.value.split(".")
    return form.mnemonic == mnemonic and all(map(form.has, mode))


_SHUFFLES = {kind.value.removeprefix("shfl."): kind for kind in SHUFFLES}
_VOTES = {kind.value.removeprefix("vote."): kind for kind in VOTES}
_OTHERS = (*MATCHES, *REDUCTIONS, WarpKind.ELECT)


class _Exchange(NamedTuple):
    kind: WarpKind
    type: Type
    values: list[Value]
    mask: Value | None


def _exchange(low: Lowering, target: Operand, what: _Exchange) -> None:
    """Emit a warp operation; the predicate of `d|p` depends on it and on the lane: that of `elect`
    holds in the elected one.
    """
    result = WarpOperation(what.kind, what.type, what.values, low.builder.location, what.mask)
    low.builder.emit(result)
    if isinstance(target, Pair):
        lane = low.value(low.names.atoms.name("%laneid"), UINT32)
        if what.kind is WarpKind.ELECT:
            low.assign(target.second, low.builder.compare(Opcode.EQ, UINT32, result, lane))
        else:
            success = low.pure(f"{result.name}.predicate", PREDICATE, [result, lane])
            low.assign(target.second, success)
        target = target.first
    low.assign(target, result)


HANDLERS: dict[str, Prepare] = {
    "bar": barrier,
    "barrier": barrier,
    "membar": fence,
    "fence": fence,
    "mbarrier": mbarrier,
    "shfl": shuffle,
    "vote": vote,
    "match": match_or_reduce,
    "redux": match_or_reduce,
    "elect": match_or_reduce,
    "activemask": active_mask,
}
BY_EFFECT: dict[str, Prepare] = {
    "mbarrier": mbarrier,
    "fence": fence,
    "warp": lower_arithmetic.pure,
    "state": hidden_state,
    "branch": hidden_state,
}
