"""Where local arrays end up: compiles small kernels and asks ptxas for their stack frames.

`python bench/local_arrays.py --arch sm_80,sm_90,sm_120` needs nvcc. It prints for each way to index
an array up to which size every variant stays in registers and from which size on none does, and
writes every single result to tests/data/local_arrays.json. analyzer/hardware/local_arrays.toml
rests on that file, and so do the tests of the analysis.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

OUTPUT = Path(__file__).parents[1] / "tests" / "data" / "local_arrays.json"
SIZES = [2, 3, 4, 5, 6, 8, 9, 10, 12, 14, 16, 17, 20, 24, 32, 33, 48, 64, 65, 80, 96, 128]

HELPER = """\
__device__ __noinline__ float total(const float *values, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += values[i];
    return sum;
}
"""
FILLS = {
    "copied": "for (int i = 0; i < N; ++i) l[i] = in[i];",
    "computed": "for (int i = 0; i < N; ++i) l[i] = i * j + threadIdx.x;",
    "table": "for (int i = 0; i < N; ++i) l[i] = (i * 37 + 11) % 101;",
}
INDICES = ["j", "k", "j ^ k", "j & k", "j | k", "j / k", "j % k", "j >> k"]
COPY_OUT = "for (int i = 0; i < N; ++i) out[i] = l[i];"


def _reads(count: int) -> str:
    return "out[0] = " + " + ".join(f"l[{index}]" for index in INDICES[:count]) + ";"


def _stores(count: int) -> str:
    stores = [f"l[{index}] = {number}.0f;" for number, index in enumerate(INDICES[:count], 3)]
    return " ".join([*stores, COPY_OUT])


def _sum(loop: str, term: str) -> str:
    return f"float s = 0;\n    {loop} s += {term};\n    out[0] = s;"


ROUNDS = "for (int r = 0; r < j; ++r)"
FIXED = "for (int r = 0; r < 16; ++r)"
COUNTED = "for (int i = 0; i < j; ++i)"
KEPT = "\n    #pragma unroll 1\n    for (int i = 0; i < N; ++i)"
USES = {
    "static": _sum("for (int i = 0; i < N; ++i)", "l[i] * l[N - 1 - i]"),
    **{f"read-{count}": _reads(count) for count in range(1, 9)},
    **{f"store-{count}": _stores(count) for count in (1, 2, 3, 4)},
    "store-and-read": "l[j] = 3.0f;\n    out[0] = l[k];",
    "update": f"l[j] += 3.0f;\n    {COPY_OUT}",
    "loop-read": _sum(ROUNDS, "l[idx[r]]"),
    "loop-read-twice": _sum(ROUNDS, "l[idx[r]] * l[idx[r] ^ 1]"),
    "loop-store": f"{ROUNDS} l[idx[r]] = in[r];\n    {COPY_OUT}",
    "loop-update": f"{ROUNDS} l[idx[r]] += in[r];\n    {COPY_OUT}",
    "short-fixed-loop-read": _sum("for (int r = 0; r < 4; ++r)", "l[idx[r]]"),
    "fixed-loop-read": _sum(FIXED, "l[idx[r]]"),
    "fixed-loop-store": f"{FIXED} l[idx[r]] = in[r];\n    {COPY_OUT}",
    "fixed-loop-update": f"{FIXED} l[idx[r]] += in[r];\n    {COPY_OUT}",
    "counter-read": _sum(COUNTED, "l[i] * in[i]"),
    "counter-store": f"{COUNTED} l[i] = in[i];\n    {COPY_OUT}",
    "counter-update": f"{COUNTED} l[i] += in[i];\n    {COPY_OUT}",
    "kept-read": _sum(KEPT, "s * 2 + l[i]"),
    "kept-store": f"{KEPT} l[i] = in[i + 1];\n    {COPY_OUT}",
    "kept-update": f"{KEPT} l[i] += in[i + 1];\n    {COPY_OUT}",
    "kept-twice": f"{KEPT} l[i] = in[i + 1];\n    {_sum(KEPT, 's * 2 + l[i]')}",
    "passed-on": "out[0] = total(l, N);",
}
OTHER_ELEMENTS = {
    "volatile float": ["static", "read-1", "loop-read"],
    "int": ["static", "read-1", "loop-read"],
    "char": ["static", "read-1", "store-1", "loop-read"],
    "short": ["static", "read-1", "store-1", "loop-read"],
    "double": ["static", "read-1", "store-1", "loop-read"],
    "long long": ["read-1", "loop-read"],
}


@dataclass(frozen=True)
class Variant:
    """One way to fill and use an array; the size is the macro N."""

    use: str
    fill: str
    element: str

    @property
    def body(self) -> str:
        """The kernel's body."""
        return f"    {self.element} l[N];\n    {FILLS[self.fill]}\n    {USES[self.use]}\n"

    def kernel(self, name: str, size: int) -> str:
        """The kernel for one size."""
        parameters = "const float *in, float *out, const int *idx, int j, int k"
        body = f"    constexpr int N = {size};\n{self.body}"
        return f'extern "C" __global__ void {name}({parameters}) {{\n{body}}}\n'


