"""Launches in host code: what is known of their dimensions, and what must stay unknown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.source.problem import Damage
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Launch

FILE = """
constexpr int SIDE = 16;
const int ROWS = 4;
#define THREADS 128
enum {{ WARP = 32 }};
int settings = 64;
__host__ __device__ constexpr int halved(int x) {{ return x / 2; }}
__global__ void k(int *p) {{ p[threadIdx.x] = 1; }}
void host(int *p, int n, dim3 given) {{
    {body}
}}
"""
UNKNOWN = (None, None, None)
ROW = (None, 1, 1)  # of a whole number of threads


def launch(body: str) -> Launch:
    module = cuda_module(FILE.format(body=body))
    (found,) = module.launches
    assert module.kernels[0].launches == [found]
    return found


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("256", (256, 1, 1)),
        ("THREADS", (128, 1, 1)),
        ("WARP * 2", (64, 1, 1)),
        ("SIDE * ROWS", (64, 1, 1)),
        ("halved(SIDE)", (8, 1, 1)),
        ("1 << 5", (32, 1, 1)),
        ("sizeof(double) * 4", (32, 1, 1)),
        ("(unsigned)SIDE", (16, 1, 1)),
        ("dim3(16, 8)", (16, 8, 1)),
        ("dim3(16)", (16, 1, 1)),
        ("dim3(2, 3, 4)", (2, 3, 4)),
        ("dim3{16, 16}", (16, 16, 1)),
        ("dim3(SIDE, SIDE / 2)", (16, 8, 1)),
        ("n", ROW),
        ("given", UNKNOWN),
        ("settings", ROW),
        ("dim3(32, n)", (32, None, 1)),
        ("n > 4 ? 32 : 64", ROW),
    ],
)
def test_forms_of_a_block(block: str, expected: object) -> None:
    found = launch(f"k<<<7, {block}>>>(p);")
    assert found.block == expected
    assert found.grid == (7, 1, 1)
    assert found.block_text == block
    assert found.dynamic_shared == 0


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("dim3 b(16, 16); k<<<1, b>>>(p);", (16, 16, 1)),
        ("dim3 b = dim3(16, 4); k<<<1, b>>>(p);", (16, 4, 1)),
        ("dim3 b{8, 8, 2}; k<<<1, b>>>(p);", (8, 8, 2)),
        ("dim3 b = {8, 4}; k<<<1, b>>>(p);", (8, 4, 1)),
        ("const dim3 b(SIDE, SIDE); k<<<1, b>>>(p);", (16, 16, 1)),
        ("int t = 64; k<<<1, t>>>(p);", (64, 1, 1)),
        ("const int t = SIDE * 2; dim3 b(t, t / 4); k<<<1, b>>>(p);", (32, 8, 1)),
        ("auto b = dim3(32, 2); k<<<1, b>>>(p);", (32, 2, 1)),
        ("int t = 64; t = n; k<<<1, t>>>(p);", ROW),
        ("int t = 64; t /= 2; k<<<1, t>>>(p);", (32, 1, 1)),
        ("int t = 64; change(&t); k<<<1, t>>>(p);", ROW),
        ("for (int t = 32; t <= n; t *= 2) k<<<1, t>>>(p);", ROW),
        ("int t = 64; if (n > 4) t = m(); k<<<1, t>>>(p);", ROW),
        ("int t = 64; if (n > 4) t = 64; k<<<1, t>>>(p);", (64, 1, 1)),
        ("int t = 64; if (n > 4) return; else t = 32; k<<<1, t>>>(p);", (32, 1, 1)),
        ("int t = 1; while (t < 100) t *= 2; k<<<1, t>>>(p);", (128, 1, 1)),
        ("int t = 1; while (t < n) t *= 2; k<<<1, t>>>(p);", ROW),
        ("int t = 0; for (int i = 0; i < 9; i++) { if (n) break; t++; } k<<<1, t>>>(p);", ROW),
        ("{ int t = 9; } int t = 64; { int t = n; } k<<<1, t>>>(p);", (64, 1, 1)),
        (
            "int t = 8; switch (SIDE) { case 16: t = 4; break; default: t = 2; } k<<<1, t>>>(p);",
            (4, 1, 1),
        ),
        ("int t = 8; switch (n) { case 16: t = m(); break; } k<<<1, t>>>(p);", ROW),
        (
            "int t; switch (n) { case 1: t = 2; case 2: t = 4; break; default: { t = 4; break; } }"
            " k<<<1, t>>>(p);",
            (4, 1, 1),
        ),
        (
            "int t = 8; switch (n) { case 1: { t = 4; break; case 2: t = 2; } }  k<<<1, t>>>(p);",
            ROW,
        ),
        (
            "int t = 4; switch (n) { case 1: goto L; case 2: t = 4; break; L: t = 2; default:"
            " break; } k<<<1, t>>>(p);",
            ROW,
        ),
        ("int t = 64; std::cin >> t; k<<<1, t>>>(p);", ROW),
        ("int s[] = {8, 64}; k<<<1, s[sizeof(s) / sizeof(s[0]) - 1]>>>(p);", (64, 1, 1)),
        ("int s[] = {8, 64}; s[n] = 3; k<<<1, s[1]>>>(p);", ROW),
        ("dim3 b; b.x = 32; b.y = 4; k<<<1, b>>>(p);", (32, 4, 1)),
        ("k<<<1, (int)ceil(100 / 32.0) * 32>>>(p);", (128, 1, 1)),
        ("int t; k<<<1, t>>>(p);", ROW),
        ("int t = n; k<<<1, t>>>(p);", ROW),
        ("dim3 b(16, 16); b.x = n; k<<<1, b>>>(p);", (None, 16, 1)),
        ("dim3 b(16, 16); b = given; k<<<1, b>>>(p);", UNKNOWN),
        ("int SIDE = n; k<<<1, SIDE>>>(p);", ROW),
    ],
)
def test_variables_of_the_host(body: str, expected: object) -> None:
    assert launch(body).block == expected


@pytest.mark.parametrize(
    ("configuration", "shared"),
    [
        ("1, 32", 0),
        ("1, 32, 1024", 1024),
        ("1, 32, 32 * sizeof(float), 0", 128),
        ("1, 32, n * sizeof(float)", None),
    ],
)
def test_dynamic_shared_memory(configuration: str, shared: int | None) -> None:
    assert launch(f"k<<<{configuration}>>>(p);").dynamic_shared == shared


def test_the_grid_may_be_unknown() -> None:
    found = launch("k<<<(n + 255) / 256, 256>>>(p);")
    assert (found.grid, found.block) == (ROW, (256, 1, 1))
    assert found.grid_text == "(n + 255) / 256"


def test_sizes_below_zero_are_not_known() -> None:
    found = launch("k<<<-1, dim3(32, -2)>>>(p);")
    assert (found.grid, found.block) == ((None, 1, 1), (32, None, 1))


@pytest.mark.parametrize("function", ["cudaLaunchKernel", "cudaLaunchCooperativeKernel"])
def test_launches_by_function(function: str) -> None:
    found = launch(f"void *a[] = {{&p}}; {function}((void *)k, dim3(4), dim3(64, 2), a, 512, 0);")
    assert (found.grid, found.block, found.dynamic_shared) == ((4, 1, 1), (64, 2, 1), 512)


TEMPLATE = """
template <int SIZE, typename T = float> __global__ void k(T *p) {
    __shared__ T tile[SIZE];
    tile[threadIdx.x] = p[0];
}
"""


def instances(host: str) -> dict[str, int | None]:
    """Name of each analysed instance, and the size of its array."""
    kernels = cuda_module(f"{TEMPLATE}void host(float *p, double *d, int n) {{ {host} }}").kernels
    return {kernel.label: kernel.objects[-1].size for kernel in kernels}


def test_a_template_is_analysed_for_its_instances() -> None:
    host = "k<32><<<1, 32>>>(p); k<64, double><<<1, 64>>>(d); k<32><<<2, 32>>>(p);"
    assert instances(host) == {"k<32, float>": 128, "k<64, double>": 512}


def test_constants_of_the_host_are_template_arguments() -> None:
    assert instances("constexpr int side = 8; k<side * side><<<1, 64>>>(p);") == {
        "k<64, float>": 256
    }


def test_a_template_that_nobody_launches_stays_open() -> None:
    assert instances("") == {"k": None}


def test_each_instance_has_its_own_launches() -> None:
    host = "k<32><<<1, 32>>>(p); k<64><<<1, 64>>>(p); k<32><<<2, 16>>>(p);"
    kernels = cuda_module(f"{TEMPLATE}void host(float *p) {{ {host} }}").kernels
    blocks = [[launch.block[0] for launch in kernel.launches] for kernel in kernels]
    assert blocks == [[32, 16], [64]]


CALLS = """
__global__ void k(float *p, int n, int pitch) {{ p[threadIdx.x * pitch] = n; }}
template <typename T> __global__ void fill(T *p, T value) {{ p[threadIdx.x] = value; }}
void step(float *p, int n, int block = 32) {{ k<<<n / block, block>>>(p, n, 1); }}
template <typename T> void run(T *p) {{ fill<<<1, 64>>>(p, T(0)); }}
int main(int argc, char **argv) {{ float *p; double *d; {body} }}
"""
OPEN = (None, None, (None, None, 1))  # `step`, when no call of it is seen


def calls(kernel: str, body: str) -> list[tuple[object, ...]]:
    """Grid, block and integer arguments of every launch of a kernel or instance."""
    kernels = cuda_module(CALLS.format(body=body)).kernels
    return [
        (launch.grid[0], launch.block[0], launch.arguments)
        for item in kernels
        for launch in item.launches
        if (item.label) == kernel
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("cudaFree(0); step(p, 1024);", [(32, 32, (None, 1024, 1))]),
        ("cudaFree(0); step(p, argc, 64);", [(None, 64, (None, None, 1))]),
        (
            "cudaFree(0); for (int b : {64, 128}) step(p, 1024, b);",
            [(16, 64, (None, 1024, 1)), (8, 128, (None, 1024, 1))],
        ),
        (
            "cudaFree(0); int s[] = {64, 128}; for (int i = 0; i < 2; i++) step(p, 256, s[i]);",
            [(4, 64, (None, 256, 1)), (2, 128, (None, 256, 1))],
        ),
        (
            "auto go = [&](int b) { k<<<2, b>>>(p, b, 1); }; go(32); go(64);",
            [OPEN, (2, 32, (None, 32, 1)), (2, 64, (None, 64, 1))],
        ),
        ("auto go = [&](int b) { k<<<2, b>>>(p, 1, 1); };", [OPEN, (2, None, (None, 1, 1))]),
        (
            "for (int i = 0; i < 9; i++) k<<<2, 32>>>(p, 7, i);",
            [OPEN, (2, 32, (None, 7, None))],
        ),
        ("if (argc) { } else step(p, 64); cudaFree(0);", [(2, 32, (None, 64, 1))]),
    ],
)
def test_constants_are_followed_through_calls(
    body: str, expected: list[tuple[object, ...]]
) -> None:
    assert calls("k", body) == expected


def test_types_are_followed_through_calls() -> None:
    assert calls("fill<double>", "run(d); cudaFree(0);") == [(1, 64, (None, None))]
    assert calls("fill<float>", "fill<<<1, 32>>>(p, 0.f);") == [(1, 32, (None, None))]


def test_a_launch_that_no_call_reaches_is_kept_with_open_values() -> None:
    body = "if (false) step(p, 64); cudaFree(0);"
    assert calls("k", body) == [OPEN]


def test_a_nameless_class_goes_by_its_typedef() -> None:
    text = """
    typedef struct { unsigned char r, g, b, a; } pixel;
    typedef pixel colour;
    template <class T> __global__ void copy(T *to, const T *from) { to[0] = from[0]; }
    void host(pixel *p, colour *q) { copy<colour><<<1, 32>>>(q, q); }
    """
    assert [kernel.instance for kernel in cuda_module(text).kernels] == ["copy<pixel>"]


def shapes(body: str) -> list[tuple[str, object, int | None]]:
    """Instance, block and dynamic shared memory of every launch of `tile`, in order."""
    text = """
    enum { WIDE = 256 };
    template <int N, class T = float> __global__ void tile(T *p) { p[threadIdx.x] = N; }
    template <class K, class... A> void wrapped(K kernel, dim3 block, A&&... rest) {
        kernel<<<1, block>>>(rest...);
    }
    typedef void (*pointer)(float *);
    BODY
    """
    kernels = cuda_module(text.replace("BODY", body)).kernels
    return [(k.instance, item.block, item.dynamic_shared) for k in kernels for item in k.launches]


BLOCK = (64, 1, 1)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("auto f = &tile<8>; f<<<1, 64>>>(p);", ["tile<8, float>"]),
        ("pointer f = tile<8, float>; f<<<1, 64>>>(p);", ["tile<8, float>"]),
        ("pointer f; f = tile<WIDE>; f<<<1, 64>>>(p);", ["tile<256, float>"]),
        (
            "pointer f = nullptr; if (n) f = tile<8>; else f = tile<16>; f<<<1, 64>>>(p);",
            ["tile<8, float>", "tile<16, float>"],
        ),
        (
            "auto f = n > 4 ? tile<8> : tile<16>; f<<<1, 64>>>(p);",
            ["tile<8, float>", "tile<16, float>"],
        ),
        ("wrapped(tile<4>, 64, p);", ["tile<4, float>"]),
        ("wrapped(&tile<4>, 64);", ["tile<4, float>"]),
        (
            "auto f = tile<8>; void *a[] = {&p};"
            " cudaLaunchKernel((const void *)f, 1, 64, a, 0, 0);",
            ["tile<8, float>"],
        ),
    ],
)
def test_kernels_are_followed_through_variables(body: str, expected: list[str]) -> None:
    found = shapes(f"void host(float *p, int n) {{ {body} }}")
    assert found == [(instance, BLOCK, 0) for instance in expected]


def test_a_pointer_that_is_not_known_launches_nothing() -> None:
    text = "__global__ void k(int *p) {} void host(int *p) { auto k = chosen(); k<<<1, 32>>>(p); }"
    assert cuda_module(text).launches == []


@pytest.mark.parametrize(
    ("body", "block", "shared"),
    [
        ("config.gridDim = n; config.blockDim = 64; config.dynamicSmemBytes = 512;", BLOCK, 512),
        ("config.blockDim = dim3(32, 4); config.blockDim.y = 2;", (32, 2, 1), None),
        ("config.blockDim = 64; config.attrs = attributes; config.stream = s;", BLOCK, None),
        ("config.blockDim = 64; if (n) config.blockDim.x = 128;", (None, 1, 1), None),
        ("config.blockDim = 64; change(&config);", UNKNOWN, None),
    ],
)
def test_launches_with_a_configuration(body: str, block: object, shared: int | None) -> None:
    host = f"""void host(float *p, int n, cudaStream_t s) {{
        cudaLaunchConfig_t config;
        {body}
        cudaLaunchKernelEx(&config, tile<8>, p);
    }}"""
    assert shapes(host) == [("tile<8, float>", block, shared)]


@pytest.mark.parametrize("init", ["{2, 64, 16}", "{.gridDim = 2, .blockDim = 64}"])
def test_a_configuration_may_be_filled_where_it_is_declared(init: str) -> None:
    host = f"cudaLaunchConfig_t c = {init}; cudaLaunchKernelEx(&c, tile<8>, p);"
    shared = 16 if "16" in init else 0
    assert shapes(f"void host(float *p) {{ {host} }}") == [("tile<8, float>", BLOCK, shared)]


def test_instances_of_host_functions_may_come_from_a_macro() -> None:
    host = """
    template <int N> void run(float *p) { auto f = tile<N>; f<<<1, N>>>(p); }
    #define INSTANCE(n) template void run<n>(float *);
    INSTANCE(32)
    INSTANCE(64)
    """
    assert shapes(host) == [
        ("tile<32, float>", (32, 1, 1), 0),
        ("tile<64, float>", (64, 1, 1), 0),
    ]


def test_nested_lambdas_of_switches_are_followed() -> None:
    host = """
    #define SWITCH(condition, NAME, ...) [&] { \
        if (condition) { constexpr static bool NAME = true; return __VA_ARGS__(); } \
        else { constexpr static bool NAME = false; return __VA_ARGS__(); } }()
    void host(float *p, int a, int b, int c, int d, int e, int f, int g) {
        SWITCH(a, A, [&] { SWITCH(b, B, [&] { SWITCH(c, C, [&] { SWITCH(d, D, [&] {
        SWITCH(e, E, [&] { SWITCH(f, F, [&] { SWITCH(g, G, [&] {
            auto k = &tile<A + 2 * B + 4 * C + 8 * D + 16 * E + 32 * F + 64 * G>;
            k<<<1, 64>>>(p);
        }); }); }); }); }); }); });
    }
    """
    module = cuda_module("template <int N> __global__ void tile(float *p) { p[0] = N; }" + host)
    assert {launch.template_arguments for launch in module.launches} == {
        (str(number),) for number in range(128)
    }


def test_classes_made_of_templates_are_told_apart() -> None:
    host = """
    template <int N> struct traits { static constexpr int size = N; };
    template <class T> __global__ void sized(float *p) { p[threadIdx.x] = T::size; }
    void host(float *p) { sized<traits<4>><<<1, 32>>>(p); sized<traits<8>><<<1, 32>>>(p); }
    """
    names = [kernel.instance for kernel in cuda_module(host).kernels]
    assert names == ["sized<traits<4>>", "sized<traits<8>>"]


def test_instances_that_are_left_out_are_counted() -> None:
    launches = "".join(f"tile<{number}><<<1, 32>>>(p);" for number in range(11))
    kernels = cuda_module(
        "template <int N> __global__ void tile(float *p) { p[0] = N; }"
        f"void host(float *p) {{ {launches} }}"
    ).kernels
    assert len(kernels) == 8
    assert [kernel.other_instances for kernel in kernels] == [0] * 7 + [3]


def test_a_file_of_many_templates_has_few_instances_of_each() -> None:
    def instances(templates: int) -> list[int]:
        kernels = "".join(
            f"template <int N> __global__ void k{i}(float *p) {{ p[N] = 0; }}"
            for i in range(templates)
        )
        launches = "".join(f"k{i}<{n}><<<1, 32>>>(p);" for i in range(templates) for n in range(9))
        module = cuda_module(f"{kernels} void host(float *p) {{ {launches} }}")
        found = Counter(kernel.name for kernel in module.kernels)
        left = sum(kernel.other_instances for kernel in module.kernels)
        assert left == 9 * templates - len(module.kernels)
        return list(found.values())

    assert instances(18) == [8] * 18
    assert instances(20) == [7] * 20
    assert instances(150) == [2] * 150


def test_instances_that_the_file_leaves_open_are_few() -> None:
    lines = "p[threadIdx.x] += N;" * 200
    text = f"""
    template <int N, class T> __global__ void tile(T *p) {{ {lines} }}
    template <class T> void run(T *p) {{ tile<1><<<1, 32>>>(p); tile<2><<<1, 32>>>(p); }}
    """
    settled = "void host(float *p) { run(p); }"
    assert len(cuda_module(text).kernels) == 1
    assert len(cuda_module(text + settled).kernels) == 2


@pytest.mark.parametrize("alias", ["using T = {};", "typedef {} T;"])
def test_the_aliases_of_a_branch_are_template_arguments(alias: str) -> None:
    cases = "".join(
        f"case {i}: {{ {alias.format(type)} k<T, 2><<<1, 32>>>((T *)p); break; }}"
        for i, type in enumerate(("float", "double"))
    )
    module = cuda_module(
        "template <typename T, int N> __global__ void k(T *p) { p[N] = 1; }"
        f"void host(int kind, void *p) {{ switch (kind) {{ {cases} }} }}"
    )
    assert [kernel.instance for kernel in module.kernels] == ["k<float, 2>", "k<double, 2>"]


OBJECTS = """
struct Shape {{
    dim3 grid, block;
    int bytes;
    Shape(const dim3 &g, const dim3 &b, int s) : grid(g), block(b), bytes(s) {{}}
    Shape(const dim3 &g, int threads) {{ grid = g; block = threads * 2; this->bytes = 8; }}
    void widen() {{ block.x *= 2; }}
}};
struct Plain {{ dim3 grid; dim3 block = 32; int bytes = 4; }};
void widen(Shape &shape);
int blocks_of(const Shape &shape) {{ return 1; }}
template <typename Kernel, typename... Args>
void start(Kernel kernel, const Shape &shape, Args... args) {{
    kernel<<<shape.grid, shape.block, shape.bytes>>>(args...);
}}
__global__ void fill(float *p) {{ p[threadIdx.x] = 1; }}
void host(float *p, int n) {{ {body} }}
"""


@pytest.mark.parametrize(
    ("body", "block", "shared"),
    [
        ("Shape s(4, dim3(32, 2), 16); start(fill, s, p);", (32, 2, 1), 16),
        ("const Shape s = Shape(4, 96, 0); start(fill, s, p);", (96, 1, 1), 0),
        ("auto s = Shape{4, 96, 0}; start(fill, s, p);", (96, 1, 1), 0),
        ("start(fill, {4, 64, 0}, p);", (64, 1, 1), 0),
        ("Shape s(4, 64); start(fill, s, p);", (128, 1, 1), 8),
        ("Shape s(4, 64, n); start(fill, s, p);", (64, 1, 1), None),
        ("Shape s(4, 64, 0); Shape t = s; start(fill, t, p);", (64, 1, 1), 0),
        ("Shape s(4, 64, 0); s.block.y = 4; start(fill, s, p);", (64, 4, 1), 0),
        ("Shape s(4, 64, 0); s.bytes = s.block.x * 2; start(fill, s, p);", (64, 1, 1), 128),
        ("Shape s(4, 64, 0); if (n) s.block = 32; start(fill, s, p);", (None, 1, 1), 0),
        ("Shape s(4, 64, 0); s.widen(); start(fill, s, p);", UNKNOWN, None),
        ("Shape s(4, 64, 0); widen(s); start(fill, s, p);", UNKNOWN, None),
        ("Shape s(4, 64, 0); Shape *t = &s; t->block = 32; start(fill, s, p);", UNKNOWN, None),
        ("Shape s(4, 64, 0); if (blocks_of(s)) start(fill, s, p);", (64, 1, 1), 0),
        ("Plain s; fill<<<s.grid, s.block, s.bytes>>>(p);", (32, 1, 1), 4),
        ("Plain s{4, 64}; fill<<<s.grid, s.block, s.bytes>>>(p);", (64, 1, 1), 4),
        ("Plain s{.block = 64}; fill<<<s.grid, s.block, s.bytes>>>(p);", (64, 1, 1), 4),
    ],
)
def test_objects_of_the_host_may_hold_the_shape(
    body: str, block: object, shared: int | None
) -> None:
    (found,) = cuda_module(OBJECTS.format(body=body)).launches
    assert (found.block, found.dynamic_shared) == (block, shared)


def test_methods_of_one_name_are_all_followed() -> None:
    text = """
    __global__ void fill(float *p) { p[threadIdx.x] = 1; }
    __global__ void scale(float *p) { p[threadIdx.x] *= 2; }
    template <class K> void start(K kernel, int threads, float *p) { kernel<<<1, threads>>>(p); }
    struct Filling { void step(float *p) { start(fill, 64, p); } };
    struct Scaling {
        void step(float *p) { start(scale, 96, p); }
        void steps(float *p) { step(p); }
    };
    """
    found = {(item.kernel, item.block) for item in cuda_module(text).launches}
    assert found == {("fill", (64, 1, 1)), ("scale", (96, 1, 1))}


@pytest.mark.parametrize(
    ("call", "block"),
    [
        ("shape_of(n, threads, block); k<<<1, threads>>>(p);", ROW),
        ("shape_of(n, threads, block); k<<<1, block>>>(p);", UNKNOWN),
        ("threads_for(threads, n); k<<<1, threads>>>(p);", (64, 1, 1)),
        ("elsewhere(n, block); k<<<1, block>>>(p);", UNKNOWN),
        ("elsewhere(n, threads); k<<<1, threads>>>(p);", ROW),
        ("cudaFuncSetAttribute(k, block, threads); k<<<1, block>>>(p);", (32, 2, 1)),
        ("fill(table); k<<<1, table[0]>>>(p);", ROW),
    ],
)
def test_functions_may_write_what_they_take_by_reference(call: str, block: object) -> None:
    report = 'printf("%d of %d\\n", threads, n);' * 4
    (found,) = cuda_module(
        f"""
        __global__ void k(float *p) {{ p[threadIdx.x] = 1; }}
        void shape_of(int n, int &threads, dim3 &block) {{ {report} threads = block.x = n; }}
        void threads_for(const int &threads, int n) {{ {report} }}
        void fill(int *table) {{ {report} }}
        void host(float *p, int n) {{
            int threads = 64, table[] = {{32, 64}};
            dim3 block(32, 2);
            {call}
        }}
        """
    ).launches
    assert found.block == block


@pytest.mark.parametrize(
    ("body", "divisor"),
    [
        ("k<<<n / 256, 256>>>(p, n);", 256),
        ("k<<<(n + 255) / 256, 256>>>(p, n);", 1),
        ("int blocks = n / (4 * 64); k<<<blocks, 64>>>(p, n);", 256),
        ("dim3 grid(n / 64, 4); dim3 block(64); k<<<grid, block>>>(p, n);", 64),
        ("int blocks = n / 64; dim3 grid(blocks); k<<<grid, 64>>>(p, (int)n);", 64),
        ("int blocks = n / 64; n += 1; k<<<blocks, 64>>>(p, n);", 1),
        ("int blocks = n / 64; if (n % 64) ++blocks; k<<<blocks, 64>>>(p, n);", 1),
        ("k<<<m / 64, 64>>>(p, n);", 1),
        ("if (n % 48) return; k<<<n / 32, 32>>>(p, n);", 96),
    ],
)
def test_a_grid_that_is_rounded_down_leaves_the_rest_alone(body: str, divisor: int) -> None:
    (found,) = cuda_module(
        "__global__ void k(int *p, int n) { p[threadIdx.x] = n; }"
        f"void host(int *p, int n, int m) {{ {body} }}"
    ).launches
    assert found.divisors == (1, divisor)


@pytest.mark.parametrize(
    ("padding", "passed", "divisor"),
    [
        ("n % 512 ? 512 - n % 512 : 0", "n + pad", 512),
        ("(n % 512) ? (512 - (n % 512)) : 0", "pad + n", 512),
        ("n % 512 == 0 ? 0 : 512 - n % 512", "n + pad", 512),
        ("n % 512 != 0 ? 512 - n % 512 : 0", "n + pad", 512),
        ("(96 - n % 96) % 96", "n + pad", 96),
        ("n % 512 ? 512 - n % 512 : 0", "n", 1),
        ("n % 512 ? 512 - n % 512 : 0", "m + pad", 1),
        ("n % 512 ? 512 - n % 512 : 0", "n - pad", 1),
        ("n % 512 ? 256 - n % 256 : 0", "n + pad", 1),
        ("n % 512 ? 0 : 512 - n % 512", "n + pad", 1),
        ("n % 512 ? 512 - m % 512 : 0", "n + pad", 1),
        ("(96 - n % 96) % 64", "n + pad", 1),
        ("n % 512 ? 512 - n % 512 : 0; n += 1", "n + pad", 1),
    ],
)
def test_a_size_with_its_padding_is_a_multiple(padding: str, passed: str, divisor: int) -> None:
    (found,) = cuda_module(
        "__global__ void k(int *p, int n) { p[threadIdx.x] = n; }"
        f"void host(int *p, int n, int m) {{ int pad = {padding}; k<<<9, 64>>>(p, {passed}); }}"
    ).launches
    assert found.multiples == (1, divisor)


@pytest.mark.parametrize(
    ("call", "divisors"),
    [
        ("start(k, p, n);", (1, 32)),
        ("start(k, p, m);", (1, 1)),
        ("onwards(k, p, n);", (1, 32)),
        ("start(k, p, 7);", (1, 1)),
    ],
)
def test_what_packs_take_is_handed_on(call: str, divisors: tuple[int, ...]) -> None:
    (found,) = cuda_module(
        f"""
        __global__ void k(int *p, int n) {{ p[threadIdx.x] = n; }}
        template <class K, class... A> void start(K kernel, A &&...a) {{
            kernel<<<4, 64>>>(std::forward<A>(a)...);
        }}
        template <class K, class... A> void onwards(K kernel, A... a) {{ start(kernel, a...); }}
        void host(int *p, int n, int m) {{
            assert(n % 32 == 0);
            {call}
        }}
        """
    ).launches
    assert found.divisors == divisors
    assert found.arguments == (None, 7 if "7" in call else None)


def test_a_namespace_tells_kernels_of_one_name_apart() -> None:
    module = cuda_module(
        "namespace narrow { __global__ void rows(float *p) { p[threadIdx.x] = 1; } }\n"
        "namespace wide { __global__ void rows(float *p) { p[threadIdx.x] = 2; } }\n"
        "namespace other = wide;\n"
        "void host(float *p) {\n"
        "    narrow::rows<<<4, 16>>>(p);\n"
        "    wide::rows<<<4, 64>>>(p);\n"
        "    other::rows<<<4, 128>>>(p);\n"
        "}"
    )
    blocks = [[each.block[0] for each in kernel.launches] for kernel in module.kernels]
    assert blocks == [[16, 128], [64, 128]]  # of a name that is not resolved each may be meant


SWITCHED = """
template <int N> __global__ void rows(float *p) {{ p[threadIdx.x] = N; }}
void host(float *p, int n, int m) {{
    {body}
}}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "const int wide = n; dim3 block(wide, 2);"
            "switch (n) { case 3: rows<3><<<1, block>>>(p); break;"
            " case 4: rows<4><<<1, block>>>(p); break; default: rows<9><<<1, block>>>(p); }",
            [(3, 2, 1), (4, 2, 1), (None, 2, 1)],
        ),
        (
            "dim3 block(n); if (n == 3) rows<3><<<1, block>>>(p); else rows<9><<<1, block>>>(p);",
            [(3, 1, 1), (None, 1, 1)],
        ),
        (
            "dim3 block(n); if (n == 3 && m != 4) rows<3><<<1, block>>>(p);"
            "if (n != 5 || m) rows<5><<<1, block>>>(p); else rows<9><<<1, block>>>(p);",
            [(3, 1, 1), (None, 1, 1), (5, 1, 1)],
        ),
        ("if (n == 3) m = n; rows<3><<<1, dim3(n)>>>(p);", [(None, 1, 1)]),
        ("dim3 block(n); n = m; if (n == 3) rows<3><<<1, block>>>(p);", [(None, 1, 1)]),
        ("dim3 block(n); block.x = m; if (n == 3) rows<3><<<1, block>>>(p);", [(None, 1, 1)]),
        ("change(&n); dim3 block(n); if (n == 3) rows<3><<<1, block>>>(p);", [(None, 1, 1)]),
        (
            "void *all[] = {&p, &n}; dim3 block(n);"
            "if (n == 3) cudaLaunchKernel((void *)rows<3>, 1, block, all, 0, 0);",
            [(3, 1, 1)],
        ),
        (
            "void *all[] = {&p, &n}; change(all); dim3 block(n);"
            "if (n == 3) cudaLaunchKernel((void *)rows<3>, 1, block, all, 0, 0);",
            [(None, 1, 1)],
        ),
    ],
)
def test_what_a_condition_settles_shapes_the_launches_behind_it(
    body: str, expected: list[object]
) -> None:
    module = cuda_module(SWITCHED.format(body=body))
    assert [found.block for found in module.launches] == expected


