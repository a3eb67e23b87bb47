"""Arithmetic, logic, shifts, comparison, selection, movement: what each instruction becomes.

The results are stored, so that they stay visible; `%0` is the first value of the kernel.
"""

from __future__ import annotations

import pytest
from ptx.support import ir, operations

from warplint.analyzer.ir.arithmetic import evaluate
from warplint.analyzer.ir.operations import Compare, Opcode, Operation
from warplint.analyzer.ir.types import INT32, UINT32
from warplint.analyzer.ir.values import Constant, SpecialRegister, Value

TID = " mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("add.s32 %r3, %r1, %r2;", "%0 = add s32 tid.x, ctaid.x"),
        ("add.u32 %r3, %r1, 4;", "%0 = add u32 tid.x, 4"),
        ("add.s32 %r3, %r1, -4;", "%0 = add s32 tid.x, -4"),
        ("add.s32 %r3, %r1, 0;", ""),
        ("sub.s32 %r3, %r1, %r2;", "%0 = sub s32 tid.x, ctaid.x"),
        ("mul.lo.s32 %r3, %r1, 12;", "%0 = mul s32 tid.x, 12"),
        ("mul.hi.u32 %r3, %r1, %r2;", "%0 = mulhi u32 tid.x, ctaid.x"),
        ("mad.lo.s32 %r3, %r1, %r2, 7;", "%0 = mul s32 tid.x, ctaid.x\n%1 = add s32 %0, 7"),
        (
            "mul.wide.s32 %rd1, %r1, -4;",
            "%0 = convert s32 to s64 tid.x\n%1 = mul s64 %0, -4",
        ),
        (
            "mad.wide.u32 %rd1, %r1, 4, %rd2;",
            "%0 = convert u32 to u64 tid.x\n%1 = mul u64 %0, 4\n%2 = add u64 %1, unknown",
        ),
        ("div.s32 %r3, %r1, 3;", "%0 = div s32 tid.x, 3"),
        ("rem.u32 %r3, %r1, 3;", "%0 = rem u32 tid.x, 3"),
        ("min.s32 %r3, %r1, %r2;", "%0 = min s32 tid.x, ctaid.x"),
        ("neg.s32 %r3, %r1;", "%0 = neg s32 tid.x"),
        ("abs.s32 %r3, %r1;", "%0 = abs s32 tid.x"),
        ("and.b32 %r3, %r1, 31;", "%0 = and u32 tid.x, 31"),
        ("xor.b32 %r3, %r1, %r2;", "%0 = xor u32 tid.x, ctaid.x"),
        ("not.b32 %r3, %r1;", "%0 = not u32 tid.x"),
        ("shl.b32 %r3, %r1, 2;", "%0 = shl u32 tid.x, 2"),
        ("shr.s32 %r3, %r1, 2;", "%0 = shr s32 tid.x, 2"),
        ("shr.u32 %r3, %r1, %r2;", "%0 = shr u32 tid.x, ctaid.x"),
        ("popc.b32 %r3, %r1;", "%0 = pure.popc tid.x"),
        ("prmt.b32 %r3, %r1, %r2, 0x5410;", "%0 = pure.prmt tid.x, ctaid.x, 21520"),
        ("bfe.u32 %r3, %r1, 4, 8;", "%0 = shr u32 tid.x, 4\n%1 = and u32 %0, 255"),
        ("bfe.s32 %r3, %r1, 4, 8;", "%0 = shl s32 tid.x, 20\n%1 = shr s32 %0, 24"),
        ("bfe.u32 %r3, %r1, %r2, 8;", "%0 = pure.bfe tid.x, ctaid.x, 8"),
        (
            "bfi.b32 %r3, %r1, %r2, 8, 4;",
            "%0 = and u32 tid.x, 15\n%1 = shl u32 %0, 8\n%2 = and u32 ctaid.x, 4294963455\n"
            "%3 = or u32 %1, %2",
        ),
        ("cvt.u64.u32 %rd1, %r1;", "%0 = convert u32 to u64 tid.x"),
        ("cvt.s32.s8 %r3, %r1;", "%0 = convert s8 to s32 tid.x"),
        ("cvt.rn.f32.s32 %f1, %r1;", "%0 = convert s32 to f32 tid.x"),
        ("cvt.rzi.s32.f32 %r3, 0f40000000;", "%0 = convert f32 to s32 2.0"),
        ("cvt.sat.u8.s32 %r3, %r1;", "%0 = pure.cvt.sat tid.x\n%1 = convert u8 to u32 %0"),
        ("fma.rn.f32 %f1, %f2, %f3, %f4;", "%0 = pure.fma unknown, unknown, unknown"),
        ("add.rn.ftz.f32 %f1, %f2, 0f3F800000;", "%0 = add f32 unknown, 1.0"),
        ("ex2.approx.ftz.f32 %f1, %f2;", "%0 = pure.ex2 unknown"),
        ("mov.u32 %r3, %r1;", ""),
        (
            "mov.b64 %rd1, {%r1, %r2};",
            "%0 = convert u32 to u64 tid.x\n"
            "%1 = convert u32 to u64 ctaid.x\n%2 = shl u64 %1, 32\n%3 = or u64 %0, %2",
        ),
        ("selp.b32 %r3, %r1, %r2, %p1;", "%0 = select u32 unknown, tid.x, ctaid.x"),
        ("slct.s32.s32 %r3, %r1, 5, %r2;", "%0 = ge s32 ctaid.x, 0\n%1 = select s32 %0, tid.x, 5"),
        ("setp.lt.s32 %p1, %r1, %r2;", "%0 = lt s32 tid.x, ctaid.x"),
        ("setp.hi.u32 %p1, %r1, %r2;", "%0 = gt u32 tid.x, ctaid.x"),
        ("setp.ltu.f32 %p1, %f1, %f2;", "%0 = ge f32 unknown, unknown\n%1 = not predicate %0"),
        (
            "setp.eq.and.s32 %p1|%p2, %r1, %r2, %p3;",
            "%0 = eq s32 tid.x, ctaid.x\n%1 = not predicate %0\n"
            "%2 = and predicate %1, unknown\n%3 = and predicate %0, unknown",
        ),
        (
            "set.gt.u32.s32 %r3, %r1, %r2;",
            "%0 = gt s32 tid.x, ctaid.x\n%1 = select u32 %0, 4294967295, 0",
        ),
        ("lop3.b32 %r3, %r1, %r2, %r1, 0x3C;", "%0 = xor u32 tid.x, ctaid.x"),
        ("shf.l.wrap.b32 %r3, %r1, %r2, 3;", "%0 = pure.shf.l tid.x, ctaid.x, 3"),
        (
            "add.cc.u32 %r3, %r1, %r2; addc.u32 %r4, %r1, %r2;",
            "%0 = add u32 tid.x, ctaid.x\n%1 = pure.carry.add tid.x, ctaid.x\n"
            "%2 = pure.addc tid.x, ctaid.x, %1",
        ),
    ],
)
def test_one_instruction(instruction: str, expected: str) -> None:
    assert ir(TID + instruction) == expected


