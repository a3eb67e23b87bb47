"""What of a Python file is read as CUDA C++, and where it stands."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.cuda.python_strings import cuda_of_python, has_kernels
from warplint.analyzer.source.problem import Damage
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = "__global__ void scale(float *x) { x[threadIdx.x] *= 2; }"


def read(text: str) -> str:
    found, problems = cuda_of_python(SourceText("k.py", text))
    assert not problems
    assert len(found.text) == len(text)
    return found.text


@pytest.mark.parametrize("quote", ['"', "'", '"""', "'''"])
@pytest.mark.parametrize("prefix", ["", "r", "R", "u"])
def test_a_kernel_stays_where_it_is(prefix: str, quote: str) -> None:
    text = f"import cupy\n\nk = cupy.RawKernel({prefix}{quote}{KERNEL}{quote}, 'scale')\n"
    found = read(text)
    assert found.split() == KERNEL.split()
    assert found.index(KERNEL) == text.index(KERNEL)
    assert found.count("\n") == 3


@pytest.mark.parametrize(
    "text",
    [
        f"# k = '{KERNEL}'\n",
        '"""How a __global__ function { is } written."""\n',
        "'__global__'\n",
        "x = 'out = in * 2'\n",
        'said = "it\'s " + \'a "quote"\'\n',
    ],
)
def test_what_is_no_kernel(text: str) -> None:
    assert not read(text).strip()


@pytest.mark.parametrize("quotes", ['"""', "'''"])
def test_a_string_that_is_not_closed_is_reported(quotes: str) -> None:
    found, (problem,) = cuda_of_python(SourceText("k.py", f"k = {quotes}{KERNEL}\n"))
    assert not found.text.strip()
    assert problem.damage is Damage.FATAL
    assert problem.span is not None
    assert problem.span.column == 5


@pytest.mark.parametrize(
    "text",
    [
        "void f(dim3 g) { k<<<g, dim3(32)>>> (p); }",
        "__global__ void __launch_bounds__(256) k(int *p)\n{}",
        'extern "C" __device__ int f(int (*g)(int)) { return g(1); }',
    ],
)
def test_what_is_code(text: str) -> None:
    assert read(f"k = '''{text}'''").strip() == text


def test_all_strings_are_one_text() -> None:
    device = "__device__ float twice(float x) { return 2 * x; }"
    launch = "void run(float *x) { scale<<<1, 32>>>(x); }"
    assert read(f"a = '{device}'\nb = r'{KERNEL}'\nc = '{launch}'\n").split("\n") == [
        f"     {device} ",
        f"      {KERNEL} ",
        f"     {launch} ",
        "",
    ]


def test_escapes_are_blanks() -> None:
    body = r"__global__ void f() { printf(\"%d\\n\", 1);\n }"
    assert read(f'k = "{body}"') == '     __global__ void f() { printf( "%d \\n ", 1);   } '
    assert body in read(f"k = r'{body}'")


def test_a_formatted_string_is_reported() -> None:
    found, (problem,) = cuda_of_python(SourceText("k.py", f"k = f'{KERNEL}'\nj = '{KERNEL}'\n"))
    assert found.text.split() == KERNEL.split()
    assert problem.damage is Damage.NOTICE
    assert problem.span is not None
    assert problem.span.line == 1


def test_any_text_keeps_its_length() -> None:
    chance = random.Random(5)
    pieces = ['"', "'", '"""', "'''", "\\", "\n", "r", "f", "#", KERNEL, "{", "<<<1, 2>>>(", " "]
    for _ in range(300):
        text = "".join(chance.choices(pieces, k=30))
        found, _ = cuda_of_python(SourceText("k.py", text))
        assert len(found.text) == len(text)
        assert found.text.count("\n") == text.count("\n")


def test_files_without_the_word_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import numpy\n")
    (tmp_path / "b.py").write_text(f"k = '{KERNEL}'\n")
    assert not has_kernels(str(tmp_path / "a.py"))
    assert has_kernels(str(tmp_path / "b.py"))
    assert has_kernels(str(tmp_path / "gone.py"))
