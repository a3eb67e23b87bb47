"""The tables of instructions and special registers: consistent, complete, all of it used."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from ptx.support import FIXTURES, parsed

from warplint.analyzer.ir.values import Constant, Special, SpecialRegister
from warplint.analyzer.ptx.lowering.dispatch import Dispatch
from warplint.analyzer.ptx.syntax.instruction_table import Template, fits, is_known, templates
from warplint.analyzer.ptx.syntax.special_registers import special_registers, special_value
from warplint.analyzer.ptx.syntax.tree import Instruction, Opcode
from warplint.grammars import grammar_text

if TYPE_CHECKING:
    from pathlib import Path

ALL = [template for found in templates().values() for template in found]
EFFECTS = {
    "", "load", "store", "atomic", "reduction", "copy", "prefetch", "matrix", "barrier",
    "mbarrier", "fence", "warp", "branch", "state",
}  # fmt: skip


@pytest.mark.parametrize("template", ALL, ids=[one.notation[:60] for one in ALL])
def test_a_template_is_sound(template: Template) -> None:
    assert template.effect in EFFECTS
    assert template.pattern.groups >= 0
    names = [role.name for role in template.operands]
    assert len(names) == len(set(names)), "two operands have one name"
    assert (1, 0) <= template.version <= (9, 0)
    assert 10 <= template.architecture <= 120
    for role in template.operands:
        if role.type.startswith("."):
            assert role.type in template.choices, "the type of an operand is no modifier"


def test_every_explanation_is_used() -> None:
    unused: list[str] = []
    for group in grammar_text("ptx_instructions.txt").split("\n\n"):
        lines = [line for line in group.splitlines() if not line.startswith("#")]
        if not lines or lines[0] == "common":
            continue
        used = " ".join(line for line in lines if not line.startswith(" "))
        for line in lines:
            name = line.split("=")[0].strip()
            if line.startswith(" ") and name not in used:
                unused.append(f"{lines[0].split()[0]}: {name}")
    assert unused == []


def test_no_template_stands_twice() -> None:
    counted = Counter((one.notation, one.operands) for one in ALL)
    assert [notation for notation, number in counted.items() if number > 1] == []


@pytest.mark.parametrize(
    ("opcode", "chosen"),
    [
        ("ld.global.nc.L1::no_allocate.v4.f32", {"vec": "v4", "memory": "f32"}),
        ("cvt.rn.f16.f32", {"dtype": "f16", "atype": "f32"}),
        ("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16", {"shape": "m64n128k16"}),
        ("add.f32.ftz", {}),
    ],
)
def test_the_modifiers_of_an_opcode(opcode: str, chosen: dict[str, str]) -> None:
    found = fits(opcode)[0].chosen
    assert {name: found[name] for name in chosen} == chosen


@pytest.mark.parametrize(
    "opcode",
    [
        "wgmma.mma_async.sp.sync.aligned.m64n256k32.f32.e4m3.e5m2",
        "tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale.scale_vec::1X",
        "tcgen05.ld.sync.aligned.16x256b.x4.pack::16b.b32",
        "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
        ".multicast::cluster.L2::cache_hint",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16",
        "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64",
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128",
        "multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v4.bf16x2",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32",
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64.rn",
        "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8",
        "fence.proxy.tensormap::generic.acquire.gpu",
        "createpolicy.fractional.L2::evict_first.b64",
        "tex.grad.2d.v4.f32.f32",
        "suld.b.2d.v4.b32.trap",
        "vadd4.u32.s32.u32.sat",
        "setmaxnreg.dec.sync.aligned.u32",
        "st.async.release.sys.global.b32",
    ],
)
def test_opcodes_of_all_chapters_are_known(opcode: str) -> None:
    assert fits(opcode) != ()


@pytest.mark.parametrize(
    "opcode",
    ["add", "add.s32.s32", "ld.global", "mul.s32", "cvt.f32", "setp.s32", "add.sat.u32",
     "wgmma.mma_async.sync.aligned.m64n7k16.f32.bf16.bf16", "bar.foo", "nothing.at.all"],
)  # fmt: skip
def test_what_is_no_opcode(opcode: str) -> None:
    assert fits(opcode) == ()


def test_every_mnemonic_has_a_lowering() -> None:
    for template in ALL:
        words = template.notation.replace("{", "").replace("}", "").split(".")[1:]
        modifiers = [template.choices.get(f".{word}", (f".{word}",))[0][1:] for word in words]
        opcode = Opcode(".".join([template.mnemonic, *modifiers]))
        lowered = Dispatch(lambda *_: None)[opcode]
        assert lowered.counts
        matrices = any(role.type in ("descriptor", "matrix") for role in template.operands)
        acts = bool(template.effect) or matrices
        assert lowered.effects == acts or template.mnemonic in ("call", "trap")


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_nothing_of_nvcc_is_unknown(path: Path) -> None:
    unknown: Counter[str] = Counter()
    for function in parsed(path.read_text(encoding="utf-8")).functions:
        for statement in function.body or ():
            if isinstance(statement, Instruction) and not fits(statement.opcode.text):
                unknown[statement.opcode.text] += 1
    assert unknown == {}


def test_special_registers() -> None:
    table = special_registers()
    assert table["%tid"].components == "xyzw"
    assert {"%pm7", "%envreg31", "%pm0_64", "%reserved_smem_offset_1"} <= set(table)
    assert "%pm8" not in table
    assert special_value("%r1", "") is None
    warp = special_value("WARP_SZ", "")
    assert isinstance(warp, Constant)
    assert warp.value == 32


@pytest.mark.parametrize("register", [one for one in Special if one is not Special.OTHER])
def test_the_analyses_know_the_registers_they_name(register: Special) -> None:
    if register is Special.WARP_SIZE:
        return
    base, _, component = register.value.partition(".")
    value = special_value(f"%{base}", component)
    assert isinstance(value, SpecialRegister)
    assert value.register is register


def test_other_registers_keep_their_name() -> None:
    value = special_value("%cluster_ctaid", "y")
    assert isinstance(value, SpecialRegister)
    assert (value.register, value.name) == (Special.CLUSTER_Y, "cluster_ctaid.y")


def test_known_mnemonics() -> None:
    assert is_known("add")
    assert not is_known("frobnicate")
