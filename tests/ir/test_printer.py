"""The text form of every kind of operation, in one golden that a person can check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.graphs import WHERE, new_builder

from warplint.analyzer.ir.memory import MemoryObject, Space
from warplint.analyzer.ir.operation_kinds import WarpKind
from warplint.analyzer.ir.operations import (
    AccessKind,
    Barrier,
    BarrierKind,
    Call,
    Convert,
    Exit,
    Fence,
    Field,
    MemoryAccess,
    OpaqueOperation,
    Opcode,
    Pure,
    Return,
    Switch,
    WarpOperation,
)
from warplint.analyzer.ir.printer import print_kernel
from warplint.analyzer.ir.types import (
    FLOAT32,
    INT32,
    POINTER,
    UINT32,
    VOID,
    Kind,
    Type,
)
from warplint.analyzer.ir.values import (
    ObjectAddress,
    Parameter,
    Special,
    SpecialRegister,
    Unknown,
)
from warplint.analyzer.ir.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from warplint.analyzer.ir.builder import Builder
    from warplint.analyzer.ir.kernel import Kernel

FLOAT2 = Type(Kind.AGGREGATE, 64, name="float2")


def _straight(builder: Builder, tile: MemoryObject) -> None:
    """One operation of each kind that does not end a block."""
    number, address = Parameter(INT32, "n", 0), ObjectAddress(POINTER, tile)
    thread = SpecialRegister(UINT32, Special.THREAD_X)
    total = builder.compute(Opcode.ADD, UINT32, thread, builder.constant(4, UINT32))
    builder.compute(Opcode.SELECT, INT32, number, number, Unknown(INT32, "a reason"))
    builder.emit(Convert(INT32, total, WHERE, UINT32))
    loaded = MemoryAccess(
        AccessKind.LOAD, FLOAT2, [address], WHERE, space=Space.SHARED, width=8, volatile=True
    )
    builder.emit(loaded)
    part = builder.emit(Field(Opcode.EXTRACT, FLOAT32, [loaded], WHERE, 4, "y"))
    builder.emit(Field(Opcode.INSERT, FLOAT2, [loaded, part], WHERE, 0, "x"))
    builder.emit(Pure("sqrtf", FLOAT32, [part], WHERE))
    builder.emit(MemoryAccess(AccessKind.STORE, VOID, [address, part], WHERE, width=None))
    added = MemoryAccess(
        AccessKind.ATOMIC, INT32, [address, number], WHERE, width=4, atomic="add", scope="device"
    )
    builder.emit(added)
    builder.emit(Barrier(BarrierKind.BLOCK, "__syncthreads()", WHERE))
    vote = Barrier(BarrierKind.BLOCK, "", WHERE, type=INT32, operands=[number], vote="or")
    builder.emit(vote)
    builder.emit(Fence("__threadfence", "device", WHERE))
    builder.emit(WarpOperation(WarpKind.SHUFFLE_DOWN, INT32, [number, total], WHERE, thread))
    builder.emit(Call("unknown", INT32, [number], WHERE, "its definition is not in this file"))
    builder.emit(OpaqueOperation("inline PTX", [number], WHERE))


def _kernel() -> Kernel:
    tile = MemoryObject("tile", Space.SHARED, FLOAT32, 4224, extents=(32, 33))
    builder = new_builder("everything")
    number = Parameter(INT32, "n", 0)
    builder.kernel.parameters = [Parameter(POINTER, "p", 0), number]
    builder.kernel.objects = [tile, MemoryObject("raw", Space.SHARED, INT32, None, dynamic=True)]
    _straight(builder, tile)
    test, body, end = (builder.new_block(name) for name in ("test", "body", "end"))
    dead, other = builder.new_block("dead"), builder.new_block("other")
    builder.write("i", builder.constant(0))
    builder.jump(test)
    builder.start(test, sealed=False)
    counter = builder.read("i", INT32)
    condition = builder.compare(Opcode.LT, INT32, counter, number)
    builder.branch(condition, body, end, "for")
    builder.start(body)
    builder.write("i", builder.compute(Opcode.ADD, INT32, counter, builder.constant(1)))
    builder.terminate(Switch(number, [(1, test), (None, dead)], other, WHERE))
    builder.seal(test)
    for block in (dead, other):
        builder.start(block)
        builder.terminate(Exit("trap", WHERE))
    builder.start(end)
    builder.terminate(Return(WHERE))
    return builder.finish()


def test_every_kind_of_operation(golden: Callable[[str, str], None]) -> None:
    kernel = _kernel()
    assert verify(kernel) == []
    golden("every_operation.txt", print_kernel(kernel))


def test_an_instance_goes_by_its_own_name() -> None:
    kernel = _kernel()
    kernel.instance = "everything<32, float>"
    assert print_kernel(kernel).startswith("kernel everything<32, float>(pointer p, s32 n)\n")
