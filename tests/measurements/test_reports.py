"""Reports that NVIDIA's tools wrote of `tests/data/measured/defects.cu`, as they are read."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from warplint.analyzer.measurements.kernel_names import plain_name
from warplint.analyzer.measurements.profile_report import SAMPLES, read_profile
from warplint.analyzer.measurements.sanitizer_report import ReportError, read_sanitizer

DATA = Path(__file__).parent.parent / "data" / "measured"
FILE = "defects.cu"


def text(name: str) -> str:
    return (DATA / name).read_text("utf-8")


@pytest.mark.parametrize("form", ["txt", "xml"])
@pytest.mark.parametrize(
    ("tool", "wanted"),
    [
        ("racecheck", {("mirror_no_barrier", (54, 55)), ("sums_no_second_barrier", (73, 75))}),
        (
            "memcheck",
            {("beyond_shared", (97,)), ("beyond_global", (103,)), ("misaligned_vector", (109,))},
        ),
        ("synccheck", {("barrier_in_branch", (86,))}),
        ("initcheck", {("never_written", (116,))}),
    ],
)
def test_both_forms_say_the_same(
    form: str, tool: str, wanted: set[tuple[str, tuple[int, ...]]]
) -> None:
    report = read_sanitizer(text(f"{tool}.{form}"))
    assert report.tools == {tool}
    found = {(each.kernel, tuple(line for _, line in each.places)) for each in report.hazards}
    assert found == wanted
    assert {file for each in report.hazards for file, _ in each.places} == {FILE}
    assert all(each.count > 1 for each in report.hazards)  # of many threads, each once


def test_races_between_two_accesses_are_one_hazard() -> None:
    log = (
        "========= COMPUTE-SANITIZER\n"
        "========= Error: Race reported between Read access at void f<(int)4>(int*)+0x2 in a.cu:7\n"
        "=========     and Write access at void f<(int)4>(int *)+0x90 in a.cu:9 [12 hazards]\n"
        "========= \n"
        "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n"
    )
    (found,) = read_sanitizer(log).hazards
    assert (found.kernel, found.places) == ("f", (("a.cu", 7), ("a.cu", 9)))


def test_a_clean_report_names_its_tool_where_it_does() -> None:
    clean = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"
    assert read_sanitizer(clean).tools == frozenset()
    summary = "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"
    clean = f"========= COMPUTE-SANITIZER\n========= {summary}\n"
    assert read_sanitizer(clean).tools == {"racecheck"}
    assert read_sanitizer("<?xml version='1.0'?>\n<ComputeSanitizerOutput/>").hazards == ()


def test_places_are_not_known_without_line_information() -> None:
    log = (
        "========= Invalid __global__ read of size 4 bytes\n"
        "=========     at ns::k(float *)+0x70\n=========     by thread (1,0,0) in block (0,0,0)\n"
    )
    (found,) = read_sanitizer(log).hazards
    assert (found.tool, found.kernel, found.places) == ("memcheck", "k", ())


@pytest.mark.parametrize(
    "given",
    [
        "int main() {}",
        "<html></html>",
        "<ComputeSanitizerOutput>",
        '<!DOCTYPE x [<!ENTITY a "b">]><ComputeSanitizerOutput>&a;</ComputeSanitizerOutput>',
    ],
)
def test_what_is_no_report_is_refused(given: str) -> None:
    with pytest.raises(ReportError) as caught:
        read_sanitizer(given)
    assert caught.value.advice


def test_the_raw_page_has_times() -> None:
    launches = {each.kernel: each for each in read_profile(text("raw.csv")).launches}
    assert launches["transpose_conflicts"].time == pytest.approx(9.568)
    assert launches["transpose_conflicts"].registers == 16
    assert launches["transpose_conflicts"].occupancy == 100
    assert launches["rows_by_thread"].achieved == pytest.approx(12.31, abs=0.01)


def test_the_source_page_has_counters_of_lines() -> None:
    lines = {(each.kernel, each.line): each for each in read_profile(text("source.csv")).lines}
    line = lines["transpose_conflicts", 21]
    assert line.file == FILE
    assert line.source == "out[y * SIDE + x] = tile[threadIdx.x][threadIdx.y];"
    assert line.counters["L1 Wavefronts Shared"] == 1_048_576
    assert line.counters["L1 Wavefronts Shared Ideal"] == 32_768
    assert line.counters[SAMPLES] > 0
    assert ("transpose_conflicts", 20) in lines


def test_quotes_that_ncu_does_not_escape_move_no_number() -> None:
    page = (
        '"File Path","/a/k.cu"\n"Function Name","k(int)"\n'
        '"Line No","Source","Address","Source","# Samples","Instructions Executed"\n'
        '"3","asm volatile("bar, a", "b");","-","-","7","1,024"\n'
        '"3","","-","-","1","1"\n'
    )
    (line,) = read_profile("==PROF== Connected\n" + page).lines
    assert line.counters == {"# Samples": 8, "Instructions Executed": 1025}


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ("int main() {}", "cuda,sass"),
        ('"File Path","/a/k.cu"\n"Line No","Source"\n"1","x"\n', "cuda,sass"),
        ('"Kernel Name","k",""\n"Address","Source","# Samples"\n"0x1","MOV","3"\n', "cuda,sass"),
        ('"ID","Process ID","Kernel Name","Metric Name"\n"0","1","k","x"\n', "--page raw"),
    ],
)
def test_pages_without_what_is_needed_are_refused(given: str, advice: str) -> None:
    with pytest.raises(ReportError) as caught:
        read_profile(given)
    assert advice in caught.value.advice


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("k", "k"),
        ("k(float *, const float *)", "k"),
        ("void a::b::reduce<(unsigned int)256, float>(T2 *)", "reduce"),
        ("(anonymous namespace)::k(int)", "k"),
        ("void (anonymous namespace)::k<int>(int)", "k"),
        ("ns::k<ns::pair<int>>", "k"),
    ],
)
def test_kernels_have_one_name(printed: str, name: str) -> None:
    assert plain_name(printed) == name


def test_cells_that_nobody_measured() -> None:
    with pytest.raises(ReportError, match="not CSV: field larger"):
        read_profile(f'"ID","Process ID","Kernel Name"\n"{"x" * 200_000}"\n')
    rows = text("raw.csv").splitlines()
    first = read_profile("\n".join(rows)).launches[0]
    assert first.time is not None
    for number in ("nan", "inf", "1e999", "9" * 5000, ""):
        column = rows[0].split(",").index('"gpu__time_duration.sum"')
        cells = next(iter(csv.reader(rows[2:3])))
        cells[column] = number
        changed = ",".join(f'"{cell}"' for cell in cells)
        assert read_profile("\n".join([*rows[:2], changed])).launches[0].time is None
