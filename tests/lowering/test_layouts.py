"""Layouts of structures that are packed and aligned in every way, as nvcc 13.0 makes them.

`python bench/layouts.py` wrote both files: structures from fixed seeds, and what nvcc says.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.ir.operations import MemoryAccess
from warplint.analyzer.ir.values import Constant

DATA = Path(__file__).parents[1] / "data"
NVCC = json.loads((DATA / "layouts.json").read_text())


@cache
def _numbers() -> dict[str, list[object]]:
    """Of each structure its size, alignment and offsets, as a kernel stores them; None where one
    is not known.
    """
    asked = ""
    for name, row in NVCC.items():
        offsets = [f"offsetof({name}, {member})" for member in row["offsets"]]
        numbers = [f"sizeof({name})", f"alignof({name})", *offsets]
        stores = " ".join(f"o[{at}] = {number};" for at, number in enumerate(numbers))
        asked += f"__global__ void k_{name}(unsigned *o) {{ {stores} }}\n"
    module = cuda_module((DATA / "layouts.cu").read_text() + asked)
    return {
        kernel.name.removeprefix("k_"): [
            operation.stored.value if isinstance(operation.stored, Constant) else None
            for operation in kernel.operations()
            if isinstance(operation, MemoryAccess)
        ]
        for kernel in module.kernels
    }


@pytest.mark.parametrize("name", NVCC)
def test_what_is_known_of_a_layout_is_as_nvcc_has_it(name: str) -> None:
    row = NVCC[name]
    expected = [row["size"], row["alignment"], *row["offsets"].values()]
    found = _numbers()[name]
    known = [
        value if given is not None else None for given, value in zip(found, expected, strict=True)
    ]
    assert found == known


def test_most_layouts_are_known() -> None:
    assert sum(None not in row for row in _numbers().values()) >= 215


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("#pragma pack(push, 1)\nstruct A { char a; int b; short c; };\n#pragma pack(pop)", 7),
        ("#pragma pack(push, 1)\n#pragma pack(pop)\nstruct A { char a; int b; short c; };", 12),
        ("#define N 2\n#pragma pack(N)\nstruct A { char a; int b; short c; };", 8),
        ("#pragma pack(push, r, 1)\n#pragma pack(push, 4)\n#pragma pack(pop, r)\n"
         "struct A { char a; int b; short c; };", 12),
        ("#pragma pack(1)\n#pragma pack()\nstruct A { char a; int b; short c; };", 12),
        ("#pragma pack(1)\ntemplate <class T> struct B { char a; T b; short c; };\n"
         "#pragma pack()\nusing A = B<int>;", 7),
        ("#pragma pack(1)\nstruct A { char a; struct { char x; int y; } b; short c; };", 8),
        ("typedef struct { char a; int b; short c; } __attribute__((packed)) A;", 7),
        ("typedef struct __attribute__((__packed__)) { char a; int b; short c; } A;", 7),
        ("struct [[gnu::packed]] A { char a; int b; short c; };", 7),
        ("struct A { char a; int b __attribute__((packed)); short c; };", 8),
        ("struct A { char a; int b; short c; } __attribute__((packed, aligned(4)));", 8),
        ("struct A { char a; int b; short c; } __attribute__((aligned(16)));", 16),
    ],
)  # fmt: skip
def test_ways_to_pack(text: str, size: int) -> None:
    module = cuda_module(f"{text}\n__global__ void k() {{ __shared__ A object; }}")
    assert [item.size for item in module.kernels[0].objects] == [size]


def test_a_header_packs_what_includes_it_until_it_is_undone(tmp_path: Path) -> None:
    (tmp_path / "begin.h").write_text("#pragma pack(push, 1)\n")
    (tmp_path / "end.h").write_text("#pragma pack(pop)\n")
    file = tmp_path / "main.cu"
    members = "{ char a; int b; short c; }"
    text = f'#include "begin.h"\nstruct A {members};\n#include "end.h"\nstruct B {members};\n'
    text += "__global__ void k() { __shared__ A a; __shared__ B b; }"
    module = cuda_module(text, str(file))
    assert [item.size for item in module.kernels[0].objects] == [7, 12]
