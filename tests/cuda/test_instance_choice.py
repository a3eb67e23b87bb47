"""Which instances of kernel templates are analysed: all code, and a few of the same code."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.cuda.instance_choice import MOST, MOST_CODES

KERNEL = "template <class F, int N = 1> __global__ void apply(F f) { f(N); }"


def analysed(text: str) -> tuple[int, int]:
    """How many instances are looked at, and how many are not."""
    kernels = cuda_module(text).kernels
    return len(kernels), sum(kernel.other_instances for kernel in kernels)


def launches(form: str, count: int) -> str:
    return "\n".join(form.replace("#", str(number)) for number in range(count))


LAMBDA = "void host#(int *p) { apply<<<1, 32>>>([=] __device__ (int n) { p[#] = n; }); }"
CLASS = (
    "struct F# { __device__ void operator()(int n) const {} }; void h#() { apply<<<1, 1>>>(F#{}); }"
)


@pytest.mark.parametrize("form", [LAMBDA, CLASS], ids=["lambdas", "classes"])
def test_other_code_is_another_kernel(form: str) -> None:
    assert analysed(f"{KERNEL}\n{launches(form, MOST + 4)}") == (MOST + 4, 0)
    assert analysed(f"{KERNEL}\n{launches(form, MOST_CODES + 3)}") == (MOST_CODES, 3)


def test_of_the_same_code_a_few_stand_for_all() -> None:
    calls = launches("apply<F, #><<<1, 1>>>(F{});", MOST + 4)
    same = "struct F { __device__ void operator()(int n) const {} };"
    assert analysed(f"{KERNEL}\n{same}\nvoid host() {{ {calls} }}") == (MOST, 4)
    types = launches("apply<G<#>, 1><<<1, 1>>>(G<#>{});", MOST + 4)
    of_numbers = "template <int I> struct G { __device__ void operator()(int n) const {} };"
    assert analysed(f"{KERNEL}\n{of_numbers}\nvoid host() {{ {types} }}") == (MOST, 4)


def test_a_function_as_an_argument_is_code() -> None:
    kernel = "template <void (*f)(int)> __global__ void apply(int n) { f(n); }"
    form = "__device__ void f#(int n) {} void h#() { apply<f#><<<1, 1>>>(#); }"
    assert analysed(f"{kernel}\n{launches(form, MOST + 4)}") == (MOST + 4, 0)