def test_a_specialisation_has_the_launches_for_its_arguments() -> None:
    module = cuda_module(
        """
        template <class T> __global__ void k(T *p) { p[threadIdx.x] = 1; }
        template <> __global__ void k(double *p) { p[threadIdx.x] = 2; }
        template <> __global__ void k<short>(short *p) { p[threadIdx.x] = 3; }
        void host(float *f, double *d, short *s, int *i) {
            k<float><<<1, 32>>>(f); k<double><<<1, 64>>>(d);
            k<short><<<1, 96>>>(s); k<<<1, 128>>>(i);
        }
        template <class T> void any(T *p) { k<T><<<1, 160>>>(p); }
        """
    )
    found = [
        (
            kernel.span.text[:30].strip(),
            kernel.instance,
            [each.block[0] for each in kernel.launches],
        )
        for kernel in module.kernels
    ]
    general, own = "template <class T> __global__", "template <> __global__ void k"
    assert found == [
        (general, "k<float>", [32]),
        (general, "k<int>", [128]),
        (general, "k<T>", [160]),
        (own + "(", "k<double>", [64]),
        (own + "(", "k<T>", [160]),
        (own + "<", "k<short>", [96]),
        (own + "<", "k<T>", [160]),
    ]


@pytest.mark.parametrize("special", ["run<double>", "run"])
@pytest.mark.parametrize("uses", ["run<float>(a); run<double>(b);", "run(a); run(b);"])
def test_a_host_function_is_not_run_for_what_is_specialised(special: str, uses: str) -> None:
    module = cuda_module(f"""
        template <typename T, int N> __global__ void k(T *p) {{ p[threadIdx.x] = N; }}
        template <typename T> void run(T *p) {{ k<T, 64><<<1, 64>>>(p); }}
        template <> void {special}(double *p) {{ k<double, 32><<<1, 32>>>(p); }}
        void host(float *a, double *b) {{ {uses} }}
    """)
    instances = {(each.template_arguments, each.block) for each in module.launches}
    assert instances == {(("float", "64"), (64, 1, 1)), (("double", "32"), (32, 1, 1))}


