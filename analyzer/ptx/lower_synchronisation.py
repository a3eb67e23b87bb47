"""Lowers barriers, fences, asynchronous waits and the exchange of values within a warp.

PTX ISA 9.7.12 and 9.7.13. `bar.sync 0` is the block's barrier; with another or a variable number it
is NAMED. A thread count is kept with it. `mbarrier` operations are barriers of kind MBARRIER whose
`arrive` and `wait` say what they do; their first operand is the address of the barrier object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.memory import Space
from ..ir.operations import (
    AccessKind,
    Barrier,
    BarrierKind,
    Fence,
    MemoryAccess,
    Pure,
    WarpOperation,
)
from ..ir.types import PREDICATE, UINT32, UINT64, VOID
from ..ir.values import Constant, Value
from . import lower_arithmetic
from .lower_arithmetic import pure_now
from .lower_memory import asynchronous_copy, bulk_copy
from .syntax import Address, Pair

if TYPE_CHECKING:
    from .forms import Form
    from .kernel_lowering import Lowering
    from .lower_arithmetic import Handler, Prepare
    from .syntax import Instruction, Operand

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
        kind, identifier = _identified(numbers[0] if numbers else None)
        low.builder.emit(
            Barrier(
                kind,
                form.text,
                low.builder.location,
                identifier=identifier,
                count=numbers[1] if len(numbers) > 1 else None,
                wait=waits,
            )
        )

    return lower


def _identified(identifier: Value | None) -> tuple[BarrierKind, Value | None]:
    """Barrier 0 is the block's own."""
    if identifier is None or (isinstance(identifier, Constant) and identifier.value == 0):
        return BarrierKind.BLOCK, None
    return BarrierKind.NAMED, identifier


def block_vote(form: Form) -> Handler:
    """`bar.red.popc.u32 d, a{, b}, {!}c`, `bar.red.and.pred p, a{, b}, {!}c`."""
    vote = next((m for m in form.modifiers if m in ("popc", "and", "or")), "and")
    type_ = UINT32 if vote == "popc" else PREDICATE

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, identifier, *rest = instruction.operands
        predicate = low.value(rest[-1], PREDICATE) if rest else Constant(PREDICATE, 1)
        kind, number = _identified(low.value(identifier, UINT32))
        result = Barrier(
            kind,
            form.text,
            low.builder.location,
            type=type_,
            operands=[predicate],
            vote=vote,
            identifier=number,
            count=low.value(rest[0], UINT32) if len(rest) > 1 else None,
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

_FENCE_SCOPES = {"cta": "block", "gl": "device", "gpu": "device", "cluster": "cluster"}


def fence(form: Form) -> Handler:
    """`membar`, `fence`, `tensormap.cp_fenceproxy`, `griddepcontrol`."""
    scope = next((_FENCE_SCOPES[m] for m in form.modifiers if m in _FENCE_SCOPES), "system")
    if form.has("proxy", "mbarrier_init") or (form.mnemonic == "fence" and not form.scope):
        scope = "block" if not form.scope else scope

    def lower(low: Lowering, _: Instruction) -> None:
        low.builder.emit(Fence(form.text, scope, low.builder.location))

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
        )
        low.builder.emit(result)
        if target is not None:
            low.assign(target, result)

    return lower


def _target_and_rest(operands: tuple[Operand, ...]) -> tuple[Operand | None, tuple[Operand, ...]]:
    if operands and not isinstance(operands[0], Address):
        return operands[0], operands[1:]
    return None, operands


def _mbarrier_store(form: Form) -> Handler:
    def lower(low: Lowering, instruction: Instruction) -> None:
        address, *rest = instruction.operands
        low.builder.emit(
            MemoryAccess(
                AccessKind.STORE,
                VOID,
                [low.address(address), *(low.value(operand, UINT32) for operand in rest)],
                low.builder.location,
                space=form.space or Space.GENERIC,
                width=8,
                element=UINT64,
                name=form.text,
            )
        )

    return lower


# ---- cp (9.7.9.25) -------------------------------------------------------------------------------


def copy(form: Form) -> Handler:
    """`cp.async…`, `cp.reduce.async…`: copies, groups of copies, and waiting for them."""
    words = form.modifiers
    if "commit_group" in words:
        return lambda low, _: _effect(low, form)
    if "wait_group" in words or "wait_all" in words:
        return _copy_wait
    if "mbarrier" in words:
        return _copy_arrives(form)
    if "bulk" in words:
        return bulk_copy(form)
    return asynchronous_copy(form)


