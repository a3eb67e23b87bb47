"""How many source lines warplint predicts as an H200 counted them.

    python bench/h200_accuracy.py ORACLE_DIR             a folder with lines.json and kernels/
    python bench/h200_accuracy.py ORACLE_DIR --ptx       from the PTX of the same files
    python bench/h200_accuracy.py ORACLE_DIR --only transpose --differ
    python bench/h200_accuracy.py ORACLE_DIR --repositories DIR   measured in other people's code

With `--repositories` the launches name a repository, which lies in `DIR/owner+name` at the commit
that they name; a kernel of a header, or without launches in its own file, is read with the files
that include it.

`lines.json` has, for each launch and source line, the wavefronts and sectors that Nsight Compute
reports. A line counts as analysed when all its accesses are. It is equal when `degree` (shared) or
`sector_ratio` (global) agree within 2 %, and its totals are equal when the wavefronts or sectors of
the whole launch are the same numbers. Launches are those that
warplint finds in the host code; PTX has none, so its kernels get those of the source beside it, and
what neither gives (block, grid) is as measured, as `--block` and `--grid` would say it. Lines of
PTX come from `.loc`; the PTX lies beside the sources or nvcc makes it.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measured_sources import Reader, Sources, measured_launches

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.memory_traffic.access_table import counted_accesses
from warplint.analyzer.report.kernels.accesses import access_record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.analyses.facts import LaunchFacts
    from warplint.analyzer.ir.kernel import Kernel, Module

Record = dict[str, Any]

TOLERANCE = 0.02
#: Kinds of lines.json: the space, and the operations of ours that make such an instruction.
KINDS = {
    "shared_ld": ("shared", ("load",)),
    "shared_st": ("shared", ("store",)),
    "shared_atom": ("shared", ("atomic",)),
    "shared_matrix_ld": ("shared", ("ldmatrix", "load")),
    "global_ld": ("global", ("load",)),
    "global_st": ("global", ("store",)),
    "global_red": ("global", ("atomic",)),
    "global_atom": ("global", ("atomic",)),
}
RATIOS = {"shared": ("degree", "wavefronts"), "global": ("sector_ratio", "sectors")}


@dataclass(slots=True)
class Score:
    """Lines of one file and space."""

    lines: int = 0
    analysed: int = 0
    equal: int = 0
    totals: int = 0  # equal totals
    ranges: int = 0  # lines whose cost data or a size decides, between bounds
    ranges_held: int = 0  # and was between them
    causes: Counter[str] = field(default_factory=Counter)

    def add(self, other: Score) -> None:
        self.lines += other.lines
        self.analysed += other.analysed
        self.equal += other.equal
        self.totals += other.totals
        self.ranges += other.ranges
        self.ranges_held += other.ranges_held
        self.causes.update(other.causes)


def launch_of(
    reader: Reader, units: list[Path], measured: Record, *, ptx: bool
) -> LaunchFacts | None:
    """The launch of ours that is the measured one; None when the kernel or instance is missing."""
    block, grid = tuple(measured["block"]), tuple(measured["grid"])
    modules = [module for module in map(reader.module, units) if module is not None]
    found = [
        (kernel, module)
        for module in modules
        if (kernel := kernel_of(module, measured, ptx=ptx)) is not None
    ]
    # As the file says it; with the grid that it leaves open; with nothing from the file.
    for options in (
        AnalysisOptions(),
        AnalysisOptions(grid=grid),
        AnalysisOptions(block=block, grid=grid),
    ):
        for kernel, module in found:
            same = [
                item
                for item in KernelFacts(kernel, module, options).launches
                if item.launch.block == block
                and (options.block or item.launch.grid == grid)
                and item.launch.trusted
            ]
            if same:  # several differ in their arguments: they were measured in their order
                return same[min(measured["nth"], len(same) - 1)]
    return None


def kernel_of(module: Module, measured: Record, *, ptx: bool) -> Kernel | None:
    """The kernel by its name and template arguments, in PTX by its mangled name."""
    if ptx:
        named = [kernel for kernel in module.kernels if measured["mangled"] in _names(kernel)]
        return named[0] if named else None
    wanted = _arguments(measured["signature"])
    named = [kernel for kernel in module.kernels if kernel.name == measured["kernel"]]
    for kernel in named:
        if wanted and wanted == _arguments(kernel.instance):
            return kernel
    return named[0] if named and not wanted else None


def _names(kernel: Kernel) -> tuple[str, ...]:
    return kernel.name, kernel.span.text


def _arguments(signature: str) -> list[str]:
    """The template arguments of `void k<(int)32, float>(...)` and of `k<32, float>`."""
    head = re.match(r"[^<(]*<(.*?)>(?:\(|$)", signature)
    if head is None:
        return []
    return [re.sub(r"\([\w ]+\)|&", "", item).strip() for item in head[1].split(",")]


def records_by_line(launch: LaunchFacts, file: str) -> dict[int, list[Record]]:
    """Our records by the CUDA line that they belong to."""
    found: dict[int, list[Record]] = defaultdict(list)
    for row in counted_accesses(launch):
        record, place = access_record(row), row.access.location
        lines = [(record["path"], record["line"])] if place.origin is None else []
        for frame in (place, *place.call_chain()):  # functions of headers are inlined somewhere
            lines.append(frame.origin[:2] if frame.origin else (frame.span.path, frame.span.line))
        for path, line in lines:
            if Path(path).name == Path(file).name:
                found[line].append(record)
                break
    return found


def compare(kind: str, measured: Record, records: list[Record]) -> tuple[str, bool, bool]:
    """The cause why a line is not analysed or not equal (else ""), equal, equal totals."""
    space, operations = KINDS[kind]
    ratio, total = RATIOS[space]
    own = [r for r in records if r["op"] in operations and r["space"] in (space, "generic")]
    if not own:
        return "no such access seen", False, False
    reasons = [record["reason"] for record in own if record["reason"]]  # a range is no number
    if reasons:
        return reasons[0], False, False
    counted = [record for record in own if record[total] is not None]
    ideal = sum(record[f"ideal_{total}"] for record in counted)
    if len(counted) == len(own) and ideal:
        found = sum(record[total] for record in counted) / ideal
    else:
        ratios = [record[ratio] for record in own if record[ratio] is not None]
        found = sum(ratios) / len(ratios) if ratios else 0.0
    equal = abs(found - measured[ratio]) <= TOLERANCE * max(1.0, measured[ratio])
    totals = len(counted) == len(own) and sum(r[total] for r in counted) == measured[total]
    if equal:
        return "", True, totals
    guards = any(record["assumed_guards"] for record in own)
    cause = "a guard that is not known" if guards else "counted otherwise"
    return f"{cause}: {found:.3g} for {measured[ratio]:.3g}", False, totals


def in_range(kind: str, measured: Record, records: list[Record]) -> bool | None:
    """Whether a line that has bounds was measured between them; None where it has none."""
    space, operations = KINDS[kind]
    unit = RATIOS[space][1]
    own = [r for r in records if r["op"] in operations and r["space"] == space]
    bounds = [r["bounds"] for r in own]
    if not own or None in bounds or any(each["unit"] != unit for each in bounds):
        return None
    cost = float(measured[f"{unit}_per_warp"])
    least, most = (op(each[key] for each in bounds) for op, key in ((min, "least"), (max, "most")))
    return least <= cost * (1 + TOLERANCE) and cost <= most * (1 + TOLERANCE)


def scores(arguments: argparse.Namespace) -> Iterator[tuple[str, str, Score]]:
    """File, space and score, launch by launch."""
    sources = Sources(arguments.oracle, arguments.repositories)
    reader = Reader(ptx=arguments.ptx)
    for measured in measured_launches(arguments.oracle):
        name = f"{measured.get('repo', '')} {measured['file']}".strip()
        if arguments.only and arguments.only not in name:
            continue
        units = [unit for unit in sources.units(measured) if unit.is_file()]
        if arguments.ptx and not any(map(reader.module, units)):
            continue
        launch = launch_of(reader, units, measured, ptx=arguments.ptx)
        files = {measured["file"]: measured["lines"], **measured.get("other_files", {})}
        for file, lines in files.items():
            if file is not None:
                for kind, score in _lines(launch, file, lines, measured, differ=arguments.differ):
                    yield name, KINDS[kind][0], score


def _lines(
    launch: LaunchFacts | None, file: str, lines: Record, measured: Record, *, differ: bool
) -> Iterator[tuple[str, Score]]:
    """Kind and score of the lines of one file that a launch executes."""
    records = records_by_line(launch, file) if launch else {}
    for line, kinds in lines.items():
        for kind, values in kinds.items():
            if kind not in KINDS or RATIOS[KINDS[kind][0]][0] not in values:
                continue  # or no lane took part
            score = Score(1)
            seen = records.get(int(line), [])
            cause, score.equal, score.totals = compare(kind, values, seen)
            if launch is None:
                cause = "no such kernel instance"
            score.analysed = score.equal or " for " in cause
            place = f"{file}:{line} {measured['signature']} {kind}"
            held = in_range(kind, values, seen)
            if held is not None:
                score.ranges += 1
                score.ranges_held += held
                if differ and not held:
                    print(f"{place}: not in its range")
            if cause:
                score.causes[re.sub(r": .* for .*", "", cause)] += 1
                if differ:
                    print(f"{place}: {cause}")
            elif differ and not score.totals:
                total = values.get("wavefronts", values.get("sectors"))
                print(f"{place}: totals {_of(seen, kind)} for {total}")
            yield kind, score


def _of(records: list[Record], kind: str) -> str:
    space, operations = KINDS[kind]
    total = RATIOS[space][1]
    own = [r for r in records if r["op"] in operations and r["space"] == space]
    return ", ".join(str(r[total] if r[total] is not None else r["totals_reason"]) for r in own)


def percent(part: int, whole: int) -> str:
    """`99.0 %`, rounded down: never better than it is."""
    return f"{1000 * part // whole / 10:.1f} %" if whole else "-"


def row(label: str, score: Score) -> str:
    """One row of the table of the README."""
    return (
        f"| {label} | {score.lines} | {percent(score.analysed, score.lines)} "
        f"| {percent(score.equal, score.analysed)} | {percent(score.totals, score.lines)} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("oracle", type=Path)
    parser.add_argument("--ptx", action="store_true", help="from PTX instead of the source")
    parser.add_argument("--repositories", type=Path, help="the folder of the repositories")
    parser.add_argument("--only", help="files with this in their name")
    parser.add_argument("--differ", action="store_true", help="name each line that differs")
    arguments = parser.parse_args()
    by_file: dict[tuple[str, str], Score] = defaultdict(Score)
    by_space: dict[str, Score] = defaultdict(Score)
    for file, space, score in scores(arguments):
        by_file[file, space].add(score)
        by_space[space].add(score)
    print("| Lines that access | lines | analysed | degree or ratio equal | totals equal |")
    print("|---|---|---|---|---|")
    for (name, space), score in by_file.items():
        print(row(f"{space}, {name}", score))
    for space, score in by_space.items():
        print(row(f"{space} memory", score))
    for space, score in by_space.items():
        print(f"{space}: {score.ranges_held} of {score.ranges} ranges hold")
        for cause, count in score.causes.most_common():
            print(f"{count:>5}  {space}: {cause}")


if __name__ == "__main__":
    main()
