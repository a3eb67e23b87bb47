"""Cooperative groups (CUDA C++ Programming Guide, "Cooperative Groups").

A group is told by its type's name: `thread_block`, `thread_block_tile<32>`, `coalesced_group`,
`grid_group`, `cluster_group`. `sync` becomes a barrier of the group's kind, ranks become
arithmetic on threadIdx, shuffles and votes warp operations. The barrier of a group whose extent is
not known (`thread_group`, tiles wider than a warp) is opaque.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir import types as ir
from ....ir.operation_kinds import SHUFFLES, Function, WarpKind
from ....ir.operations import Barrier, Opcode, WarpOperation
from ....ir.values import Special, SpecialRegister
from ..model import builtin_types, ctypes
from ..model.scope import Typed
from ..types.library_types import GROUP_BARRIERS, group_type, is_group

if TYPE_CHECKING:
    from ....ir.values import Value
    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context
WARP = 32
TILES = frozenset({1, 2, 4, 8, 16, WARP})
_EXCHANGES = {
    "shfl": WarpKind.SHUFFLE_INDEX,
    "shfl_up": WarpKind.SHUFFLE_UP,
    "shfl_down": WarpKind.SHUFFLE_DOWN,
    "shfl_xor": WarpKind.SHUFFLE_XOR,
    "any": WarpKind.VOTE_ANY,
    "all": WarpKind.VOTE_ALL,
    "ballot": WarpKind.VOTE_BALLOT,
    "match_any": WarpKind.MATCH_ANY,
    "match_all": WarpKind.MATCH_ALL,
}
_MAKERS = {
    "this_thread_block": "thread_block",
    "this_grid": "grid_group",
    "this_multi_grid": "multi_grid_group",
    "this_cluster": "cluster_group",
    "coalesced_threads": "coalesced_group",
}

#: The registers of the three numbers that methods of groups give.
_INDICES = {
    ("thread_block", "thread_index"): "THREAD",
    ("thread_block", "group_index"): "BLOCK",
    ("thread_block", "group_dim"): "BLOCK_SIZE",
    ("thread_block", "dim_threads"): "BLOCK_SIZE",
    ("grid_group", "block_index"): "BLOCK",
    ("grid_group", "group_dim"): "GRID_SIZE",
    ("grid_group", "dim_blocks"): "GRID_SIZE",
    ("cluster_group", "block_index"): "CLUSTER",
    ("cluster_group", "dim_blocks"): "CLUSTER_SIZE",
}
_OF_BLOCKS = ("thread_rank", "size", "num_threads", "block_rank", "num_blocks")
_OF_PARTS = ("meta_group_rank", "meta_group_size", "num_warps", "warp_rank")
_NUMBERS = frozenset((*_OF_BLOCKS, *_OF_PARTS))


def make(context: Context, name: str, places: list[Place], size: int | None) -> Typed | None:
    """The group of `this_thread_block()`, `tiled_partition<32>(block)` ...; None for other
    functions.
    """
    if name in _MAKERS:
        return context.unknown(group_type(_MAKERS[name]), "a group", per_thread=False)
    if name in ("tiled_partition", "binary_partition", "labeled_partition"):
        if name != "tiled_partition":
            return context.unknown(group_type("coalesced_group"), "a group")
        parent = places[0].type if places else ctypes.VOID
        if size is not None and size not in TILES and parent.name == "thread_block":
            context.kernel.refused = True
        if size is None or (size > 32 and parent.name != "thread_block_tile"):
            return context.unknown(group_type("thread_group"), "a group")
        return context.unknown(group_type("thread_block_tile", size), "a group")
    if name in ("sync", "synchronize") and places and is_group(places[0].type):
        return method(context, places[0].type, "sync", [])
    return None


def method(context: Context, group: CType, name: str, places: list[Place]) -> Typed:
    """The value of a method call on a cooperative group."""
    if name in ("sync", "barrier_wait", "barrier_arrive"):
        barrier(context, group, name)
        return context.nothing()
    if name in _NUMBERS:
        value = _number(context, group, name)
        return Typed(value, ctypes.UINT)
    if (group.name, name) in _INDICES:
        registers = [_register(f"{_INDICES[group.name, name]}_{axis}") for axis in "XYZ"]
        numbers = [Typed(each, ctypes.UINT) for each in registers]
        return context.aggregate(builtin_types.BUILTIN["dim3"], numbers)
    values = [context.read(place) for place in places]
    kind = _EXCHANGES.get(name)
    if kind is not None and values:
        type = values[0].type if kind in SHUFFLES else ctypes.UINT
        operands = [value.value for value in values]
        where = context.builder.location
        warp = WarpOperation(kind, type.ir(), operands, where, members(context, group))
        return Typed(context.builder.emit(warp), type)
    if name == "map_shared_rank" and values:
        operands = [value.value for value in values]
        return context.pure(Function.REMOTE_ADDRESS, operands, values[0].type)
    reason = f"method {name} of a cooperative group is not modelled"
    return context.call(f"{group.name}::{name}", ctypes.unknown("auto"), values, reason)


def members(context: Context, group: CType) -> Value:
    """The member mask of a group: all lanes for a whole warp, those around the lane for a tile."""
    builder, size = context.builder, group.extent
    if not _is_tile(group):
        return context.unknown(ctypes.UINT, f"the lanes of a {group.name}").value
    if size == WARP:
        return builder.constant(0xFFFFFFFF, ir.UINT32)
    assert size is not None
    first = builder.compute(
        Opcode.AND, ir.UINT32, _register("LANE"), builder.constant(WARP - size, ir.UINT32)
    )
    return builder.compute(
        Opcode.SHL, ir.UINT32, builder.constant((1 << size) - 1, ir.UINT32), first
    )


def _is_tile(group: CType) -> bool:
    """Whether a group is so many neighbouring lanes of a warp."""
    size = group.extent
    return group.name == "thread_block_tile" and size is not None and size in TILES


def barrier(context: Context, group: CType, name: str, *, library: bool = False) -> None:
    """Lower the barrier of a cooperative group; `library`: inside of a function that does more."""
    kind = GROUP_BARRIERS[group.name]
    if kind is None:
        context.opaque("sync of a group of unknown size")
        return
    context.builder.emit(
        Barrier(
            kind,
            f"{group.name}.{name}()",
            context.builder.location,
            operands=[members(context, group)] if _is_tile(group) else [],
            arrive=name != "barrier_wait",
            wait=name != "barrier_arrive",
            lanes=group.extent,
            library=library,
        )
    )


def _number(context: Context, group: CType, name: str) -> Value:
    """Ranks and sizes, linear over the axes with x fastest."""
    if group.name == "thread_block":
        if name == "thread_rank":
            return linear_thread(context)
        return _product(context, "BLOCK_SIZE")
    if group.name in ("grid_group", "cluster_group") and name in _OF_BLOCKS:
        return _of_blocks(context, group, name)
    if group.name == "thread_block_tile" and group.extent:
        size = context.builder.constant(group.extent, ir.UINT32)
        if name in ("size", "num_threads"):
            return size
        if name == "meta_group_size":
            rounded = context.builder.constant(group.extent - 1, ir.UINT32)
            threads = _product(context, "BLOCK_SIZE")
            total = context.builder.compute(Opcode.ADD, ir.UINT32, threads, rounded)
            return context.builder.compute(Opcode.DIV, ir.UINT32, total, size)
        if name == "thread_rank" and _is_tile(group):
            lane = _register("LANE")
            whole = group.extent == WARP
            return lane if whole else context.builder.compute(Opcode.REM, ir.UINT32, lane, size)
        opcode = Opcode.REM if name == "thread_rank" else Opcode.DIV
        return context.builder.compute(opcode, ir.UINT32, linear_thread(context), size)
    per_thread = name.endswith("rank")
    return context.unknown(
        ctypes.UINT, f"{group.name}.{name}() is not modelled", per_thread=per_thread
    ).value


def _of_blocks(context: Context, group: CType, name: str) -> Value:
    """A rank in, or the size of, several blocks: of the whole grid, or of a cluster."""
    builder, whole = context.builder, group.name == "grid_group"
    if name in ("block_rank", "thread_rank"):
        block = _linear(context, "BLOCK", "GRID_SIZE") if whole else _register("CLUSTER_RANK")
    else:
        block = _product(context, "GRID_SIZE") if whole else _register("CLUSTER_BLOCKS")
    if name in ("block_rank", "num_blocks"):
        return block
    threads = builder.compute(Opcode.MUL, ir.UINT32, block, _product(context, "BLOCK_SIZE"))
    if name != "thread_rank":
        return threads
    return builder.compute(Opcode.ADD, ir.UINT32, threads, linear_thread(context))


def linear_thread(context: Context) -> Value:
    """threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)."""
    return _linear(context, "THREAD", "BLOCK_SIZE")


def _linear(context: Context, index: str, extent: str) -> Value:
    builder = context.builder
    total: Value = _register(f"{index}_Z")
    for axis in "YX":
        scaled = builder.compute(Opcode.MUL, ir.UINT32, total, _register(f"{extent}_{axis}"))
        total = builder.compute(Opcode.ADD, ir.UINT32, scaled, _register(f"{index}_{axis}"))
    return total


def _product(context: Context, extent: str) -> Value:
    builder = context.builder
    total: Value = _register(f"{extent}_X")
    for axis in "YZ":
        total = builder.compute(Opcode.MUL, ir.UINT32, total, _register(f"{extent}_{axis}"))
    return total


def _register(name: str) -> SpecialRegister:
    return SpecialRegister(ir.UINT32, Special[name])
