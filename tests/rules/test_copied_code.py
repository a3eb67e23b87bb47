"""What is said of code that was copied: once, with all its places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.finding import number_of
from warplint.analyzer.findings.joining import joined
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

    from warplint.analyzer.findings.finding import Finding

COLUMNS = """__global__ void columns_{name}(float *out, const float *in, int rows)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64]{more};
}}
"""
SUM = """__global__ void sum_{name}(float *data)
{{
    __shared__ float s[64];
    s[threadIdx.x] = data[threadIdx.x];
    {first};
    if (threadIdx.x < 32)
        s[threadIdx.x] += s[threadIdx.x + 32];
    __syncthreads();
    data[threadIdx.x] = s[threadIdx.x];
}}
void run_{name}(float *data) {{ sum_{name}<<<1, 64>>>(data); }}
"""


def found(folder: Path, code: str, **files: str) -> list[Finding]:
    for name, text in files.items():
        (folder / f"{name}.cu").write_text(text, encoding="utf-8")
    result = check(collect_inputs([str(folder)]), Settings(), (load_rules()[code],))
    return list(joined(result.findings))


THINNING = """__global__ void __launch_bounds__(256) sum_{name}(float *data)
{{
    __shared__ float s[256];
    s[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {{
        if (threadIdx.x % (2 * step) == 0)
            s[threadIdx.x] += {more}s[threadIdx.x + step];
        __syncthreads();
    }}
    if (threadIdx.x == 0) data[blockIdx.x] = s[0];
}}
void run_{name}(float *data) {{ sum_{name}<<<64, 256>>>(data); }}
"""


def test_an_idiom_is_one_finding_for_whoever_reads_of_all_files(tmp_path: Path) -> None:
    texts = {
        name: THINNING.format(name=name, more=more) for name, more in (("a", ""), ("b", "2 * "))
    }
    apart = found(tmp_path, "DIV001", **texts)
    assert len(apart) == len(texts)
    (one,) = joined(apart, files_apart=False)
    assert [place.kernel for place in (one, *one.places)] == ["sum_a", "sum_b"]
    assert number_of([one]) == number_of(apart)


BOTH = """__global__ void __launch_bounds__(64) both(float *a, float *b)
{
    __shared__ float s[64], t[64];
    s[threadIdx.x] = a[threadIdx.x];
    t[threadIdx.x] = b[threadIdx.x];
    a[threadIdx.x] = s[63 - threadIdx.x] + t[63 - threadIdx.x];
}
void run(float *a, float *b) { both<<<1, 64>>>(a, b); }
"""


def test_races_that_one_barrier_mends_are_one_finding(tmp_path: Path) -> None:
    (one,) = found(tmp_path, "SYN002", here=BOTH)
    assert len(one.fixes[0].edits) == 1


def test_copies_of_a_kernel_are_one_finding_in_each_file(tmp_path: Path) -> None:
    here = COLUMNS.format(name="a", more="") + COLUMNS.format(name="b", more="")
    there = COLUMNS.format(name="c", more="")
    one, other = found(tmp_path, "GLB001", here=here, there=there)
    assert [place.span.line for place in (one, *one.places)] == [4, 9]
    assert one.text.endswith("; 1 more place")
    assert [one.kernel, *(place.kernel for place in one.places)] == ["columns_a", "columns_b"]
    assert (other.kernel, other.places) == ("columns_c", ())


def test_whoever_reads_of_all_files_is_told_of_copies_once(tmp_path: Path) -> None:
    texts = {name: COLUMNS.format(name=name, more="") for name in "ab"}
    apart = found(tmp_path, "GLB001", **texts)
    (one,) = joined(apart, files_apart=False)
    assert [place.kernel for place in (one, *one.places)] == ["columns_a", "columns_b"]
    assert one.text == f"{apart[0].text}; 1 more place"
    assert (one.copies, number_of([one])) == (1, number_of(apart))
    other = COLUMNS.format(name="c", more=" + 1")
    assert len(joined(found(tmp_path, "GLB001", c=other), files_apart=False)) == 2


ROWS = """__global__ void rows_{name}(float *{name}, const float *in, int width, int height)
{{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int column = 0; column < width; ++column)
        {name}[row * {stride} + column] = in[column] * height;
}}
"""


def test_kernels_of_a_file_whose_arrays_lie_alike_are_one_finding(tmp_path: Path) -> None:
    text = ROWS.format(name="a", stride="width") + ROWS.format(name="b", stride="width")
    (one,) = found(tmp_path, "GLB002", one=text)
    assert [place.kernel for place in (one, *one.places)] == ["rows_a", "rows_b"]


def test_rows_of_another_length_are_another_finding(tmp_path: Path) -> None:
    text = ROWS.format(name="a", stride="width") + ROWS.format(name="b", stride="height")
    assert len(found(tmp_path, "GLB002", one=text)) == 2


def test_an_array_in_a_macro_is_one_finding_for_all_its_uses(tmp_path: Path) -> None:
    text = """#define ADD(n) if (threadIdx.x < n) s[threadIdx.x] += s[threadIdx.x + n]
__global__ void sum(float *data)
{
    __shared__ float s[64];
    s[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    ADD(32); ADD(16);
    ADD(8);
    data[threadIdx.x] = s[0];
}
void run(float *data) { sum<<<1, 64>>>(data); }
"""
    (one,) = [each for each in found(tmp_path, "WRP001", one=text) if "s[16]" in each.text]
    assert one.text.endswith("1 more place")


def test_the_gain_is_that_of_one_kernel(tmp_path: Path) -> None:
    text = COLUMNS.format(name="a", more="")
    (alone,) = found(tmp_path, "GLB001", k=text)
    (one,) = found(tmp_path, "GLB001", k=text + COLUMNS.format(name="b", more=""))
    assert len(one.places) == 1
    assert one.gain == alone.gain


def test_other_lines_are_other_findings(tmp_path: Path) -> None:
    text = COLUMNS.format(name="a", more="") + COLUMNS.format(name="b", more=" + 1")
    assert len(found(tmp_path, "GLB001", one=text)) == 2


def test_what_is_wrong_is_wrong_in_each_copy(tmp_path: Path) -> None:
    text = SUM.format(name="a", first="float x = 0") + SUM.format(name="b", first="float x = 0")
    assert [each.kernel for each in found(tmp_path, "SYN002", one=text)] == ["sum_a", "sum_b"]


def test_arrays_of_one_index_are_one_finding(tmp_path: Path) -> None:
    text = """__global__ void scale(float *out, const float *in, const float *other)
{
    int i = (blockIdx.x * 256 + threadIdx.x) * 64;
    out[i] = in[i];
    float x = other[i + 1];
    out[i] = 2 * x;
}
"""
    one, other = found(tmp_path, "GLB001", one=text)
    places = sorted(each.span.line for each in (one, *one.places, *other.places))
    assert (places, other.span.line) == ([4, 4, 6], 5)
