"""Cubins and fat binaries: the numbers of `ptxas -v`, and no crash on damaged files.

tests/data/binaries holds two source files, compiled by nvcc 13.0 for several architectures and into
several containers, with what ptxas printed on the way.
"""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from source_tree import ROOT

from warplint.analyzer.resources.elf import BinaryError
from warplint.analyzer.resources.fatbin import read_binary, unpack_lz4
from warplint.analyzer.resources.ptxas_log import read_log

if TYPE_CHECKING:
    from warplint.analyzer.resources.cubin import CompiledKernel

FOLDER = ROOT / "tests/data/binaries"
CUBIN = (FOLDER / "kernels.sm_90.cubin").read_bytes()
CALLS = (FOLDER / "calls.sm_90.cubin").read_bytes()
LZ4 = (FOLDER / "kernels.lz4.fatbin").read_bytes()
COMPARED = ("registers", "barriers", "static_shared", "frame")


def numbers(kernel: CompiledKernel) -> list[int | None]:
    """What both a cubin and a log have of a kernel."""
    return [getattr(kernel.usage, name).value for name in COMPARED]


@pytest.mark.parametrize(("file", "count"), [("kernels", 5), ("calls", 2)])
@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_a_cubin_says_what_ptxas_said(file: str, count: int, arch: str) -> None:
    binary = read_binary((FOLDER / f"{file}.{arch}.cubin").read_bytes())
    log = read_log((FOLDER / f"{file}.{arch}.log").read_text())
    assert {k.name: numbers(k) for k in binary.kernels} == {k.name: numbers(k) for k in log.kernels}
    assert {kernel.arch for kernel in binary.kernels} == {int(arch[3:])}
    assert len(binary.kernels) == count


def test_the_rest_of_a_cubin() -> None:
    kernels = {kernel.name: kernel for kernel in read_binary(CUBIN).kernels}
    pick = kernels["_Z4pickPKfPfii"]
    assert (pick.usage.constant_bank.value, pick.usage.parameters.value) == (552, 24)
    assert (pick.usage.stack.value, pick.toolkit) == (80, 130)
    # A kernel with a stack frame may spill or not: only the log knows.
    assert pick.usage.spills is None
    assert kernels["_Z14named_barriersPf"].usage.spills is False


def test_packed_and_linked_cubins() -> None:
    packed = read_binary(LZ4)
    linked = read_binary(gzip.decompress((FOLDER / "kernels.o.gz").read_bytes()))
    assert [(k.arch, len(k.name)) for k in packed.kernels] == [
        (80, len(k.name)) for k in linked.kernels[:5]
    ]
    assert [numbers(k) for k in packed.kernels] == [numbers(k) for k in linked.kernels[:5]]
    assert [k.arch for k in linked.kernels] == [80] * 5 + [90] * 5


def test_an_entry_that_cannot_be_unpacked_is_counted() -> None:
    binary = read_binary((FOLDER / "kernels.zstd.fatbin").read_bytes())
    assert len(binary.kernels) == 5 or "Zstandard" in str([*binary.skipped])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not an ELF file"),
        (b"\x7fELF\x02\x01", "header is cut off"),
        (b"\x7fELF\x01\x01" + bytes(60), "not a 64-bit"),
        (CUBIN[:2000], "section table is cut off"),
        (LZ4[:10], "fatbin header is cut off"),
        (LZ4[:500], "fatbin is cut off"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, message: str) -> None:
    with pytest.raises(BinaryError, match=message):
        read_binary(data)


@settings(max_examples=300)
@given(st.sampled_from([CUBIN, CALLS, LZ4]), st.data())
def test_damaged_files_are_refused_or_read(whole: bytes, data: st.DataObject) -> None:
    damaged = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for _ in range(data.draw(st.integers(0, 8))):
        if damaged:
            at = data.draw(st.integers(0, len(damaged) - 1))
            damaged[at] = data.draw(st.integers(0, 255))
    try:
        kernels = read_binary(bytes(damaged)).kernels
    except BinaryError:
        return
    assert all(kernel.arch is not None for kernel in kernels)


@pytest.mark.parametrize(
    ("packed", "unpacked"),
    [
        (b"\x30abc", b"abc"),
        (b"\x31abc\x03\x00", b"abcabcab"),
        (b"\x1fa\x01\x00\x01", b"a" * 21),
    ],
)
def test_lz4_blocks(packed: bytes, unpacked: bytes) -> None:
    assert unpack_lz4(packed, len(unpacked)) == unpacked


@given(st.binary(max_size=60), st.integers(0, 500))
def test_no_lz4_block_crashes_or_grows_beyond_its_size(packed: bytes, size: int) -> None:
    try:
        out = unpack_lz4(packed, size)
    except BinaryError:
        return
    assert len(out) <= size + len(packed)
