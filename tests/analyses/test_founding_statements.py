"""The founding documents on memory: each statement holds here, or is superseded and why is shown.

S0: Kirk and Hwu, chapter 4; S1: "CUDA Memory Model"; S2: notes on shared memory; S3: KAUST CS 380,
lecture 14; S4: Caltech CS 179, lecture 4. The number behind is the line of the document.
"""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.storage.memory_spaces import VariableReport, describe
from warplint.analyzer.hardware.architectures import architecture
from warplint.analyzer.hardware.memory_spaces import memory_space


def rows(text: str, arch: int = 90) -> dict[str, VariableReport]:
    module = cuda_module(text)
    facts = KernelFacts(module.kernels[0], module, AnalysisOptions(arch))
    return {row.name: row for row in describe(facts)}


def inside(body: str, arch: int = 90) -> dict[str, VariableReport]:
    """The variables of a kernel with this body."""
    return rows(f"__global__ void kernel(float *p, int n) {{\n{body}\n}}\n", arch)


# ---- S0, table 1: declaration, memory, scope, lifetime -------------------------------------------


def test_s0_219_automatic_variables_other_than_arrays_are_in_registers() -> None:
    row = inside("float x = p[0]; p[1] = x;")["x"]
    assert (row.space, row.scope, row.lifetime) == ("register", "thread", "thread")


def test_s0_219_automatic_arrays_are_off_the_chip_when_they_are_indexed_at_run_time() -> None:
    body = "float a[256]; for (int i = 0; i < 256; ++i) a[i] = p[i]; p[0] = a[n];"
    row = inside(body)["a"]
    assert (row.space, row.located, row.scope) == ("local", "off-chip", "thread")


def test_s0_219_superseded_static_arrays_are_in_registers() -> None:
    # "Automatic array variables ... thread, global". Measured: constant indices after unrolling
    # stay in registers up to 128 elements (analyzer/hardware/local_arrays.toml, "static").
    row = inside("float a[8]; for (int i = 0; i < 8; ++i) a[i] = p[i]; p[9] = a[3];")["a"]
    assert (row.space, row.located) == ("register", "on-chip")


@pytest.mark.parametrize(
    ("declaration", "space", "scope"),
    [
        ("__device__ __shared__ int shared_value;", "shared", "block"),
        ("__shared__ int shared_value;", "shared", "block"),
    ],
)
def test_s0_219_device_before_shared_changes_nothing(
    declaration: str, space: str, scope: str
) -> None:
    row = inside(f"{declaration} shared_value = n; p[0] = shared_value;")["shared_value"]
    assert (row.space, row.scope, row.lifetime) == (space, scope, "block")


@pytest.mark.parametrize(
    ("declaration", "space"),
    [
        ("__device__ int value;", "global"),
        ("__constant__ int value;", "constant"),
        ("__device__ __constant__ int value;", "constant"),
    ],
)
def test_s0_219_variables_of_the_application(declaration: str, space: str) -> None:
    row = rows(f"{declaration}\n__global__ void kernel(int *p) {{ p[0] = value; }}\n")["value"]
    assert row.space == space
    assert row.scope == "grid and host"
    assert row.lifetime.startswith("application")


@pytest.mark.parametrize("space", ["register", "local", "shared"])
def test_s0_240_contents_are_not_maintained_across_invocations(space: str) -> None:
    assert memory_space(space, 90).lifetime in ("thread", "block")


def test_s0_246_what_lives_as_long_as_the_application_is_declared_outside_of_functions() -> None:
    text = """\
__device__ int outside;
__global__ void kernel(int *p) { int inside = p[0]; outside = inside; }
"""
    found = rows(text)
    assert found["outside"].lifetime.startswith("application")
    assert found["inside"].lifetime == "thread"


def test_s0_246_refined_static_in_a_function_lives_as_long_too() -> None:
    row = inside("static int calls; p[0] = ++calls;")["calls"]
    assert (row.space, row.scope) == ("global", "grid and host")
    assert row.why == "static in device code: one variable for the whole grid"


