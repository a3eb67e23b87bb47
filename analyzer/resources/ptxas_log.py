"""Build logs: what ptxas, nvlink and cuobjdump -res-usage print of each kernel.

In: the text of a log as builds leave it: other programs' lines in between, prefixes of MSVC or of
a logging library, colours. Out: the numbers of each kernel and device function, the warnings, and
every line that was not understood. No text is an error. Formats of CUDA 2 to 13.5 are known:

- `Compiling entry function 'M' for 'sm_XX'` begins an entry and is the only line with the
  architecture. The properties of functions that it calls follow its `Used` line; with -G those of
  the module's functions stand before the first entry.
- Warnings about spills and local memory name a function, and no architecture: they give numbers
  where nothing else does.
- nvlink's numbers, of code that was compiled with -rdc=true, come without spills.
"""

from __future__ import annotations

import re
from dataclasses import field, replace
from typing import TYPE_CHECKING

from ..ir.usage import UNKNOWN, Amount, Source, Usage, merge
from ..source.numbers import integer
from ..source.records import dataclass
from .cubin import CompiledKernel

if TYPE_CHECKING:
    from collections.abc import Callable

#: The driver's part of shared memory, which cuobjdump counts from 9.0 on and ptxas never does.
_RESERVED, _RESERVED_FROM = 1024, 90


@dataclass(frozen=True, slots=True)
class Advisory:
    """A warning of ptxas or nvlink; `code` is its number or a name of ours."""

    code: str  # "C7508", "bounds-ignored", "stack-unknown", "double-precision", "error", ...
    text: str
    log_line: int
    function: str | None = None  # mangled
    path: str | None = None  # of the PTX file, with its line
    line: int | None = None


@dataclass(slots=True)
class BuildLog:
    """Everything a log says; `unknown` has the number and text of each line not understood."""

    kernels: list[CompiledKernel] = field(default_factory=list)
    functions: list[CompiledKernel] = field(default_factory=list)  # called, with their own frames
    advisories: list[Advisory] = field(default_factory=list)
    unknown: list[tuple[int, str]] = field(default_factory=list)
    lines: int = 0


def read_log(text: str) -> BuildLog:
    """What a build log of ptxas, nvlink or cuobjdump says of each kernel."""
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), start=1):
        reader.read(number, line)
    return reader.finish()


# Patterns are looked for anywhere in a line of any length: none may begin inside a number, or run
# past where it could begin again, or the time grows with the square of the line.
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_TOOL = re.compile(r"(?:ptxas|nvlink)\s*(?:info|warning|error|fatal)\s*:\s*(?P<said>.*)")
_PLACED = re.compile(
    r"ptxas (?P<path>(?:(?!ptxas ).)+?), line (?P<line>\d+); (?P<level>warning|error|info|fatal)"
    r"\s*:\s*(?P<said>.*)"
)
_FRAME = re.compile(
    r"(?<!\d)(?P<frame>\d+) bytes stack frame(?:, (?P<stores>\d+) bytes spill stores"
    r", (?P<loads>\d+) bytes spill loads)?"
)
_ENTRY = re.compile(
    r"Compiling entry function '(?P<name>[^']+)' for '(?:sm_|compute_)?(?P<arch>\d+)[a-z]?'"
)
_PROPERTIES = re.compile(r"Function properties for '?(?P<name>[^\s':]+)'?:?$")
_USED = re.compile(r"[Uu]sed (?P<registers>\d+) registers(?P<rest>.*)")
_SPILLED = re.compile(
    r"Registers are spilled to local memory in function '(?P<name>[^']+)'"
    r", (?P<stores>\d+) bytes spill stores, (?P<loads>\d+) bytes spill loads"
)
_LOCAL = re.compile(
    r"Local memory used for function '(?P<name>[^']+)', size of stack frame: (?P<frame>\d+)"
)
_QUIET = re.compile(
    r"Compile time = |Processing |\d+ bytes gmem|Resource usage is not shown|\(C\d+\)$|$"
)
#: Names stand in quotes; what stands behind "function" without them may be any word.
_QUOTED = re.compile(r"(?:function|entry) '(?P<name>[\w$.]+)'")
_NAMED = re.compile(
    r"(?:in the function|for the function|for entry(?: function)?) (?P<name>[\w$.]+)"
)
_CODE = re.compile(r"\((?P<code>C\d+)\)\s*(?P<text>.*)")
_DUMPED_NAME = re.compile(r"\s*Function (?P<name>\S+):\s*$")
_DUMPED = re.compile(
    r"\s*REG:(?P<registers>\d+) STACK:(?P<stack>\d+) SHARED:(?P<shared>\d+) LOCAL:(?P<local>\d+)"
)
_DUMPED_ARCH = re.compile(r"\s*arch = sm_(?P<arch>\d+)[a-z]?\s*$")
_DUMP_QUIET = re.compile(
    r"\s*(?:Resource usage:|Common:|GLOBAL:\d.*|Fatbin (?:elf|ptx) code:|=+|code version = .*"
    r"|host = .*|compile_size = .*|compressed|(?:has )?debug.*|producer = .*)\s*$"
)

