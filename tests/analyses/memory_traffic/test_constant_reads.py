"""Words of constant memory that a warp asks for: as many as there are different ones."""

from __future__ import annotations

from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.memory_traffic.constant_reads import ConstantRead, divergent_reads

_TYPES = {1: "char", 2: "short", 4: "float", 8: "double"}


def _reads(index: str, element: str = "float") -> list[ConstantRead]:
    text = f"""__constant__ {element} table[4096];
    __global__ void kernel(float *out, const int *bin, int n) {{
        out[threadIdx.x] = table[{index}];
    }}"""
    return list(divergent_reads(facts_of(text, (32, 1, 1))))


@settings(max_examples=50)
@given(
    width=st.sampled_from(sorted(_TYPES)),
    step=st.integers(0, 5),
    group=st.integers(1, 40),
    start=st.integers(0, 9),
)
def test_words_are_counted_once_for_all_lanes(
    width: int, step: int, group: int, start: int
) -> None:
    found = _reads(f"threadIdx.x / {group} * {step} + {start}", _TYPES[width])
    offsets = [(lane // group * step + start) * width for lane in range(32)]
    words = len({offset // max(width, 4) for offset in offsets})
    assert [read.worst for read in found if read.worst > 1] == ([words] if words > 1 else [])


def test_an_index_from_data_has_no_number_of_words() -> None:
    (read,) = _reads("bin[threadIdx.x]")
    assert read.words == ()


def test_an_index_that_all_lanes_share_is_what_constants_are_for() -> None:
    assert not _reads("n + blockIdx.x")
