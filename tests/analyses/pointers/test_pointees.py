"""What pointers may point to: the space of a pointer is not that of what it points to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import cuda_module, ptx_module

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.pointers.pointees import Pointees
from warplint.analyzer.ir.kernel import Kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.ir.operations import Operation

PREFIX = """\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct Arrays { float *a; const int *b; int n; };
__constant__ float *chosen;
__device__ float *current;
__device__ float table[32];
"""


def pointees(body: str) -> dict[str, str | None]:
    """What each variable of a kernel with this body may point to."""
    parameters = "float *in, const float *other, Arrays arrays, cudaTextureObject_t image, int n"
    module = cuda_module(f"{PREFIX}__global__ void kernel({parameters}) {{\n{body}\n}}\n")
    return of_module(KernelFacts(module.kernels[0], module, AnalysisOptions()))


def of_module(facts: KernelFacts) -> dict[str, str | None]:
    found = Pointees(facts)
    return {
        variable.name: None if targets is None else " or ".join(map(str, targets))
        for variable in facts.kernel.variables
        for targets in [found.of(variable)]
    }


@pytest.mark.parametrize(
    ("body", "variable", "expected"),
    [
        ("in[0] = 1;", "in", "global *in"),
        ("in[0] = 1;", "n", None),
        ("float *p = in + n; p[0] = 1;", "p", "global *in"),
        ("float *p = &table[3]; p[0] = 1;", "p", "global table"),
        ("float *p = in; if (n) p = table; p[0] = 1;", "p", "global *in or global table"),
        (
            "__shared__ float tile[32]; float *p = n ? tile : in; p[0] = 1;",
            "p",
            "global *in or shared tile",
        ),
        ("__shared__ float tile[32]; tile[0] = 1;", "tile", None),
        ("float x = 1; float *p = &x; *p = 2; in[0] = x;", "p", "local x"),
        ("in[0] = chosen[1];", "chosen", "unknown"),
        ("in[0] = current[1];", "current", "unknown"),
        ("current = in; in[0] = current[1];", "current", "global *in or unknown"),
        ("__shared__ float *row; row = in + n; row[1] = 2;", "row", "global *in"),
        (
            "in[0] = arrays.a[1] + arrays.b[2];",
            "arrays",
            "a: global *arrays.a or b: global *arrays.b",
        ),
        ("in[0] = tex2D<float>(image, 1, 2);", "image", "texture"),
        (
            "__shared__ float tile[32]; auto c = cg::this_cluster();"
            " float *p = c.map_shared_rank(tile, 1); p[0] = 1;",
            "p",
            "shared::cluster tile of another block",
        ),
    ],
)
def test_a_variable(body: str, variable: str, expected: str | None) -> None:
    assert pointees(body)[variable] == expected


def test_two_variables_of_one_name_are_told_apart() -> None:
    body = "{ float *p = in; p[0] = 1; }\n{ const float *p = other; in[1] = p[0]; }"
    parameters = "float *in, const float *other"
    module = cuda_module(f"__global__ void kernel({parameters}) {{\n{body}\n}}\n")
    facts = KernelFacts(module.kernels[0], module, AnalysisOptions())
    found = Pointees(facts)
    own = [found.of(item) for item in facts.kernel.variables if item.name == "p"]
    assert [[str(target) for target in targets or ()] for targets in own] == [
        ["global *in"],
        ["global *other"],
    ]


def test_ptx_parameters_and_other_blocks() -> None:
    text = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 a, .param .u64 .ptr .shared b, .param .u32 n)
{
    .shared .align 4 .b8 tile[64];
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [a];
    st.global.u32 [%rd1], 1;
    mov.u64 %rd2, tile;
    mapa.shared::cluster.u64 %rd3, %rd2, 1;
    st.shared::cluster.u32 [%rd3], 4;
    ret;
}
"""
    module = ptx_module(text)
    facts = KernelFacts(module.kernels[0], module, AnalysisOptions())
    found = of_module(facts)
    assert (found["a"], found["b"], found["n"]) == ("global a", "shared b", None)
    store = facts.accesses[-1]
    assert [str(item) for item in facts.points_to.of(store.address)] == ["tile of another block"]


def test_the_kernel_is_gone_through_once_for_all_parameters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parameters = ", ".join(f"Arrays a{i}" for i in range(20))
    body = "".join(f"a{i}.a[0] = a{i}.n;" for i in range(20))
    module = cuda_module(f"{PREFIX}__global__ void kernel({parameters}) {{ {body} }}\n")
    facts = KernelFacts(module.kernels[0], module, AnalysisOptions())
    found = Pointees(facts)
    assert facts.points_to
    times = 0
    operations = Kernel.operations

    def counted(kernel: Kernel) -> Iterator[Operation]:
        nonlocal times
        times += 1
        return operations(kernel)

    monkeypatch.setattr(Kernel, "operations", counted)
    for variable in facts.kernel.variables:
        found.of(variable)
    assert times <= 2
