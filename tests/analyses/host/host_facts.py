"""Facts of host code, for tests."""

from __future__ import annotations

from analyses.kernels import cuda_module

from warplint.analyzer.analyses.facts import AnalysisOptions
from warplint.analyzer.analyses.host.facts import HostFacts

KERNEL = """__global__ void k(float *p, int n) { p[threadIdx.x] = n; }
__constant__ float table[64];
__device__ float state[64];
"""


def host_facts(body: str, parameters: str = "int n") -> HostFacts:
    """The facts of a function of the host that has this body, after a kernel and two variables."""
    text = f"{KERNEL}void run({parameters}) {{\n{body}\n}}\n"
    return HostFacts(cuda_module(text), AnalysisOptions())
