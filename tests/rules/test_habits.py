"""Rules that find habits: what one remedy mends is one finding in reports, whatever the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.joining import joined
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

    from warplint.analyzer.findings.finding import Finding

KERNEL = "__global__ void k(int *out) { out[threadIdx.x] = 1; }\n"


def reported(folder: Path, code: str, hosts: list[str]) -> list[Finding]:
    for number, host in enumerate(hosts):
        text = f"{KERNEL}void run(int *out) {{ {host} }}\n"
        (folder / f"{number}.cu").write_text(text, encoding="utf-8")
    found = check(collect_inputs([str(folder)]), Settings(), (load_rules()[code],)).findings
    return list(joined(found))


def test_a_project_that_checks_nothing_is_told_once(tmp_path: Path) -> None:
    (found,) = reported(tmp_path, "API001", ["k<<<1, 32>>>(out);", "k<<<1, 32>>>(out);", ""])
    assert found.text == "1 launch in this file is not checked for errors; likewise in 1 more file"
    assert [each.span.path.rpartition("/")[2] for each in found.places] == ["1.cu"]


def test_old_calls_are_one_for_each_that_replaces_them(tmp_path: Path) -> None:
    old = "cudaThreadSynchronize();"
    found = reported(tmp_path, "API003", [old, old + " cudaThreadExit();", old])
    assert [len(each.places) for each in found] == [2, 0]


def test_variables_copied_by_their_names_in_quotes_are_told_once(tmp_path: Path) -> None:
    copies = "".join(f'cudaMemcpyToSymbol("{name}", out, 4); ' for name in ("rate", "mass"))
    (found,) = reported(tmp_path, "API002", [copies])
    assert found.text.endswith("which CUDA 5.0 removed; 1 more place")


def test_arrays_of_one_frame_are_told_once(tmp_path: Path) -> None:
    text = """__global__ void k(float *out, int n)
{
    float a[512], b[1024];
    for (int i = 0; i < n; ++i) { a[i] = out[i]; b[i] = out[n - i]; }
    out[threadIdx.x] = a[out[0] > 0 ? n : 3] + b[n / 2];
}
"""
    (tmp_path / "k.cu").write_text(text, encoding="utf-8")
    rules = (load_rules()["LOC003"],)
    (found,) = joined(check(collect_inputs([str(tmp_path)]), Settings(), rules).findings)
    assert found.text.startswith("a takes 2,048 bytes")
    assert [place.label for place in found.places] == ["4,096 bytes per thread"]


def test_a_reference_is_no_error_where_the_file_gets_managed_memory(tmp_path: Path) -> None:
    kernel = "__global__ void count(int &total) { atomicAdd(&total, 1); }\n"
    for memory, severity in (("", "error"), ("cudaMallocManaged(&p, 4); ", "note")):
        text = f"{kernel}void run(int &total) {{ int *p; {memory}count<<<1, 32>>>(total); }}\n"
        (tmp_path / "a.cu").write_text(text, encoding="utf-8")
        inputs = collect_inputs([str(tmp_path)])
        (found,) = check(inputs, Settings(), (load_rules()["LNC007"],)).findings
        assert found.severity.value == severity


def test_narrow_indices_of_threads_are_told_once(tmp_path: Path) -> None:
    index = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 0;"
    rows = "size_t at = row * width; p[at] = 0;"
    for name, body in (("a", index), ("b", index), ("c", rows), ("d", rows)):
        kernel = (
            f"__global__ void {name}{{0}}(int *p, size_t n, int row, int width) {{{{ {body} }}}}\n"
        )
        text = kernel.format("") + (kernel.format("2") if name == "d" else "")
        (tmp_path / f"{name}.cu").write_text(text, encoding="utf-8")
    inputs = collect_inputs([str(tmp_path)])
    found = joined(check(inputs, Settings(), (load_rules()["GLB007"],)).findings)
    assert [(each.kernel, len(each.places)) for each in found] == [("a", 1), ("c", 0), ("d", 1)]


def test_barriers_that_some_only_leave_are_told_once_for_a_file(tmp_path: Path) -> None:
    kernel = """__global__ void k{0}(int *p, int n) {{
        __shared__ int s[256];
        if (threadIdx.x < n) {{ s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[0] = s[1]; }}
        {1}
    }}
    """
    rest = "p[threadIdx.x] += 1; __syncthreads(); p[threadIdx.x + 256] = s[2];"
    for name, after in (("ends", ""), ("goes_on", rest)):
        text = kernel.format(1, after) + kernel.format(2, after)
        launches = "void run(int *p, int n) { k1<<<9, 256>>>(p, n); k2<<<9, 256>>>(p, n); }\n"
        (tmp_path / f"{name}.cu").write_text(text + launches, encoding="utf-8")
    inputs = collect_inputs([str(tmp_path)])
    found = joined(check(inputs, Settings(), (load_rules()["SYN001"],)).findings)
    told = [
        (each.span.path.rpartition("/")[2], each.severity.value, len(each.places)) for each in found
    ]
    assert told == [
        ("ends.cu", "warning", 1),
        ("goes_on.cu", "error", 0),
        ("goes_on.cu", "error", 0),
    ]


def test_what_is_double_without_need_is_told_once_for_a_file(tmp_path: Path) -> None:
    text = "__global__ void {0}(const float *in, float *out) {{ out[0] = pow(in[0], 2); }}\n"
    for name, kernels in (("a", "once"), ("b", "first second")):
        text_of_file = "".join(map(text.format, kernels.split()))
        (tmp_path / f"{name}.cu").write_text(text_of_file, encoding="utf-8")
    inputs = collect_inputs([str(tmp_path)])
    once, twice = joined(check(inputs, Settings(), (load_rules()["NUM002"],)).findings)
    assert once.text == "1 operation in double precision on floats: `pow` is called for doubles"
    assert once.fixes[0].title == "call powf with floats only, or multiply"
    assert twice.text == f"{once.text}; 1 more place"
    assert twice.fixes[0].title == f"{once.fixes[0].title}; likewise at the other places"
    assert [each.kernel for each in twice.places] == ["second"]


def test_a_race_that_every_instance_shows_is_told_as_that_of_the_block(tmp_path: Path) -> None:
    kernel = """template <int N> __global__ void k(const float *in, int *out, int count) {
        __shared__ float best[N];
        int old = 0;
        for (int j = 1; j < count; ++j) {
            best[threadIdx.x] = in[old * N + threadIdx.x];
            __syncthreads();
            old = (int)best[0];
            if (threadIdx.x == 0) out[j] = old;
        }
    }
    """
    rules = tuple(load_rules()[code] for code in ("SYN003", "WRP001"))
    found: dict[str, list[str]] = {}
    for name, launches in (("both", "k<64><<<9, 64>>>(a, b, n); k<16>"), ("one", "k<16>")):
        host = f"void run(const float *a, int *b, int n) {{ {launches}<<<9, 16>>>(a, b, n); }}\n"
        (tmp_path / f"{name}.cu").write_text(kernel + host, encoding="utf-8")
        inputs = collect_inputs([str(tmp_path / f"{name}.cu")])
        reports = joined(check(inputs, Settings(), rules).findings)
        found[name] = [each.rule.code for each in reports]
    assert found == {"both": ["SYN003"], "one": ["WRP001"]}


def test_binding_and_unbinding_a_texture_is_mended_at_once(tmp_path: Path) -> None:
    hosts = ["cudaBindTexture(0, seen, out, 4);", "cudaUnbindTexture(seen);"]
    (found,) = reported(tmp_path, "API003", hosts)
    assert found.text == "`cudaBindTexture` is removed in CUDA 12.0; 1 more place"
    assert "cudaDestroyTextureObject" in found.fixes[0].title


def test_binding_is_not_told_beside_the_reference_that_a_kernel_reads(tmp_path: Path) -> None:
    text = """texture<float, 1> seen;