def test_a_specialisation_without_a_launch_has_no_instance() -> None:
    module = cuda_module("""
        template <typename T> __global__ void k(T *p) { p[threadIdx.x] = 1; }
        template <typename T> void run(T *p) { k<<<1, 64>>>(p); }
        template <> void run<double>(double *p) { throw 1; }
        void host(float *a, double *b) { run<float>(a); run<double>(b); }
    """)
    assert [each.template_arguments for each in module.launches] == [("float",)]


def test_launches_that_may_mean_too_many_kernels_are_said() -> None:
    module = read_cuda(
        SourceText(
            "k.cu",
            "".join(f"namespace n{at} {{ __global__ void k(int *p) {{}} }}\n" for at in range(33))
            + "using namespace all;\nvoid host(int *p) { k<<<1, 4096>>>(p); k<<<2, 64>>>(p); }\n",
        )
    )
    assert not any(kernel.launches for kernel in module.kernels)
    assert [(each.message, each.damage) for each in module.problems] == [
        ("launches of k may mean 33 kernels: they are left out", Damage.NOTICE)
    ]


def test_kernels_launch_kernels() -> None:
    module = cuda_module(
        "__global__ void inner(int *p, int n) { p[threadIdx.x] = n; }\n"
        "__global__ void outer(int *p, int n) {\n"
        "    if (threadIdx.x == 0) inner<<<1, 64>>>(p, n);\n"
        "    if (n > 1) outer<<<1, blockDim.x / 2>>>(p, n / 2);\n"
        "}\n"
    )
    shapes = [(each.kernel, each.grid, each.block) for each in module.launches]
    assert shapes == [("inner", (1, 1, 1), (64, 1, 1)), ("outer", (1, 1, 1), UNKNOWN)]


