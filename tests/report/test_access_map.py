"""The maps of a terminal: banks where lanes wait for one, sectors with the bytes that are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplint.analyzer.analyses.memory_traffic.access_table import counted_accesses
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.file_check import facts_of
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.engine.reading import read_input
from warplint.analyzer.report.kernels.accesses import access_lines, access_maps
from warplint.analyzer.report.text.palette import Palette

if TYPE_CHECKING:
    from pathlib import Path

    from warplint.analyzer.analyses.memory_traffic.access_table import CountedAccess

KERNEL = """\
__global__ void k(float *out, const float *in, int n, const int *at)
{
    __shared__ float tile[32][32];
    tile[0][threadIdx.x] = in[threadIdx.x * 8];
    __syncthreads();
    if (n > 3)
        out[threadIdx.x] = tile[threadIdx.x][0];
    out[at[threadIdx.x]] = 1.0f;
}
void run(float *a) { k<<<1, 32>>>(a, a, 9, (int *)a); }
"""


def rows(folder: Path) -> list[CountedAccess]:
    path = folder / "k.cu"
    path.write_text(KERNEL, "utf-8")
    settings = Settings()
    (file,) = collect_inputs([str(path)]).files
    module = read_input(file, settings, ()).module
    assert module is not None
    launch = facts_of(module.kernels[0], module, settings).launches[0]
    return list(counted_accesses(launch))


def test_a_bank_is_marked_only_where_lanes_wait(tmp_path: Path) -> None:
    lines = list(access_maps(rows(tmp_path), Palette()))
    marked = [line for line in lines if "most conflicts" in line]
    assert marked == ["      ^ most conflicts: bank 0"]
    assert "   7  #" + "·" * 31 + "  byte 896" in lines  # the column
    assert "   7  " + "·" * 7 + "#" + "·" * 24 + "  byte 28" in lines  # the row


def test_sectors_say_how_much_of_them_is_used(tmp_path: Path) -> None:
    lines = list(access_maps(rows(tmp_path), Palette()))
    title = next(line for line in lines if line.startswith("line 4: load"))
    assert title.endswith("32 sectors, ideal 4")
    assert sum(line.endswith("  4 of 32 bytes") for line in lines) == 32
    assert sum(line.endswith("  32 of 32 bytes") for line in lines) >= 4


def test_conflicts_and_waste_are_red(tmp_path: Path) -> None:
    text = "\n".join(access_maps(rows(tmp_path), Palette(enabled=True)))
    assert "\x1b[1;31m#" in text
    assert "\x1b[1;32m#" in text


def test_numbers_of_a_warp_stand_where_totals_are_not_known(tmp_path: Path) -> None:
    table = [line for line in access_lines(rows(tmp_path), Palette()) if "store" in line]
    bounded = next(line for line in table if "at[threadIdx.x]" in line)
    assert "?" not in bounded
    assert "0.25 to 8" in bounded
