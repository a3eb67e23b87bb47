"""Which loads use the read-only path: as nvcc 13.0 compiles these kernels for sm_90."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, ptx_facts

from warplint.analyzer.analyses.pointers.read_only_path import LoadPath, loaded_objects

COPY = "o[threadIdx.x] = a[threadIdx.x];"


@pytest.mark.parametrize(
    ("parameters", "body", "path"),
    [
        ("const float *__restrict__ a, float *__restrict__ o", COPY, LoadPath.CHOSEN),
        ("float *__restrict__ a, float *__restrict__ o", COPY, LoadPath.CHOSEN),
        ("const float *__restrict__ a, float *o", COPY, LoadPath.CHOSEN),
        ("const float *a, float *__restrict__ o", COPY, LoadPath.CHOSEN),
        ("const float *a, float *o", COPY, LoadPath.MAY_ALIAS),
        ("const float *a, float *o", "o[threadIdx.x] = __ldg(a + threadIdx.x);", LoadPath.ASKED),
        ("const float *a", "if (a[threadIdx.x] > 1) __trap();", LoadPath.PLAIN),
        ("const float *a, int *o", "if (a[threadIdx.x] > 1) atomicAdd(o, 1);", LoadPath.MAY_ALIAS),
        (
            "const float *a, int *__restrict__ o",
            "if (a[threadIdx.x] > 1) atomicAdd(o, 1);",
            LoadPath.CHOSEN,
        ),
        ("float *__restrict__ a", "a[threadIdx.x] = 2 * a[threadIdx.x + 1];", LoadPath.WRITTEN),
    ],
)
def test_the_path_of_a_parameter(parameters: str, body: str, path: LoadPath) -> None:
    (found,) = loaded_objects(body_facts(body, parameters=parameters))
    assert found.path is path
    assert (found.store is not None) == (path is LoadPath.MAY_ALIAS)


def test_volatile_loads_are_left_out() -> None:
    parameters = "const volatile float *__restrict__ a, float *__restrict__ o"
    assert not loaded_objects(body_facts(COPY, parameters=parameters))


@pytest.mark.parametrize(
    ("operation", "path"),
    [("ld.global.nc.f32", LoadPath.ASKED), ("ld.global.f32", LoadPath.PLAIN)],
)
def test_ptx_says_which_path(operation: str, path: LoadPath) -> None:
    facts = ptx_facts(f"cvta.to.global.u64 %rd3, %rd1;\n{operation} %f1, [%rd3];")
    (found,) = loaded_objects(facts)
    assert found.path is path