def test_template_arguments_tell_kernels_of_one_name_apart() -> None:
    module = cuda_module("""
    template <int CTA, int WARP> __global__ void sums(int *p) { p[CTA] = WARP; }
    template <int ROWS, int CTA, int WARP> __global__ void sums(int *p) { p[CTA] = WARP / ROWS; }
    template <int CTA, class T> __global__ void sums(T *p, T value) { p[CTA] = value; }
    void host(int *p) {
        sums<8, 256, 32><<<1, 256>>>(p);
        sums<128, 32><<<1, 128>>>(p);
        sums<64><<<1, 64>>>(p, 3);
    }
    """)
    found = {
        kernel.instance: [each.block[0] for each in kernel.launches] for kernel in module.kernels
    }
    assert found == {"sums<128, 32>": [128], "sums<8, 256, 32>": [256], "sums<64, int>": [64]}


def test_members_may_be_named_with_their_class() -> None:
    text = """
    struct Sizes { int threads; int rows() const { return 4; } };
    struct Shape : Sizes { int rows() const { return 8; } };
    __global__ void k(int *p) { p[threadIdx.x] = 1; }
    void host(int *p, Shape s) {
        int rows = s.Sizes::rows();
        s.Sizes::threads = 32 * rows;
        k<<<1, 64>>>(p);
    }
    """
    assert [each.block for each in cuda_module(text).launches] == [(64, 1, 1)]


