"""The pictures that hovers show of accesses: whole where lanes differ, else their beginning."""

from __future__ import annotations

from .test_kernel_results import Checking

KERNEL = """__global__ void __launch_bounds__(32) k(float *out)
{
    __shared__ float tile[2048];
    tile[%s] = 1;
    __syncthreads();
    out[threadIdx.x * 8] = tile[0];
}
"""


def pictures(index: str) -> dict[str, list[str]]:
    """By what is accessed, the lines of the picture."""
    (file,) = Checking().check(KERNEL % index).values()
    texts = [row["text"] for rows in file["notes"].values() for row in rows]
    shown = [text.partition("\n```text\n") for text in texts if "```text" in text]
    return {head.split("`")[1]: body.splitlines()[:-1] for head, _, body in reversed(shown)}


def test_lanes_of_equal_steps_are_left_out() -> None:
    found = pictures("threadIdx.x * 32")
    assert [line.split()[0] for line in found["tile"]] == ["lane", *"0123", "…", "31", "^"]
    assert found["tile"][-2].endswith("byte 3968")
    assert [line.split()[0] for line in found["*out"]] == ["sector", *"0123", "…", "31"]
    places = {line.index(line.split()[0]) + len(line.split()[0]) for line in found["tile"][1:-1]}
    assert places == {4}


def test_lanes_of_other_steps_are_all_shown() -> None:
    found = pictures("(threadIdx.x * threadIdx.x) % 2048")
    assert [line.split()[0] for line in found["tile"][1:33]] == list(map(str, range(32)))
