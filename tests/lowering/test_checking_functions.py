"""What holds of host variables after calls of functions that check them."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

FILE = """
__global__ void k(float *out, int count) { out[threadIdx.x] = count; }
void fail(const char *text) { puts(text); exit(1); }
void check(int n, int by) { if (n % by || n < 8) { exit(1); } }
void require(bool holds) { puts(""); if (!holds) exit(1); }
void changed(int n) { n = 3; if (n % 64) exit(1); }
void late(int n, bool all) { if (!all) return; if (n % 64) exit(1); }
void warn(int n) { if (n % 64) puts("n"); }
bool fits(int n) { return !(n % 64); }
bool likely(int n) { int m = n; return m % 64 == 0; }
void all(int n) { check(n, 64); }
"""


@pytest.mark.parametrize(
    ("step", "multiple"),
    [
        ("check(n, 64);", 64),
        ("all(n);", 1),  # what only such a function calls is not read
        ("if (n % 64) fail(0); check(n, 32);", 64),
        ("require(n % 64 == 0);", 64),
        ("require(fits(n) && n > 3);", 64),
        ("if (!fits(n)) return;", 64),
        ("if (n % 64) fail(0);", 64),
        ("do { if (n % 64) fail(0); } while (0);", 64),
        ("int b = n / 64; require(b * 64 == n);", 64),
        ("do { if (n % 64) break; } while (0);", 1),
        ("if (fits(n)) return;", 1),
        ("require(m % 64 == 0);", 1),
        ("changed(n);", 1),
        ("late(n, true);", 1),
        ("warn(n);", 1),
        ("require(likely(n));", 1),
        ("check();", 1),
    ],
)
def test_what_is_checked_holds(step: str, multiple: int) -> None:
    host = f"void f(float *p, int n, int m) {{ {step} k<<<n / 64, 64>>>(p, n); }}"
    (kernel,) = cuda_module(FILE + host).kernels
    multiples = kernel.launches[0].multiples
    assert (multiples[1] if len(multiples) > 1 else 1) == multiple
