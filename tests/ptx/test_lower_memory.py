"""Memory: what each access says of its space, width and direction."""

from __future__ import annotations

import pytest
from ptx.support import HEAD, ir, kernel, lowered, operations

from warplint.analyzer.ir.memory import Space
from warplint.analyzer.ir.operations import AccessKind, MemoryAccess
from warplint.analyzer.ir.types import Kind
from warplint.analyzer.ir.values import ObjectAddress, Unknown

SHAPE = "sync.aligned.m64n8k16.f32.f16.f16"
SHARED = " .shared .align 16 .b8 s[1024];\n"
POINTER = " ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"


def access(body: str) -> MemoryAccess:
    """The one access of a body."""
    found = [op for op in operations(POINTER + body) if isinstance(op, MemoryAccess)]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("instruction", "kind", "space", "width"),
    [
        ("ld.global.u32 %r2, [%rd1];", "load", Space.GLOBAL, 4),
        ("ld.u8 %rs1, [%rd1];", "load", Space.GENERIC, 1),
        ("ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1+16];", "load", Space.GLOBAL, 16),
        ("ld.global.nc.v2.u64 {%rd2,%rd3}, [%rd1];", "load", Space.GLOBAL, 16),
        ("ld.volatile.shared.u16 %rs1, [%r1];", "load", Space.SHARED, 2),
        ("ld.shared::cluster.b32 %r2, [%r1];", "load", Space.SHARED_CLUSTER, 4),
        ("ld.const.f64 %fd1, [%rd1];", "load", Space.CONSTANT, 8),
        ("ld.local.b128 %rq1, [%rd1];", "load", Space.LOCAL, 16),
        ("ldu.global.u32 %r2, [%rd1];", "load", Space.GLOBAL, 4),
        ("st.shared.v2.b32 [%r1], {%r2, %r3};", "store", Space.SHARED, 8),
        ("st.global.cs.u8 [%rd1], %r2;", "store", Space.GLOBAL, 1),
        ("st.release.gpu.global.u32 [%rd1], %r2;", "store", Space.GLOBAL, 4),
        ("atom.shared.add.u32 %r2, [%r1], 1;", "atomic", Space.SHARED, 4),
        ("atom.global.cas.b64 %rd2, [%rd1], %rd3, %rd4;", "atomic", Space.GLOBAL, 8),
        ("red.global.add.f32 [%rd1], %f1;", "reduction", Space.GLOBAL, 4),
        ("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32"
         " [%r1], %r2, [%r3];", "reduction", Space.SHARED_CLUSTER, 4),
        ("cp.async.cg.shared.global [%r1], [%rd1], 16;", "async_copy", Space.SHARED, 16),
        ("cp.async.ca.shared.global [%r1], [%rd1], 8, %r2;", "async_copy", Space.SHARED, 8),
        ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
         " [%r1], [%rd1], 256, [%r2];", "async_copy", Space.SHARED_CLUSTER, 256),
        ("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
         " [%r1], [%rd1, {%r2, %r3}], [%r4];", "async_copy", Space.SHARED_CLUSTER, None),
        ("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2;", "async_copy",
         Space.GLOBAL, None),
        ("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2,%r3,%r4,%r5}, [%r1];", "ldmatrix",
         Space.SHARED, 16),
        ("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%r2,%r3};", "store",
         Space.SHARED, 16),
        ("prefetch.global.L2 [%rd1];", "prefetch", Space.GLOBAL, None),
        ("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1],"
         " {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, %r2;", "wmma.store", Space.GLOBAL, None),
        ("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16"
         " {%r3,%r4,%r5,%r6,%r7,%r8,%r9,%r10}, [%r1], %r2;", "wmma.load", Space.SHARED, None),
        ("mbarrier.init.shared.b64 [%r1], 32;", "store", Space.SHARED, 8),
        ("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];",
         "store", Space.SHARED_CLUSTER, 4),
    ],
)  # fmt: skip
def test_one_access(instruction: str, kind: str, space: Space, width: int | None) -> None:
    found = access(instruction)
    assert (found.kind.value, found.space, found.width) == (kind, space, width)
    assert found.name == instruction.split()[0]


