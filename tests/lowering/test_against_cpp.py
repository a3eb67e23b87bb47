"""Random kernels lowered and interpreted, against the same text compiled by a C++ compiler.

Both must store the same values in the same places in the same order, thread by thread: this covers
conversions, promotions, short circuits, loops, switches, and the SSA form as a whole.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from analyses.kernels import cuda_module
from analyses.random_kernels import random_kernel
from analyses.thread_interpreter import Interpreter, Run

from warplint.analyzer.analyses.dataflow.control_flow import ControlFlow

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 80
THREADS = 40
BLOCK = 2
COMPILER = shutil.which("g++") or shutil.which("clang++")

HARNESS = """
#include <cstdio>
#define __global__ static
static struct { unsigned x; } threadIdx, blockIdx = {%d};
struct Place {
    long k;
    void operator=(int v) { std::printf("%%ld:%%d ", k, v); }
};
struct Out {
    Place operator[](long k) { return Place{k}; }
};
struct Data {
    int operator[](long k) const { return (unsigned long)(4 * k) * 2654435761ul / 128 %% 13; }
};
"""


def _program() -> str:
    text = HARNESS % BLOCK
    for seed in range(COUNT):
        kernel = random_kernel(seed, f"kernel{seed}")
        text += kernel.replace("int *out, const int *q", "Out out, Data q")
    calls = "".join(
        f"for (threadIdx.x = 0; threadIdx.x < {THREADS}; ++threadIdx.x) "
        f'{{ kernel{seed}(Out(), Data(), {seed % 7}); std::puts(""); }}\n'
        for seed in range(COUNT)
    )
    return f"{text}\nint main() {{\n{calls}}}\n"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the compiled program prints: one line for each thread of each kernel."""
    if COMPILER is None:
        pytest.skip("no C++ compiler")
    folder: Path = tmp_path_factory.mktemp("cpp")
    source, program = folder / "kernels.cpp", folder / "kernels"
    source.write_text(_program())
    options = ["-w", "-O0", "-fwrapv", "-std=c++17"]
    subprocess.run([COMPILER, *options, str(source), "-o", str(program)], check=True)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


@pytest.mark.parametrize("seed", range(COUNT))
def test_the_same_stores_in_the_same_order(seed: int, compiled: list[str]) -> None:
    kernel = cuda_module(random_kernel(seed)).kernels[0]
    run = Run((THREADS, 1, 1), (4, 1, 1), (BLOCK, 0, 0), {"n": seed % 7})
    trace = Interpreter(kernel, run, ControlFlow(kernel).loop_nest, kernel.objects).run()
    for thread in range(THREADS):
        stores = trace.stores.get(thread, [])
        text = "".join(f"{(int(s.address) & 0xFFFFFF) // 4}:{s.value} " for s in stores)
        assert text == compiled[seed * THREADS + thread], f"thread {thread}"
