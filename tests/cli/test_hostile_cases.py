"""Small files that once hung, took all memory or ended in an internal error, through the command.

Work is bounded by counts, so what is asserted is how each ends: with the kernels found, or with a
problem that says what was not read; and the memory that it took.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from source_tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEAD = "__global__ void k(float *o, const float *a, int n) { int t = threadIdx.x;"
SHARED = f"{HEAD} __shared__ float s[256];\n"
END = "\n}\n"
LAUNCHES = (
    "__global__ void k(int *a) { a[threadIdx.x] = 1; } int main() { k<<<1, 2048>>>(0);"
    " k<<<dim3(1, 70000), 32>>>(0); k<<<1, dim3(1, 1, 128)>>>(0); k<<<32, 1024, 1 << 20>>>(0); }\n"
)
ENTRY = (
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
    ".reg .b32 %r<100>; .reg .pred %p<10>; .reg .b64 %rd<20>;\n"
    "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n"
)


def macros(first: str, body: str, count: int) -> str:
    """Macros of which each uses the one before it."""
    rest = "".join(f"#define M{i + 1} {body.format(i)}\n" for i in range(count))
    return f"#define M0 {first}\n{rest}{SHARED}o[t] = M{count};{END}"


def structs(count: int) -> str:
    """Structures of which each holds two of the one before it."""
    rest = "".join(f"struct S{i + 1} {{ S{i} a, b; }};" for i in range(count))
    body = f"S{count} q; __shared__ S{count} w[4]; w[t & 3] = q; o[t] = q{'.a' * count}.v;"
    return f"struct S0 {{ float v; }};{rest}\n{SHARED}{body}{END}"


def repeated(count: int, line: str, before: str = "", after: str = "") -> str:
    """A kernel of numbered lines."""
    return SHARED + before + "".join(line.format(i) for i in range(count)) + after + END


TOO_MUCH = "not checked completely, by .*: too much work"
TOO_DEEP = "is not analysed: its branches, cases or loops are too many and too deep"
EXPANDS = "expands to too many tokens and was not expanded"

#: Runs a command and writes down the memory that it took at most. It is a process of its own, as
#: one that a large one starts begins with the memory of that.
MEASURING = """
import os, pathlib, subprocess, sys
process = subprocess.Popen(sys.argv[2:])
usage = os.wait4(process.pid, 0)[2]
process.returncode = 0  # it was waited for
pathlib.Path(sys.argv[1]).write_text(str(usage.ru_maxrss))
"""

#: Text of each, the kernels found in it, and what the command says beside its findings.
CUDA = {
    "sums that double": (
        repeated(10_000, "x = x + y; y = y + x;\n", "int x = t + n, y = n;", "o[x * y] = 1;"),
        1,
        TOO_MUCH,
    ),
    "jumps": (
        SHARED
        + "".join(f"L{i}: if (a[{i}] > t) goto L{(i * 7 + 3) % 1600};\n" for i in range(1600))
        + END,
        1,
        TOO_DEEP,
    ),
    "cases that fall through": (
        repeated(800, "case {0}: x += a[{0}];\n", "int x = 0; switch (t) {\n", "} o[x] = 1;"),
        1,
        TOO_DEEP,
    ),
    "arrays": (
        repeated(800, "__shared__ float s{0}[32]; s{0}[t & 31] = t;\n", after="__syncthreads();")
        .removesuffix(END) + "".join(f"o[t] += s{i}[31 - (t & 31)];\n" for i in range(800)) + END,
        1,
        TOO_MUCH,
    ),
    "loops that halve": (
        SHARED + "for (int m = 128; m > 0; m >>= 1) { if (t < m) s[t] += s[t + m];"
        " __syncthreads(); }\n" * 800 + END,
        1,
        TOO_MUCH,
    ),
    "macros of two macros": (macros("a[t]", "(M{0} + M{0})", 3_071), 1, EXPANDS),
    "macros of one macro": (macros("1", "(M{0} + 1)", 17_139), 1, EXPANDS),
    "24 structures": (structs(23), 1, ""),
    "32 structures": (structs(31), 1, ""),
    "slashes": (f"#incl{'/' * 100_000}ude <hip>\n{HEAD} o[t] = 1;{END}", 1, ""),
    "escapes": (
        f'{HEAD}\nconst unsigned char s[] = "{chr(92) * 3}{(chr(92) + "u") * 100_000}" "ab";\n'
        f"o[t] = s[t & 15];{END}",
        1,
        "",
    ),
    "digits of a condition": (
        f"{HEAD} o[t] = 1;{END}#if __CUDA_ARCH__ >= {'9' * 29_436}",
        1,
        "unmatched #if",
    ),
    "launches": (LAUNCHES * 127 + "__global", 127, "may mean 127 kernels: they are left out"),
}  # fmt: skip
PTX = {
    "branches": (
        ENTRY
        + "".join(
            f"L{i}:\nsetp.gt.s32 %p1, %r1, {i};\n@%p1 bra L{(i * 37 + 11) % 1600};\n"
            for i in range(1600)
        )
        + "ret;\n}\n",
        1,
        TOO_DEEP,
    ),
}
KEPT = {
    "bounds_below_zero.cu": (13, "could not be parsed"),
    "extent_below_zero.cu": (1, ""),
    "templates_of_themselves.cu": (11, "could not be parsed"),
    "macros_of_brackets.cu": (4, EXPANDS),
    "copy_of_4_gib.ptx": (1, "expected a statement, found '.version 65536.0'"),
    "block_of_65536_planes.ptx": (1, "expected a statement, found '.version"),
    "block_of_1000000_planes.ptx": (8, "found the end of the st"),
}
CASES = {
    **{(name, "k.cu"): case for name, case in CUDA.items()},
    **{(name, "k.ptx"): case for name, case in PTX.items()},
    **{
        (name, name): ((ROOT / "tests/data/hostile" / name).read_text(encoding="utf-8"), *case)
        for name, case in KEPT.items()
    },
}
MEGABYTES = 512


@pytest.fixture
def measured(script: Path, tmp_path: Path) -> Callable[..., tuple[str, str, int]]:
    """What the command writes, and the megabytes that it took at most."""

    def run(*arguments: str) -> tuple[str, str, int]:
        out, err, memory = (tmp_path / name for name in ("out", "err", "memory"))
        with out.open("wb") as output, err.open("wb") as errors:
            command = [sys.executable, "-c", MEASURING, str(memory), script, *arguments]
            subprocess.run(command, cwd=tmp_path, stdout=output, stderr=errors, check=True)
        texts = (path.read_text(encoding="utf-8") for path in (out, err))
        return *texts, int(memory.read_text()) // 1024  # type: ignore[return-value]

    return run


@pytest.mark.skipif(sys.platform != "linux", reason="memory of one process, in kilobytes")
@pytest.mark.parametrize(("name", "file"), CASES, ids=lambda part: part.replace(" ", "-"))
def test_every_file_ends_as_it_should(
    measured: Callable[..., tuple[str, str, int]], tmp_path: Path, name: str, file: str
) -> None:
    text, kernels, problem = CASES[name, file]
    (tmp_path / file).write_text(text, encoding="utf-8")
    options = ("--isolated", "--no-cache", "--select", "ALL", "--format", "json")
    out, err, megabytes = measured("check", file, *options)
    assert "internal error" not in out + err
    assert "Traceback" not in err
    (item,) = json.loads(out)["inputs"]
    assert item["kernels"] == kernels
    assert re.search(problem, err) if problem else not err
    assert megabytes <= MEGABYTES
