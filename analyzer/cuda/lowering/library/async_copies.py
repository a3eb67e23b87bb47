"""Asynchronous copies of cooperative groups and libcu++, and what waits for them.

In: calls of `memcpy_async`, `wait`, `make_pipeline`, methods of `cuda::pipeline` and
`cuda::barrier`, with the places of their arguments. Out: copies, groups and waits of the IR.
Follows the CUDA C++ Programming Guide, "Asynchronous Data Copies", and libcu++ (cuda::barrier,
cuda::pipeline, cuda::memcpy_async): a group copies its bytes together, once; each copy of
cooperative groups is a group of copies to wait for; a pipeline of one thread orders that thread
alone, one of a block makes its producers and consumers wait for each other.
Not handled: groups wider than a warp that are no block, `pipeline_producer_commit` to a barrier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir import types as ir
from ....ir.asynchronous import CHUNKS, CopyBarrier, SizedAccess
from ....ir.operation_kinds import AccessForm, AccessKind, CopyStep, MbarrierAction
from ....ir.operations import Barrier, BarrierKind, MemoryAccess, Opcode
from ....ir.values import whole_number
from ..model import ctypes
from ..model.scope import MemoryPlace, Typed
from ..types.library_types import is_group, is_of_library, pipeline_type
from .cooperative_groups import WARP, barrier

if TYPE_CHECKING:
    from ....ir.values import Value
    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context

_OWN = "thread"  # the scope of a pipeline that no other thread takes part in
_ARRIVALS = frozenset(("arrive", "arrive_and_drop", "arrive_and_wait", "wait", "wait_parity"))


# ---- pipelines ----------------------------------------------------------------------------------


def make_pipeline(context: Context, places: list[Place]) -> Typed:
    """`make_pipeline()` of one thread, `make_pipeline(group, &state, ...)` of a group."""
    type = pipeline_type("" if places else _OWN)
    return context.unknown(type, "a pipeline", per_thread=False)


def pipeline_method(context: Context, base: Place, name: str) -> Typed | None:
    """A method of a `cuda::pipeline`."""
    joint = getattr(base.type.origin, "scope", "") != _OWN
    queue = context.read(base).value
    if name == "producer_commit":
        _step(context, CopyStep.COMMIT, f"pipeline.{name}()", queue)
    elif name == "producer_acquire":
        if joint:
            _step(context, CopyStep.ACQUIRE, f"pipeline.{name}()", queue, joint=True)
    elif name == "consumer_wait":
        _step(context, CopyStep.WAIT_OLDEST, f"pipeline.{name}()", queue, joint=joint)
    elif name == "consumer_release":
        if joint:
            _step(context, CopyStep.RELEASE, f"pipeline.{name}()", queue)
    elif name != "quit":
        return None
    return context.nothing()


def _step(
    context: Context,
    step: CopyStep,
    name: str,
    queue: Value | None = None,
    *,
    left: int | None = None,
    joint: bool = False,
) -> None:
    number = None if left is None else context.builder.constant(left, ir.UINT32)
    where = context.builder.location
    context.builder.emit(CopyBarrier(step, name, where, left=number, queue=queue, joint=joint))


# ---- barriers -----------------------------------------------------------------------------------


def barrier_method(context: Context, base: Place, name: str, places: list[Place]) -> Typed | None:
    """A method of a `cuda::barrier`."""
    if name not in _ARRIVALS:
        return None
    count = [context.read(place).value for place in places if name == "arrive"]
    address = [base.address] if isinstance(base, MemoryPlace) else []
    context.builder.emit(
        Barrier(
            BarrierKind.MBARRIER,
            f"barrier.{name}()",
            context.builder.location,
            operands=[*address, *(count if address else [])],
            arrive=name.startswith("arrive"),
            wait=name.endswith(("wait", "wait_parity")),
            mbarrier=MbarrierAction.ARRIVE if name.startswith("arrive") else MbarrierAction.WAIT,
        )
    )
    return context.unknown(ctypes.ULONG, "a barrier token")


def initialise(context: Context, places: list[Place]) -> Typed | None:
    """`init(&barrier, count)` of a `cuda::barrier`: what `mbarrier.init` is to PTX."""
    pointer = context.read(places[0])
    if not is_of_library(pointer.type.element, "barrier"):
        return None
    count = context.convert(context.read(places[1]), ctypes.ULONG)
    context.builder.emit(
        MemoryAccess(
            AccessKind.STORE,
            ir.VOID,
            [pointer.value, count.value],
            context.builder.location,
            width=8,
            element=ir.UINT64,
            form=AccessForm.MBARRIER_INIT,
            name="mbarrier.init",
        )
    )
    return context.nothing()


# ---- copies and waits by functions --------------------------------------------------------------


def function(
    context: Context, name: str, places: list[Place], explicit: list[Any], *, of_groups: bool
) -> Typed | None:
    """The value of `memcpy_async`, `wait`, `wait_prior`, `make_pipeline` and their like;
    `of_groups` in the namespace of cooperative groups.
    """
    if name == "make_pipeline":
        return make_pipeline(context, places)
    if name == "memcpy_async":
        return _copy(context, places, of_groups=of_groups)
    if name == "pipeline_consumer_wait_prior" and places:
        left = context.first_integer(explicit)
        if left is not None:
            queue = context.read(places[0]).value
            _step(context, CopyStep.WAIT, f"{name}()", queue, left=left)
            return context.nothing()
    if name in ("wait", "wait_prior") and places and is_group(places[0].type):
        left = context.first_integer(explicit) if name == "wait_prior" else 0
        if left is None:
            return None
        _step(context, CopyStep.WAIT, f"cg::{name}()", left=left or None)
        barrier(context, places[0].type, name, library=True)
        return context.nothing()
    return None


def _copy(context: Context, places: list[Place], *, of_groups: bool) -> Typed | None:
    """`memcpy_async([group,] destination, source, bytes[, barrier or pipeline])`, and the form of
    cooperative groups that counts elements on both sides.
    """
    group = places[0].type if places and is_group(places[0].type) else None
    given = places[0 if group is None else 1 :]
    together = None if group is None else _together(group)
    if len(given) < 3 or (group is not None and together is None):
        return None
    target = context.read(given[0])
    counted = of_groups and len(given) == 4 and not _waits(given[3].type)
    source = context.read(given[2 if counted else 1])
    size = _elements(context, target, given) if counted else _bytes(context, given[2])
    end = given[3] if len(given) > 3 and not counted else None
    signals = [end.address] if isinstance(end, MemoryPlace) else []
    pipe = end if end is not None and is_of_library(end.type, "pipeline") else None
    number = whole_number(size)
    context.builder.emit(
        SizedAccess(
            AccessKind.ASYNC_COPY,
            ir.VOID,
            [target.value, source.value, *([] if pipe is not None else signals)],
            context.builder.location,
            extent=size,
            width=number if number in CHUNKS and group is None else None,
            element=(target.type.element or ctypes.CHAR).ir(),
            form=AccessForm.LIBRARY_COPY,
            name=context.builder.location.span.excerpt,
            collective=together,
            queue=None if pipe is None else context.read(pipe).value,
        )
    )
    if of_groups:
        _step(context, CopyStep.COMMIT, "cg::memcpy_async()")
    return context.nothing()


def _together(group: CType) -> int | None:
    """How many threads in a row copy together: 0 for the block; None where that is not known."""
    if group.name == "thread_block":
        return 0
    if group.name == "coalesced_group":
        return WARP
    return group.extent if group.name == "thread_block_tile" else None


def _waits(type: CType) -> bool:
    return is_of_library(type, "pipeline") or is_of_library(type, "barrier")


def _bytes(context: Context, place: Place) -> Value:
    return context.convert(context.read(place), ctypes.ULONG).value


def _elements(context: Context, target: Typed, given: list[Place]) -> Value:
    """The bytes of as many elements as both sides have."""
    counts = [_bytes(context, given[index]) for index in (1, 3)]
    builder = context.builder
    count = builder.compute(Opcode.MIN, ir.UINT64, *counts)
    size = (target.type.element or ctypes.CHAR).size or 1
    return builder.compute(Opcode.MUL, ir.UINT64, count, builder.constant(size, ir.UINT64))
