"""The source of a kernel with its marks, from a run of the analyses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from warplint.analyzer.config.project import Profile
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import Means, check_inputs
from warplint.analyzer.engine.file_check import Extras
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.rule import Category
from warplint.analyzer.report.html.detail import Detail, detail_for
from warplint.analyzer.report.html.gathering import kernel_sheet
from warplint.analyzer.report.html.highlighting import tokens
from warplint.analyzer.report.html.source_listing import source_listing
from warplint.analyzer.report.html.subjects import Subjects, subjects_of
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = """\
__device__ float twice(const float *in, int i)
{
    return in[i * 32] + in[i * 32];
}

template <int N> __global__ void k(float *out, const float *in) /* one
   more */
{
    __shared__ float tile[N][32];
    int t = threadIdx.x;
    tile[t][0] = twice(in, t);
    __syncthreads();
    out[t] = tile[31 - t][0];
}

void run(float *a, float *b) { k<32><<<9, 32>>>(a, b); k<64><<<9, 32>>>(a, b); }
"""


def subjects(folder: Path, text: str) -> Subjects:
    path = folder / "k.cu"
    path.write_text(text, "utf-8")
    profile = Profile(
        Settings(),
        tuple(rule for rule in load_rules().values() if rule.category is not Category.REPORT),
    )
    means = Means(extras=Extras(sheet=kernel_sheet))
    inputs = collect_inputs([str(path)])
    return subjects_of(check_inputs(inputs, lambda _: profile, arch=90, means=means))


def listing(folder: Path, text: str = KERNEL, *, colours: bool = True) -> str:
    return source_listing(subjects(folder, text).kernels[0], Detail(6, colours=colours))


def test_every_line_of_the_kernel_and_the_function_it_calls(tmp_path: Path) -> None:
    page = listing(tmp_path)
    lines = [int(number) for number in re.findall(r'<th scope="row">(\d+)</th>', page)]
    assert lines == [*range(1, 15)]


def test_the_margin_says_what_lines_cost(tmp_path: Path) -> None:
    page = listing(tmp_path)
    row = next(each for each in page.split("<tr") if '<th scope="row">11</th>' in each)
    assert "32-way" in row
    assert 'class="chip' in row


def test_the_text_is_that_of_the_file(tmp_path: Path) -> None:
    for colours in (True, False):
        page = listing(tmp_path, colours=colours)
        cells = re.findall(r"</td><td>(.*?)</td><td>(?:<svg|<span>|</td>)", page)
        shown = [re.sub(r"<[^>]*>", "", cell) for cell in cells]
        assert "    __shared__ float tile[N][32];" in shown
        assert ("t-builtin" in page) == colours


def test_the_instances_of_a_template_are_one_kernel(tmp_path: Path) -> None:
    found = subjects(tmp_path, KERNEL).kernels
    assert len(found) == 1
    assert set(found[0].instances) == {"k<32>", "k<64>"}


def test_a_long_kernel_is_shown_around_its_accesses(tmp_path: Path) -> None:
    lines = "\n".join(f"    float v{number} = {number}.0f;" for number in range(600))
    text = f"__global__ void k(float *out)\n{{\n{lines}\n    out[threadIdx.x] = v1 + v2;\n}}\n"
    page = listing(tmp_path, text)
    assert 'class="gap"' in page
    assert page.count('<th scope="row">') < 20
    assert "v300" not in page


def test_many_kernels_have_less_detail() -> None:
    assert detail_for(100).colours
    assert not detail_for(101).colours
    assert detail_for(101).pictures < detail_for(100).pictures


def test_words_are_coloured_by_what_they_are() -> None:
    text = '#define N 4\nfor (int i = 0x1fu; /* x\n */) s = "a\\"b"; // if\n__syncthreads();'
    found = [(text[low:high], kind) for low, high, kind in tokens(text, "cuda")]
    assert ("#define", "t-directive") in found
    assert ("0x1fu", "t-literal") in found
    assert ("/* x\n */", "t-comment") in found
    assert ('"a\\"b"', "t-string") in found
    assert ("// if", "t-comment") in found
    assert ("__syncthreads", "t-builtin") in found
    ptx = [kind for _, _, kind in tokens(".reg .b32 %r1;\n\tadd.s32 %r1, %r2, 3;", "ptx")]
    assert ptx == ["t-directive", "t-builtin", "t-word", "t-builtin", "t-builtin", "t-literal"]
