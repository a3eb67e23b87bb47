"""Text that is lost on the way is reported, and the exit code says so: never a silent 0."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

KERNEL = """\
__global__ void k(float *out) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a)
{
	.reg .b32 %r<9>;
	.reg .b64 %rd<9>;
	ld.param.u64 %rd1, [a];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r1;
	ret;
}
"""


def said(warplint: Run, path: Path, text: str) -> tuple[int, list[str]]:
    path.write_bytes(text.encode())
    outcome = warplint("check", path.name, "--block", "32,32", "--format", "json")
    (item,) = json.loads(outcome.out)["inputs"]
    return outcome.code, [problem["message"] for problem in item["problems"]]


@pytest.mark.parametrize("end", range(60, len(PTX) - 2, 11))
def test_ptx_that_ends_in_the_middle(warplint: Run, tmp_path: Path, end: int) -> None:
    code, messages = said(warplint, tmp_path / "k.ptx", PTX[:end])
    assert code == 3
    assert messages


@pytest.mark.parametrize(
    ("declared", "code"), [(".visible .entry k()\n;\n", 3), (".extern .entry k()\n;\n", 0)]
)
def test_kernels_without_a_body(warplint: Run, tmp_path: Path, declared: str, code: int) -> None:
    head = ".version 8.0\n.target sm_90\n.address_size 64\n"
    found, messages = said(warplint, tmp_path / "k.ptx", head + declared)
    assert found == code
    assert ("kernel k has no body" in "".join(messages)) is (code == 3)
    body = ".visible .entry k()\n{\n    ret;\n}\n"
    assert said(warplint, tmp_path / "k.ptx", head + declared + body)[0] == 0


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (")\n", "unmatched )"),
        ("]\n", "unmatched ]"),
        ("int x = (1;\n", "unmatched ("),
        ("int a[ = ;\n", "unmatched ["),
        ("void f(int a;\n", "unmatched ("),
        ("__attribute__((aligned(4)\n", "unmatched ("),
        ("namespace a { int x = f(1; }\n", "unmatched ("),
        ("#define A (\nint q A;\n", "unmatched ("),
        ("template<\n", "unmatched <"),
        ("int v; template <typename T\n", "unmatched <"),
        ("template <typename T, T zero = T{}\n", "unmatched <"),
        ("namespace a { template <int n = 1 }\n", "unmatched <"),
        ("__global__ void (int *p) { p[0] = 1; }\n", "no function follows this __global__"),
        ("__global__ { int x; }\n", "no function follows this __global__"),
        ("__global__ void a(n = 0; *p) { p[0] = 1; }\n", "no function follows this __global__"),
        ("#define P n = 0;\n__global__ void a(P *p) {}\n", "no function follows this __global__"),
        ("%:if 0\n", "unmatched #"),
        ("  %: if 0\n", "unmatched #"),
    ],
)
def test_cuda_with_text_that_eats_more(
    warplint: Run, tmp_path: Path, before: str, message: str
) -> None:
    code, messages = said(warplint, tmp_path / "k.cu", before + KERNEL)
    assert code == 3
    assert message in messages


@pytest.mark.parametrize(
    "before",
    [
        "#define BEGIN (\n#define END )\nint x = BEGIN 1 END;\n",
        "template <typename T, int N = (3 > 2)> struct A { T a[N]; };\n",
        "template <typename T> struct B;\ntemplate struct C<int>;\n",
        "template <int N, bool small = (sizeof(int[N]) < 16)> struct F;\n",
        "template <typename T, bool all = false, T zero = T{}> struct D { T a = zero; };\n",
        "int f(int a[], int (*g)(int[3]));\nint y = f({}, [](int *) { return (1); });\n",
        "#if 0\n ) ] template <\n#endif\n",
        "// ) ] template <\nconst char *p = \"( [ template <\";\n",
    ],
)  # fmt: skip
def test_sound_text_is_not_reported(warplint: Run, tmp_path: Path, before: str) -> None:
    code, messages = said(warplint, tmp_path / "k.cu", before + KERNEL)
    assert code == 1
    assert messages == []


def test_lines_that_end_in_cr_alone(warplint: Run, tmp_path: Path) -> None:
    text = "// a comment\n#define N 32\n" + KERNEL
    code, (message,) = said(warplint, tmp_path / "k.cu", text.replace("\n", "\r"))
    assert code == 3
    assert message.startswith("lines end in CR alone")
    assert said(warplint, tmp_path / "k.cu", text.replace("\n", "\r\n")) == (1, [])