_BARRIERS = re.compile(r"used (\d+) barriers")
_STACK = re.compile(r"(?<!\d)(\d+)(?: bytes cumulative stack size| stack\b)")
_SHARED = re.compile(r"(?<!\d)(\d+)(?:\+(\d+))? bytes smem")
_BANK = re.compile(r"(?<!\d)(\d+) bytes cmem\[0\]")

#: Warnings without a number of their own.
_ADVICE = (
    ("out of range. .minnctapersm will be ignored", "bounds-ignored"),
    (".minnctapersm is ignored", "bounds-ignored"),
    ("cannot be statically determined", "stack-unknown"),
    ("doing double precision", "double-precision"),
)


class _Reader:
    """The state between lines: which entry, and whose properties come next."""

    def __init__(self) -> None:
        self._log = BuildLog()
        self._arch: int | None = None
        self._entry: str | None = None
        self._properties: str | None = None
        self._linked = False
        self._usages: dict[tuple[str, int | None], Usage] = {}
        self._entries: dict[tuple[str, int | None], None] = {}
        self._warned: dict[str, Usage] = {}
        self._steps: tuple[Callable[[int, str], bool], ...] = (
            self._read_placed,
            self._read_tool,
            self._read_frame,
            self._read_dump,
        )

    def read(self, number: int, line: str) -> None:
        """One line of the log."""
        self._log.lines += 1
        line = _COLOUR.sub("", line)
        if line.strip() and not any(step(number, line) for step in self._steps):
            self._log.unknown.append((number, line))

    def finish(self) -> BuildLog:
        """The log, with what warnings alone say of functions."""
        for (name, arch), usage in self._usages.items():
            whole = merge(usage, self._warned.pop(name)) if name in self._warned else usage
            place = self._log.kernels if (name, arch) in self._entries else self._log.functions
            place.append(CompiledKernel(name, arch, whole))
        self._log.functions += [CompiledKernel(n, None, u) for n, u in self._warned.items()]
        return self._log

    # ---- kinds of lines ------------------------------------------------------------------------

    def _read_placed(self, number: int, line: str) -> bool:
        found = _PLACED.search(line)
        if found is None:
            return False
        advice = self._advice(found["said"], found["level"], number)
        line_number = integer(found["line"], 10) or 0
        self._log.advisories.append(replace(advice, path=found["path"], line=line_number))
        return True

    def _read_tool(self, number: int, line: str) -> bool:
        found = _TOOL.search(line)
        if found is None:
            return bool(re.search(r"nvcc warning\s*: Resource usage is not shown", line))
        said = found["said"].strip()
        if entry := _ENTRY.search(said):
            self._begin(entry["name"], integer(entry["arch"], 10))
        elif named := _PROPERTIES.search(said):
            self._properties = named["name"]
            if "nvlink" in found[0]:
                self._begin(named["name"], None)
        elif used := _USED.match(said):
            return self._read_used(used)
        elif _SPILLED.search(said) or _LOCAL.search(said):
            self._read_warning(said)
        elif _FRAME.search(said):
            return self._read_frame(number, said)
        elif (
            "warning" in found[0] or "error" in found[0] or "fatal" in found[0] or said[:2] == "(C"
        ):
            level = "error" if re.search("error|fatal", found[0]) else "warning"
            self._log.advisories.append(self._advice(said, level, number))
        else:
            return bool(_QUIET.match(said))
        return True

    def _begin(self, name: str, arch: int | None) -> None:
        self._entry = self._properties = name
        self._arch = arch
        self._entries[name, arch] = None
        self._usages[name, arch] = Usage()  # the last build in a log counts

    def _read_used(self, used: re.Match[str]) -> bool:
        if self._entry is None:
            return False
        rest = used["rest"]
        shared = _SHARED.search(rest)
        self._note(
            self._entry,
            Usage(
                registers=_amount(used["registers"]),
                barriers=_found(_BARRIERS, rest),
                stack=_found(_STACK, rest),
                # What is not printed is zero; 1.x printed the driver's part behind a plus.
                static_shared=_amount(shared[1] if shared else "0"),
                constant_bank=_found(_BANK, rest),
            ),
        )
        return True

    def _read_warning(self, said: str) -> None:
        if spilled := _SPILLED.search(said):
            usage = Usage(
                spill_stores=_amount(spilled["stores"]),
                spill_loads=_amount(spilled["loads"]),
            )
            name = spilled["name"]
        else:
            local = _LOCAL.search(said)
            assert local is not None
            usage, name = Usage(frame=_amount(local["frame"])), local["name"]
        self._warned[name] = merge(usage, self._warned.get(name, Usage()))

    def _read_frame(self, number: int, line: str) -> bool:
        found = _FRAME.search(line)
        if found is None or self._properties is None:
            return False
        spills = (None, None) if found["stores"] is None else (found["stores"], found["loads"])
        stores, loads = (UNKNOWN if x is None else _amount(x) for x in spills)
        usage = Usage(frame=_amount(found["frame"]), spill_stores=stores, spill_loads=loads)
        self._note(self._properties, usage)
        self._properties = None
        return True

    def _read_dump(self, number: int, line: str) -> bool:
        """What `cuobjdump -res-usage` prints."""
        if arch := _DUMPED_ARCH.match(line):
            self._arch = integer(arch["arch"], 10)
        elif named := _DUMPED_NAME.match(line):
            self._begin(named["name"], self._arch)
        elif (dumped := _DUMPED.match(line)) and self._entry is not None:
            shared = _amount(dumped["shared"])
            if self._arch is None and shared.value:
                shared = UNKNOWN
            elif self._arch is not None and self._arch >= _RESERVED_FROM and shared.value:
                shared = Amount(max(0, shared.value - _RESERVED), Source.LOG)
            usage = Usage(
                registers=_amount(dumped["registers"]),
                stack=_amount(dumped["stack"]),
                static_shared=shared,
                constant_bank=_found(re.compile(r"CONSTANT\[0\]:(\d+)"), line),
            )
            self._note(self._entry, usage)
        else:
            return bool(_DUMP_QUIET.match(line))
        return True

    # ---- results -------------------------------------------------------------------------------

    def _note(self, name: str, usage: Usage) -> None:
        key = (name, self._arch)
        self._usages[key] = merge(usage, self._usages.get(key, Usage()))

    @staticmethod
    def _advice(said: str, level: str, number: int) -> Advisory:
        numbered = _CODE.match(said)
        text = numbered["text"] if numbered else said
        code = numbered["code"] if numbered else level
        for words, name in _ADVICE:
            if not numbered and words in said:
                code = name
        function = _QUOTED.search(text) or _NAMED.search(text)
        return Advisory(code, text, number, function["name"] if function else None)


def _amount(digits: str) -> Amount:
    number = integer(digits, 10)
    return UNKNOWN if number is None else Amount(number, Source.LOG)


def _found(pattern: re.Pattern[str], text: str) -> Amount:
    match = pattern.search(text)
    return _amount(match[1]) if match else UNKNOWN
