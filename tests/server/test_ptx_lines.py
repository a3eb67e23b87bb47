"""From PTX to CUDA and back, by what the compiler wrote down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplint.analyzer.server.ptx_lines import lines_of, origin

if TYPE_CHECKING:
    from .editor import Editor

PTX = """.version 8.0
.target sm_90
.address_size 64
.visible .entry scale(.param .u64 data)
{
    .reg .b64 %rd<3>;
    .reg .f32 %f<3>;
    .loc 1 3 11
    ld.param.u64 %rd1, [data];
    cvta.to.global.u64 %rd2, %rd1;
    .loc 1 4 5
    ld.global.f32 %f1, [%rd2];
    .loc 2 9 1, function_name $L__info_string0, inlined_at 1 4 5
    add.f32 %f2, %f1, %f1;
    .loc 1 4 5
    st.global.f32 [%rd2], %f2;
    .loc 1 0 5
    ret;
}
.visible .entry other()
{
    ret;
}
.file 1 "scale.cu"
.file 2 "/opt/cuda/twice.cuh"
"""
PATH = "/kernels/scale.ptx"


def test_a_statement_comes_from_the_line_of_the_directive_before_it() -> None:
    assert origin(PTX, PATH, 9) == ("/kernels/scale.cu", 2, 10)
    assert origin(PTX, PATH, 11) == ("/kernels/scale.cu", 3, 4)
    assert origin(PTX, PATH, 13) == ("/opt/cuda/twice.cuh", 8, 0)


def test_what_is_not_written_down_is_not_known() -> None:
    assert origin(PTX, PATH, 5) is None  # before the first directive
    assert origin(PTX, PATH, 17) is None  # line 0: made by the compiler
    assert origin(PTX, PATH, 21) is None  # another function
    assert origin(PTX.replace(".file 1", "// .file 1"), PATH, 9) is None


def test_a_line_of_cuda_has_pieces_of_ptx() -> None:
    assert lines_of(PTX, PATH, "/kernels/scale.cu", 3) == [11, 15]
    assert lines_of(PTX, PATH, "/kernels/scale.cu", 7) == []
    assert lines_of(PTX, PATH, "/kernels/another.cu", 3) == []


def test_an_editor_goes_there_and_back(editor: Editor) -> None:
    editor.open(
        "scale.cu", "\n\n__global__ void scale(float *data) {\n    data[0] += data[0];\n}\n"
    )
    editor.open("scale.ptx", PTX, "ptx")
    editor.diagnostics("scale.ptx")
    (there,) = editor.at("definition", "scale.ptx", 11, 6)
    assert there["uri"] == editor.uri("scale.cu")
    assert there["range"]["start"] == {"line": 3, "character": 4}
    rows = editor.about(
        "references",
        "scale.cu",
        position={"line": 3, "character": 6},
        context={"includeDeclaration": False},
    )
    found = [row["range"]["start"]["line"] for row in rows if row["uri"] == editor.uri("scale.ptx")]
    assert found == [11, 15]
