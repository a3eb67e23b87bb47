"""Loops of host code that make more rounds than are run: those that only compute are not begun."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.cuda.host import walk
from warplint.analyzer.cuda.host.values.conditions import steps_within
from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.cuda.syntax.nodes.c_ast import c_ast
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Module

ORDERS = {
    "<": lambda i, n: i < n,
    "<=": lambda i, n: i <= n,
    ">": lambda i, n: i > n,
    ">=": lambda i, n: i >= n,
}
MOST = 200


@given(
    st.sampled_from(sorted(ORDERS)),
    st.integers(-50, 50),
    st.integers(-50, 50),
    st.integers(-7, 7),
)
def test_the_steps_are_never_more_than_the_rounds(order: str, i: int, n: int, by: int) -> None:
    def read(node: Any) -> int | None:
        return i if isinstance(node, c_ast.ID) else int(node.value)

    counter, last = c_ast.ID("i"), c_ast.Constant("int", str(n))
    step = c_ast.Assignment("+=", counter, c_ast.Constant("int", str(by)))
    found = steps_within(c_ast.BinaryOp(order, counter, last), step, read)
    if found is None:
        assert by == 0 or (by > 0) != (order[0] == "<")
        return
    rounds, at = 0, i
    while rounds < MOST and ORDERS[order](at, n):
        rounds, at = rounds + 1, at + by
    assert found[0] == "i"
    assert found[1] <= rounds <= found[1] + 1


def module_of(loop: str) -> tuple[Module, int]:
    """A file with a loop between two calls of the runtime, and the rounds that are run of it."""
    text = (
        "__global__ void fill(float *data, int n);\n"
        "int main()\n{\n"
        "    float *data; float sum = 0; int n = 1000; int i = 0; float host[1000];\n"
        "    cudaMalloc(&data, n * sizeof(float));\n"
        f"    {loop}\n"
        "    cudaMemcpy(host, data, n * sizeof(float), cudaMemcpyDeviceToHost);\n"
        "    fill<<<n / 100, 64>>>(data, n);\n"
        "}\n"
    )
    rounds = 0
    truth = walk.HostWalk._truth

    def counted(self: Any, node: Any) -> bool | None:
        nonlocal rounds
        rounds += getattr(getattr(node, "left", None), "name", "") == "i"
        return truth(self, node)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk.HostWalk, "_truth", counted)
        module = read_cuda(SourceText("main.cu", text))
    return module, rounds


@pytest.mark.parametrize(
    "loop",
    [
        "for (i = 0; i < n; i++) sum += host[i] * 2;",
        "for (i = 0; i < n; i += 3) { host[i] = sum; sum = sum + sinf(i); }",
        "for (i = n; i > 0; --i) { if (host[i] > 1) sum = 1; else continue; }",
    ],
)
def test_a_long_loop_that_only_computes_is_not_begun(loop: str) -> None:
    module, rounds = module_of(loop)
    assert rounds == 0
    [launch] = module.launches
    assert launch.grid == (10, 1, 1)
    assert launch.sizes[0] == 4000


@pytest.mark.parametrize(
    "loop",
    [
        "for (i = 0; i < 4; i++) sum += host[i];",  # short
        "for (i = 0; i < n; i++) { sum += 1; if (i == 9) break; }",
        "for (i = 0; i < n; i++) { sum += 1; n = 5; }",
        "for (i = 0; i < n; i++) { sum += 1; i += 500; }",
        "for (i = 0; i < n; i++) { sum += 1; cudaMemset(data, 0, i); }",
        "for (i = 0; i < n; i++) { sum += 1; data = data + 1; }",
        "for (i = 0; i < n; i++) { sum += 1; fill<<<i + 1, 32>>>(data, i); }",
    ],
)
def test_other_loops_are_run_round_by_round(loop: str) -> None:
    assert module_of(loop)[1] > 1


def test_what_a_loop_left_early_has_counted_is_known() -> None:
    module, _ = module_of("for (i = 0; i < n; i++) { n = n - 1; if (i == 9) break; }")
    assert module.launches[0].arguments[-1] == 990


@pytest.mark.parametrize(
    ("body", "rounds"),
    [
        ("cudaMemset(data, 0, n);", 2),
        ("fill<<<4, 32>>>(data, n); cudaDeviceSynchronize();", 2),
        ("float last = sum; sum += host[0]; fill<<<4, 32>>>(data, n);", 2),
        ("cudaMemset(data, 0, i);", 64),
        ("n--; fill<<<4, 32>>>(data, 4);", 64),
        ("m += 2; fill<<<4, 32>>>(data, m);", 64),
        ("grow(); fill<<<4, 32>>>(data, 1);", 64),
    ],
)
def test_no_more_rounds_are_run_than_differ(body: str, rounds: int) -> None:
    grow = "auto grow = [&] { fill<<<i + 1, 32>>>(data, 1); };" if "grow" in body else ""
    made = module_of(f"int m = 0; {grow} for (i = 0; i < n; i++) {{ {body} }}")[1]
    assert rounds <= made <= rounds + 1


def test_a_limit_that_a_round_sets_is_kept_to() -> None:
    module, _ = module_of("for (i = 0; i < n; i++) { cudaMemset(data, 0, n); n = 50; }")
    assert module.launches[-1].arguments[-1] == 50
