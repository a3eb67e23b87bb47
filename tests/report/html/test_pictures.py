"""The pictures of the page, drawn from sheets made by hand, whose numbers are known."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from warplint.analyzer.analyses.pointers.work import Work
from warplint.analyzer.findings.kernel_sheets import (
    AccessSheet,
    KernelSheet,
    OccupancySheet,
    SideSheet,
)
from warplint.analyzer.hardware.architectures import architecture
from warplint.analyzer.hardware.banks import SharedKind, shared_wavefronts
from warplint.analyzer.report.html.access_section import access_section
from warplint.analyzer.report.html.bank_map import bank_map
from warplint.analyzer.report.html.occupancy_figure import occupancy_figure
from warplint.analyzer.report.html.roofline import resource_bars, roofline
from warplint.analyzer.report.html.sector_picture import sector_picture
from warplint.analyzer.resources.occupancy import occupancy
from warplint.analyzer.source.text import SourceText, Span

SOURCE = SourceText("k.cu", "__global__ void k(float *a) {\n    a[0] = 1;\n}\n")
HEADER, BODY = Span(SOURCE, 0, 27), Span(SOURCE, 28, len(SOURCE.text) - 1)
ACCESS = AccessSheet(Span(SOURCE, 34, 38), "load", "shared", "tile", 4)
SHEET = KernelSheet("k", HEADER, BODY, "cuda", 90, "32x1x1", "--block", False, (1, 1, 1), 1)


def shared(offsets: list[int | None], width: int = 4, *, in_turn: bool = False) -> SideSheet:
    kind = SharedKind.ATOMIC if in_turn else SharedKind.LOAD
    found = shared_wavefronts(offsets, width, kind, architecture(90))
    lanes = {lane for each in found.banks.values() for lane in each}
    return SideSheet(
        True, found.wavefronts, found.ideal, found.degree, None, None, 0, 0, width,
        tuple(offsets), tuple(sorted(lanes)), in_turn,
    )  # fmt: skip


def cells(page: str, kind: str) -> int:
    """How many rectangles are drawn in one colour."""
    paths = re.findall(rf'<path d="([^"]*)" class="{kind}"/>', page)
    return sum(path.count("M") for path in paths)


def test_a_column_of_a_tile_is_one_bank_that_serves_all() -> None:
    page = bank_map(ACCESS, shared([lane * 128 for lane in range(32)]), 90)
    assert "32-way bank conflict: 32 wavefronts, ideal 1" in page
    assert "at most 32 words of one bank" in page
    assert (cells(page, "b0"), cells(page, "c5"), cells(page, "column")) == (32, 32, 1)


def test_a_padded_column_is_all_banks_once() -> None:
    page = bank_map(ACCESS, shared([lane * 132 for lane in range(32)]), 90)
    assert "bank conflict" not in page
    assert [cells(page, f"b{bank}") for bank in range(32)] == [1] * 32
    assert (cells(page, "c1"), cells(page, "column")) == (32, 32)


def test_lanes_that_are_off_and_broadcasts_cost_nothing() -> None:
    page = bank_map(ACCESS, shared([0 if lane % 2 else None for lane in range(32)]), 90)
    assert (cells(page, "b0"), cells(page, "c1")) == (16, 1)
    assert "16 lanes of the warp go to 1 bank" in page


def test_of_wide_accesses_the_lanes_that_are_served_together_are_drawn() -> None:
    page = bank_map(ACCESS, shared([lane * 32 for lane in range(32)], 16), 90)
    assert "8 lanes at a time: at most 2 words of one bank" in page
    assert cells(page, "c2") == 32


def test_atomics_count_lanes() -> None:
    page = bank_map(ACCESS, shared([0] * 32, in_turn=True), 90)
    assert "at most 32 lanes of one bank" in page


def test_sectors_show_what_is_used() -> None:
    side = SideSheet(
        False, 32, 4, 8.0, None, None, 0, 0, 4, tuple(lane * 128 for lane in range(32))
    )
    page = sector_picture(replace(ACCESS, space="global"), side)
    assert "32 sectors, ideal 4; 12 % of their bytes are used" in page
    assert "128 of 1024 bytes" in page
    assert "and 16 more lines like these" in page
    assert cells(page, "moved") == 16


def test_neighbours_fill_their_sectors() -> None:
    side = SideSheet(False, 4, 4, 1.0, None, None, 0, 0, 4, tuple(lane * 4 for lane in range(32)))
    page = sector_picture(ACCESS, side)
    assert "100 % of their bytes are used" in page
    assert cells(page, "moved") == 4
    assert [cells(page, f"b{lane}") for lane in range(32)] == [1] * 32


def curves(registers: int, **more: object) -> str:
    it = occupancy(90, threads=256, registers=registers)
    return occupancy_figure(OccupancySheet(it, "so many", (), bound=False, ends=None, **more))


def test_curves_mark_where_a_kernel_stands_and_its_cliffs() -> None:
    page = curves(40)
    assert page.count('class="here"') == 3
    assert "resident warps over registers per thread; here: 40, 48 warps" in page
    assert "32: 100 %" in page  # eight registers fewer, and all warps are resident
    assert "cliff more" in page
    assert "cliff fewer" in page


def test_unknown_registers_have_no_point() -> None:
    it = occupancy(90, threads=256, registers=0)
    page = occupancy_figure(OccupancySheet(it, "at most", (), bound=True, ends=None))
    assert page.count('class="here"') == 2
    assert "registers are not known" in page


def test_an_estimate_is_a_band() -> None:
    low, it, high = (occupancy(90, threads=256, registers=each) for each in (36, 40, 44))
    page = occupancy_figure(OccupancySheet(it, "about", (), bound=False, ends=(low, high)))
    assert page.count('class="interval"') == 1


def test_the_roofline_is_below_the_ceiling_of_memory() -> None:
    page = roofline(replace(SHEET, work=Work(2, 2, 8, 0, 7)))
    assert "0.25 flop/byte: 838 GFLOPS" in page
    assert "loop at line 7" in page
    assert roofline(SHEET) == ""
    assert roofline(replace(SHEET, work=Work(2, 2, 8, 0, 7), arch=13)) == ""


def test_the_longest_resource_comes_first() -> None:
    page = resource_bars(replace(SHEET, times=(("sectors", 1.0), ("memory sectors", 4.0))))
    assert page.index("DRAM") < page.index("L2 sectors")
    assert "25 %" in page
    assert resource_bars(SHEET) == ""


@pytest.mark.parametrize(("most", "drawn"), [(6, 2), (1, 1), (0, 0)])
def test_costly_accesses_are_drawn(most: int, drawn: int) -> None:
    bad = shared([lane * 128 for lane in range(32)])
    good = shared([lane * 4 for lane in range(32)])
    rows = (
        replace(ACCESS, sides=(bad,), share=0.4),
        replace(ACCESS, sides=(bad,), share=0.1, object="other"),
        replace(ACCESS, sides=(good,), operation="store"),
        replace(ACCESS, reason="data decides", operation="atomic"),
    )
    page = access_section(replace(SHEET, accesses=rows), "k1", most)
    assert page.count("<figure") == drawn
    assert page.count("<tr>") == 5
    assert "not judged: data decides" in page
    assert "−40.0 %" in page
    assert '<a href="#k1-2">2</a>' in page


def test_where_nothing_is_costly_the_first_is_drawn() -> None:
    good = shared([lane * 4 for lane in range(32)])
    sheet = replace(SHEET, accesses=(replace(ACCESS, sides=(good,)),))
    assert access_section(sheet, "k1", 6).count("<figure") == 1
    assert access_section(SHEET, "k1", 6) == ""
