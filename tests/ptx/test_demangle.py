"""Readable names of mangled symbols: those of c++filt, with parameters left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.ptx.syntax.demangle import readable


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
    ],
)
def test_names(symbol: str, name: str) -> None:
    assert readable(symbol) == name


@pytest.mark.parametrize("symbol", ["_Z", "_Z99short", "_ZN", "_Z1fIS_E", "_ZplRK1AS1_", "_ZZ"])
def test_what_is_not_understood_stays(symbol: str) -> None:
    assert readable(symbol) == symbol


@given(st.text(alphabet="_ZNEIJLKPR0123456789abcdefijxy", max_size=40))
def test_no_symbol_is_too_strange(tail: str) -> None:
    assert isinstance(readable("_Z" + tail), str)
