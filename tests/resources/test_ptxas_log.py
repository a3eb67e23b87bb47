"""Build logs of many compilers and carriers, as they are found in the wild."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from source_tree import ROOT

from warplint.analyzer.resources.ptxas_log import BuildLog, read_log

if TYPE_CHECKING:
    from warplint.analyzer.resources.cubin import CompiledKernel

FOLDER = ROOT / "tests/data/ptxas_logs"


def log_of(name: str) -> BuildLog:
    """A sample log, read."""
    return read_log((FOLDER / name).read_text(encoding="utf-8"))


def known(kernel: CompiledKernel) -> dict[str, int]:
    """The numbers that a log gives of a kernel."""
    usage = kernel.usage
    pairs = ((each.name, getattr(usage, each.name).value) for each in fields(usage))
    return {name: value for name, value in pairs if value is not None}


@pytest.mark.parametrize(
    ("name", "kernels", "functions", "advisories", "unknown"),
    [
        ("nvcc_G.log", 8, 3, 1, 0),
        ("nvcc_lineinfo_warn.log", 8, 2, 1, 3),
        ("nvcc_t2.log", 16, 4, 0, 0),
        ("nvcc_variants.log", 24, 4, 4, 7),
        ("ptxas_13.0.log", 40, 10, 2, 5),
        ("ptxas_13.5.log", 8, 2, 1, 1),
        ("ptxas_old.log", 8, 2, 7, 4),
        ("variants_public.log", 3, 1, 3, 0),
        ("cuobjdump_resusage_sm80.txt", 8, 0, 0, 0),
    ],
)
def test_every_sample(
    name: str, kernels: int, functions: int, advisories: int, unknown: int
) -> None:
    log = log_of(name)
    found = (len(log.kernels), len(log.functions), len(log.advisories), len(log.unknown))
    assert found == (kernels, functions, advisories, unknown)
    # Only what is not of ptxas, nvlink and cuobjdump is not understood.
    assert all("ptxas info" not in text and "nvlink" not in text for _, text in log.unknown)


def test_a_kernel_and_what_it_calls() -> None:
    log = log_of("ptxas_13.5.log")
    kernels = {kernel.name: known(kernel) for kernel in log.kernels}
    assert kernels["_Z6spillyPK6float4PS_i"] == {
        "registers": 32,
        "static_shared": 0,
        "barriers": 1,
        "frame": 1056,
        "stack": 1056,
        "spill_stores": 1120,
        "spill_loads": 1152,
    }
    assert kernels["_Z7withbarPfi"]["static_shared"] == 1024
    functions = {function.name: known(function) for function in log.functions}
    assert functions["_Z3fibi"] == {"frame": 24, "spill_stores": 20, "spill_loads": 20}


def test_functions_before_the_first_entry() -> None:
    log = log_of("nvcc_G.log")
    assert known(log.kernels[0])["registers"] == 13
    assert [f.name for f in log.functions if f.arch is None] == ["_Z6helperfi", "_Z3fibi"]


def test_architectures_are_told_apart() -> None:
    registers = {(k.name, k.arch): known(k)["registers"] for k in log_of("nvcc_t2.log").kernels}
    assert registers["_Z7withbarPfi", 90] == 11
    assert registers["_Z7withbarPfi", 80] == 10


def test_the_linker_has_the_last_word_and_no_spills() -> None:
    linked = [k for k in log_of("nvcc_variants.log").kernels if k.arch is None]
    (kernel,) = [known(k) for k in linked if k.name == "_Z8localarrPfi"]
    assert kernel == {
        "registers": 46,
        "barriers": 0,
        "stack": 72,
        "static_shared": 0,
        "constant_bank": 364,
    }


def test_prefixes_and_old_formats() -> None:
    log = log_of("variants_public.log")
    assert [(k.name, k.arch, known(k)["registers"]) for k in log.kernels] == [
        ("_Z12Karatsuba1x1Pj", 10, 10),
        ("_Z7digit_1", 30, 39),
        ("_Z32fermi_scrypt_core_kernelB_LG_texILi1ELi2EEvPjjj", 80, 64),
    ]
    assert known(log.kernels[0])["static_shared"] == 8
    (function,) = log.functions
    assert (function.name, known(function)["spill_stores"]) == ("gemm_fusion_dot_4141", 892)
    assert [(a.code, a.function) for a in log.advisories] == [
        ("C7511", "_ZN2M413matmulKernel4"),
        ("C7512", "main_kernel"),
        ("C7508", None),
    ]


def test_advice_keeps_its_line_of_ptx() -> None:
    advice = log_of("nvcc_variants.log").advisories[0]
    assert (advice.code, advice.path, advice.line) == ("double-precision", "k.ptx", 573)


def test_numbers_that_no_machine_has_are_unknown() -> None:
    long = "9" * 5000
    said = [
        f"ptxas info    : Compiling entry function 'k' for 'sm_{long}'",
        "ptxas info    : Function properties for k",
        f"    {long} bytes stack frame, {long} bytes spill stores, 8 bytes spill loads",
        f"ptxas info    : Used {long} registers, used 1 barriers, {long} bytes smem",
        f"ptxas k.ptx, line {long}; warning : something",
    ]
    log = read_log("\n".join(said))
    assert [known(kernel) for kernel in log.kernels] == [{"spill_loads": 8, "barriers": 1}]
    assert [advice.line for advice in log.advisories] == [0]


@pytest.mark.parametrize(
    "line",
    [
        "9" * 1_000_000,
        "ptxas info : Used 3 registers, " + "9" * 1_000_000,
        "ptxas " * 170_000,
        "ptxas warning : " + "Registers are spilled to local memory in function '" * 20_000,
    ],
)
def test_a_line_of_any_length_is_read_once(line: str) -> None:
    """With a pattern that begins anew at each character these take minutes."""
    log = read_log(f"ptxas info : Compiling entry function 'k' for 'sm_80'\n{line}\n")
    assert (len(log.kernels), log.lines) == (1, 2)


def test_the_function_of_an_advice_is_the_one_in_quotes() -> None:
    (advice,) = read_log(
        "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are "
        "serialized due to wgmma pipeline crossing function boundary at a function call in the "
        "function '_Z6calledPKmPf'\n"
    ).advisories
    assert (advice.code, advice.function) == ("C7510", "_Z6calledPKmPf")


def test_colours_and_carriers_do_not_matter() -> None:
    log = read_log(
        "\x1b[1m[3/8] 1>ptxas info    : Compiling entry function 'k' for 'sm_90a'\x1b[0m\n"
        "2>ptxas info    : Function properties for k\n"
        "2>    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
        "ptxas info : Used 40 registers, used 2 barriers, 64 bytes smem\n"
        "ptxas info    : (C7510)\n"
        "ptxas info    : something new of CUDA 14\n"
        "make: Nothing to be done\n"
    )
    (kernel,) = log.kernels
    assert (kernel.arch, known(kernel)["registers"], known(kernel)["spill_loads"]) == (90, 40, 4)
    assert [number for number, _ in log.unknown] == [6, 7]


@given(st.text(st.sampled_from("ptxas info:'USed_Z3k()09 \n,%bytesmrgf"), max_size=200))
def test_no_text_is_an_error(text: str) -> None:
    assert read_log(text).lines == len(text.splitlines())
