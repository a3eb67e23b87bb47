"""Which atomic operation is advised for an update."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("kind", "update", "title"),
    [
        ("unsigned", "a[0] |= t", "use `atomicOr`"),
        ("unsigned long long", "a[0] = a[0] & t", "use `atomicAnd`"),
        ("int", "a[0] ^= t", "use `atomicXor`"),
        ("unsigned char", "a[b[t] / 8] |= 1 << (b[t] & 7)", "`atomicOr` on the 32-bit word"),
        ("int", "a[b[t]] += 3", "use `atomicAdd`"),
        ("float", "a[0] += t", "use `atomicAdd`"),
        ("float", "a[0] = a[0] + t - b[t]", "use `atomicAdd`"),
        ("float", "a[0] = 0.9f * a[0] + t", "a loop around `atomicCAS`"),
        ("float", "a[0] += 0.1f * (t - a[0])", "a loop around `atomicCAS`"),
        ("int", "a[0] = t - a[0]", "a loop around `atomicCAS`"),
        ("int", "a[0]++", "let a single thread do the update; if every thread is to add"),
        ("int", "a[blockIdx.x] *= b[0]", "let a single thread do the update"),
        ("int", "if (t < b[0]) a[0] *= b[1]", "let a single thread do the update"),
        ("int", "if (t > 40) return; a[0] *= b[1]", "let a single thread do the update"),
        ("int", "if (b[t] < 0) a[0] *= -1", "a loop around `atomicCAS`"),  # for each that is less
        ("int", "int n = 0; if (b[t] < 0) n = 1; if (n) a[0] *= -1", "a loop around `atomicCAS`"),
        ("int", "if (t > 40) a[0] += 1", "use `atomicAdd`, or let every thread keep"),
        ("int", "a[0] = max(a[0], t)", "`atomicMax`"),
        ("float", "a[0] = fmaxf(a[0], t)", "a loop around `atomicCAS`"),
        ("float", "a[0] *= t", "a loop around `atomicCAS`"),
        ("int", "a[0] = -a[0]", "let a single thread do the update"),
    ],
)
def test_the_operation_is_the_one_of_the_update(
    tmp_path: Path, kind: str, update: str, title: str
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        f"__global__ void k({kind} *a, const int *b) {{ int t = threadIdx.x; {update}; }}\n"
        f"void h({kind} *a, const int *b) {{ k<<<1, 256>>>(a, b); }}\n"
    )
    rule = (load_rules()["SYN007"],)
    (found,) = check(collect_inputs([str(path)]), Settings(), rule).findings
    assert title in found.fixes[0].title


def test_who_only_reads_is_not_said_to_update(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "__global__ void k(int *a) { if (threadIdx.x == 3) {"
        " int before = a[0]; if (blockIdx.x == 1) a[0] = before + 1; } }\n"
        "void h(int *a) { k<<<4, 64>>>(a); }\n"
    )
    (found,) = check(collect_inputs([str(path)]), Settings(), (load_rules()["SYN007"],)).findings
    writes, reads = found.text.split(", while ")
    assert writes == "thread (3, 0, 0) of block (1, 0, 0) updates a[0] without an atomic"
    assert reads == "thread (3, 0, 0) of block (0, 0, 0) reads it: that may miss the update"


def test_what_every_thread_does_alike_is_not_said_to_be_lost(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "__global__ void k(float *a, const float *b, int n) {"
        " for (int i = 0; i < n; ++i) a[i] /= b[blockIdx.x]; }\n"
        "void h(float *a, float *b) { k<<<1, 64>>>(a, b, 7); }\n"
    )
    (found,) = check(collect_inputs([str(path)]), Settings(), (load_rules()["SYN007"],)).findings
    assert found.text.endswith("and so does every thread: how often it takes effect is undefined")


def test_who_leaves_before_is_not_among_those_who_do_it(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "__global__ void k(const float *b, float *loss, int n, int count) {\n"
        "    extern __shared__ float s[];\n"
        "    int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (t >= count) return;\n"
        "    for (int d = threadIdx.x; d < n; d += blockDim.x) s[d] = b[d * n + t];\n"
        "    __syncthreads();\n"
        "    float most = -1e20f;\n"
        "    for (int d = 0; d < n; ++d) most = fmaxf(most, s[d]);\n"
        "    for (int d = 0; d < n; ++d) s[d] = expf(s[d] - most);\n"
        "    __syncthreads();\n"
        "    loss[t] = s[threadIdx.x % n];\n"
        "}\n"
        "void h(float *b, float *l) { k<<<4, 256, 256 * 4>>>(b, l, 64, 1000); }\n"
    )
    (found,) = check(collect_inputs([str(path)]), Settings(), (load_rules()["SYN007"],)).findings
    assert "and so does every thread that comes here: how often" in found.text
    assert [fix.title for fix in found.fixes] == ["let a single thread do the update"]
