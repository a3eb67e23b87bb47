"""What a kernel and host code rest on beside their own text is a part of what they are known by."""

from __future__ import annotations

import pytest

from .test_kernel_results import Checking

HEAD = "#define SCALE 4\n#define HELP helper\n#define PASTED(n) helper##n\n"
KERNEL = """
__global__ void work(float *data)
{
    __shared__ float tile[32][32];
    tile[threadIdx.x][0] = data[threadIdx.x];
    data[%s] = tile[threadIdx.x][0];
}

__global__ void other(float *data) { data[threadIdx.x] = 1; }
"""
HOST = """
void run(float *data)
{
    work<<<1, 32>>>(data);
    other<<<1, 32>>>(data);
}
"""
HELPER = "__device__ int helper%s(int i) { return i * 1; }\n"
TYPE = "struct Pair { int a; };\n"


def shown_as_fresh(text: str, old: str, new: str) -> bool:
    """Whether an edit changes what is shown; it is what another process shows in any case."""
    assert text.count(old) == 1
    checking = Checking()
    before = checking.check(text)
    after = checking.check(text.replace(old, new))
    assert after == Checking().check(text.replace(old, new))
    assert checking.check(text) == before
    return before != after


@pytest.mark.parametrize(
    ("functions", "index"),
    [
        (HELPER % "", "helper(threadIdx.x)"),
        (HELPER % "", "HELP(threadIdx.x)"),
        (HELPER % "1", "PASTED(1)(threadIdx.x)"),
        ("__device__ int helper(int i);\n" + HELPER % "", "helper(threadIdx.x)"),
        (HELPER % "" + "__device__ int by(int i) { return helper(i); }\n", "by(threadIdx.x)"),
        ("__device__ int helper(float i) { return 0; }\n" + HELPER % "", "helper(threadIdx.x)"),
        ("template <class T> " + (HELPER % "").replace("int i", "T i"), "helper(threadIdx.x)"),
        (
            TYPE + "__device__ int operator+(Pair p, int i) { return i * 1; }\n",
            "Pair{1} + (int)threadIdx.x",
        ),
        (
            "struct Index { int i; __device__ Index(int i); };\n"
            "__device__ Index::Index(int i) : i(0) { this->i = i * 1; }\n",
            "Index(threadIdx.x).i",
        ),
        (
            "struct Index { int i; __device__ operator int() { return i * 1; } };\n",
            "(int)Index{(int)threadIdx.x}",
        ),
        ("namespace inner { " + HELPER % "" + "}\n", "inner::helper(threadIdx.x)"),
        ("int run(int i);\n__host__ " + HELPER % "", "helper(threadIdx.x)"),
    ],
)
def test_what_a_kernel_calls_is_a_part_of_it(functions: str, index: str) -> None:
    text = HEAD + functions + KERNEL % index + HOST
    assert shown_as_fresh(text, "i * 1", "i * 16")


@pytest.mark.parametrize(
    "rest",
    [
        "__host__ __device__ int extent(int n) { return n * 1; }\n",
        "constexpr int extent(int n) { return n * 1; }\n",
        "int extent(int n) { return n * 1; }\n",
    ],
)
def test_what_host_code_calls_is_a_part_of_it(rest: str) -> None:
    host = HOST.replace("work<<<1, 32>>>", "work<<<1, extent(32)>>>")
    text = HEAD + rest + KERNEL % "threadIdx.x" + host
    assert shown_as_fresh(text, "n * 1", "n * 3 + 1")


@pytest.mark.parametrize("place", ["data[threadIdx.x] = 1", "helper(0)", "i * 1"])
def test_host_code_rests_on_which_kernels_speak_of_managed_variables(place: str) -> None:
    host = "int run(float *data) {\n    counter = 0;\n    work<<<1, 32>>>(data);\n"
    host += "    return counter;\n}\n"
    kernel = "__global__ void work(float *data) { data[threadIdx.x] = 1; data[1] = helper(0); }\n"
    text = "__managed__ int counter;\n" + HELPER % "" + kernel + host
    new = {"data[threadIdx.x] = 1": "data[counter] = 1"}.get(place, f"{place} + counter")
    assert shown_as_fresh(text, place, new)


def test_host_code_rests_on_the_uses_of_its_templates_anywhere() -> None:
    host = "template <int N> void run(float *data) { work<<<1, N>>>(data); }\n"
    text = HEAD + HELPER % "" + KERNEL % "threadIdx.x" + host
    shown_as_fresh(text, "i * 1", "i * 1 + sizeof(run<64>)")


def test_a_kernel_rests_on_what_the_host_calls_where_it_takes_references() -> None:
    text = "struct Sizes { int n; };\n"
    text += "__global__ void work(Sizes &s, float *data) { data[threadIdx.x] = s.n; }\n"
    text += "void run(Sizes &s, float *data) {\n    int n = 1;\n    work<<<1, 32>>>(s, data);\n}\n"
    shown_as_fresh(text, "int n = 1;", "cudaMallocManaged(&data, 128);")


def test_functions_that_are_not_inlined_count_with_their_bodies() -> None:
    text = HEAD + "__noinline__ " + HELPER % "" + KERNEL % "helper(threadIdx.x)" + HOST
    assert shown_as_fresh(text, "i * 1", "i * 16")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("work<<<1, 32>>>", "work<<<1, 64>>>"),
        ("    other<<<1, 32>>>(data);\n", ""),
        ("    work<<<1, 32>>>(data);\n", ""),
        ("void run(float *data)\n{", "void run(float *data)\n{\n    int n = 2;\n"),
        (
            "    other<<<1, 32>>>(data);\n",
            "    other<<<1, 32>>>(data);\n    other<<<1, 1>>>(data);\n",
        ),
    ],
)
def test_launches_are_a_part_of_their_kernels(old: str, new: str) -> None:
    text = HEAD + HELPER % "" + KERNEL % "helper(threadIdx.x)" + HOST
    assert shown_as_fresh(text, old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [("[N * 4]", "[N * 8]"), ("i * 1", "i * 16"), ("[threadIdx.x];\n}", "[0];\n}")],
)
def test_kernels_that_instances_are_made_up_of_are_kept(old: str, new: str) -> None:
    text = HELPER % "" + "template <int N>" + KERNEL % "helper(threadIdx.x)"
    text = text.replace("tile[32][32]", "tile[32][N * 4]")
    checking = Checking()
    checking.check(text)
    found = checking.check(text.replace(old, new))
    assert found == Checking().check(text.replace(old, new))
    before = checking.used
    other = text.replace(old, new).replace("data[threadIdx.x] = 1", "data[threadIdx.x] = 2")
    assert checking.check(other) == Checking().check(other)
    assert checking.used == before + 1
