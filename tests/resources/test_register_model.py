"""The register estimator: what it says is marked, bounded, and near what ptxas said."""

from __future__ import annotations

import json

import pytest
from source_tree import ROOT

from warplint.analyzer.ir.usage import UNKNOWN, Source
from warplint.analyzer.ptx.exact_resources import ModuleResources
from warplint.analyzer.ptx.parse import parse_ptx
from warplint.analyzer.ptx.register_code import read_code
from warplint.analyzer.ptx.register_features import FEATURES, entry_features
from warplint.analyzer.ptx.register_pressure import live_out, scheduled_pressure
from warplint.analyzer.resources.register_cap import register_cap
from warplint.analyzer.resources.register_model import estimated_registers
from warplint.analyzer.source.text import SourceText

HEAD = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {bounds}
{{
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .f32 %f<40>; .reg .b64 %rd<20>;
    {body}
    ret;
}}
"""
SUM = """
    ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; cvta.to.global.u64 %rd3, %rd1;
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;
    ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd5+4]; ld.global.f32 %f3, [%rd5+8];
    add.f32 %f4, %f1, %f2; add.f32 %f5, %f4, %f3;
    add.s64 %rd6, %rd2, %rd4; st.global.f32 [%rd6], %f5;
"""


def module(body: str, bounds: str = ""):  # type: ignore[no-untyped-def]
    """A module with one entry."""
    return parse_ptx(SourceText("k.ptx", HEAD.format(body=body, bounds=bounds)))


def feature(name: str, body: str) -> float:
    """One feature of the entry."""
    parsed = module(body)
    entry = parsed.functions[0]
    row = entry_features(parsed.source, {}, entry)
    return row[FEATURES.index(name)]


def test_an_estimate_is_marked_and_has_an_interval() -> None:
    parsed = module(SUM)
    amount = ModuleResources(parsed).usage(parsed.functions[0], 90).registers
    assert amount.source is Source.ESTIMATE
    assert amount.value is not None
    assert amount.low is not None
    assert amount.high is not None
    assert amount.low <= amount.value <= amount.high
    assert abs(amount.value - 12) <= 4  # ptxas 13.0: 12


def test_nothing_is_said_of_architectures_that_were_never_seen() -> None:
    assert estimated_registers(61, [0.0] * len(FEATURES), FEATURES) == UNKNOWN


def test_a_model_for_other_features_is_refused() -> None:
    with pytest.raises(ValueError, match="trained on"):
        estimated_registers(90, [0.0], ["written"])


def test_the_data_fits_the_code() -> None:
    text = (ROOT / "analyzer/resources/register_model.json").read_text()
    model = json.loads(text)
    assert model["features"] == list(FEATURES)
    assert set(model["architectures"]) == {"80", "90", "120"}
    for arch in model["architectures"].values():
        for ensemble in (arch["value"], arch["spread"]):
            for nodes in ensemble["trees"]:
                inner = [node for node in nodes if isinstance(node, list)]
                assert all(
                    i < max(node[2:]) < len(nodes) for i, node in enumerate(nodes) if node in inner
                )


@pytest.mark.parametrize(
    ("bounds", "cap"),
    [
        ("", 255),
        (".maxntid 1024, 1, 1", 64),
        (".maxntid 256, 1, 1 .minnctapersm 4", 64),
        (".maxnreg 40", 40),
        (".maxntid 96, 1, 1 .minnctapersm 5", 136),
    ],
)
def test_launch_bounds_cap_the_estimate(bounds: str, cap: int) -> None:
    parsed = module(SUM, bounds)
    from warplint.analyzer.ptx.entry import bounds_of

    assert register_cap(bounds_of(parsed.functions[0], parsed.source)) == cap
    high = ModuleResources(parsed).usage(parsed.functions[0], 80).registers.high
    assert high is not None
    assert high <= cap


def test_dead_code_and_folded_addresses_cost_nothing() -> None:
    dead = SUM + "add.f32 %f9, %f1, %f3; mul.f32 %f10, %f9, %f9;"
    assert feature("written", dead) == feature("written", SUM)
    assert feature("ops", dead) == feature("ops", SUM)
    code = read_code(module(SUM).functions[0])
    assert [op.mnemonic for block in code.blocks for op in block].count("mul") == 0


def test_uniform_values_have_no_width() -> None:
    read = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;"
    body = f"{read} mul.lo.s32 %r3, %r1, %r2; st.shared.u32 [0], %r3;"
    assert feature("written", body) == 0
    assert feature("full", body) == 2


def test_schedules_bracket_the_pressure() -> None:
    """Eight loads that are summed: all at once, or one after the other."""
    loads = "".join(f"ld.global.f32 %f{i}, [%rd5+{4 * i}];" for i in range(1, 9))
    sums = "add.f32 %f11, %f1, %f2;" + "".join(
        f"add.f32 %f{10 + i - 1}, %f{10 + i - 2}, %f{i};" for i in range(3, 9)
    )
    head = SUM.split("ld.global")[0]
    body = f"{head}{loads}{sums} st.global.f32 [%rd5], %f17;"
    code = read_code(module(body).functions[0])
    (block,) = [block for block in code.blocks if len(block) > 3]
    pressure = scheduled_pressure(block, live_out(code)[0], code.widths)
    assert pressure.latency >= pressure.written >= 10  # eight values and an address
    assert pressure.least <= 4


def test_a_loop_keeps_what_it_needs_alive() -> None:
    body = """
        mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.f32 %f1, 0f00000000;
        LOOP: cvt.rn.f32.s32 %f2, %r1; add.f32 %f1, %f1, %f2; add.s32 %r2, %r2, 1;
        setp.lt.s32 %p1, %r2, %r1; @%p1 bra LOOP;
        st.shared.f32 [0], %f1;
    """
    assert feature("loops", body) == 1
    assert feature("loop_live", body) == 3  # the thread index, the counter, the sum
