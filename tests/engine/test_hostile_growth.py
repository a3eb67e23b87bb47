"""Small files of a kind that took minutes or gigabytes: every rule ends, and nothing fails."""

from __future__ import annotations

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import InputFile, Inputs
from warplint.analyzer.engine.processes.deep_stack import deeply
from warplint.analyzer.findings.rule import Input
from warplint.rules import load_rules

HEAD = "__global__ void k(float *o, const float *a, int n) { int t = threadIdx.x, x = 0;\n"
END = "\no[t] = x; }\n"


def doubled(count: int) -> str:
    structs = "".join(f"struct S{i + 1} {{ S{i} a, b; }};\n" for i in range(count))
    return (
        f"struct S0 {{ float v; }};\n{structs}{HEAD}S{count} q; __shared__ S{count} w[4];"
        f" w[t & 3] = q; o[t] = q{'.a' * count}.v;{END}"
    )


INPUTS = {
    "structs in structs": doubled(32),
    "macros in macros": "#define M0 a[t]\n"
    + "".join(f"#define M{i + 1} (M{i} + M{i})\n" for i in range(3_000))
    + f"{HEAD}x = M3000;{END}",
    "a string": f'{HEAD}const char s[] = "{"ab" * 20_000}"; x = s[t];{END}',
    "broken escapes": f'{HEAD}const unsigned char s[] = "{(chr(92) + "u") * 20_000}";{END}',
    "labels that are not there": HEAD
    + "if (t) goto nowhere; for (int i = 0; i < n; i++) { if (i > t) goto a; x++; }"
    + END,
    "a byte order mark in the middle": "int v;\n\ufeff__global__ void q() {}\n" + HEAD + END,
    "a table": f"{HEAD}int c[] = {{{', '.join(map(str, range(20_000)))}}}; x = c[t];{END}",
    "tables in tables": f"{HEAD}int c[][3] = {{{'{1, 2, 3},' * 5_000}}}; x = c[t][1];{END}",
    "slashes": f"#incl{'/' * 100_000}\n{HEAD}{END}",
    "a long word": f"#include{'a' * 100_000}\n{HEAD}{END}",
    "halving loops": HEAD
    + "__shared__ float s[256];"
    + "for (int m = 128; m > 0; m >>= 1) { if (t < m) s[t] += s[t + m]; __syncthreads(); }\n" * 120
    + END,
    "while loops": HEAD + "".join(f"while (x < {i}) x += a[x];\n" for i in range(250)) + END,
    "cases": f"{HEAD}switch (t) {{ {' '.join(f'case {i}:' for i in range(3_000))} }}{END}",
    "launches": f"{HEAD}{END}" * 100 + "int main() { k<<<1, 2048>>>(0, 0, 0); }\n" * 100,
    "cases that end": f"{HEAD}switch (t) {{"
    + "".join(f"case {i}: x = a[{i}]; break;\n" for i in range(1_500)) + "}" + END,
    "early returns": HEAD
    + "".join(f"if (x > {i}) return; x += a[{i}];\n" for i in range(2_500)) + END,
    "iterations that go on": f"{HEAD}for (int i = 0; i < n; i++) {{\n"
    + "if (a[i] > x) continue; x += t;\n" * 1_500 + "}" + END,
    "calls without an end": f"{HEAD}{'f(x; ' * 20_000}{END}",
    "macros without an end": f"#define F(v) (v)\n{HEAD}x = {'F(' * 30_000}t;{END}",
    "macros in arguments": f"#define F(v) (v)\n{HEAD}x = {'F(' * 30_000}t{')' * 30_000};{END}",
    "statements in arguments": f"#define F(...) __VA_ARGS__\n{HEAD}"
    + "F(x++; " * 15_000 + ")" * 15_000 + ";" + END,
    "heads of templates": f"{HEAD}{END}{'template<' * 30_000}",
    "namespaces": "namespace a { " * 15_000 + "}" * 15_000 + HEAD + END,
    "kernels of one name": "".join(
        f"struct T{i} {{}}; __global__ void k(T{i} v, float *o) {{ o[0] = {i}; }}\n"
        for i in range(400)
    )
    + "".join(f"void f{i}() {{ k<<<1, 32>>>(T{i}(), 0); }}\n" for i in range(400)),
    "suppressions": HEAD + "x += 1; // warplint: ignore[GLB001] because\n" * 4_000 + END,
    "suppressions in suppressions": "// warplint: ignore-begin[GLB001]\n" * 4_000
    + "// warplint: ignore-end[GLB002]\n" * 4_000 + HEAD + END,
    "endless loops": HEAD + "".join(f"if (a[{i}] > t) for (;;) x++;\n" for i in range(200)) + END,
}  # fmt: skip


@pytest.mark.parametrize("name", INPUTS)
def test_every_rule_ends(name: str) -> None:
    file = InputFile("k.cu", Input.CUDA, INPUTS[name].encode())
    rules = tuple(load_rules().values())
    result = check(Inputs([file]), Settings(), rules)
    (outcome,) = result.inputs
    assert outcome.kernels >= 1
    assert not [each.message for each in outcome.problems if "internal error" in each.message]


def test_deep_work_is_done() -> None:
    def depth(left: int) -> int:
        return 0 if not left else 1 + depth(left - 1)

    assert deeply(lambda: depth(5_000)) == 5_000


def test_deeper_work_is_an_error_of_python() -> None:
    def forever() -> int:
        return forever() + 1

    with pytest.raises(RecursionError):
        deeply(forever)
