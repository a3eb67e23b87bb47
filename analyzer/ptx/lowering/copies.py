"""Lowers asynchronous copies, their groups and waiting for them (PTX ISA 9.7.9.25).

A copy is one access of kind ASYNC_COPY: `operands[0]` is where the data goes, `operands[1]` where
it comes from, then come coordinates, the mbarrier and the rest. Its width is None for tensor copies
and sizes that are not constant. Waiting is a barrier of kind ASYNC_WAIT, with how many groups may
still be under way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.asynchronous import CopyBarrier
from ...ir.memory import Space
from ...ir.operation_kinds import AccessForm, CopyStep, MbarrierAction
from ...ir.operations import AccessKind, Barrier, BarrierKind, MemoryAccess
from ...ir.types import UINT8, UINT32, VOID
from ..syntax.constants import evaluate_constant
from ..syntax.tree import Address
from .memory import prefetched

if TYPE_CHECKING:
    from ..syntax.tree import Instruction, Operand
    from .arithmetic import Handler, Prepare
    from .forms import Form
    from .kernel_lowering import Lowering


def copy(form: Form) -> Handler:
    """`cp.async…`, `cp.reduce.async…`: copies, groups of copies, and waiting for them."""
    words = form.modifiers
    if "commit_group" in words:
        return commit(form)
    if "wait_group" in words or "wait_all" in words:
        return wait
    if "mbarrier" in words:
        return _copy_arrives(form)
    if "bulk" in words:
        return bulk_copy(form)
    return asynchronous_copy(form)


def commit(form: Form) -> Handler:
    """`cp.async.commit_group`: the copies so far are a group that can be waited for."""

    def lower(low: Lowering, _: Instruction) -> None:
        location = low.builder.location
        low.builder.emit(CopyBarrier(CopyStep.COMMIT, form.text, location))

    return lower


def wait(low: Lowering, instruction: Instruction) -> None:
    """`cp.async.wait_group N`: N groups may still be under way."""
    left = low.value(instruction.operands[0], UINT32) if instruction.operands else None
    name, location = instruction.opcode.text, low.builder.location
    low.builder.emit(CopyBarrier(CopyStep.WAIT, name, location, left=left))


def _copy_arrives(form: Form) -> Handler:
    def lower(low: Lowering, instruction: Instruction) -> None:
        low.builder.emit(
            Barrier(
                BarrierKind.MBARRIER,
                form.text,
                low.builder.location,
                operands=[low.address(operand) for operand in instruction.operands[:1]],
                wait=False,
                mbarrier=MbarrierAction.COPIES_ARRIVE,
            )
        )

    return lower


def asynchronous_copy(form: Form) -> Handler:
    """`cp.async.ca.shared.global [dst], [src], size{, src-size}`."""

    def lower(low: Lowering, instruction: Instruction) -> None:
        destination, source, *rest = instruction.operands
        size = evaluate_constant(rest[0]) if rest else None
        _copy(low, form, (destination, source), size, rest[1:])

    return lower


def bulk_copy(form: Form) -> Handler:
    """`cp.async.bulk`, `cp.reduce.async.bulk`, with or without a tensor map."""
    tensor = form.has("tensor")
    prefetch = form.has("prefetch")

    def lower(low: Lowering, instruction: Instruction) -> None:
        operands = instruction.operands
        if prefetch or len(operands) < 2:
            return prefetched(low, form, operands[0])
        destination, source, *rest = operands
        size = None
        if not tensor and rest:
            size = evaluate_constant(rest.pop(0))
        return _copy(low, form, (destination, source), size, rest)

    return lower


def _copy(
    low: Lowering,
    form: Form,
    ends: tuple[Operand, Operand],
    size: int | None,
    rest: list[Operand],
) -> None:
    """`operands[0]` is where the data goes, `operands[1]` where it comes from."""
    spaces = [m for m in form.modifiers if m.split("::")[0] in ("shared", "global")]
    values = [low.address(operand) for operand in ends]
    for operand in ends:
        if isinstance(operand, Address):
            values += [value for part in operand.rest for value in low.values(part, UINT32)]
    values += [value for operand in rest for value in low.values(operand, UINT32)]
    low.builder.emit(
        MemoryAccess(
            AccessKind.ASYNC_COPY,
            VOID,
            values,
            low.builder.location,
            space=space_of(spaces[0]) if spaces else Space.GENERIC,
            width=size,
            element=UINT8,
            form=_how(form),
            name=form.text,
        )
    )


def _how(form: Form) -> AccessForm:
    if not form.has("bulk"):
        return AccessForm.COPY
    return AccessForm.TENSOR_COPY if form.has("tensor") else AccessForm.BULK_COPY


def space_of(word: str) -> Space:
    """`shared::cluster` → SHARED_CLUSTER; a plain `shared` is the block's own."""
    if word == "global":
        return Space.GLOBAL
    return Space.SHARED_CLUSTER if word == "shared::cluster" else Space.SHARED


HANDLERS: dict[str, Prepare] = {"cp": copy}
BY_EFFECT: dict[str, Prepare] = {"barrier": lambda _: wait, "copy": bulk_copy}