# ---- who may access what -------------------------------------------------------------------------


def test_s0_113_host_code_can_write_and_read_global_and_constant_memory() -> None:
    assert memory_space("global", 90).host_access == "R/W"
    assert memory_space("constant", 90).host_access == "R/W"


def test_s0_117_constant_memory_is_read_only_for_the_device() -> None:
    assert memory_space("constant", 90).access == "R"


def test_s0_127_a_thread_can_only_access_its_own_registers() -> None:
    assert memory_space("register", 90).scope == "thread"


def test_s0_291_superseded_shared_variables_may_stand_outside_of_functions() -> None:
    # "Such declaration must reside within a kernel function": nvcc accepts it at namespace scope.
    text = "__shared__ int box[4];\n__global__ void kernel(int *p) { box[0] = 1; p[0] = box[1]; }\n"
    assert rows(text)["box"].space == "shared"


def test_s0_297_each_block_has_its_own_shared_variables() -> None:
    row = inside("__shared__ float s[4]; s[0] = n; p[0] = s[1];")["s"]
    assert (row.scope, row.per) == ("block", "block")


def test_s0_334_constant_memory_has_64_kilobytes_everywhere() -> None:
    for name in ("1.0", "2.0", "9.0", "12.0"):
        assert architecture(name).constant_bytes == 65_536


def test_s0_364_superseded_pointers_lead_to_any_memory() -> None:
    # "Pointers can only be used to point to data object in the global memory": generic addresses
    # (compute capability 2.0) lead into shared and local memory as well.
    row = inside("__shared__ float s[4]; float *q = s; q[n] = 1; p[0] = s[1];")["q"]
    assert [str(item) for item in row.points_to or ()] == ["shared s"]


def test_s0_378_the_address_of_a_global_variable() -> None:
    text = """\
__device__ float GlobalVar;
__global__ void kernel(float *p) { float *ptr = &GlobalVar; *ptr = 1; p[0] = *ptr; }
"""
    row = rows(text)["ptr"]
    assert [str(item) for item in row.points_to or ()] == ["global GlobalVar"]


# ---- S1: the kinds of memory ---------------------------------------------------------------------


@pytest.mark.parametrize("arch", [13, 20])
def test_s1_108_properties_of_memory_types(arch: int) -> None:
    """The table as printed; its fourth column is two here: the kernel's access and the host's."""
    cached = {13: "no", 20: "yes (L1 and L2)"}[arch]
    expected = {
        "register": ("on-chip", "n/a", "R/W", "none", "thread", "thread"),
        "local": ("off-chip", cached, "R/W", "none", "thread", "thread"),
        "shared": ("on-chip", "n/a", "R/W", "none", "block", "block"),
        "global": ("off-chip", cached, "R/W", "R/W", "grid and host", "application"),
        "constant": (
            "off-chip",
            "yes (constant cache)",
            "R",
            "R/W",
            "grid and host",
            "application",
        ),
    }
    for name, row in expected.items():
        found = memory_space(name, arch)
        lifetime = found.lifetime.partition(",")[0]
        assert row == (
            found.located,
            found.cached,
            found.access,
            found.host_access,
            found.scope,
            lifetime,
        )


def test_s1_108_refined_the_host_may_free_global_memory_earlier() -> None:
    # "application": what cudaMalloc gave lives until cudaFree.
    assert memory_space("global", 90).lifetime == "application, or host allocation"


def test_s1_38_scalars_without_an_attribute_are_in_registers() -> None:
    row = inside("double x = n; p[0] = x;")["x"]
    assert (row.space, row.bytes) == ("register", 8)


def test_s1_47_refined_registers_that_run_out_are_not_foreseen() -> None:
    # "Any variable that can't fit into the register space ... will spill-over": which and whether
    # only ptxas says; the report names the memory that a variable has without spills.
    assert inside("float x = p[0]; p[1] = x;")["x"].space == "register"


def test_s1_66_shared_memory_has_the_lifetime_of_the_block() -> None:
    assert memory_space("shared", 90).lifetime == "block"