def test_launches_through_pointers_that_may_hold_any_kernel_pass_their_numbers() -> None:
    text = """
    typedef void (*Kernel)(float *, int, bool);
    __global__ void fits(float *p, int n, bool flag) { p[0] = flag; }
    __global__ void takes_less(float *p) { p[0] = 1; }
    __global__ void named(float *p, int n, bool flag) { p[0] = flag; }
    struct Row { Kernel kernel; };
    void all(Row *rows, float *p, int n) {
        rows[0].kernel<<<4, 64>>>(p, n, false);
        named<<<1, 32>>>(p, n, true);
    }
    """
    module = read_cuda(SourceText("k.cu", text))
    by_name = {kernel.name: kernel.launches for kernel in module.kernels}
    (launch,) = by_name["fits"]
    assert launch.arguments == (None, None, 0)
    assert (launch.block, launch.grid) == ((64, 1, 1), UNKNOWN)
    assert by_name["takes_less"] == []
    assert [each.arguments for each in by_name["named"]] == [(None, None, 1)]
    assert [each.kernel for each in module.launches] == ["named"]


@pytest.mark.parametrize(
    ("type", "expression", "passed"),
    [
        ("int", "n * n", None),
        ("long long", "n * n", 65536 * 65536),
        ("int", "n * sizeof(long) * n", 65536 * 65536 * 8),
        ("int", "(n - 1) * 32768", 65535 * 32768),
        ("int", "-2147483647 - 1", -(1 << 31)),
        ("unsigned", "n * n", None),
    ],
)
def test_a_product_that_its_type_does_not_hold_is_not_known(
    type: str, expression: str, passed: int | None
) -> None:
    text = f"""
    __global__ void k(long long n) {{}}
    void host() {{ {type} n = 65536; k<<<1, 32>>>({expression}); }}
    """
    (launch,) = cuda_module(text).launches
    assert launch.arguments == (passed,)


