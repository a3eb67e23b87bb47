"""Switches that choose an instance of a template, and those that choose between too many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.cuda.lowering.state.dispatches import REASON
from warplint.analyzer.ir.operations import Call

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Kernel

KINDS = range(6)
WORK = (
    "template <int kind> __device__ void work(int *p) {\n"
    + "".join(f"    p[{10 * line} + kind] += kind;\n" for line in range(20))
    + "}\n"
)
CASES = " ".join(f"case {kind}: work<{kind}>(p); break;" for kind in KINDS)
DISPATCH = f"__device__ void dispatch(int kind, int *p) {{ switch (kind) {{ {CASES} }} }}\n"


def body(statements: str, before: str) -> Kernel:
    text = f"{before}\n__global__ void k(int *p, int n) {{ {statements} }}"
    return cuda_module(text).kernels[-1]


def calls(lowered: Kernel) -> list[tuple[str, str]]:
    """Name and reason of every call that was not looked into."""
    found = (each for each in lowered.operations() if isinstance(each, Call))
    return [(call.callee, call.reason) for call in found]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A switch may take 300 operations: three of its instances."""
    monkeypatch.setattr("warplint.analyzer.cuda.lowering.dispatches.SHARE", 300)


def test_every_instance_is_followed_where_they_fit() -> None:
    lowered = body("dispatch(n, p);", WORK + DISPATCH)
    assert calls(lowered) == []
    assert len(list(lowered.operations())) > 6 * 60


@pytest.mark.usefixtures("small")
def test_none_is_followed_where_they_do_not_fit() -> None:
    lowered = body("p[1] = 2; dispatch(n, p); work<9>(p);", WORK + DISPATCH)
    assert calls(lowered) == [("work", REASON)] * len(KINDS)
    lines = {each.location.span.line for each in lowered.operations()}
    assert len(lines) > len(KINDS)  # those of the instance that stands outside of the switch, too


@pytest.mark.usefixtures("small")
def test_a_switch_of_the_kernel_is_no_different() -> None:
    assert calls(body(f"switch (n) {{ {CASES} }}", WORK)) == [("work", REASON)] * len(KINDS)


@pytest.mark.usefixtures("small")
def test_a_switch_that_calls_one_function_for_many_reasons_is_followed() -> None:
    plain = WORK.replace("template <int kind> ", "").replace("int *p", "int kind, int *p")
    cases = " ".join(f"case {kind}: work({kind}, p); break;" for kind in KINDS)
    assert calls(body(f"switch (n) {{ {cases} }}", plain)) == []


@pytest.mark.usefixtures("small")
def test_only_the_switch_that_is_too_large_is_left_alone() -> None:
    """Two small switches side by side; the one inside of each case of a third is too large."""
    few = "template <int kind> __device__ void few(int *p) { p[kind] = 1; }\n"
    inner = " ".join(f"case {kind}: few<{kind}>(p); break;" for kind in KINDS)
    outer = " ".join(f"case {kind}: dispatch(n, p); break;" for kind in KINDS)
    lowered = body(f"switch (n) {{ {inner} }} switch (n) {{ {outer} }}", few + WORK + DISPATCH)
    assert set(calls(lowered)) == {("work", REASON)}
    assert len(calls(lowered)) == len(KINDS) ** 2
