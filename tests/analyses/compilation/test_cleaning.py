"""Code that is cleaned."""

from __future__ import annotations

from warplint.analyzer.analyses.compilation.cleaning import cleaned
from warplint.analyzer.ptx.estimate.opcode_kinds import kind_of
from warplint.analyzer.ptx.estimate.operations import Code, Op


def op(opcode: str, writes: tuple[int, ...] = (), reads: tuple[int, ...] = ()) -> Op:
    return Op(kind_of(opcode), writes, reads)


def code(*blocks: list[Op], successors: list[list[int]]) -> Code:
    return Code([*blocks], successors, [1] * 9, [1] * 9, [1] * 9)


def texts(block: list[Op]) -> list[str]:
    return [each.kind.mnemonic for each in block]


def test_what_nobody_reads_goes_with_what_it_reads() -> None:
    ops = [op("add.s32", (1,)), op("add.s32", (2,), (1,)), op("st.global.u32", (), (3,))]
    assert texts(cleaned(code(ops, successors=[[]])).blocks[0]) == ["st"]


def test_a_result_is_written_where_it_goes() -> None:
    ops = [op("add.s32", (1,), (3,)), op("mov.b32", (2,), (1,)), op("st.global.u32", (), (2,))]
    block = cleaned(code(ops, successors=[[]])).blocks[0]
    assert texts(block) == ["add", "st"]
    assert block[0].writes == (2,)


def test_a_register_that_is_still_read_is_not_written_early() -> None:
    ops = [
        op("add.s32", (1,), (3,)),
        op("st.global.u32", (), (2,)),
        op("mov.b32", (2,), (1,)),
        op("st.global.u32", (), (2,)),
    ]
    assert texts(cleaned(code(ops, successors=[[]])).blocks[0]) == ["add", "st", "mov", "st"]


def test_a_loop_tests_at_its_end() -> None:
    test = [op("setp.lt.s32", (1,), (2,)), op("bra", (), (1,))]
    body = [op("st.global.u32", (), (2,)), op("add.s32", (2,), (2,))]
    found = cleaned(code([], test, body, [op("ret")], successors=[[1], [2, 3], [1], []]))
    assert found.successors[2] == [2, 3]
    assert texts(found.blocks[2]) == ["st", "add", "setp", "bra"]
