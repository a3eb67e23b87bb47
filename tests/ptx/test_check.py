"""What ptxas refuses: its verdicts on single statements, recorded, and asked anew where it is."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from ptx.support import DATA, FIXTURES, HEAD, parsed

from warplint.analyzer.ptx.check.check import check_ptx

if TYPE_CHECKING:
    from pathlib import Path

VERDICTS = [
    line.split(None, 1)
    for line in (DATA / "ptxas_verdicts.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
REGISTERS = (
    " .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b128 %rq<3>; .reg .f32 %f<9>;\n"
    " .reg .f64 %fd<9>; .reg .u32 %u<9>; .reg .pred %p<9>;\n ld.param.u64 %rd1, [p];\n"
)


def around(statement: str) -> str:
    """The kernel that the verdicts are about."""
    return (
        f"{HEAD}.global .align 16 .b8 table[64];\n"
        f".visible .entry k(.param .u64 p, .param .u32 n)\n{{\n{REGISTERS} {statement}\n ret;\n}}\n"
    )


def kinds(text: str) -> list[str]:
    module = parsed(text)
    assert module.problems == []
    return [diagnostic.kind for diagnostic in check_ptx(module)]


@pytest.mark.parametrize(("verdict", "statement"), VERDICTS, ids=[s for _, s in VERDICTS])
def test_the_verdict_is_that_of_ptxas(verdict: str, statement: str) -> None:
    module = parsed(around(statement))
    found = [one.message for one in check_ptx(module)]
    assert bool(found or module.problems) == (verdict == "refuses"), found


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas is not installed")
@pytest.mark.parametrize(("verdict", "statement"), VERDICTS[::12])
def test_the_record_is_what_ptxas_says(verdict: str, statement: str, tmp_path: Path) -> None:
    source = tmp_path / "k.ptx"
    source.write_text(around(statement), encoding="utf-8")
    command = ["ptxas", "-arch", "sm_90a", "-O0", str(source), "-o", str(tmp_path / "k.cubin")]
    accepted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert accepted == (verdict == "accepts")


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("add.s32 %r1, %r2, %r77;", "undeclared-register"),
        ("@%p77 bar.sync 0;", "undeclared-register"),
        ("bra nowhere;", "missing-label"),
        ("L: brx.idx %r1, nowhere;", "missing-label"),
        ("add.s32 %r1, %r2;", "operand-count"),
        ("add.s32 %r1, %rd2, 1;", "operand-type"),
        ("frobnicate.s32 %r1;", "unknown-instruction"),
        ("add.frob.s32 %r1, %r2, %r3;", "unknown-modifier"),
        ("L: bar.sync 0; L: bar.sync 0;", "duplicate-label"),
        (".reg .pred q; .reg .pred q;", "duplicate-register"),
        ("call nowhere;", "undeclared-function"),
        ("call _rt_nowhere;", ""),
        ("add.f32x2 %rd1, %rd2, %rd3;", "target-mismatch"),
        ("add.u32 %r1, %r2, %r3;", ""),
    ],
)
def test_the_kind_of_a_diagnostic(statement: str, kind: str) -> None:
    assert kinds(around(statement)) == ([kind] if kind else [])


@pytest.mark.parametrize(
    ("declarations", "message"),
    [
        (".global .u32 a; .global .u32 a;", "a is defined twice"),
        (".global .u32 a, b, a;", "a is defined twice"),
        (".global .u32 a; .func a() { ret; }", "a has two conflicting"),
        (".func a() { ret; } .func a();", "a is defined twice"),
        (".func a(.param .u32 x); .func a() { ret; }", "a has two conflicting"),
        (".func a(.param .u32 x); .func a(.param .s32 x) { ret; }", "a has two conflicting"),
        (".extern .global .u32 a; .global .s32 a;", "a has two conflicting"),
        (".func a(.param .u32 x, .param .u32 x) { ret; }", "parameter x is declared twice"),
        (".func a() { .shared .u32 x; .local .u32 x; ret; }", "x is declared twice"),
        (".func a(.param .u32 x) { .reg .u32 x; ret; }", "register x is declared twice"),
    ],
)
def test_what_is_declared_twice(declarations: str, message: str) -> None:
    (diagnostic,) = check_ptx(parsed(f"{declarations}\n{around('ret;')}"))
    assert diagnostic.message.startswith(message)


@pytest.mark.parametrize(
    "declarations",
    [
        ".extern .global .u32 a; .extern .global .u32 a; .visible .global .u32 a;",
        ".extern .global .b8 a[]; .visible .global .b8 a[4];",
        ".func a(.param .u32 x); .func a(.param .u32 x); .func a(.param .u32 y) { ret; }",
        ".global .u32 a; .func b() { .shared .u32 a; { .reg .u32 a; } ret; }",
        ".func b() { { .param .u32 a; } { .param .u32 a; } ret; }",
    ],
)
def test_what_may_be_declared_again(declarations: str) -> None:
    assert kinds(f"{declarations}\n{around('ret;')}") == []


def test_operands_go_with_their_modifiers() -> None:
    copy = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
    ends = "[%r1], [%rd1, {%r2, %r3}], [%r4]"
    hint = ".L2::cache_hint"
    assert kinds(around(f"{copy}.multicast::cluster{hint} {ends}, %rs1, %rd2;")) == []
    assert kinds(around(f"{copy}{hint} {ends}, %rd2;")) == []
    assert kinds(around(f"{copy}{hint} {ends}, %rs1, %rd2;")) == ["operand-count"]
    assert kinds(around(f"{copy}.multicast::cluster {ends};")) == ["operand-count"]


def test_a_diagnostic_names_its_place() -> None:
    text = around("add.s32 %r1, %r2, %r77;")
    (diagnostic,) = check_ptx(parsed(text))
    assert diagnostic.span.text == "add.s32 %r1, %r2, %r77;"
    assert diagnostic.message == "%r77 is not declared"


def test_calls_are_checked_against_their_function() -> None:
    outside = ".func (.param .b32 r) f(.param .b32 a) { ret; }\n"
    body = "{ .param .b32 a; .param .b32 r; call (r), f, (a); call f, (a); call (r), f; }"
    text = around(body).replace(".visible", outside + ".visible")
    assert kinds(text) == ["operand-count", "operand-count"]


def test_version_and_target_are_compared_with_the_table() -> None:
    text = around("cp.async.commit_group;")
    assert kinds(text) == []
    assert kinds(text.replace("sm_90a", "sm_75")) == ["target-mismatch"]
    assert kinds(text.replace(".version 9.0", ".version 6.5")) == ["target-mismatch"]
    assert kinds(text.replace("sm_90a", "sm_" + "9" * 5000)) == []  # what it has is not known


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_what_nvcc_writes_is_right(path: Path) -> None:
    assert kinds(path.read_text(encoding="utf-8")) == []


def test_names_are_known_in_their_scope_only() -> None:
    body = "{ .reg .b32 inner; mov.u32 inner, 1; } mov.u32 inner, 2;"
    assert kinds(around(body)) == ["undeclared-register"]


def test_messages_are_sentences_without_an_end() -> None:
    for _, statement in VERDICTS:
        for diagnostic in check_ptx(parsed(around(statement))):
            assert not re.search(r"[.!]$", diagnostic.message)


def test_a_prototype_ends_before_the_next_declaration() -> None:
    text = """.version 2.1
.target sm_20

\t.visible .func (.param .s32 r) twice (.param .s32 n)

\t.visible .func (.param .s32 r) thrice (.param .s32 n)

\t.visible .func (.param .s32 r) twice (.param .s32 n)
{
    .reg .u32 %a;
    ld.param.u32 %a, [n];
    st.param.u32 [r], %a;
    ret;
}
"""
    module = parsed(text)
    assert module.problems == []
    assert [(item.name, item.body is None) for item in module.functions] == [
        ("twice", True), ("thrice", True), ("twice", False),
    ]  # fmt: skip
    assert check_ptx(module) == []


def test_what_stands_in_text_that_was_not_read_may_be_declared_there() -> None:
    body = ".reg .nonsense %v<4>;\nmov.u32 %v1, 7;\nmov.u32 %w1, 7;"
    assert [each.message for each in check_ptx(parsed(around(body)))] == ["%w1 is not declared"]
