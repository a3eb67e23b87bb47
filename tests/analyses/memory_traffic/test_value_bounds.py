"""The greatest values in a launch, against values that are tried."""

from __future__ import annotations

from itertools import product

import pytest
from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.memory_traffic.value_bounds import ValueBounds
from warplint.analyzer.ir import operations
from warplint.analyzer.ir.values import whole_number

LIMIT = (1 << 31) - 1
#: Each leaf with the values that it takes in a launch of 3 blocks of 5 threads, n = 7, m = 2.
LEAVES = {
    "threadIdx.x": range(5),
    "blockIdx.x": range(3),
    "blockDim.x": [5],
    "gridDim.x": [3],
    "n": [7],
    "m": [2],
    "4": [4],
}
OPERATORS = ["+", "*", "/", "%", "-", "&", "min", "max", ">>"]
Expression = str | tuple[str, "Expression", "Expression"]
expressions: st.SearchStrategy[Expression] = st.recursive(
    st.sampled_from(sorted(LEAVES)),
    lambda inner: st.tuples(st.sampled_from(OPERATORS), inner, inner),
    max_leaves=5,
)


def text_of(expression: Expression) -> str:
    if isinstance(expression, str):
        return f"(int){expression}"
    operator, left, right = expression
    first, second = text_of(left), text_of(right)
    if operator in ("min", "max"):
        return f"{operator}({first}, {second})"
    return f"({first} {operator} {second})"


def value(expression: Expression, leaves: dict[str, int]) -> int:
    """The value; ValueError where C++ has none, or it is below zero."""
    if isinstance(expression, str):
        return leaves[expression]
    operator = expression[0]
    left, right = (value(each, leaves) for each in expression[1:])
    if operator in ("/", "%") and right == 0:
        raise ValueError
    results = {
        "+": lambda: left + right,
        "-": lambda: left - right,
        "*": lambda: left * right,
        "/": lambda: left // right,
        "%": lambda: left % right,
        "&": lambda: left & right,
        ">>": lambda: left >> min(right, 31),
        "min": lambda: min(left, right),
        "max": lambda: max(left, right),
    }
    found = results[operator]()
    if not 0 <= found <= LIMIT:
        raise ValueError
    return found


def bound(expression: str, launch: str = "k<<<3, 5>>>(p, 7, 2);") -> int | None:
    text = f"""__global__ void k(int *p, int n, int m) {{ p[0] = {expression}; }}
    void run(int *p, int q, int r) {{ {launch} }}"""
    facts = facts_of(text)
    return ValueBounds(facts.launches[0]).most(facts.accesses[-1].operands[1])


@settings(max_examples=60)
@given(expressions)
def test_no_value_exceeds_its_bound(expression: Expression) -> None:
    tried = []
    for numbers in product(*LEAVES.values()):
        try:
            tried.append(value(expression, dict(zip(LEAVES, numbers, strict=True))))
        except ValueError:
            continue
    found = bound(text_of(expression))
    assert found is None or not tried or max(tried) <= found


@pytest.mark.parametrize(
    ("expression", "launch", "expected"),
    [
        ("blockIdx.x * blockDim.x + threadIdx.x", "k<<<3, 5>>>(p, 7, 2);", 14),
        ("blockIdx.x", "k<<<q, 5>>>(p, 7, 2);", LIMIT - 1),
        ("blockIdx.y", "k<<<dim3(q, r), 5>>>(p, 7, 2);", 65_534),
        ("gridDim.x", "k<<<min(q, 80), 5>>>(p, 7, 2);", 80),
        ("n", "k<<<3, 5>>>(p, q, 2);", None),
        ("n", "k<<<3, 5>>>(p, q % 9, 2);", 8),
        ("n % 6", "k<<<3, 5>>>(p, q, 2);", 5),
        ("(unsigned char)n", "k<<<3, 5>>>(p, q, 2);", 255),
        ("(int)(short)n", "k<<<3, 5>>>(p, q, 2);", 32_767),
        ("p[n]", "k<<<3, 5>>>(p, q, 2);", None),
        ("-1", "k<<<3, 5>>>(p, q, 2);", None),
        ("threadIdx.x / 2", "k<<<3, 5>>>(p, q, 2);", 2),
    ],
)
def test_bounds(expression: str, launch: str, expected: int | None) -> None:
    assert bound(expression, launch) == expected


@pytest.mark.parametrize(
    ("expression", "launch", "expected"),
    [
        ("blockIdx.x * n", "k<<<3, 5>>>(p, 50, 2);", True),
        ("blockIdx.x * n", "k<<<3, 5>>>(p, 49, 2);", False),
        ("blockIdx.x * n", "k<<<q, 5>>>(p, 50, 2);", False),
        ("blockIdx.y * n", "k<<<3, 5>>>(p, 500, 2);", False),
        ("blockIdx.x * n", "k<<<3, 5>>>(p, q % 50 + 1, 2);", False),
        ("blockIdx.x * n + p[0]", "k<<<3, 5>>>(p, 50, 2);", False),
        ("n * m", "k<<<3, 5>>>(p, 50, 2);", True),
    ],
)
def test_a_number_is_reached_where_the_launch_says_everything(
    expression: str, launch: str, expected: bool
) -> None:
    facts = facts_of(
        "__global__ void k(int *p, int n, int m) { p[0] = " + expression + "; }\n"
        "void h(int *p, int q) { " + launch + " }"
    )
    store = next(each for each in facts.accesses if each.writes)
    assert ValueBounds(facts.launches[0]).is_reached(store.operands[1], 100) is expected


def test_a_counter_is_bounded_by_the_tests_of_its_loop() -> None:
    facts = facts_of(
        """__global__ void k(int *p, int n, int m) {
            for (int i = blockIdx.x; i < n; i += gridDim.x) p[i * 12] = 0;
            for (int j = threadIdx.x; j != m; j += 32) p[j * 24] = 1;
        }
        void run(int *p, int n, int m) { if (n <= 100) k<<<n, 32>>>(p, n, m); }"""
    )
    bounds = ValueBounds(facts.launches[0])
    products = [each for each in facts.kernel.operations() if each.opcode is operations.Opcode.MUL]
    found = {number: bounds.most(each) for each in products for number in _constants(each)}
    assert found[12] == 1200
    assert found[24] is None


def _constants(product: operations.Operation) -> list[int]:
    return [n for each in product.operands if (n := whole_number(each)) is not None]


def test_what_the_source_states() -> None:
    text = "#include <cassert>\n__global__ void k(int *p, int n) { assert(n <= 64); p[0] = n * 2; }"
    facts = facts_of(text)
    store = next(each for each in facts.accesses if each.writes)
    assert ValueBounds(facts.launches[0]).most(store.operands[1]) == 128
