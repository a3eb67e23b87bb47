"""What is known of an access's object and offset before numbers are put in."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.pointers.address_forms import AddressForms, Form

CASES = [
    ("x[threadIdx.x * n + blockIdx.y]", Form.CLOSED),
    ("x[n ? threadIdx.x : 3]", Form.CLOSED),
    ("x[min(n, 7) ^ (threadIdx.x >> 2)]", Form.CLOSED),
    ("x[idx[n]]", Form.LOADED),
    ("x[idx[idx[n]] + threadIdx.x]", Form.LOADED),
    ("x[__shfl_sync(~0u, threadIdx.x, 3)]", Form.LOADED),
    ("x[atomicAdd(idx, 1)]", Form.LOADED),
    ("rows[n][threadIdx.x]", Form.CLOSED),
    ("rows[idx[0]][idx[1]]", Form.LOADED),
    ("x[elsewhere(n)]", Form.UNKNOWN),
    ("x[UNDECLARED * n + threadIdx.x]", Form.CLOSED),
    ("x[(UNDECLARED + TILE) * threadIdx.y]", Form.CLOSED),
    ("x[dim.pitch * threadIdx.y]", Form.CLOSED),
    ("x[undeclared + n]", Form.CLOSED),
    ("x[undeclared + threadIdx.x]", Form.UNKNOWN),
]
LOOPS = [
    ("for (int i = 0; i < n; i += 3)", "x[i * 4]", Form.CLOSED),
    ("for (int i = threadIdx.x; i < n; i += blockDim.x * gridDim.x)", "x[i]", Form.CLOSED),
    ("for (int i = n; i > 0; i >>= 1)", "x[i]", Form.STEPPED),
    ("for (int i = n; i != 0; i = idx[i])", "x[i]", Form.LOADED),
    ("for (int i = n; i != 0; i = elsewhere(i))", "x[i]", Form.UNKNOWN),
]


def forms(body: str) -> tuple[Form, bool, str]:
    """The form of the last store's offset, whether its object is known, the reason."""
    head = "float *x, const int *idx, float **rows, int n, Dimensions dim"
    facts = facts_of(f"__global__ void k({head}) {{ {body} }}", (64, 1, 1))
    known = AddressForms(facts.kernel, facts.flow, facts.points_to)
    last = facts.accesses[-1]
    return known.offset(last), known.knows_object(last), known.offset_reason(last)


@pytest.mark.parametrize(("place", "form"), CASES)
def test_the_form_of_an_offset(place: str, form: Form) -> None:
    found, known, reason = forms(f"{place} = 1;")
    assert found is form
    assert known
    assert bool(reason) is (form is Form.UNKNOWN)


@pytest.mark.parametrize(("loop", "place", "form"), LOOPS)
def test_the_form_of_an_offset_in_a_loop(loop: str, place: str, form: Form) -> None:
    assert forms(f"{loop} {place} = 1;")[0] is form


def test_the_reason_names_what_is_not_known() -> None:
    assert "elsewhere" in forms("x[elsewhere(n) * 4 + 1] = 1;")[2]
    assert "undeclared" in forms("*(undeclared + n * 4) = 1;")[2]


def test_a_pointer_that_nobody_knows_has_no_object() -> None:
    assert forms("float *p = elsewhere(x); p[threadIdx.x] = 1;")[1] is False