def test_cases_that_fall_through_by_the_thousand_are_like_labels() -> None:
    cases = "".join(f"case {index}: t = {index}; " for index in range(1_500))
    cases += "case 9999: k<<<1, 32>>>(p); "
    text = f"void host(int n, float *p) {{ int t = 64; switch (n) {{ {cases} }} k<<<1, t>>>(p); }}"
    module = cuda_module("__global__ void k(float *p) { p[0] = 1; }" + text)
    blocks = [launch.block for launch in module.launches]
    assert blocks == [(32, 1, 1), (None, 1, 1)]


def test_template_parameters_without_a_name() -> None:
    """Nothing can mean them: a function of the host that has one was an internal error."""
    (found,) = cuda_module(
        """
        __global__ void k(int *p, int n) { p[threadIdx.x] = n; }
        void fill(int &n);
        template <int, class T> void host(T *p, int m) {
            int n = m;
            int *q = &n;
            fill(n);
            k<<<m, 32>>>(p, n + *q);
        }
        void run(int *p) { host<3>(p, 4); }
        """
    ).launches
    assert (found.grid, found.block) == ((4, 1, 1), (32, 1, 1))


@pytest.mark.parametrize(
    ("body", "conditional"),
    [
        ("k<<<1, 32>>>(p);", False),
        ("if (n == 3) k<<<1, 32>>>(p);", True),
        ("if (SIDE == 16) k<<<1, 32>>>(p);", False),
        ("switch (n) { case 1: k<<<1, 32>>>(p); }", True),
        ("auto f = [&] { k<<<1, 32>>>(p); }; if (n == 3) { f(); }", True),
        ("if (n == 3) {} k<<<1, 32>>>(p);", False),
    ],
)
def test_whether_a_condition_that_nothing_decides_leads_there(body: str, conditional: bool) -> None:
    assert launch(body).conditional is conditional