@pytest.mark.parametrize(
    "instruction",
    [
        "st.global.u32 [%rd1], {};",
        "st.shared.v2.f32 [%r1], _;",
        "red.global.add.u32 [%rd1], {};",
        "atom.global.cas.b32 %r2, [%rd1], {}, _;",
        "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {};",
    ],
)
def test_what_writes_has_a_value(instruction: str) -> None:
    found = access(instruction)
    assert found.writes
    assert found.operands[1:]
    assert all(isinstance(value, Unknown) for value in found.operands[1:])


def test_what_an_access_adds() -> None:
    assert access("ld.volatile.global.u32 %r2, [%rd1];").volatile
    assert access("ld.acquire.sys.global.u32 %r2, [%rd1];").scope == "system"
    assert access("atom.global.add.u32 %r2, [%rd1], 1;").scope == "device"
    assert access("atom.cta.global.max.s32 %r2, [%rd1], 1;").scope == "block"
    assert access("atom.global.exch.b32 %r2, [%rd1], 1;").atomic == "exch"
    copy = access("cp.async.ca.shared.global [%r1], [%rd1], 4;")
    assert copy.kind is AccessKind.ASYNC_COPY
    assert copy.operands[1].type.kind is Kind.POINTER


def test_a_vector_is_one_access_and_its_fields() -> None:
    assert ir(POINTER + " ld.global.v2.f32 {%f1, _}, [%rd1+8]; st.global.f32 [%rd1], %f1;") == (
        "%0 = add pointer $out, 8\n%1 = load.global 8B [%0]\n%2 = extract f32 %1 .x\n"
        "store.global 4B [$out, %2]"
    )


def test_narrow_loads_extend_to_their_register() -> None:
    assert ir(POINTER + " ld.global.s8 %r2, [%rd1];") == (
        "%0 = load.global 1B [$out]\n%1 = convert s8 to s32 %0"
    )


def test_variables_are_objects_and_their_address_is_32_bits_where_the_register_is() -> None:
    found = kernel(
        SHARED + " mov.u32 %r1, s; st.shared.u32 [%r1+4], 1; st.shared.u32 [s+8], 1;"
        " mov.u64 %rd1, g; ld.global.u32 %r2, [%rd1]; ret;",
        ".global .align 4 .u32 g[3] = {1, 2, 3}; .global .u32 unused;",
    )
    assert [item.name for item in found.objects] == ["s", "g"]
    shared, table = found.objects
    assert (shared.space, shared.size, shared.alignment) == (Space.SHARED, 1024, 16)
    assert (table.space, table.size, table.extents) == (Space.GLOBAL, 12, (3,))
    addresses = {
        (value.object.name, value.type.bits)
        for operation in found.operations()
        for value in operation.operands
        if isinstance(value, ObjectAddress)
    }
    assert addresses == {("s", 32), ("s", 64), ("g", 64)}


def test_dynamic_shared_memory_has_no_size() -> None:
    found = kernel(
        " mov.u32 %r1, d; st.shared.u8 [%r1], 1; ret;",
        ".extern .shared .align 16 .b8 d[];",
    ).objects[0]
    assert found.dynamic
    assert found.size is None
    assert found.linkage == ".extern"


@pytest.mark.parametrize(
    ("declaration", "size"),
    [
        (".global .u32 a;", 4),
        (".global .v4 .f32 a;", 16),
        (".global .b8 a[2][3];", 6),
        (".global .u16 a[] = {1, 2, 3};", 6),
        (".global .align 8 .u64 a[4*2];", 64),
        (".visible .global .attribute(.managed) .f64 a = 0d3FF0000000000000;", 8),
    ],
)
def test_sizes_of_variables(declaration: str, size: int) -> None:
    found = lowered(HEAD + declaration).objects[0]
    assert found.size == size
    assert found.managed == (".managed" in declaration)


def test_a_kernel_parameter_is_a_value_not_an_access() -> None:
    text = (
        f"{HEAD}.visible .entry k(.param .u64 p, .param .align 8 .b8 s[24], .param .u32 n)\n"
        "{ .reg .b64 %rd<9>; .reg .b32 %r<9>;\n"
        "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1;\n"
        "ld.param.u64 %rd3, [s+8]; ld.param.v2.u32 {%r1, %r2}, [s+16]; ld.param.u32 %r3, [n];\n"
        "st.global.u32 [%rd2], %r1; st.global.u32 [%rd3+4], %r2; st.global.u32 [%rd2+4], %r3;\n"
        "ret; }"
    )
    found = lowered(text).kernels[0]
    pointer, struct, number = found.parameters
    assert pointer.pointee is not None
    assert pointer.pointee.pointee
    assert (struct.type.kind, struct.type.bits, number.type.bits) == (Kind.AGGREGATE, 192, 32)
    stores = [op for op in found.operations() if isinstance(op, MemoryAccess)]
    assert [op.kind for op in stores] == [AccessKind.STORE] * 3
    assert stores[0].operands[0] is pointer
    assert [getattr(op.operands[1], "name", "") for op in stores] == ["s+16", "s+20", "n"]
    field = stores[1].operands[0].operands[0]  # type: ignore[attr-defined]
    assert field.name == "s+8"
    assert field.pointee.space is Space.GLOBAL


