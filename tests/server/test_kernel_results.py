"""Results of kernels that did not change: used again where that makes no difference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.server.analysis import Analysis

Plain = dict[str, Any]

TEXT = """#define WIDTH 32
__device__ float twice(float v) { return v + v; }

__global__ void first(const float *in, float *out)
{
    __shared__ float tile[32][WIDTH];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void second(float *data, int n)
{
    int i = threadIdx.x;  // a comment
    if (i < n) {
        data[i * 8] = twice(data[i * 8]);
        __syncthreads();
    }
}

void run(const float *in, float *out, float *data)
{
    first<<<1, dim3(32, 32)>>>(in, out);
    second<<<1, 256>>>(data, 100);
}
"""
PATH = "/nowhere/kernels.cu"


class Checking:
    """One process that checks again and again."""

    def __init__(self, **configuration: Any) -> None:
        self.analysis = Analysis()
        self.number = 0
        self.set(**configuration)

    def set(self, **configuration: Any) -> None:
        job = {"do": "set", "encoding": "utf-16", "rule_url": "", "isolated": True}
        self.analysis.do({**job, "configuration": configuration})

    def check(self, text: str) -> Plain:
        """What is shown of a text, without what depends on how often one asked."""
        uri = Path(PATH).as_uri()
        document = {"uri": uri, "path": PATH, "language": "cuda", "text": text, "root": "/nowhere"}
        self.analysis.do({"do": "documents", "opened": [document], "closed": []})
        self.number += 1
        found: Plain = self.analysis.do({"do": "check", "id": self.number})["files"]
        return found

    @property
    def used(self) -> int:
        return self.analysis.kernels.used


def used_for(new: str, old: str = TEXT) -> int:
    """How many kernels are not checked again when a text becomes another one."""
    checking = Checking()
    checking.check(old)
    assert checking.used == 0
    found = checking.check(new)
    assert found == Checking().check(new)
    return checking.used


@pytest.mark.parametrize(
    ("old", "new", "used"),
    [
        ("threadIdx.x;  // a comment", "threadIdx.x * 1;", 1),  # in the body of one kernel
        ("// a comment", "// another longer comment", 1),
        ("tile[threadIdx.x]", "tile[threadIdx.x ]", 1),
        ("const float *in, float *out, float", "const float *in,  float *out,   float", 2),
        ("v + v", "v * 2", 1),  # what is inlined into one of them
        ("WIDTH 32", "WIDTH 33", 1),  # a macro that one of them uses
        ("dim3(32, 32)", "dim3(32, 16)", 1),  # the launch of one of them
        ("(data, 100)", "(data, 256)", 1),
        # A witness was found in a kernel that calls, and its function did not move with it.
        ("\n__global__ void second", "\n\n__global__ void second", 1),
        ("\n__global__ void first", "// above\n\n__global__ void first", 1),
        ("#define WIDTH 32\n", "#define WIDTH 32\n\n\n", 2),
        ("    second<<<", "\n    second<<<", 2),
        ("    int i = threadIdx.x;", "    int i =\n threadIdx.x;", 1),
    ],
)
def test_what_changed_is_checked_again(old: str, new: str, used: int) -> None:
    assert old in TEXT
    assert used_for(TEXT.replace(old, new)) == used


def test_settings_are_a_part_of_the_key() -> None:
    checking = Checking()
    checking.check(TEXT)
    checking.set(arch="sm_70")
    checking.check(TEXT)
    assert checking.used == 0


def test_what_was_undone_is_known() -> None:
    checking = Checking()
    before = checking.check(TEXT)
    checking.check(TEXT.replace("v + v", "v * 2"))
    assert checking.check(TEXT) == before


PIECES = [
    "",
    " ",
    "\n",
    "x",
    "1",
    "}",
    "{",
    ";",
    "/*",
    "*/",
    "//",
    '"',
    "__syncthreads();",
    "i * 2",
]
EDIT = st.tuples(st.integers(0, len(TEXT)), st.integers(0, 12), st.sampled_from(PIECES))


@settings(max_examples=12)
@given(st.lists(EDIT, min_size=2, max_size=5))
def test_random_edits_show_what_a_fresh_check_shows(edits: list[tuple[int, int, str]]) -> None:
    checking = Checking()
    text = TEXT
    for start, length, new in edits:
        text = text[:start] + new + text[start + length :]
        found = checking.check(text)
    assert found == Checking().check(text)
