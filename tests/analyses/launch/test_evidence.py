"""What compilers said of kernels: by symbol, the surest source first, found by readable name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyses.kernels import cuda_module, ptx_module

from warplint.analyzer.analyses.launch.evidence import Evidence, by_readable_name
from warplint.analyzer.ir.usage import Amount, Source, Usage
from warplint.analyzer.resources.cubin import CompiledKernel
from warplint.analyzer.resources.ptxas_log import Advisory, BuildLog

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Kernel

COPY_OF_INT = "_Z4copyIiEvPT_"
COPY_OF_FLOAT = "_Z4copyIfEvPT_"
SCALE = "_ZN6detail5scaleEPf"


def compiled(name: str, arch: int | None, registers: int) -> CompiledKernel:
    return CompiledKernel(name, arch, Usage(registers=Amount(registers, Source.CUBIN)))


def kernel(text: str) -> Kernel:
    return cuda_module(text).kernels[0]


def registers(evidence: Evidence, symbol: str, arch: int) -> int | None:
    return evidence.usage(symbol, arch).registers.value


def test_the_first_source_is_believed() -> None:
    evidence = Evidence()
    evidence.add([compiled(SCALE, 90, 32)], "a.cubin")
    evidence.add([compiled(SCALE, 90, 40), compiled(SCALE, 80, 24)], "build.log")
    assert registers(evidence, SCALE, 90) == 32
    assert registers(evidence, SCALE, 80) == 24
    assert registers(evidence, SCALE, 70) is None
    assert evidence.architectures(SCALE) == [80, 90]
    assert evidence.origins == {SCALE: "a.cubin"}


def test_a_source_without_an_architecture_is_of_any() -> None:
    evidence = Evidence()
    evidence.add([compiled(SCALE, None, 32)], "log")
    assert registers(evidence, SCALE, 75) == 32
    assert evidence.architectures(SCALE) == []
    evidence.add([compiled(SCALE, 75, 48)], "other")
    assert registers(evidence, SCALE, 75) == 32


def test_a_kernel_is_found_by_the_readable_form_of_its_symbol() -> None:
    evidence = Evidence()
    evidence.add([compiled(SCALE, 90, 32)], "a")
    scale = kernel("namespace detail { __global__ void scale(float *p) { p[0] = 1; } }")
    assert evidence.symbol_of(scale) == SCALE
    other = kernel("__global__ void other(float *p) { p[0] = 1; }")
    assert evidence.symbol_of(other) is None


def test_several_symbols_of_one_name_are_none() -> None:
    names = by_readable_name([COPY_OF_INT, COPY_OF_FLOAT])
    assert names["copy"] == [COPY_OF_INT, COPY_OF_FLOAT]
    assert names["copy<int>"] == [COPY_OF_INT]
    evidence = Evidence()
    evidence.add([compiled(COPY_OF_INT, 90, 1), compiled(COPY_OF_FLOAT, 90, 2)], "a")
    assert evidence.symbol_of(kernel("__global__ void copy(int *p) { p[0] = 1; }")) is None
    text = """template <class T> __global__ void copy(T *p) { p[0] = 1; }
    void run(int *p) { copy<int><<<1, 1>>>(p); }"""
    assert evidence.symbol_of(kernel(text)) == COPY_OF_INT


def test_advice_names_kernels_too_and_what_is_added_later_counts() -> None:
    evidence = Evidence()
    scale = kernel("__global__ void scale(float *p) { p[0] = 1; }")
    assert evidence.symbol_of(scale) is None
    log = BuildLog(advisories=[Advisory("C7508", "text", 1, function=SCALE)])
    evidence.add_log(log, "log")
    assert evidence.symbol_of(scale) == SCALE
    assert list(evidence.symbols()) == []


def test_kernels_of_ptx_have_their_symbol() -> None:
    text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry _Zk() { ret; }"
    assert Evidence().symbol_of(ptx_module(text).kernels[0]) == "_Zk"