def test_constants_are_folded_in_the_type_of_the_instruction() -> None:
    found = ir(" mov.u32 %r1, 6; add.s32 %r2, %r1, -8; mov.u32 %r4, %tid.x; and.b32 %r3, %r2, %r4;")
    assert found == "%0 = and u32 4294967294, tid.x"


def test_a_float_pattern_read_as_bits_stays_the_same_bits() -> None:
    assert ir(" mov.b32 %r1, 0f3F800000; mov.u32 %r2, %tid.x; add.s32 %r3, %r1, %r2;") == (
        "%0 = add s32 1065353216, tid.x"
    )


def test_unpacking_takes_both_halves() -> None:
    assert ir(" mov.u32 %r5, %tid.x; cvt.u64.u32 %rd1, %r5; mov.b64 {%r1, %r2}, %rd1;") == (
        "%0 = convert u32 to u64 tid.x\n%1 = convert u64 to u32 %0\n"
        "%2 = shr u64 %0, 32\n%3 = convert u64 to u32 %2"
    )


def test_a_predicate_that_was_a_number_is_a_predicate_again() -> None:
    body = TID + " setp.lt.s32 %p1, %r1, 3; selp.u32 %r3, 1, 0, %p1; "
    assert ir(body + "setp.ne.s32 %p2, %r3, 0; selp.b32 %r4, 7, 8, %p2;") == (
        "%0 = lt s32 tid.x, 3\n%1 = select u32 %0, 1, 0\n%2 = select u32 %0, 7, 8"
    )
    assert ir(body + "setp.eq.s32 %p2, %r3, 0; @%p2 trap;").startswith(
        "entry.0:\n%0 = lt s32 tid.x, 3\n%1 = select u32 %0, 1, 0\n%2 = not predicate %0\n"
    )


def test_a_guarded_computation_selects_the_old_value() -> None:
    assert ir(
        TID + " setp.lt.s32 %p1, %r1, 3; mov.u32 %r3, 1; @%p1 mov.u32 %r3, %r2; "
        "@!%p1 add.s32 %r4, %r3, %r1;"
    ) == (
        "%0 = lt s32 tid.x, 3\n%1 = select u32 %0, ctaid.x, 1\n%2 = not predicate %0\n"
        "%3 = add s32 %1, tid.x\n%4 = select s32 %2, %3, unknown"
    )


def test_a_comparison_says_how_it_reads_its_operands() -> None:
    compare = operations(TID + " setp.lt.s32 %p1, %r1, %r2;")[0]
    assert isinstance(compare, Compare)
    assert compare.compared == INT32


@pytest.mark.parametrize("table", range(256))
def test_lop3_computes_its_truth_table(table: int) -> None:
    found = operations(
        " mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;"
        f" lop3.b32 %r4, %r1, %r2, %r3, {table}; st.global.u32 [%rd1], %r4;"
    )
    if found[0].opcode is Opcode.PURE:
        assert getattr(found[0], "name", "") == f"lop3.{table:#04x}"
        return
    inputs = {"tid.x": 0xF0F0F0F0, "tid.y": 0xCCCCCCCC, "tid.z": 0xAAAAAAAA}
    known: dict[Value, int] = {}

    def number(value: Value) -> int:
        if isinstance(value, Constant):
            return int(value.value)
        return inputs[value.name] if isinstance(value, SpecialRegister) else known[value]

    for operation in found[:-1]:
        assert isinstance(operation, Operation)
        result = evaluate(operation.opcode, UINT32, [number(v) for v in operation.operands])
        assert result is not None
        known[operation] = result
    assert number(found[-1].operands[1]) == int.from_bytes([table] * 4, "big")