def _copy_wait(low: Lowering, instruction: Instruction) -> None:
    """`cp.async.wait_group N`: N groups may still be under way."""
    values = [low.value(operand, UINT32) for operand in instruction.operands[:1]]
    low.builder.emit(
        Barrier(
            BarrierKind.ASYNC_WAIT,
            instruction.opcode.text,
            low.builder.location,
            operands=values,
            arrive=False,
        )
    )


def _copy_arrives(form: Form) -> Handler:
    def lower(low: Lowering, instruction: Instruction) -> None:
        low.builder.emit(
            Barrier(
                BarrierKind.MBARRIER,
                form.text,
                low.builder.location,
                operands=[low.address(operand) for operand in instruction.operands[:1]],
                wait=False,
            )
        )

    return lower


def _effect(low: Lowering, form: Form) -> None:
    """Something that neither computes nor touches memory, kept for its place."""
    low.builder.emit(Pure(form.text, VOID, [], low.builder.location))


def hidden_state(form: Form) -> Handler:
    """Instructions that act on what the IR does not model: queues, register limits, timers."""

    def lower(low: Lowering, instruction: Instruction) -> None:
        values = [
            value for operand in instruction.operands for value in low.values(operand, UINT32)
        ]
        low.builder.emit(Pure(form.text, VOID, values, low.builder.location))

    return lower


# ---- within a warp (9.7.9.6, 9.7.13.8 ff.) -------------------------------------------------------


def shuffle(form: Form) -> Handler:
    """`shfl{.sync}.mode.b32 d{|p}, a, b, c{, membermask}`."""
    mode = next((m for m in form.modifiers if m in ("up", "down", "bfly", "idx")), "idx")
    masked = form.has("sync")

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, *sources = instruction.operands
        values = [low.value(operand, UINT32) for operand in sources]
        mask = values.pop() if masked and len(values) > 3 else None
        _warp(low, f"shfl.{mode}", target, values, mask)

    return lower


def vote(form: Form) -> Handler:
    """`vote{.sync}.mode d, {!}a{, membermask}`."""
    mode = next((m for m in form.modifiers if m in ("all", "any", "uni", "ballot")), "any")
    masked = form.has("sync")

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, source, *rest = instruction.operands
        mask = low.value(rest[0], UINT32) if masked and rest else None
        type_ = UINT32 if mode == "ballot" else PREDICATE
        result = WarpOperation(
            f"vote.{mode}", type_, [low.value(source, PREDICATE)], low.builder.location, mask
        )
        low.builder.emit(result)
        low.assign(target, result)

    return lower


def match_or_reduce(form: Form) -> Handler:
    """`match.any.sync`, `match.all.sync d|p`, `redux.sync.op`, `elect.sync d|p, membermask`."""
    word = next((m for m in form.modifiers if m != "sync"), "")
    name = f"{form.mnemonic}.{word}" if form.mnemonic != "elect" else "elect"
    source = form.type if form.mnemonic == "redux" else (form.types or (UINT32,))[0]
    result = form.type if form.mnemonic == "redux" else UINT32

    def lower(low: Lowering, instruction: Instruction) -> None:
        target, *sources = instruction.operands
        values = [low.value(operand, source) for operand in sources]
        mask = values.pop() if values else None
        _warp(low, name, target, values, mask, result)

    return lower


def active_mask(form: Form) -> Handler:
    """`activemask.b32 d`."""

    def lower(low: Lowering, instruction: Instruction) -> None:
        _warp(low, form.mnemonic, instruction.operands[0], [], None)

    return lower


def _warp(
    low: Lowering,
    name: str,
    target: Operand,
    values: list[Value],
    mask: Value | None,
    type_: object = UINT32,
) -> None:
    """Emit a warp operation; the predicate of `d|p` is a function of the same exchange."""
    from ..ir.types import Type

    result_type = type_ if isinstance(type_, Type) else UINT32
    result = WarpOperation(name, result_type, values, low.builder.location, mask)
    low.builder.emit(result)
    if isinstance(target, Pair):
        low.assign(target.first, result)
        success = WarpOperation(f"{name}.predicate", PREDICATE, values, low.builder.location, mask)
        low.builder.emit(success)
        low.assign(target.second, success)
    else:
        low.assign(target, result)


HANDLERS: dict[str, Prepare] = {
    "bar": barrier,
    "barrier": barrier,
    "membar": fence,
    "fence": fence,
    "mbarrier": mbarrier,
    "cp": copy,
    "shfl": shuffle,
    "vote": vote,
    "match": match_or_reduce,
    "redux": match_or_reduce,
    "elect": match_or_reduce,
    "activemask": active_mask,
}
BY_EFFECT: dict[str, Prepare] = {
    "barrier": lambda _: _copy_wait,
    "mbarrier": mbarrier,
    "fence": fence,
    "warp": lower_arithmetic.pure,
    "state": hidden_state,
    "branch": hidden_state,
}