def test_a_pointer_is_known_by_its_use_when_the_header_does_not_say() -> None:
    text = (
        f"{HEAD}.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)\n"
        "{ .reg .b64 %rd<9>; .reg .b32 %r<9>; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"
        "ld.param.u64 %rd3, [c]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd4, %r1, 4, %rd1;\n"
        "cvt.u32.u64 %r2, %rd2; st.global.u32 [%rd4], %r2; st.global.u64 [%rd4], %rd3; ret; }"
    )
    assert [p.pointee is not None for p in lowered(text).kernels[0].parameters] == [
        True,
        False,
        False,
    ]


def test_the_address_of_a_parameter_is_an_object_in_parameter_space() -> None:
    text = (
        f"{HEAD}.visible .entry k(.param .align 4 .b8 s[64])\n"
        "{ .reg .b64 %rd<9>; .reg .b32 %r<9>; mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4;\n"
        "mov.b64 %rd2, s; add.s64 %rd3, %rd2, %rd1; ld.param.u32 %r2, [%rd3]; ret; }"
    )
    found = lowered(text).kernels[0]
    assert [(item.name, item.space, item.size) for item in found.objects] == [
        ("s", Space.PARAMETER, 64)
    ]
    load = next(op for op in found.operations() if isinstance(op, MemoryAccess))
    assert (load.kind, load.space) == (AccessKind.LOAD, Space.PARAMETER)


def test_cvta_keeps_the_address() -> None:
    body = POINTER + " cvta.to.global.u64 %rd2, %rd1; ld.global.u32 %r2, [%rd2];"
    assert ir(body) == "%0 = load.global 4B [$out]"


def test_negative_displacements_are_subtractions() -> None:
    for text in ("[%rd1+-8]", "[%rd1-8]"):
        assert ir(POINTER + f" ld.global.u32 %r2, {text};") == (
            "%0 = sub pointer $out, 8\n%1 = load.global 4B [%0]"
        )


def test_accesses_under_a_guard_become_a_branch() -> None:
    assert ir(POINTER + " setp.lt.u32 %p1, %r1, 8; @!%p1 ld.global.u32 %r2, [%rd1];"
              " st.global.u32 [%rd1], %r2;") == (
        "entry.0:\n%0 = lt u32 tid.x, 8\nbranch %0 ? after.2 : guarded.1\nguarded.1:\n"
        "%1 = load.global 4B [$out]\njump after.2\nafter.2:\n"
        "%2 = phi u32 [unknown, %1] %r2\nstore.global 4B [$out, %2]"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "reads"),
    [
        (f"wgmma.mma_async.{SHAPE} {{%f1,%f2,%f3,%f4}}, %rd1, %rd2, 1, 1, 1, 0, 0;", 2),
        (f"wgmma.mma_async.{SHAPE} {{%f1,%f2,%f3,%f4}}, {{%r1,%r2,%r3,%r4}}, %rd2, 1, 1, 1, 0;", 1),
        ("tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r3, 1;", 2),
        ("tcgen05.mma.cta_group::1.kind::f16 [%r1], [%r4], %rd2, %r3, 1;", 1),
        ("tcgen05.cp.cta_group::1.128x256b [%r1], %rd1;", 1),
        ("wgmma.fence.sync.aligned;", 0),
    ],
)
def test_matrices_behind_descriptors_are_read_from_shared_memory(
    statement: str, reads: int
) -> None:
    accesses = [one for one in operations(statement) if isinstance(one, MemoryAccess)]
    assert len(accesses) == reads
    for access in accesses:
        assert (access.kind, access.space, access.width) == (AccessKind.LOAD, Space.SHARED, None)
        assert isinstance(access.address, Unknown)