def test_s1_73_device_variables_are_in_global_memory() -> None:
    row = rows("__device__ float g[8];\n__global__ void kernel(float *p) { p[0] = g[n(p)]; }\n")[
        "g"
    ]
    assert (row.space, row.bytes, row.host_access) == ("global", 32, "R/W")


def test_s1_40_arrays_are_in_registers_only_with_constant_indices() -> None:
    constant = inside("float a[4]; a[2] = p[0]; p[1] = a[2];")["a"]
    assert (constant.space, constant.why) == ("register", "every access has a constant index")
    # Small arrays are an exception: the compiler selects among registers (measured).
    small = inside("float a[4]; for (int i = 0; i < 4; ++i) a[i] = p[i]; p[1] = a[n];")["a"]
    assert small.space == "register"
    assert "measured in registers up to 65" in small.why


def test_s1_55_arrays_with_run_time_indices_are_local() -> None:
    body = "float a[128]; for (int i = 0; i < 128; ++i) a[i] = p[i]; p[0] = a[n];"
    row = inside(body)["a"]
    assert row.space == "local"
    assert "`n`, a kernel parameter" in row.why


def test_s1_56_large_arrays_may_not_fit_into_registers() -> None:
    row = inside("float a[1000]; a[1] = n; p[0] = a[1];")["a"]
    assert row.space == "local or register"
    assert "only if 1000 registers are available" in row.why


def test_s1_59_superseded_local_in_ptx_is_not_yet_local_memory() -> None:
    # Measured: of 12 kernels with `.local` in their PTX, 7 had no stack frame after ptxas;
    # tests/analyses/pointers/test_local_arrays.py, test_ptx_local_is_not_local_memory_by_itself.
    row = inside("float a[4]; for (int i = 0; i < 4; ++i) a[i] = p[i]; p[1] = a[n];")["a"]
    assert row.space == "register"


def test_s1_81_superseded_a_write_does_not_switch_the_cache_off() -> None:
    assert memory_space("global", 90).cached == "yes (L1 and L2)"


def test_s1_99_sizes_by_compute_capability() -> None:
    assert [architecture(name).registers_per_sm for name in ("1.0", "1.3", "2.0")] == [
        8192,
        16384,
        32768,
    ]
    assert [architecture(name).local_per_thread for name in ("1.0", "2.0")] == [16384, 524288]


def test_s1_132_the_type_of_a_pointer_does_not_say_where_it_leads() -> None:
    body = "__shared__ float s[4]; s[n] = 1; float *a = p; float *b = s; a[0] = b[1];"
    found = inside(body)
    assert found["a"].type == found["b"].type
    assert [str(item) for item in found["a"].points_to or ()] == ["global *p"]
    assert [str(item) for item in found["b"].points_to or ()] == ["shared s"]


def test_s1_134_only_the_pointer_variable_is_constant() -> None:
    text = "__constant__ float *c;\n__global__ void kernel(float *p) { p[0] = c[1]; }\n"
    row = rows(text)["c"]
    assert row.space == "constant"
    assert [str(item) for item in row.points_to or ()] == ["unknown"]
    assert "only the pointer is constant" in row.why


def test_s1_138_a_pointer_to_two_memories_is_visible() -> None:
    row = inside("__shared__ float s[4]; s[0] = n; float *q = n ? s : p; q[1] = 2;")["q"]
    assert [str(item) for item in row.points_to or ()] == ["global *p", "shared s"]


# ---- S2, S3, S4 ----------------------------------------------------------------------------------


def test_s2_5_shared_memory_is_visible_only_within_a_block() -> None:
    assert memory_space("shared", 90).scope == "block"


def test_s3_164_local_memory_has_512_kilobytes_per_thread() -> None:
    assert architecture("9.0").local_per_thread == 512 * 1024


def test_s3_282_clusters_share_their_shared_memory_from_9_0_on() -> None:
    assert memory_space("shared::cluster", 90).scope == "cluster"
    assert not memory_space("shared::cluster", 89).available


