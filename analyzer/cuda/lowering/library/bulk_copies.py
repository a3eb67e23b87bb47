"""Bulk copies and tensor copies of libcu++: `cuda::device::experimental`, `cuda::device`.

In: a call's name, the places of its arguments and its template arguments. Out: what the same
instruction of PTX is lowered to: a copy of form BULK_COPY or TENSOR_COPY, an arrival that expects
bytes, a fence of the asynchronous proxy, a group or a wait. Follows the CUDA C++ Programming Guide,
"Asynchronous Data Copies using the Tensor Memory Accelerator".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ....ir import types as ir
from ....ir.asynchronous import CopyBarrier
from ....ir.operation_kinds import (
    AccessForm,
    AccessKind,
    CopyStep,
    FenceKind,
    MbarrierAction,
)
from ....ir.operations import Barrier, BarrierKind, Fence, MemoryAccess
from ....ir.values import whole_number
from ..model import ctypes
from ..model.scope import MemoryPlace, Typed

if TYPE_CHECKING:
    from ....ir.values import Value
    from ..model.scope import Place
    from ..state.context import Context

_COPY = re.compile(r"cp_async_bulk_(global_to_shared|shared_to_global)$|memcpy_async_tx$")
_TENSOR = re.compile(r"cp_async_bulk_tensor_[1-5]d_(global_to_shared|shared_to_global)$")
_LEAST = 3  # arguments of a copy


def function(context: Context, name: str, places: list[Place], explicit: list[Any]) -> Typed | None:
    """The value of a call of libcu++'s bulk copies or their barriers; None for any other name."""
    where = context.builder.location
    if name == "fence_proxy_async_shared_cta":
        context.builder.emit(Fence(f"{name}()", "block", where, FenceKind.PROXY))
    elif name == "cp_async_bulk_commit_group":
        context.builder.emit(CopyBarrier(CopyStep.COMMIT, f"{name}()", where))
    elif name in ("cp_async_bulk_wait_group_read", "cp_async_bulk_wait_group"):
        number = context.first_integer(explicit)
        left = None if number is None else context.builder.constant(number, ir.UINT32)
        context.builder.emit(CopyBarrier(CopyStep.WAIT, f"{name}()", where, left=left))
    elif name == "barrier_arrive_tx" and len(places) >= _LEAST:
        context.builder.emit(
            Barrier(
                BarrierKind.MBARRIER,
                f"{name}()",
                where,
                operands=[_address(context, places[0]), context.read(places[2]).value],
                wait=False,
                mbarrier=MbarrierAction.ARRIVE_EXPECTING,
            )
        )
        return context.unknown(ctypes.ULONG, "a barrier token")
    elif _COPY.match(name) and len(places) >= _LEAST:
        target, source, size = (context.read(place) for place in places[:_LEAST])
        signal = [_address(context, place) for place in places[_LEAST:]]
        width = whole_number(size.value)
        _copy(context, [target.value, source.value, *signal], width, AccessForm.BULK_COPY)
    elif (match := _TENSOR.match(name)) and len(places) >= _LEAST:
        first, *coordinates, last = places
        if match[1] == "global_to_shared":
            ends = [context.read(first).value, context.read(coordinates[0]).value]
            rest = [
                *(context.read(each).value for each in coordinates[1:]),
                _address(context, last),
            ]
        else:
            ends = [context.read(first).value, context.read(last).value]
            rest = [context.read(each).value for each in coordinates]
        _copy(context, [*ends, *rest], None, AccessForm.TENSOR_COPY)
    else:
        return None
    return context.nothing()


def _address(context: Context, place: Place) -> Value:
    """The address of a barrier that is passed by reference."""
    return place.address if isinstance(place, MemoryPlace) else context.read(place).value


def _copy(context: Context, operands: list[Value], width: int | None, form: AccessForm) -> None:
    where = context.builder.location
    context.builder.emit(
        MemoryAccess(
            AccessKind.ASYNC_COPY,
            ir.VOID,
            operands,
            where,
            width=width,
            element=ir.UINT8,
            form=form,
            name=where.span.excerpt,
        )
    )
