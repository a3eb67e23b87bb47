"""Whatever the input is: no exception, a problem for what is lost, and IR that is well formed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ptx.support import FIXTURES, HEAD, lowered, parsed, wrap

from warplint.analyzer.ir.operations import OpaqueOperation
from warplint.analyzer.ptx.check.check import check_ptx
from warplint.analyzer.ptx.syntax.printer import print_module
from warplint.analyzer.source.problem import Damage

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Module

TEXT = FIXTURES[0].read_text(encoding="utf-8")
SMALL = wrap(
    " mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 4;\n@%p1 bra L;\n .loc 1 2 3\n"
    " { .param .b32 a; st.param.b32 [a+0], %r1; call.uni f, (a); }\n"
    " ld.global.v2.f32 {%f1, %f2}, [%rd1+-8];\nL:\n bar.sync 0; @!%p1 st.shared.u32 [s], %r1;\n"
    " t: .branchtargets L, M; brx.idx %r1, t; M: ret;",
    ".shared .align 4 .b8 s[64];\n.func f(.param .b32 a) { ret; }",
)


def read(text: str) -> Module:
    """Everything a run does with a PTX text."""
    module = parsed(text)
    check_ptx(module)
    print_module(module)
    return lowered(text)


@pytest.mark.parametrize("part", range(40))
def test_truncated_files(part: int) -> None:
    whole = TEXT[: len(TEXT) // 2]
    module = read(whole[: len(whole) * part // 40])
    assert len(module.kernels) <= TEXT.count(".entry")
    for problem in module.problems:
        assert problem.span is not None


@pytest.mark.parametrize("cut", range(0, len(SMALL), 7))
def test_a_truncated_kernel_is_reported(cut: int) -> None:
    text = SMALL[:cut]
    module = read(text)
    inside = text.rfind("{") > text.rfind("\n}") and ".entry" in text
    assert not inside or any(p.damage is Damage.PARTIAL for p in module.problems)


@pytest.mark.parametrize("seed", range(10))
def test_garbage(seed: int) -> None:
    generator = random.Random(seed)
    data = bytes(generator.randrange(256) for _ in range(3_000))
    module = read(data.decode("latin-1"))
    assert module.kernels == []
    assert module.problems != []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0" * 1_000,
        ";" * 5_000,
        "{" * 5_000,
        "}" * 5_000,
        "@" * 5_000,
        '"' * 5_000,
        "/*" * 5_000,
        HEAD + ".entry " * 1_000,
        HEAD + ".entry k(" + "(" * 5_000,
        wrap("{" * 5_000),
        wrap("add.s32 %r1, " + "(" * 5_000 + ";"),
        wrap("add.s32 %r1, %r2 " * 5_000),
        wrap("add.s32 %r1, %r2\n" * 3_000),
        wrap("L:" * 3_000),
        wrap("bra L;" * 3_000),
        wrap("@%p1 bra L;" * 3_000 + "L: ret;"),
        wrap("L: @%p1 bra L;\n" * 500),
        wrap(".reg .b32 %big<2000000000>; add.s32 %big1999999999, %big3, 1;"),
        wrap(".reg .b32 %big<99999999999999999999999999999999999999999999999999999>;"),
        wrap("mov.u32 %r1, " + "9" * 5_000 + ";"),
        wrap(".shared .b8 s[99999999999999999999];"),
        wrap(".local .b8 s[0-5]; .local .b8 t[1/0]; st.local.u8 [t], 1;"),
        wrap("ld.param.u32 %r1, [n+-99999999999999999999];"),
        wrap("shl.b32 %r1, 5, 4294967295; div.s32 %r2, 5, 0;"),
        wrap("cvt.rn.f16.f64 %rs1, 0d7FF0000000000000; cvt.rzi.s32.f64 %r1, 0d7FF0000000000000;"),
        wrap("mov.b32 %r1, 0f7FC00000; add.s32 %r2, %r1, 1; mov.b16 %rs1, 1e300;"),
        wrap("mov.b64 {%r1, %r2, %r3}, %rd1; mov.b64 %rd1, {%r1, %r2, %r3};"),
        wrap("call (%r1), k, (%r2); call k;"),
        wrap("brx.idx %r1, t; t: .branchtargets;"),
        wrap("brx.idx %r1, t; t: .branchtargets L, ~M; u: .calltargets 3;"),
        wrap("ret; L: @%p1 st.u32 [%rd1], %r1; @%p1 bra M; bra L; M: st.u32 [%rd1], %r3; bra M;"),
        wrap("ret; A: add.s32 %r1, %r2, 1; bra B; B: bra A;"),
        wrap("ret; A: bra B; C: bra A; B: add.s32 %r1, %r2, 1; bra C;"),
        wrap("ret;", ".func a() { call b; ret; } .func b() { call a; call b; ret; }"),
    ],
    ids=range(35),
)  # fmt: skip
def test_texts_that_break_parsers(text: str) -> None:
    module = read(text)
    assert len(module.kernels) <= 1


def test_a_name_with_hundreds_of_thousands_of_digits_is_a_name() -> None:
    module = read(wrap(f" mov.u32 %r1, %tid.x; ld.param.u32 %r2, [p{'9' * 400_000}; ret;"))
    assert module.problems
    assert len(module.kernels) == 1


def test_inlining_stops_before_it_explodes() -> None:
    functions = [".func f0() { ret; }"]
    for level in range(1, 20):
        functions.append(f".func f{level}() {{ call f{level - 1}; call f{level - 1}; ret; }}")
    module = lowered(wrap("call f19; ret;", "\n".join(functions)))
    assert len(module.kernels[0].blocks) < 10_000


def test_after_many_errors_the_rest_is_left_unread() -> None:
    module = parsed(wrap("add , ;\n" * 5_000))
    assert len(module.problems) < 3_000
    assert any("too many syntax errors" in problem.message for problem in module.problems)


@settings(max_examples=150)
@given(st.data())
def test_mutations(data: st.DataObject) -> None:
    text = SMALL
    pieces = ["", ";", "{", "}", "[", "]", ",", "(", ")", "%r1", "_", ".", ":", "@", "|", "-", "0",
              "ret;", "\n", '"', "/*", ".reg", "{ }", "bra L;", ".b32", "1.5", "~"]  # fmt: skip
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(st.sampled_from(pieces)) + text[end:]
    assert len(read(text).kernels) <= 3


@settings(max_examples=100)
@given(st.text(alphabet='%rpd019_.,;:{}[]()@!|+-*<> \n\tabldst"/$', max_size=120))
def test_any_body(body: str) -> None:
    assert len(read(wrap(body)).kernels) <= 2


@settings(max_examples=200)
@given(
    st.sampled_from(
        [
            "add.s32",
            "mov.b64",
            "ld.global.v2.u32",
            "st.shared.u8",
            "setp.lt.and.s32",
            "shfl.sync.idx.b32",
            "bar.red.popc.u32",
            "atom.global.cas.b32",
            "cp.async.ca.shared.global",
            "lop3.b32",
            "bfe.u32",
            "cvt.rn.f32.s32",
            "selp.b32",
            "mad.wide.s32",
            "vote.sync.any.pred",
            "elect.sync",
            "call",
            "brx.idx",
            "bra",
            "mbarrier.try_wait.parity.shared::cta.b64",
            "wmma.load.a.sync.aligned.row.m16n16k16.f16",
            "tex.2d.v4.f32.f32",
            "add.cc.u32",
            "slct.s32.f32",
            "set.eq.u32.f32",
            "ldmatrix.sync.aligned.m8n8.x2.shared.b16",
            "cp.async.bulk.prefetch.L2.global",
            "mov.v2.u32",
        ]
    ),
    st.lists(
        st.sampled_from(
            [
                "%r1",
                "%rd1",
                "%p1",
                "!%p1",
                "%f1",
                "[%rd1]",
                "[%r1+4]",
                "[out]",
                "{%r1, %r2}",
                "{}",
                "%r1|%p1",
                "_",
                "5",
                "-1",
                "0f3F800000",
                "()",
                "(%r1)",
                "s",
                "%tid.x",
                "%tid",
                "k",
                "nowhere",
                "[{%r1}]",
                "%r1.x",
                "(1 << 2) | 1",
                "{_, _}",
                "[t, {%r1}, 5]",
            ]
        ),
        max_size=6,
    ),
    st.sampled_from(["", "@%p1 ", "@!%p2 ", "@%r1 "]),
)
def test_any_operands(opcode: str, operands: list[str], guard: str) -> None:
    body = f"{guard}{opcode} {', '.join(operands)}; st.global.u32 [%rd1], %r1; ret;"
    module = read(wrap(body, ".shared .b8 s[8];"))
    assert len(module.kernels) == 1


def test_what_tables_of_branches_multiply_is_not_followed_and_said() -> None:
    labels = [f"L{index}" for index in range(300)]
    jumps = "".join(f"{label}: @%p1 brx.idx %r1, t;\n" for label in labels)
    module = read(wrap(f" t: .branchtargets {', '.join(labels)};\n{jumps} ret;"))
    reasons = [
        operation.reason
        for operation in module.kernels[0].operations()
        if isinstance(operation, OpaqueOperation)
    ]
    assert len(reasons) == 300 - 65_536 // 300
    assert len(set(reasons)) == 1
    assert "too many targets" in reasons[0]


def test_of_many_huge_banks_only_the_registers_that_are_used_are_made() -> None:
    banks = "".join(f".reg .b32 %a{index}_<4000000>; " for index in range(300))
    uses = "".join(f"add.s32 %a{index}_3999999, %r1, 1; " for index in range(300))
    module = read(wrap(f" {banks} {uses} ret;"))
    assert not module.problems
    inner = "{ .reg .v2 .b32 v<4000>; mov.v2.u32 {%r1, %r2}, v3; } " * 300
    assert len(read(wrap(f" {inner} ret;")).kernels) == 1
