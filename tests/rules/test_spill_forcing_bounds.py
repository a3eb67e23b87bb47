"""Spills that bounds will force, said from PTX alone: possible, and by a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.finding import Certainty
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry held(.param .u64 data)
{bounds}
{{
    .reg .b32 %r<2>; .reg .f32 %f<48>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data]; cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd2, %rd3;
    {loads}
    bar.sync 0;
    {stores}
    ret;
}}
"""
VALUES = 40
LOADS = "".join(f"ld.global.f32 %f{i}, [%rd1+{4096 * i}];" for i in range(VALUES))
STORES = "".join(f"st.global.f32 [%rd1+{4096 * i + 4}], %f{i};" for i in range(VALUES))


@pytest.mark.parametrize(
    ("bounds", "cap"),
    [
        (".maxnreg 24", 24),
        (".maxntid 1024, 1, 1\n.minnctapersm 3", None),  # ignored: 3 blocks cannot be resident
        (".maxnreg 48", None),
        ("", None),
    ],
)
def test_more_values_than_the_bounds_leave_registers(
    tmp_path: Path, bounds: str, cap: int | None
) -> None:
    path = tmp_path / "held.ptx"
    path.write_text(PTX.format(bounds=bounds, loads=LOADS, stores=STORES), encoding="utf-8")
    rule = load_rules()["LOC004"]
    possible = Settings(show_possible=True)
    found = check(collect_inputs([str(path)]), possible, (rule,)).findings
    assert [fact.value for one in found for fact in one.evidence if fact.name == "cap"] == (
        [] if cap is None else [cap]
    )
    assert all(one.certainty is Certainty.POSSIBLE for one in found)
    assert not check(collect_inputs([str(path)]), Settings(), (rule,)).findings