def variants() -> Iterator[Variant]:
    """Every combination that is measured."""
    elements = {"float": list(USES), **OTHER_ELEMENTS}
    for element, uses in elements.items():
        for use in uses:
            for fill in FILLS:
                yield Variant(use, fill, element)


def stack_frames(group: list[Variant], arch: str) -> list[list[int]]:
    """Bytes of stack frame for each variant and size."""
    text = HELPER + "".join(
        variant.kernel(f"k{number}_{size}", size)
        for number, variant in enumerate(group)
        for size in SIZES
    )
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "arrays.cu")
        source.write_text(text, encoding="utf-8")
        command = ["nvcc", f"-arch={arch}", "-cubin", "-Xptxas", "-v", "-o", "arrays.cubin"]
        done = subprocess.run(
            [*command, source.name], cwd=folder, capture_output=True, encoding="utf-8", check=True
        )
    frames = dict(
        re.findall(r"Function properties for (k\d+_\d+)\n\s*(\d+) bytes stack frame", done.stderr)
    )
    return [[int(frames[f"k{number}_{size}"]) for size in SIZES] for number in range(len(group))]


def band(frames: list[list[int]]) -> tuple[int, int | None]:
    """The largest size up to which no variant has a frame, the smallest from which all have."""
    registers, local = 0, None
    for place, size in enumerate(SIZES):
        if any(row[place] for row in frames):
            break
        registers = size
    for place in reversed(range(len(SIZES))):
        if not all(row[place] for row in frames):
            break
        local = SIZES[place]
    return registers, local


def main() -> None:
    """Measure, print the bands, write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", default="sm_80,sm_90,sm_120")
    architectures = parser.parse_args().arch.split(",")
    everything = list(variants())
    frames: dict[Variant, dict[str, list[int]]] = {variant: {} for variant in everything}
    for arch in architectures:
        for first in range(0, len(everything), 12):  # small files: nvcc's time is not linear
            group = everything[first : first + 12]
            for variant, row in zip(group, stack_frames(group, arch), strict=True):
                frames[variant][arch] = row
    by_use: dict[tuple[str, str], list[list[int]]] = {}
    for variant, rows in frames.items():
        by_use.setdefault((variant.element, variant.use), []).extend(rows.values())
    for (element, use), rows in by_use.items():
        registers, local = band(rows)
        print(f"{element:<15} {use:<22} registers up to {registers:>3}, local from {local}")
    version = subprocess.run(["nvcc", "--version"], capture_output=True, encoding="utf-8")
    document = {
        "tools": re.search(r"V[\d.]+", version.stdout)[0],  # type: ignore[index]
        "helper": HELPER,
        "sizes": SIZES,
        "kernels": [
            {
                "use": variant.use,
                "fill": variant.fill,
                "element": variant.element,
                "body": variant.body,
                "stack_frames": rows,
            }
            for variant, rows in frames.items()
        ],
    }
    OUTPUT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
