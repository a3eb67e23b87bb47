"""The figures of the course notes and guides that warplint began with, one test for each.

`data/founding_figures.json` has the figures: what the document says, and the number as it must come
out, which is the corrected one where the document is wrong (`status` and `note` say how). Each is
computed here from its inputs by the models and analyses that users get.
"""

from __future__ import annotations

import json
import re
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from analyses.kernels import body_facts, facts_of, ptx_module
from founding_kernels import FIGURE_4_7, GEMM, NAIVE, SPILLING, TILED

from warplint.analyzer.analyses.pointers.work import Work, hot_work
from warplint.analyzer.analyses.storage.memory_spaces import describe
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.file_check import check_file
from warplint.analyzer.engine.inputs import InputFile
from warplint.analyzer.findings.rule import Input
from warplint.analyzer.hardware.architectures import architecture
from warplint.analyzer.hardware.devices import Device, device_of
from warplint.analyzer.hardware.sectors import LINE_BYTES
from warplint.analyzer.ir.memory import Space
from warplint.analyzer.ir.operations import MemoryAccess
from warplint.analyzer.ptx.estimate.register_code import read_code
from warplint.analyzer.ptx.estimate.register_pressure import highest_pressure
from warplint.analyzer.ptx.syntax.parse import parse_ptx
from warplint.analyzer.resources.occupancy import Occupancy, Resource, occupancy
from warplint.analyzer.source.text import SourceText
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from warplint.analyzer.analyses.facts import KernelFacts
    from warplint.analyzer.analyses.memory_traffic.shared_accesses import SharedAccess
    from warplint.analyzer.findings.finding import Finding

KB = 1024
FIGURES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "founding_figures.json").read_text(encoding="utf-8")
)
Inputs = Any  # the JSON of one figure's inputs
COMPUTED: dict[str, Callable[[Inputs], object]] = {}


def figure(*names: str) -> Callable[[Callable[[Inputs], object]], Callable[[Inputs], object]]:
    """Says which figures a function computes."""

    def register(compute: Callable[[Inputs], object]) -> Callable[[Inputs], object]:
        for name in names:
            assert name not in COMPUTED
            COMPUTED[name] = compute
        return compute

    return register


# ---- work per byte -------------------------------------------------------------------------------


def device(inputs: Inputs) -> Device:
    """The product that stands for an architecture."""
    found = device_of(architecture(inputs["cc"]).capability)
    assert found is not None
    return found


def work_of(text: str) -> Work:
    """The hot loop of the only kernel of a text."""
    found = hot_work(facts_of(text))
    assert found is not None
    return found


def tiled(tile: int, width: int = 1024) -> str:
    """The tiled product with numbers for its tiles and matrices."""
    return f"#define TILE {tile}\n#define WIDTH {width}\n{TILED}"


def operations_per_byte(text: str, inputs: Inputs) -> float:
    """With accesses of so many bytes."""
    cgma = work_of(text).cgma
    assert cgma is not None
    return cgma / inputs["bytes_per_access"]


def share_of_loads(tile: int) -> float:
    """Loads of the tiled product for each of the naive one, at the same work."""
    naive, better = work_of(NAIVE).per_byte, work_of(tiled(tile)).per_byte
    assert naive is not None
    assert better is not None
    return naive / better


def phases(width: int, tile: int) -> int | None:
    """Rounds of the loop over tiles."""
    facts = facts_of(tiled(tile, width))
    loop = next(loop for loop in facts.flow.loops if loop.parent is None)
    return facts.compile_time.iterations(loop)


COMPUTED |= {
    "s0-cgma": lambda inputs: work_of(NAIVE).cgma,
    "s0-bw-naive": lambda inputs: device(inputs).ceiling(operations_per_byte(NAIVE, inputs)),
    "s0-peak": lambda inputs: device(inputs).peak,
    "s0-bw-fraction": lambda inputs: (
        device(inputs).ceiling(operations_per_byte(NAIVE, inputs)) / device(inputs).peak
    ),
    "s0-bw-tiled16": lambda inputs: device(inputs).ceiling(
        operations_per_byte(tiled(inputs["tile"]), inputs)
    ),
    "s0-tile-reduction": lambda inputs: [1 / share_of_loads(tile) for tile in inputs["tiles"]],
    "s0-tile-reduction-16": lambda inputs: share_of_loads(inputs["tile"]),
    "s0-2x2-half": lambda inputs: share_of_loads(inputs["tile"]),
    "s0-phases": lambda inputs: [phases(*pair) for pair in inputs["width_and_tile"]],
    "s1-loads-per-thread": lambda inputs: [phases(*pair) for pair in inputs["width_and_tile"]],
    "s4-titan-bw": lambda inputs: device(inputs).ceiling(1 / inputs["bytes_per_access"]),
    "s4-titan-peak": lambda inputs: device(inputs).peak,
    "s4-flops-per-load": lambda inputs: round(
        device(inputs).peak / device(inputs).ceiling(1 / 4), 1
    ),
    "s4-intensity": lambda inputs: [work_of(tiled(n, n)).cgma for n in inputs["widths"]],
}


