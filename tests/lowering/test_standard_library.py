"""Classes and functions of the standard library where its headers are not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.analyses.dataflow.control_flow import ControlFlow
from warplint.analyzer.analyses.pointers.address_forms import AddressForms, Form
from warplint.analyzer.analyses.pointers.pointer_contents import displacement
from warplint.analyzer.analyses.pointers.points_to import PointsTo
from warplint.analyzer.cuda.lowering.types.standard_library import class_named, functions_named
from warplint.analyzer.ir.operations import Call, MemoryAccess, OpaqueOperation, Opcode
from warplint.analyzer.ir.types import Kind

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Kernel
    from warplint.analyzer.ir.operations import Operation


def lowered(
    statements: str, before: str = "", parameters: str = "std::span<int> s, int n"
) -> Kernel:
    text = f"{before}\n__global__ void k({parameters}) {{\n{statements}\n}}"
    return cuda_module(text).kernels[0]


def accesses(kernel: Kernel) -> list[MemoryAccess]:
    assert not any(isinstance(each, Call | OpaqueOperation) for each in kernel.operations())
    return [each for each in kernel.operations() if isinstance(each, MemoryAccess)]


@pytest.mark.parametrize(
    "place",
    ["s[n]", "s.data()[n]", "s.begin()[n]", "s.subspan(4)[n]", "s.first(9).subspan(1, 2)[n]"],
)
@pytest.mark.parametrize("name", ["std::span<int>", "cuda::std::span<int, -1>"])
def test_an_element_of_a_span(place: str, name: str) -> None:
    kernel = lowered(f"{place} = n;", parameters=f"{name} s, int n")
    (store,) = accesses(kernel)
    pointers = PointsTo(kernel)
    assert [item and item.name for item in pointers.touched(store)] == ["*s.data_"]
    forms = AddressForms(kernel, ControlFlow(kernel), pointers)
    assert forms.offset(store) is Form.CLOSED
    assert store.width == 4


def test_a_span_and_an_optional_lie_in_memory_as_the_real_ones() -> None:
    """Behind a `char` and its padding 16 bytes of span, 4 of an optional `short`, padding again."""
    before = "struct Views { char c; std::span<float> a; std::optional<short> b; int *end; };"
    (pointer, store) = accesses(lowered("*v->end = 1;", before, "Views *v"))
    assert (displacement(pointer.address), store.width) == (32, 4)
    (pointer, store) = accesses(lowered("v->a[1] = 2;", before, "Views *v"))
    assert (displacement(pointer.address), displacement(store.address)) == (8, 4)


def test_spans_are_made_from_pointers_and_from_what_has_data_and_size() -> None:
    before = (
        "struct Buffer { float *p; int n; __device__ float *data() { return p; }"
        " __device__ int size() { return n; } };"
    )
    text = "Buffer b{f, 4}; std::span<float> a(b); std::span<float> c{f, f + n}; a[1] = c[2];"
    kernel = lowered(text, before, "float *f, int n")
    names = {
        item and item.name for each in accesses(kernel) for item in PointsTo(kernel).touched(each)
    }
    assert names == {"*f"}


def test_a_value_that_may_be_missing() -> None:
    text = "std::optional<int> o; if (n > 3) o = n; if (o) p[*o] = o.value_or(7);"
    (store,) = accesses(lowered(text, parameters="int *p, int n"))
    assert store.writes


def test_the_library_is_meant_only_by_its_namespace() -> None:
    """A `span` without one is somebody else's, and so is one that the file defines."""
    assert class_named(["std"], "span") is class_named(["cuda", "std"], "span") is not None
    assert class_named([], "span") is class_named(["mine"], "span") is None
    assert functions_named("thrust::swap")
    assert not functions_named("swap")
    own = "namespace std { template <class T> struct span { T *q; }; }"
    (store,) = accesses(lowered("s.q[n] = 1;", own))
    assert store.width == 4


def test_a_fixed_extent_is_left_alone() -> None:
    kernel = lowered("s[n] = 1;", parameters="std::span<int, 8> s, int n")
    assert any(None in PointsTo(kernel).of(each) for each in kernel.operations()) or not any(
        isinstance(each, MemoryAccess) for each in kernel.operations()
    )


def test_what_methods_do_stands_where_they_are_called() -> None:
    """In the user's file: the library's own text has no place in a report."""
    (load, store) = accesses(
        lowered("s[0] =\n  o->value_or(4);", parameters="std::span<int> s, std::optional<int> *o")
    )[-2:]
    assert {each.location.span.path for each in (load, store)} == {store.location.span.path}
    assert (load.location.span.line, store.location.span.line) == (4, 3)


def test_algorithms_are_run_by_each_thread() -> None:
    """With a policy in front and without; over pointers and over what goes back."""
    text = (
        "auto a = thrust::find_if(thrust::seq, f, f + n, [](float x) { return x > 0; });"
        "auto b = std::find_if(std::make_reverse_iterator(f + n), std::make_reverse_iterator(a),"
        "                      [](float x) { return x < 0; });"
        "*b.base() = thrust::count(thrust::seq, a, f + n, 1.0f);"
        "float *c = cuda::std::lower_bound(f, f + n, 3.0f);"
        "*thrust::upper_bound(thrust::seq, f, f + n, 2.0f) = c - f;"
        "thrust::fill(thrust::seq, f, f + n, 4.0f);"
    )
    kernel = lowered(text, parameters="float *f, int n")
    found = accesses(kernel)
    pointers = PointsTo(kernel)
    assert {item and item.name for each in found for item in pointers.touched(each)} == {"*f"}
    assert sum(each.writes for each in found) == 3
    assert sum(each.reads for each in found) == 5


@pytest.mark.parametrize("first", ["f", "thrust::seq, f"])
@pytest.mark.parametrize("rest", ["f + n", "f + n, 1.0f"])
def test_sums(first: str, rest: str) -> None:
    kernel = lowered(
        f"*g = thrust::reduce({first}, {rest});", parameters="float *f, float *g, int n"
    )
    found = accesses(kernel)
    assert sorted(each.writes for each in found) == [False, True]


def test_complex_numbers_of_the_toolkit() -> None:
    body = (
        "a[n] = cuCaddf(cuCmulf(a[n], b[n]), cuConjf(cuCdivf(b[n], make_cuComplex(1.0f, 2.0f))));"
        "c[n] = cuCfma(c[n], c[n], cuComplexFloatToDouble(b[n])); d[n] = cuCabsf(a[n]);"
    )
    parameters = "cuComplex *a, const cuFloatComplex *b, cuDoubleComplex *c, float *d, int n"
    found = accesses(lowered(body, parameters=parameters))
    assert {each.width for each in found if each.writes} == {8, 16, 4}


def test_a_function_of_the_program_comes_before_one_of_the_toolkit() -> None:
    before = "__device__ cuComplex cuCaddf(cuComplex x, cuComplex y) { return y; }"
    kernel = lowered("a[n] = cuCaddf(a[n + 1], b[n]);", before, "cuComplex *a, cuComplex *b, int n")
    assert not any(each.opcode is Opcode.ADD for each in floats(kernel))
    kernel = lowered("a[n] = cuCaddf(a[n + 1], b[n]);", "", "cuComplex *a, cuComplex *b, int n")
    assert len([each for each in floats(kernel) if each.opcode is Opcode.ADD]) == 2


def floats(kernel: Kernel) -> list[Operation]:
    return [each for each in kernel.operations() if each.type.kind is Kind.FLOAT]
