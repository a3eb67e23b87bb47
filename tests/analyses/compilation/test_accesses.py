"""Which accesses are instructions."""

from __future__ import annotations

import pytest
from analyses.compiled import code_of, mnemonics


def test_what_was_loaded_is_not_loaded_again() -> None:
    assert mnemonics("out[0] = in[n] * in[n];").count("ld") == 1
    again = "float a = in[n]; out[3] = 2; out[0] = a * in[n];"
    assert mnemonics(again).count("ld") == 2
    assert mnemonics("float a = in[n]; __syncthreads(); out[0] = a * in[n];").count("ld") == 2


@pytest.mark.parametrize(
    ("body", "loads"),
    [
        ("float a[4]; for (int k = 0; k < 4; ++k) a[k] = in[k]; out[0] = a[1] * a[2];", 2),
        ("float a[4] = {}; out[0] = a[3];", 0),
        ("float a[999]; a[n] = 1; out[0] = a[n + 1];", 1),
        ("float a[4]; a[n & 3] = in[0]; a[1] = in[1]; out[0] = a[n & 1];", 2),
    ],
)
def test_arrays_of_a_thread(body: str, loads: int) -> None:
    assert mnemonics(body).count("ld") == loads


def test_an_array_of_a_loop_that_stays_is_in_memory() -> None:
    """Every index would be a constant if the second loop were unrolled, which is too long."""
    first = "float a[8], s = 0; for (int k = 0; k < 8; ++k) a[k] = in[k]; "
    short = "for (int k = 0; k < 8; ++k) s += a[k] * in[k + n]; out[0] = s;"
    long = "for (int k = 0; k < 8; ++k) s += powf(a[k], in[k + n]); out[0] = s;"
    assert mnemonics(first + short).count("st") == 1
    assert mnemonics(first + long).count("st") == 9


def test_vectors_are_one_access_and_structures_several() -> None:
    assert mnemonics("p[1] = p[0];", "float4 *p") == ["ld", "st"]
    assert mnemonics("float3 a = p[0]; p[1] = a;", "float3 *p").count("ld") == 3


def test_atomics_are_instructions() -> None:
    assert "atom" in mnemonics("out[0] = atomicAdd(&out[1], 1.0f);")


TILES = """
using namespace nvcuda::wmma;
fragment<matrix_a, 16, 16, 16, half, row_major> a;
fragment<matrix_b, 16, 16, 16, half, row_major> b;
fragment<accumulator, 16, 16, 16, {element}> c{several};
fill_fragment(c{at}, 0);
for (int i = 0; i < n; ++i) {{
    load_matrix_sync(a, in + i * 16, 64);
    load_matrix_sync(b, in + i * 1024, 64);
    mma_sync(c{at}, a, b, c{at});
    asm volatile("bar.sync 0;");
}}
store_matrix_sync(out, c{at}, n, mem_row_major);
"""


@pytest.mark.parametrize(("element", "registers"), [("float", 8), ("half", 4)])
@pytest.mark.parametrize("several", ["", "[2]"])
def test_fragments_have_the_registers_that_nvcc_gives_them(
    element: str, registers: int, several: str
) -> None:
    body = TILES.format(element=element, several=several, at=several and "[1]")
    code = code_of(body, f"{element} *out, const half *in, int n")
    ops = [op for block in code.blocks for op in block if op.kind.mnemonic == "wmma"]
    loads = [len(op.writes) for op in ops if "load" in op.kind.modifiers]
    assert set(loads) == {4}  # halves of factors are there twice
    (store,) = [len(op.reads) for op in ops if "store" in op.kind.modifiers]
    assert store >= registers
    assert [op.kind.mnemonic for block in code.blocks for op in block].count("ld") == 0


def test_an_asynchronous_copy_is_one_instruction_that_stores_no_register() -> None:
    body = "__shared__ float s[64]; __pipeline_memcpy_async(&s[n], &in[n + 4], 16); out[0] = s[0];"
    assert mnemonics(body).count("cp") == 1
