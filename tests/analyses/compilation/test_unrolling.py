"""Which loops are copied: as the PTX of nvcc 13.0 has the same bodies."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.compilation.unrolling import Copies, copies_of_loops

REST = Copies(4, whole=False, rest=True)


def copies(body: str) -> list[Copies]:
    facts = body_facts(body, parameters="float *out, const float *in, int n, int m")
    return list(copies_of_loops(facts).values())


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("for (int i = 0; i < 8; ++i)", [Copies(8, whole=True)]),
        ("for (int i = 0; i < n; ++i)", [REST]),
        ("for (int i = m; i < n; ++i)", [Copies(4, whole=False)]),
        ("for (int i = 0; i < n; i += 3)", [Copies(4, whole=False)]),
        ("#pragma unroll 2\nfor (int i = 0; i < n; ++i)", [Copies(2, whole=False, rest=True)]),
        ("#pragma unroll 2\nfor (int i = 0; i < 512; ++i)", [Copies(2, whole=False)]),
        ("#pragma unroll 1\nfor (int i = 0; i < 8; ++i)", []),
        ("for (int i = threadIdx.x; i < n; i += blockDim.x)", []),
        ("for (int i = threadIdx.x; i < n; i += m)", [Copies(4, whole=False)]),
        ("int by = m * 3;\nfor (int i = threadIdx.x; i < n; i += by)", [Copies(4, whole=False)]),
        ("for (int i = threadIdx.x; i < n; i += in[i])", []),
        ("for (int i = 0; in[i] > 0; ++i)", []),
        ("for (int i = 0; i < 4096; ++i)", [Copies(32, whole=False)]),
        ("for (int i = 0; i < 300; ++i)", [Copies(4, whole=False)]),
        ("for (int i = 0; i < 375; ++i)", [REST]),
        ("for (int i = 0; i < (n + 1) * 3; ++i)", [REST]),
    ],
)
def test_by_its_head(head: str, found: list[Copies]) -> None:
    assert copies(f"float s = 0;\n{head} s += in[i * 3];\nout[0] = s;") == found


@pytest.mark.parametrize(
    ("times", "found"), [(32, Copies(32, whole=True)), (48, Copies(8, whole=False))]
)
def test_by_what_is_left_of_its_body(times: int, found: Copies) -> None:
    """Subscripts with a distance known at run time are computed in each iteration, counters and the
    sizes of elements are not.
    """
    head = f"float s = 0; for (int i = 0; i < {times}; ++i) s += "
    assert copies(head + "in[i * n + m] * in[i * m + n]; out[0] = s;") == [found]
    assert copies(head + "in[i] * in[2 * i]; out[0] = s;") == [Copies(times, whole=True)]


def test_a_barrier_does_not_keep_a_loop() -> None:
    body = "for (int i = 0; i < n; ++i) { out[threadIdx.x] += in[i]; __syncthreads(); }"
    assert copies(body) == [REST]


@pytest.mark.parametrize(("function", "found"), [("expf", [REST]), ("sinf", [])])
def test_a_function_with_a_loop_keeps_it(function: str, found: list[Copies]) -> None:
    body = f"float s = 0; for (int i = 0; i < n; ++i) s += {function}(in[i]); out[0] = s;"
    assert copies(body) == found


def test_a_long_body_is_copied_whole_only_where_it_is_asked_for() -> None:
    body = "for (int i = 0; i < 16; ++i) {" + "out[i * 3 + 1] += in[i] * in[i + 1];" * 9 + "}"
    assert copies(body) == [Copies(2, whole=False)]
    assert copies("#pragma unroll\n" + body) == [Copies(16, whole=True)]


def test_inner_copies_count_in_the_outer_loop() -> None:
    inner = "for (int j = 0; j < 8; ++j) out[j] += in[i * j] * in[j];"
    body = f"for (int i = 0; i < 32; ++i) {inner}"
    assert copies(body) == [Copies(8, whole=True), Copies(2, whole=False)]


def test_a_loop_that_stays_keeps_the_one_around_it() -> None:
    body = "for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) out[j] += in[i * m + j];"
    assert copies(body) == [REST]


@pytest.mark.parametrize(
    ("function", "most"), [("expf", 28), ("sinf", 24), ("logf", 12), ("exp", 9), ("exp2f", 64)]
)
def test_functions_count_as_operations(function: str, most: int) -> None:
    """The most copies that nvcc 13.0 was seen to make of the whole loop."""
    number = "float" if function.endswith("f") else "double"
    body = f"{number} s = 0; for (int i = 0; i < {{}}; ++i) s += {function}(in[i]); out[0] = s;"
    body = body.replace("in[i]", "((const double *)in)[i]") if number == "double" else body
    assert copies(body.format(most)) == [Copies(most, whole=True)]
    assert Copies(3 * most, whole=True) not in copies(body.format(3 * most)) or most == 64


def test_elements_of_arrays_in_unrolled_loops_do_not_count_in_the_loop_around() -> None:
    inner = "for (int k = 0; k < 16; ++k) a[k] = a[k] * x + 1; "
    body = f"float a[16] = {{}}; for (int i = 0; i < n; ++i) {{ float x = in[i]; {inner} }} "
    assert copies(body + "out[0] = a[0] + a[15];") == [Copies(16, whole=True), REST]
