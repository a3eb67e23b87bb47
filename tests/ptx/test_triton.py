"""What lies beside the PTX of Triton's kernels, as Triton 3.9 and 3.0 write it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from warplint.analyzer.ptx.read import read_ptx
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path

    from warplint.analyzer.ir.kernel import Kernel

PTX = """.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 global_smem[];
.visible .entry add(.param .u64 .ptr .global .align 1 add_param_0, .param .u32 add_param_1,
    .param .u64 .ptr .global .align 1 add_param_2)
.reqntid 128
{
    ret;
}
"""
NEW = (
    '#loc5 = loc("x_ptr"(#loc))\n  tt.func public @add(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 '
    ': i32} loc("x_ptr"(#loc)), %n: i32 loc("n"(#loc))) attributes {noinline = false} {\n'
    "    %c = arith.constant 1 : i32\n"
)
OLD = (
    '  tt.func public @add(%arg0: !tt.ptr<f32> loc("add.py":3:0), %arg1: i32 loc("add.py":3:0)) '
    "attributes {noinline = false} {\n"
)


def read(folder: Path, **beside: str) -> Kernel:
    for suffix, text in beside.items():
        (folder / f"add.{suffix}").write_text(text, encoding="utf-8")
    (kernel,) = read_ptx(SourceText(str(folder / "add.ptx"), PTX)).kernels
    return kernel


def names(kernel: Kernel) -> list[str]:
    return [each.name for each in kernel.parameters]


def test_parameters_have_the_names_of_the_program(tmp_path: Path) -> None:
    kernel = read(tmp_path, ttir=NEW)
    assert names(kernel) == ["x_ptr", "n", "add_param_2"]
    pointee = kernel.parameters[0].pointee
    assert pointee is not None
    assert pointee.name == "x_ptr"


@pytest.mark.parametrize(
    "text",
    [
        OLD,
        "",
        "no module",
        NEW.replace("@add", "@sub"),
        NEW.replace('%n: i32 loc("n"(#loc))', ", ".join(f"%n{i}: i32" for i in range(9))),
    ],
)
def test_what_names_nothing(tmp_path: Path, text: str) -> None:
    assert names(read(tmp_path, ttir=text)) == ["add_param_0", "add_param_1", "add_param_2"]


def test_the_launch_of_the_metadata(tmp_path: Path) -> None:
    said = {"name": "add", "num_warps": 4, "shared": 1024, "num_ctas": 1}
    (launch,) = read(tmp_path, json=json.dumps(said)).launches
    assert (launch.block, launch.grid) == ((128, 1, 1), (None, None, None))
    assert launch.dynamic_shared == 1024
    assert launch.origin.endswith("add.json")


@pytest.mark.parametrize(
    "said",
    [
        [],
        {},
        {"name": "sub", "num_warps": 4, "shared": 0},
        {"name": "add", "num_warps": "4", "shared": 0},
        {"name": "add", "num_warps": 64, "shared": 0},
        {"name": "add", "num_warps": 4, "shared": -1},
        {"name": "add", "num_warps": 4},
    ],
)
def test_other_metadata(tmp_path: Path, said: Any) -> None:
    assert not read(tmp_path, json=json.dumps(said)).launches
    assert not read(tmp_path, json="{").launches