def test_a_launch_that_is_come_by_without_the_condition_as_well() -> None:
    functions = "{ auto f = [&] { k<<<1, 32>>>(p); }; if (n == 3) f(); f(); }"
    assert not launch(functions).conditional


SHAPES = """
dim3 block, grid;
void k_set(dim3 &which);
__global__ void k(int *p) {{ p[threadIdx.x] = 1; }}
void run(int *p) {{ k<<<grid, block>>>(p); }}
void set(int n, bool wide) {{ {body} }}
int main() {{ int *p; cudaMalloc(&p, 4096); set(5, true); run(p); }}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("block.x = 64;", (64, 1, 1)),
        ("block.x = 64; block.y = 2; block.z = 1;", (64, 2, 1)),
        ("block = dim3(64, 2);", (64, 2, 1)),
        ("block.x = 64; if (wide) block.x = 64;", (64, 1, 1)),
        ("block.x = 64; if (wide) block.x = 128;", (None, 1, 1)),
        ("block.x = n * 2; block.y = 4;", (None, 4, 1)),
        ("block.x = 64; block.x *= 2; block.y = 2;", (None, 2, 1)),
        ("block.x = 64; k_set(block);", UNKNOWN),
        ("block.x = 64; unsigned *to = &block.y; *to = n;", UNKNOWN),
        ("dim3 block; block.x = 64;", UNKNOWN),
        ("grid.x = 3;", UNKNOWN),
    ],
)
def test_a_block_at_file_scope_holds_what_the_file_writes(
    body: str, expected: tuple[int | None, ...]
) -> None:
    (found,) = cuda_module(SHAPES.format(body=body)).launches
    assert found.block == expected


TABLE = """
typedef void (*Kernel)(int *, int);
__global__ void k(int *p, int n) {{ p[threadIdx.x] = n; }}
struct Item {{ Kernel run; int times; }};
void all(int *p, int n, Item *items) {{ {body} }}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("items[0].run<<<n, 64>>>(p, n);", [(64, 1, 1)]),
        ("items[0].run<<<n, 64>>>(p, n); items[1].run<<<1, 64>>>(p, n);", [(64, 1, 1)]),
        ("items[0].run<<<n, 64>>>(p, n); items[1].run<<<1, 32>>>(p, n);", []),
        ("items[0].run<<<n, n>>>(p, n);", []),
        ("items[0].run<<<n, n>>>(p, 5);", [UNKNOWN]),
    ],
)
def test_pointers_to_any_kernel_launch_with_the_block_that_all_of_them_have(
    body: str, expected: list[tuple[int | None, ...]]
) -> None:
    (kernel,) = cuda_module(TABLE.format(body=body)).kernels
    assert [each.block for each in kernel.launches] == expected


