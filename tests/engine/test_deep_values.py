"""Values made of thousands of parts, or doubled over and over: every rule comes to an end.

Generated and unrolled code holds such values, which damaged fixtures never do. A walk that follows
every way to a part, instead of every part once, does not end here within the life of the test run.
"""

from __future__ import annotations

import pytest

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.cuda.read import CudaOptions, read_cuda
from warplint.analyzer.findings.rule import Input, Subject
from warplint.analyzer.source.text import SourceText
from warplint.rules import load_rules

_GROWN = {
    "a long sum": "".join(f"V = V + {i};" for i in range(300)),
    "a long sum of data": "".join(f"V = V + in[{i}];" for i in range(100)),
    "doubled": "V = V + V + n;" * 60,
    "squared": "V = V * V;" * 33,
    "folded": "V = V ^ (V >> 1);" * 60,
    "loaded": "V = in[V];" * 60,
    "chosen": "".join(f"V = n > {i} ? V + 1 : V * 2;" for i in range(60)),
    "clamped": "".join(f"V = min(V, in[{i}]) + max(V, {i});" for i in range(60)),
    "counted": "".join(f"if (in[{i}] > {i}) V += {i + 1};" for i in range(40)),
    "nested conditions": "".join(f"if (V > {i}) {{ V += {i};" for i in range(60)) + "}" * 60,
    "nested loops": "".join(f"for (int i{i} = 0; i{i} < n; i{i}++) {{" for i in range(4))
    + "V += 1;"
    + "}" * 4,
    "loops": "".join(f"for (int i = 0; i < n; i++) V += i + {i};" for i in range(15)),
    "two that change each other": "{ int w = n; for (int i = 0; i < n; i++) {"
    + "V = V + w; w = w + V;" * 40
    + "} V = w; }",
}
_USES = (
    "out[a] = 1; out[a] = out[b] + 1; out[threadIdx.x] = in[a];"
    "out[threadIdx.x] = __shfl_down_sync(~0u, a, 1) + b;",
    "if (a > out[0]) atomicAdd(&out[a], b);"
    "int l[64]; l[a & 63] = 1; out[threadIdx.x] = l[b & 63];"
    "if (a < b) s[threadIdx.x] = 1; for (int i = 0; i < a; i++) { out[i] = s[b & 255]; }",
)


@pytest.mark.parametrize("start", ["threadIdx.x", "in[threadIdx.x]"])
@pytest.mark.parametrize("grown", _GROWN.values(), ids=_GROWN)
def test_what_stands_behind_is_still_found(grown: str, start: str) -> None:
    values = "".join(f"int {v} = {start};{grown.replace('V', v)}" for v in "ab")
    race = "__syncthreads(); s[threadIdx.x] = n;\nout[threadIdx.x] = s[threadIdx.x ^ 128];"
    kernels = "".join(
        f"__global__ void __launch_bounds__(256) k{place}(const int *in, int *out, int n)"
        f"{{ __shared__ int s[256]; {values} {use} {race} }}\n"
        for place, use in enumerate(_USES)
    )
    module = read_cuda(SourceText("deep.cu", kernels), CudaOptions())
    rules = [
        rule
        for rule in load_rules().values()
        if rule.subject is Subject.KERNEL and Input.CUDA in rule.inputs and rule.check
    ]
    for place, kernel in enumerate(module.kernels):
        facts = KernelFacts(kernel, module, AnalysisOptions(block=(256, 1, 1)))
        found = {(each.rule.code, each.span.line) for rule in rules for each in rule.check(facts)}
        assert ("SYN002", 2 * place + 2) in found
    assert len(module.kernels) == len(_USES)
