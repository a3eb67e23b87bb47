"""Readable names of mangled symbols: those of c++filt, with parameters left out."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from warplint.analyzer.ir.kernel_identity import KernelIdentity
from warplint.analyzer.ptx.syntax.demangle import kernel_identity, readable


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("plain_c_name", "plain_c_name"),
        ("_Z4copyPfPKf", "copy"),
        ("_Z13rows_of_eightILi32EEvPKfPf", "rows_of_eight<32>"),
        ("_Z3addIfLj4ELb1EEvPT_", "add<float, 4u, true>"),
        ("_ZN4math3gpu5scaleIdEEvPT_S2_", "math::gpu::scale<double>"),
        ("_Z5applyIPKfN2ns3OpAEEvT_T0_", "apply<float const*, ns::OpA>"),
        ("_Z3varIJiffEEvDpT_", "var<int, float, float>"),
        ("_Z5shiftILin4EEvPi", "shift<-4>"),
        ("_ZZ13rows_of_eightILi32EEvPKfPfE4tile", "tile"),
        ("_ZN12_GLOBAL__N_16hiddenEPf", "(anonymous namespace)::hidden"),
        ("_ZL6staticPf", "static"),
        ("_ZN1a1b2t1INS0_1PELi4EEEvPT_S4_PKS3_", "a::b::t1<a::b::P, 4>"),
    ],
)
def test_names(symbol: str, name: str) -> None:
    assert readable(symbol) == name


@pytest.mark.parametrize("symbol", ["_Z", "_Z99short", "_ZN", "_Z1fIS0_E", "_ZTV1A", "_ZZ"])
def test_what_is_not_understood_stays(symbol: str) -> None:
    assert readable(symbol) == symbol


def _pairs() -> list[tuple[str, str]]:
    path = Path(__file__).parent.parent / "data" / "demangled.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return [(row["symbol"], row["name"]) for row in csv.DictReader(file)]


@pytest.mark.parametrize(("symbol", "name"), _pairs(), ids=lambda text: text[:40])
def test_names_are_those_of_cxxfilt(symbol: str, name: str) -> None:
    """`c++filt -p`, but for blanks between `>` and `>`; half are kernels of CUB and Thrust."""
    assert readable(symbol) == name


@given(st.text(alphabet="_ZNEIJLKPRSTXDFAMUCldotmv0123456789abcdefijtxy", max_size=40))
@example("1ETE_")
def test_no_symbol_is_too_strange(tail: str) -> None:
    assert isinstance(readable("_Z" + tail), str)
    assert kernel_identity("_Z" + tail).name


@pytest.mark.parametrize(
    ("symbol", "identity"),
    [  # as g++ makes them
        ("plain_c_name", KernelIdentity("plain_c_name")),
        ("_Z5scalePfi", KernelIdentity("scale", (), ("f32*", "i32"))),
        ("_Z5emptyv", KernelIdentity("empty", (), ())),
        (
            "_Z2g11SPS_PKPfPKPKfymah",
            KernelIdentity("g1", (), ("S", "S*", "f32**", "f32**", "u64", "u64", "i8", "u8")),
        ),
        (
            "_ZN1a1b2n1ENS0_1PEPS1_PKS1_NS0_1VIfLi3EEEPS6_",
            KernelIdentity("n1", ("a", "b"), ("P", "P*", "P*", "V", "V*")),
        ),
        (
            "_Z2g3Ii1SEvT_T0_PS1_PS2_N1a1b1VIS1_Li3EEENS7_IS2_Li3EEES8_",
            KernelIdentity("g3", (), ("i32", "S", "i32*", "S*", "V", "V", "V"), ("int", "S")),
        ),
        (
            "_Z2h1IfEvPfPT_S0_S2_",
            KernelIdentity("h1", (), ("f32*", "f32*", "f32*", "f32*"), ("float",)),
        ),
        ("_ZN12_GLOBAL__N_14anonEPfi", KernelIdentity("anon", (), ("f32*", "i32"))),
        # Types that are not read: any will do.
        ("_Z2h2PSt6vectorIiSaIiEE", KernelIdentity("h2", ())),
        ("_Z2g4IJifEEvDpT_", KernelIdentity("g4", (), None, ("int", "float"))),
    ],
)
def test_identities(symbol: str, identity: KernelIdentity) -> None:
    assert kernel_identity(symbol) == identity


def test_kernels_are_told_apart_by_what_both_say() -> None:
    known = KernelIdentity("scale", ("gpu",), ("f32*", "i32"))
    assert known.may_be(KernelIdentity("scale", ("gpu",), ("f32*", None)))
    assert known.may_be(KernelIdentity("scale"))
    assert not known.may_be(KernelIdentity("scale", (), ("f32*", "i32")))
    assert not known.may_be(KernelIdentity("scale", ("gpu",), ("f64*", "i32")))
    assert not known.may_be(KernelIdentity("scale", ("gpu",), ("f32*",)))
    instance = KernelIdentity("scale", arguments=("32u", "true", "ns::Tag"))
    assert instance.may_be(KernelIdentity("scale", arguments=("32", "1", "Tag")))
    assert not instance.may_be(KernelIdentity("scale", arguments=("16", "1", "Tag")))
