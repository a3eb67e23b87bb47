"""What is said of a barrier's number is what stands in the source, however large it is."""

from __future__ import annotations

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import InputFile, Inputs
from warplint.analyzer.findings.rule import Input
from warplint.rules import load_rules

PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
.maxntid 128, 1, 1
{{
    {};
    ret;
}}
"""
CUDA = "__global__ void k() {{ {}; }}\n"


@pytest.mark.parametrize(
    ("text", "statement", "said"),
    [
        (PTX, "bar.sync 18, 64", "barrier 18 does not exist"),
        (PTX, "bar.sync 18446744073709551615, 64", "barrier 18446744073709551615 (4294967295 in"),
        (PTX, "bar.sync 0x100000002, 48", "barrier 0x100000002 (2 in 32 bits) expects 48 threads"),
        (PTX, "bar.sync 1, 4294967344", "expects 4294967344 (48 in 32 bits) threads"),
        (PTX, "bar.sync 1, 1", "barrier 1 expects 1 thread,"),
        (CUDA, "__barrier_sync_count(4294967297ull, 48)", "barrier 4294967297 (1 in 32 bits) exp"),
        (CUDA, "__barrier_sync_count(1, 48)", "barrier 1 expects 48 threads"),
        (CUDA, "const int n = 3; __barrier_sync_count(n, 48)", "barrier 3 expects 48 threads"),
        (CUDA, "__barrier_sync(-1)", "barrier -1 (4294967295 in 32 bits) does not exist"),
    ],
)
def test_numbers_as_they_are_written(text: str, statement: str, said: str) -> None:
    language = Input.PTX if text is PTX else Input.CUDA
    file = InputFile("k", language, text.format(statement).encode())
    result = check(Inputs([file]), Settings(), (load_rules()["SYN010"],))
    (finding,) = result.findings
    assert said in finding.text