RULED_OUT = """template <int N> __global__ void k(int *p) {{ p[threadIdx.x] = N; }}
__global__ void other(int *p) {{ p[threadIdx.x] = 1; }}
void host(int *p, int n) {{ {} }}"""


@pytest.mark.parametrize(
    ("body", "kernels"),
    [
        ("int w = 1; if (w == 1) k<1><<<1, 32>>>(p); if (w == 2) k<2><<<1, 64>>>(p);", {32}),
        ("int w = 1; if (w == 2) k<2><<<1, 64>>>(p); else k<1><<<1, 32>>>(p);", {32}),
        ("int w = n; if (w == 1) k<1><<<1, 32>>>(p); if (w == 2) k<2><<<1, 64>>>(p);", {32, 64}),
        ("int w = 1; if (w == 2) k<2><<<1, 64>>>(p);", {64}),  # for who changes the number
        ("int w = 1; if (w == 2) k<2><<<1, 64>>>(p); other<<<1, 32>>>(p);", {32, 64}),
        (
            "for (int w = 0; w < 2; w++) if (w) k<1><<<1, 32>>>(p); else k<2><<<1, 64>>>(p);",
            {32, 64},
        ),
    ],
)
def test_launches_that_a_number_rules_out_give_way_to_others(body: str, kernels: set[int]) -> None:
    found = cuda_module(RULED_OUT.format(body)).launches
    assert {each.block[0] for each in found} == kernels