# ---- limits --------------------------------------------------------------------------------------


def limits(field: str, unit: int = 1) -> Callable[[Inputs], object]:
    """One limit: of the architecture named, of each of those named, or of all there are."""

    def compute(inputs: Inputs) -> object:
        if "cc" in inputs:
            return getattr(architecture(inputs["cc"]), field) // unit
        values = [getattr(architecture(name), field) // unit for name in inputs["ccs"]]
        return values[0] if len(set(values)) == 1 else values

    return compute


def table(field: str, unit: int = 1) -> Callable[[Inputs], object]:
    """The same for each architecture that the expected table has."""
    names = ("7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "11.0", "12.0")
    return lambda inputs: {name: getattr(architecture(name), field) // unit for name in names}


def everywhere(field: str, names: tuple[str, ...] = ("5.0", "9.0", "12.0")) -> Any:
    """A limit that is the same on all of these."""
    (value,) = {getattr(architecture(name), field) for name in names}
    return value


OLDER = ("5.0", "5.2", "5.3", "6.0", "6.1", "6.2", "7.0", "7.2", "7.5", "8.0", "8.6", "8.7", "8.9")

COMPUTED |= {
    "s0-const": lambda inputs: everywhere("constant_bytes", ("1.0", "9.0")),
    "s1-const": lambda inputs: everywhere("constant_bytes", ("1.3", "2.0")),
    "s4-const-size": lambda inputs: everywhere("constant_bytes", ("3.5", "9.0")),
    "s4-const-cache": lambda inputs: everywhere("constant_cache", ("3.5", "9.0")),
    "s0-g80-regs-sm": lambda inputs: {
        "regs_per_sm": architecture(inputs["cc"]).registers_per_sm,
        "regs_total": inputs["sms"] * architecture(inputs["cc"]).registers_per_sm,
    },
    "s0-g80-threads": limits("threads_per_sm"),
    "s0-g80-smem-sm": limits("shared_per_sm"),
    "s0-g80-blocks": limits("blocks_per_sm"),
    "s1-regs-table": limits("registers_per_sm"),
    "s1-smem-table": limits("shared_per_sm"),
    "s1-local-table": limits("local_per_thread"),
    "s1-20x20": lambda inputs: isqrt(architecture(inputs["cc"]).threads_per_block),
    "s1-warps": limits("warps_per_sm"),
    "s1-warps-2": limits("warps_per_sm"),
    "s3-table-blocks": table("blocks_per_sm"),
    "s3-table-warps": table("warps_per_sm"),
    "s3-table-threads": table("threads_per_sm"),
    "s3-table-regs": limits("registers_per_sm"),
    "s3-table-regs-block": limits("registers_per_block"),
    "s3-table-regs-thread": limits("registers_per_thread"),
    "s3-table-smem": table("shared_per_sm", KB),
    "s3-table-smem-block": table("shared_per_block_optin", KB),
    "s3-table-old": lambda inputs: {
        name: {"blocks": arch.blocks_per_sm, "warps": arch.warps_per_sm}
        for name in (*OLDER, "9.0")
        for arch in [architecture(name)]
    },
    "s3-max-block": lambda inputs: everywhere("threads_per_block"),
    "s3-block-z": lambda inputs: dict(zip("xyz", everywhere("block_dimensions"), strict=True)),
    "s3-grid": lambda inputs: dict(zip("xyz", everywhere("grid_dimensions"), strict=True)),
    "s3-local": lambda inputs: everywhere("local_per_thread"),
    "s3-ampere-block": limits("shared_per_block_optin"),
    "s3-hopper-block": limits("shared_per_block_optin"),
    "s3-volta-maxbytes": limits("shared_per_block_optin"),
    "s3-volta-full": lambda inputs: {
        name: architecture(name).shared_per_block_optin for name in inputs["ccs"]
    },
    "s3-1k-reserved": limits("shared_reserved"),
    "s4-smem-max": lambda inputs: everywhere("shared_per_block"),
    "s4-cacheline": lambda inputs: LINE_BYTES,
    "s3-v100-warps": lambda inputs: {
        "warps_per_sm": architecture(inputs["cc"]).warps_per_sm,
        "partitions": architecture(inputs["cc"]).sub_partitions,
        "warps_per_partition": architecture(inputs["cc"]).warps_per_sm
        // architecture(inputs["cc"]).sub_partitions,
    },
}


@figure("s3-cc12")
def renamed(inputs: Inputs) -> object:
    """Whether two names stand for the same limits."""
    both = [architecture(name) for name in inputs["ccs"]]
    found = [occupancy(each, threads=96, registers=40, static_shared=KB) for each in both]
    alike = found[0].limits == found[1].limits and found[0].fraction == found[1].fraction
    return {"blocks_per_sm": [each.blocks_per_sm for each in both], "alike": alike}


@figure("s3-48k-rule")
def over_48_kilobytes(inputs: Inputs) -> object:
    """The most static shared memory, and what a launch with more is told to set."""
    for name in inputs["ccs"]:
        most = architecture(name).shared_per_block
        assert occupancy(name, threads=32, registers=16, static_shared=most, opt_in=True).blocks
        over = occupancy(name, threads=32, registers=16, static_shared=most + 1, opt_in=True)
        assert not over.blocks
    text = """\
__global__ void k(float *p) { extern __shared__ float s[]; s[0] = 1; p[0] = s[0]; }
void host(float *p) { k<<<1, 32, 50000>>>(p); }
"""
    (finding,) = findings(text, "SHM007")
    needs = re.search(r"cudaFuncAttribute\w+", finding.text)
    return {"static_limit": limits("shared_per_block")(inputs), "needs": needs and needs[0]}


# ---- sizes of arrays -----------------------------------------------------------------------------


def static_bytes(*declarations: str) -> int | None:
    """What arrays of shared memory take."""
    body = "".join(f"__shared__ {each};\n" for each in declarations)
    names = [re.findall(r"(\w+)(?=\[)", each)[0] for each in declarations]
    uses = "".join(f"take((void *){name});\n" for name in names)
    facts = facts_of(f"__device__ void take(void *);\n__global__ void k() {{\n{body}{uses}}}\n")
    return facts.kernel.usage(90).static_shared.value


@figure(
    "s0-tile16-bytes",
    "s0-tile16-block",
    "s0-tile32-bytes",
    "s1-buffer",
    "s1-two-buffers",
    "s3-vec",
    "s4-static",
    "s4-hist",
)
def size_of(inputs: Inputs) -> object:
    """`2 x float [16][16]`."""
    found = re.fullmatch(r"(?:(\d) x )?(\w+) ((?:\[\d+\])+)", inputs["decl"])
    assert found is not None
    return static_bytes(*(f"{found[2]} s{i}{found[3]}" for i in range(int(found[1] or 1))))


@figure("s3-struct-bytes")
def sizes_of_structs(inputs: Inputs) -> object:
    """Each array on its own."""
    return [static_bytes(each) for each in inputs["declarations"]]


@figure("s3-convolve-smem")
def allocated(inputs: Inputs) -> object:
    """What is declared, and what the hardware sets aside for it."""
    size = static_bytes(inputs["decl"].replace(" ", " s"))
    assert size is not None
    taken = occupancy(inputs["cc"], threads=128, registers=16, static_shared=size)
    return {"static_bytes": size, "allocated_bytes": taken.shared_per_block}


# ---- occupancy -----------------------------------------------------------------------------------


def resident(inputs: Inputs) -> Occupancy:
    """The occupancy that a figure's inputs describe."""
    return occupancy(
        inputs["cc"],
        threads=inputs["threads_per_block"],
        registers=inputs.get("regs_per_thread", 10),
        static_shared=inputs.get("smem_per_block", 0),
    )


@figure(
    "s0-g80-11regs",
    "s0-g80-2k",
    "s0-g80-5k",
    "s0-tile16-occ",
    "s0-tile32-occ",
    "s1-4blocks",
    "s1-16k-one-block",
    "s1-32regs",
    "s1-q-1.3-threads",
    "s1-q-2.0-threads",
    "s3-convolve-block",
)
def all_of_a_launch(inputs: Inputs) -> dict[str, object]:
    """Everything that the documents say of launches; a figure picks what it speaks of."""
    found = resident(inputs)
    used = found.blocks * found.shared_per_block
    return {
        "blocks_per_sm": found.blocks,
        "active_threads": found.blocks * inputs["threads_per_block"],
        "active_warps": found.warps,
        "occupancy": found.fraction,
        "limit_smem": found.limits[Resource.SHARED],
        "limit_warps": found.limits[Resource.WARPS],
        "regs_per_block": found.registers_per_block,
        "smem_used": used,
        "smem_fraction": used / found.architecture.shared_per_sm,
        "warps_per_block": found.block.warps,
    }


def most(inputs: Inputs, name: str, values: range) -> int:
    """The largest value of an input at which every warp slot is filled."""
    return max(value for value in values if resident({**inputs, name: value}).fraction == 1)


def most_registers(inputs: Inputs) -> int:
    """The most registers per thread at 100 %."""
    return most(inputs, "regs_per_thread", range(1, 129))


@figure("s1-q-1.3-smem", "s1-q-2.0-smem")
def most_shared(inputs: Inputs) -> object:
    """The most shared memory per block at 100 %."""
    return {"max_smem_per_block": most(inputs, "smem_per_block", range(0, 16 * KB + 1, 16))}


@figure("s2-block")
def blocks_of_tiles(inputs: Inputs) -> object:
    """Two square tiles for each block."""
    sides = inputs["blocks"]
    sizes = [static_bytes(f"float a[{n}][{n}]", f"float b[{n}][{n}]") for n in sides]
    found = [
        resident(inputs | {"threads_per_block": side * side, "smem_per_block": size})
        for side, size in zip(sides, sizes, strict=True)
    ]
    return {
        "bytes": sizes,
        "blocks_per_sm": [each.blocks for each in found],
        "occupancy": [each.fraction for each in found],
    }


COMPUTED |= {
    "s0-g80-max-regs-full": most_registers,
    "s1-q-max-regs": lambda inputs: {
        name: most_registers(inputs | {"cc": name}) for name in inputs["ccs"]
    },
    "s4-regs-thread": lambda inputs: {"regs_for_100pct": most_registers(inputs)},
}


# ---- carve-out -----------------------------------------------------------------------------------


def capacities(name: str) -> list[int]:
    """What shared memory can be set to, in KB."""
    return sorted(size // KB for size in architecture(name).shared_capacities)


def set_up(inputs: Inputs) -> Occupancy:
    """One small block with a preference."""
    return occupancy(
        inputs["cc"],
        threads=32,
        registers=16,
        dynamic_shared=inputs.get("smem_per_block", 0),
        carveout=inputs["carveout_percent"],
    )


@figure("s3-volta-carve", "s3-turing-carve", "s4-l1")
def capacities_of_one(inputs: Inputs) -> object:
    """Of one architecture."""
    return capacities(inputs["cc"])


@figure("s3-ampere-carve", "s3-ada-carve", "s3-hopper-carve")
def capacities_of_several(inputs: Inputs) -> object:
    """Of architectures that have the same."""
    first, *others = map(capacities, inputs["ccs"])
    assert all(other == first for other in others)
    return first


@figure("s3-volta-50", "s3-ampere-50")
def capacity_of_a_preference(inputs: Inputs) -> object:
    """What the driver rounds it to."""
    return {"capacity_KB": set_up(inputs).shared_capacity // KB}


@figure("s3-carve-hint")
def capacity_beyond_a_preference(inputs: Inputs) -> object:
    """What the driver gives to a block that needs more."""
    found = set_up(inputs)
    return {"capacity_KB": found.shared_capacity // KB, "launches": found.blocks > 0}


COMPUTED["s3-fermi-kepler"] = lambda inputs: {
    name: capacities(cc)[::-1] for name, cc in inputs["ccs"].items()
}


# ---- banks ---------------------------------------------------------------------------------------


def load(declaration: str, use: str, arch: int) -> SharedAccess:
    """The worst load of an expression, from the text of a kernel."""
    body = f"__shared__ {declaration}; const int t = threadIdx.x; p[t] = {use};"
    facts = body_facts(body, block=(64, 1, 1), arch=arch)
    assert not any(access.reason for access in facts.shared_accesses)
    return max(facts.shared_accesses, key=lambda access: access.degree)


def stride(words: int, arch: int = 90) -> SharedAccess:
    """Lanes that are so many words apart."""
    return load("int s[64 * 33]", f"s[{words} * t]", arch)


@figure("s3-stride1", "s3-stride2", "s3-stride8")
def degrees_of_a_stride(inputs: Inputs) -> object:
    """On 16 banks and on 32."""
    words = inputs["stride_words"]
    return {"16_banks": stride(words, 10).degree, "32_banks": stride(words).degree}


@figure("s4-stride2", "s4-stride3", "s4-stride4", "s4-stride32", "s4-stride33")
def banks_of_a_stride(inputs: Inputs) -> object:
    """How many banks the lanes of a warp meet in."""
    access = stride(inputs["stride_words"])
    return {"degree": access.degree, "banks_hit": len(access.samples[0].conflict.banks)}


@figure("s3-char", "s3-short")
def degrees_of_small_types(inputs: Inputs) -> object:
    """Before words were handed to several lanes, and since."""
    found = [load(**inputs, arch=arch).degree for arch in (10, 20, 90)]
    return {"1.x": found[0], "2.x+": max(found[1:])}


@figure("s3-struct3", "s3-struct2", "s3-broadcast", "s3-interleave", "s3-consecutive")
def degree_today(inputs: Inputs) -> object:
    """On 32 banks."""
    return load(**inputs, arch=90).degree


@figure("s0-mds-store-conflict")
def degree_of_a_column(inputs: Inputs) -> object:
    """The store of a tile, its rows and columns the wrong way round."""
    tile = inputs["tile"]
    body = f"__shared__ float s[{tile}][{tile}]; s[threadIdx.x][threadIdx.y] = p[0];"
    body += "__syncthreads(); p[1] = s[0][0];"
    arch = architecture(inputs["cc"]).capability
    facts = body_facts(body, block=(tile, tile, 1), arch=arch)
    return max(access.degree for access in facts.shared_accesses)


@figure("s2-pad")
def padded(inputs: Inputs) -> object:
    """The tiles of the product, with and without an element of padding."""
    small, large = inputs["blocks"]
    plain, wide = gemm(large, 0), gemm(large, 1)
    sizes = {
        name: sum(item.size or 0 for item in facts.kernel.objects if item.name == "sA")
        for name, facts in (("bytes", wide), ("bytes_unpadded", plain))
    }
    unpadded = [degrees(gemm(block, 0)) for block in (small, large)]
    assert unpadded[0] == unpadded[1]
    store = "sA[ty][tx] store"
    return sizes | {
        "degree_unpadded": unpadded[0],
        "degree_padded_BLOCK16": {store: degrees(gemm(small, 1))[store]},
        "degree_padded_BLOCK32": {store: degrees(wide)[store]},
    }


def gemm(block: int, pad: int) -> KernelFacts:
    """The kernel for square blocks."""
    text = f"#define BLOCK {block}\n#define PAD {pad}\n{GEMM}"
    return facts_of(text, block=(block, block, 1))


def degrees(facts: KernelFacts) -> dict[str, float]:
    """Of the accesses that the notes speak of."""
    lines = facts.kernel.span.source.text.splitlines()
    found: dict[str, float] = {}
    for access in facts.shared_accesses:
        line = lines[access.access.location.span.line - 1]
        for name, mark, writes in (
            ("sA[ty][tx] store", "sA[ty][tx] =", True),
            ("sA[ty][k]", "sA[ty][k]", False),
            ("sB[k][tx]", "sB[k][tx]", False),
        ):
            if mark in line and access.access.writes == writes:
                found[name] = max(found.get(name, 0), access.degree)
    return found


@figure("s4-slots")
def unused_slots(inputs: Inputs) -> object:
    """The words of a padded array that no thread stores to."""
    row, rows = inputs["row"], inputs["rows"]
    pitch = row + inputs["pad"]
    body = f"__shared__ int s[{pitch * rows}]; s[threadIdx.y * {pitch} + threadIdx.x] = p[0];"
    facts = body_facts(f"{body} __syncthreads(); p[1] = s[0];", block=(row, rows, 1))
    store = next(access for access in facts.shared_accesses if access.access.writes)
    used = {offset for sample in store.samples for offset in sample.offsets if offset is not None}
    return [word for word in range(pitch * rows) if 4 * word not in used]


COMPUTED |= {
    "s3-odd": lambda inputs: [
        words for words in range(1, inputs["largest_stride"] + 1) if stride(words).degree == 1
    ],
    "s3-banks": lambda inputs: {
        "banks": everywhere("shared_memory").banks,
        "bank_bytes": everywhere("shared_memory").bank_bytes,
    },
    "s3-banks-g80": lambda inputs: {
        "banks": architecture(inputs["cc"]).shared_memory.banks,
        "lanes": architecture(inputs["cc"]).shared_memory.lanes_per_pass(4),
    },
    "s4-bank": lambda inputs: [
        everywhere("shared_memory").bank(4 * element) for element in inputs["elements"]
    ],
}


# ---- where variables live ------------------------------------------------------------------------


def space_of(name: str, body: str) -> str:
    """The memory of a variable of a kernel."""
    return next(row.space for row in describe(body_facts(body)) if row.name == name)


CONSTANT_INDEX = "int a[8]; for (int i = 0; i < 8; ++i) a[i] = p[i]; p[9] = a[3];"
RUN_TIME_INDEX = "int a[256]; for (int i = 0; i < 256; ++i) a[i] = p[i]; p[0] = a[n];"

COMPUTED |= {
    "s0-decl-register": lambda inputs: space_of("x", "int x = p[0]; p[1] = x;"),
    "s0-decl-array": lambda inputs: {
        "run-time index": space_of("a", RUN_TIME_INDEX),
        "constant index": space_of("a", CONSTANT_INDEX),
    },
    "s1-array-reg": lambda inputs: space_of("a", CONSTANT_INDEX),
    "s4-array": lambda inputs: space_of("a", CONSTANT_INDEX),
}


# ---- barriers and spills -------------------------------------------------------------------------


def findings(text: str, *codes: str) -> list[Finding]:
    """What rules say of a text."""
    rules = load_rules()
    file = InputFile("figure.cu", Input.CUDA, text.encode())
    return check_file(file, Settings(), [rules[code] for code in codes]).findings


@figure("s0-missing-sync")
def missing_barriers(inputs: Inputs) -> object:
    """The rules that speak of the tiled product as printed."""
    launch = "void host(float *p) { MatrixMulKernel<<<dim3(4, 4), dim3(16, 16)>>>(p, p, p, 64); }"
    return sorted({f.rule.code for f in findings(FIGURE_4_7 + launch, "SYN002", "SYN003")})


@figure("s4-spill")
def spilled(inputs: Inputs) -> object:
    """What too few registers cost, with the loads in the order as written."""
    (kernel,) = ptx_module(SPILLING).kernels
    accesses = [
        access
        for access in kernel.operations()
        if isinstance(access, MemoryAccess) and access.space is Space.LOCAL
    ]
    module = parse_ptx(SourceText("sums.ptx", SPILLING))
    extra = highest_pressure(read_code(module.functions[0])) - inputs["free_registers"]
    assert extra > 0
    return {
        "extra_loads": extra,
        "extra_stores": extra,
        "baseline_loads": sum(not access.writes for access in accesses),
        "baseline_stores": sum(access.writes for access in accesses),
    }


# ---- the tests -----------------------------------------------------------------------------------


def test_every_figure_is_computed_or_says_why_not() -> None:
    names = [each["id"] for each in FIGURES]
    left_out = {each["id"] for each in FIGURES if "not_computed" in each}
    assert len(names) == len(set(names)) == 118
    assert COMPUTED.keys() == set(names) - left_out
    assert left_out == {"s1-speedup", "s4-lat"}


@pytest.mark.parametrize(
    "each", [each for each in FIGURES if each["id"] in COMPUTED], ids=lambda each: each["id"]
)
def test_figure(each: dict[str, Any]) -> None:
    computed, expected = COMPUTED[each["id"]](each["inputs"]), each["expected"]
    if isinstance(expected, dict) and isinstance(computed, dict):
        computed = {name: computed[name] for name in expected}
    assert rounded(computed) == expected


def rounded(value: object) -> object:
    """Fractions as the data has them, to six places."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return value
