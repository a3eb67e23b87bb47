"""What a build log says beyond numbers: advice of the compiler, and lines nobody understood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ptx.syntax.demangle import readable
from ...source.words import plural
from ..text.cells import printable_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...findings.finding import Data
    from ...resources.ptxas_log import Advisory, BuildLog
    from ..formats.json_report import Record

_SHOWN = 5  # lines that were not understood, of those that NVIDIA's tools printed


def log_lines(name: str, log: BuildLog) -> Iterator[str]:
    """A summary of one build log."""
    yield ""
    counted = f"{plural(len(log.kernels), 'kernel')}, {plural(len(log.advisories), 'warning')}"
    unknown = plural(len(log.unknown), "line")
    yield printable_line(
        f"{name}: {plural(log.lines, 'line')}, {counted}, {unknown} not recognised"
    )
    for advice in log.advisories:
        yield f"  {printable_line(_advice(advice))}"
    ours = [(number, text) for number, text in log.unknown if "ptxas" in text or "nvlink" in text]
    for number, text in ours[:_SHOWN]:
        yield printable_line(f"  line {number} not recognised: {text.strip()}")


def _advice(advice: Advisory) -> str:
    where = f"{advice.path}:{advice.line}" if advice.path else f"line {advice.log_line}"
    kernel = f" [{readable(advice.function)}]" if advice.function else ""
    return f"{where}: {advice.code}{kernel}: {advice.text}"


def log_record(name: str, log: BuildLog) -> Record:
    """One build log as a record; `unknown` has every line that was not understood."""
    return {
        "path": name,
        "lines": log.lines,
        "kernels": len(log.kernels),
        "functions": [
            {
                "symbol": item.name,
                "arch": item.arch,
                "frame": item.usage.frame.value,
                "spill_stores": item.usage.spill_stores.value,
                "spill_loads": item.usage.spill_loads.value,
            }
            for item in log.functions
        ],
        "advisories": [_advice_record(item) for item in log.advisories],
        "unknown": [{"line": number, "text": text} for number, text in log.unknown],
    }


def _advice_record(advice: Advisory) -> Data:
    return {
        "code": advice.code,
        "text": advice.text,
        "log_line": advice.log_line,
        "symbol": advice.function,
        "path": advice.path,
        "line": advice.line,
    }
