"""What a PTX module defines, as it is written down."""

from __future__ import annotations

from warplint.analyzer.ir.kernel import FunctionInfo, FunctionKind
from warplint.analyzer.ptx.read import read_ptx
from warplint.analyzer.source.text import SourceText

TEXT = """\
.version 8.0
.target sm_90
.address_size 64
.func (.param .b32 result) helper(.param .align 8 .b8 pair[16], .reg .u32 %x);
.visible .func (.param .b32 result) helper(.param .align 8 .b8 pair[16], .reg .u32 %x)
{
    .reg .b32 %r<3>;
    mov.u32 %r1, 4;
    st.param.b32 [result], %r1;
    ret;
}
.visible .entry kernel(.param .u64 .ptr .global .align 4 data, .param .u32 n)
.maxntid 128, 1, 1
.minnctapersm 2
{
    bar.sync 0;
    garbage here !!;
    ret;
}
"""


def functions() -> tuple[FunctionInfo, FunctionInfo]:
    helper, kernel = read_ptx(SourceText("k.ptx", TEXT)).functions
    return helper, kernel


def test_a_definition_is_listed_once_and_a_declaration_is_not() -> None:
    helper, kernel = functions()
    assert (helper.name, helper.kind, helper.span.line) == ("helper", FunctionKind.DEVICE, 5)
    assert (kernel.name, kernel.kind) == ("kernel", FunctionKind.KERNEL)
    assert (kernel.span.line, kernel.body_span.end_line) == (12, 19)


def test_parameters_are_as_written() -> None:
    helper, kernel = functions()
    assert [(item.name, item.type) for item in helper.parameters] == [
        ("pair", ".align 8 .b8[16]"),
        ("%x", ".u32"),
    ]
    assert [(item.name, item.type) for item in kernel.parameters] == [
        ("data", ".u64 .ptr .global .align 4"),
        ("n", ".u32"),
    ]


def test_directives_and_bounds() -> None:
    helper, kernel = functions()
    assert helper.qualifiers == (".visible", ".func")
    assert kernel.attributes == (".maxntid 128, 1, 1", ".minnctapersm 2")
    assert [one.bounds.max_threads for one in kernel.instances] == [128]
    assert helper.instances == ()


def test_what_could_not_be_read_has_its_place() -> None:
    helper, kernel = functions()
    assert (helper.status, helper.statements) == ("full", 3)
    assert (kernel.status, kernel.statements) == ("partial", 3)
    assert [span.line for span in kernel.opaque] == [17]