def test_s3_324_dynamic_shared_memory_has_the_size_of_the_launch() -> None:
    text = """\
__global__ void kernel(float *p) {
    extern __shared__ float vec[];
    vec[threadIdx.x] = p[0];
    p[1] = vec[1];
}
void host(float *p) { kernel<<<1, 64, 64 * sizeof(float)>>>(p); }
"""
    row = rows(text)["vec"]
    assert (row.space, row.bytes) == ("shared", 256)


def test_s4_84_local_memory_resides_off_the_chip_and_belongs_to_the_thread() -> None:
    row = memory_space("local", 90)
    assert (row.located, row.scope, row.lifetime) == ("off-chip", "thread", "thread")


def test_s4_239_superseded_a_thread_has_up_to_255_registers() -> None:
    # "a maximum of 32 or 64 32-bit registers per thread"
    assert architecture("9.0").registers_per_thread == 255


def test_s4_244_statically_indexed_arrays_are_put_in_registers() -> None:
    row = inside("float a[2]; a[0] = n; a[1] = 2; p[0] = a[0] * a[1];")["a"]
    assert row.space == "register"


def test_s4_331_kernel_arguments_are_passed_through_constant_memory() -> None:
    assert inside("p[0] = n;")["n"].cached == "yes (constant cache)"
    assert inside("p[0] = n;", arch=13)["n"].located == "on-chip (shared memory)"


# ---- statements of several documents, and what replaces them -------------------------------------


def test_s0_269_superseded_automatic_arrays_may_be_in_registers() -> None:
    # "Automatic array variables are not stored in registers": measured for each way of indexing
    # (tests/data/local_arrays.json); only a run-time index keeps them out.
    assert inside("float a[4]; a[1] = n; p[0] = a[1];")["a"].space == "register"
    assert inside("float a[256]; a[n] = 1; a[p[0] > 1] = 2; p[1] = a[n + 1];")["a"].space != (
        "register"
    )


@pytest.mark.parametrize("declaration", ["int x", "unsigned char x", "double x", "float *x"])
def test_s0_711_automatic_non_array_variables_are_in_registers(declaration: str) -> None:
    row = inside(f"{declaration} = 0; if (n) x += n; if (x) p[0] = n;")["x"]
    assert (row.space, row.scope) == ("register", "thread")


@pytest.mark.parametrize("arch", [13, 20, 35, 90, 120])
def test_s0_346_s1_19_global_memory_is_off_the_chip(arch: int) -> None:
    assert memory_space("global", arch).located == "off-chip"
    assert memory_space("register", arch).located == "on-chip"


def test_s1_42_s1_49_what_a_thread_owns_begins_and_ends_with_it() -> None:
    found = inside("float x; float a[300]; a[n] = p[n]; x = a[n + 1]; p[0] = x;")
    assert found["x"].lifetime == found["a"].lifetime == "thread"


def test_s1_75_s1_79_kernels_reach_what_the_host_allocated_through_their_parameters() -> None:
    found = inside("p[n] = 1;")["p"]
    assert [(str(item.space), item.name) for item in found.points_to or ()] == [
        ("Space.GLOBAL", "*p")
    ]
    assert memory_space("global", 90).host_access == "R/W"


def test_s1_88_constant_memory_cannot_be_written_by_a_kernel() -> None:
    text = "__constant__ float c[4];\n__global__ void kernel(float *p, int n) { p[0] = c[n]; }\n"
    assert rows(text)["c"].access == "R"


def test_s4_247_refined_a_variable_whose_address_stays_known_is_in_registers() -> None:
    # "Local memory is everything on the stack that can't fit in registers": an address alone does
    # not put a variable there once the calls are inlined.
    text = """\
__device__ void set(float *where, float value) { *where = value; }
__device__ float *kept[2];
__global__ void kernel(float *p, int n) {
    float direct, stored;
    set(&direct, p[n]);
    kept[n & 1] = &stored;
    *kept[0] = direct;
    p[0] = stored;
}
"""
    found = rows(text)
    assert found["direct"].space == "register"
    assert found["stored"].space != "register"