__global__ void k(float *out) { out[threadIdx.x] = tex1Dfetch(seen, threadIdx.x); }
void run(float *out) { cudaBindTexture(0, seen, out, 4); k<<<1, 32>>>(out); cudaThreadExit(); }
"""
    (tmp_path / "k.cu").write_text(text, encoding="utf-8")
    rules = tuple(load_rules()[code] for code in ("API003", "CON004"))
    found = joined(check(collect_inputs([str(tmp_path)]), Settings(), rules).findings)
    assert sorted(each.rule.code for each in found) == ["API003", "CON004"]
    assert any("cudaThreadExit" in each.text for each in found)


def test_formats_that_lack_the_same_letters_are_one(tmp_path: Path) -> None:
    printed = '}} __global__ void p{0}(long long a, int b) {{ printf("{1}\\n", a, b);'
    hosts = [printed.format(0, "%d %d"), printed.format(1, "%d, %d"), printed.format(2, "%lld")]
    wide, few = sorted(reported(tmp_path, "DEV003", hosts), key=lambda each: -len(each.places))
    assert wide.text == "`%d` of `printf` does not fit argument 1, which has 64 bits; 1 more place"
    assert few.text == "the format of `printf` asks for 1 argument, but there are 2"


def test_memory_that_a_kernel_takes_at_several_places_is_told_once(tmp_path: Path) -> None:
    taking = "float *a = new float[n];\n float *b = new float[n];\n o[0] = a[0] + b[0];"
    hosts = [f"}} __global__ void p{each}(float *o, int n) {{ {taking}" for each in range(2)]
    found = reported(tmp_path, "DEV002", hosts)
    assert [len(each.places) for each in found] == [1, 1]  # beside the first


def test_a_thread_for_each_row_is_told_once_for_all_arrays_of_a_kernel(tmp_path: Path) -> None:
    text = """__global__ void differences(const float *a, int pitch_a, const float *b, int pitch_b,
                            float *out, int width, int height) {
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= height) return;
    float sum = 0.0f;
    for (int x = 0; x < width; ++x)
        sum += a[y * pitch_a + x] -
               b[y * pitch_b + x];
    out[y] = sum;
}
"""
    (tmp_path / "k.cu").write_text(text, encoding="utf-8")
    rules = (load_rules()["GLB002"],)
    (found,) = joined(check(collect_inputs([str(tmp_path)]), Settings(), rules).findings)
    assert (found.array, [place.span.line for place in found.places]) == ("a", [8])
