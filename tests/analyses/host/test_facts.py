"""Calls, launches and accesses of the host, each in the order of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyses.host.host_facts import host_facts

from warplint.analyzer.analyses.facts import AnalysisOptions
from warplint.analyzer.analyses.host.copies import wrong_copies
from warplint.analyzer.analyses.host.facts import HostFacts
from warplint.analyzer.analyses.host.pointer_uses import accesses_too_early
from warplint.analyzer.cuda.read import CudaOptions, read_cuda
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path

FACTS = host_facts(
    "float *p = (float *)malloc(4 * n);\np[0] = 1;\ncudaMalloc(&p, 4 * n);\n"
    "k<<<1, 32>>>(p, n);\ncudaDeviceSynchronize();"
)
HEADER = """\
inline void copy(void *to, const void *from, size_t n, cudaMemcpyKind kind)
{
    cudaMemcpy(to, from, n, kind);
}
inline int total(const int *v, int n)
{
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += v[i];
    return sum;
}
"""
SOURCE = """\
#include "helpers.h"
__global__ void k(int *p, int n) { p[threadIdx.x] = n; }
int run(int n)
{
    int *h = new int[n], *d, *m;
    cudaMalloc(&d, n * sizeof(int));
    copy(d, h, n * sizeof(int), cudaMemcpyDeviceToHost);
    copy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMallocManaged(&m, n * sizeof(int));
    k<<<1, 64>>>(m, n);
    return total(m, n);
}
"""


def test_each_kind_of_event_by_itself() -> None:
    assert [call.name for call in FACTS.calls] == ["malloc", "cudaMalloc", "cudaDeviceSynchronize"]
    assert [launch.kernel for launch in FACTS.launches] == ["k"]
    assert [access.span.text for access in FACTS.accesses] == ["p[0]"]


def test_what_helpers_in_headers_are_given_is_told_of_the_call_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "helpers.h").write_text(HEADER, encoding="utf-8")
    path = tmp_path / "run.cu"
    path.write_text(SOURCE, encoding="utf-8")
    module = read_cuda(SourceText(str(path), SOURCE), CudaOptions(arch=90))
    facts = HostFacts(module, AnalysisOptions())
    assert [found.place.line for found in wrong_copies(facts)] == [7]
    (early,) = accesses_too_early(facts)
    assert early.through is not None
    assert early.through.line == 11
    assert early.span.line == 8
    assert all(call.span.source is module.source for call in facts.calls)
    assert len(facts.reached_calls) > len(facts.calls)
