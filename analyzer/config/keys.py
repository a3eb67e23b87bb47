"""Every key of a configuration file: one row says how it is read, explained and checked.

From this table come the reading of files, the JSON Schema, and docs/configuration.md. A key
`fail-on` is the field `fail_on` of `Configuration`.
"""

from __future__ import annotations

from typing import Any

from ..analyses.launch.kernel_size import KERNEL_SIZE
from ..findings.finding import Certainty, Severity
from ..source.records import dataclass
from .architecture import DEFAULT, architecture_name, parse_architecture
from .kinds import Either, Flag, Kind, ListOf, Number, TableOf, Text, one_of
from .launch import parse_block
from .limits import MORE_SUFFIXES, MOST_JOBS, MOST_OPERATIONS
from .macros import parse_define, parse_undefine

SEVERITIES = tuple(severity.value for severity in Severity)
CERTAINTIES = tuple(certainty.value for certainty in Certainty)


@dataclass(frozen=True, slots=True)
class Key:
    """One setting; `path` marks those that are relative to the folder of their file."""

    name: str
    kind: Kind
    help: str
    default: str  # as TOML
    example: str  # a line of TOML
    path: bool = False

    @property
    def field(self) -> str:
        """The name of the field of `Configuration`."""
        return self.name.replace("-", "_")


def _rule(text: str) -> str:
    return text.strip()


_RULE = Text("a rule", _rule)
_PATTERN = Text("a pattern")
_PATH = Text("a path")

KEYS = (
    Key(
        "extend",
        _PATH,
        "Another configuration file that this one extends. This file takes precedence; tables are "
        "merged key by key, everything else is replaced.",
        "none",
        'extend = "../warplint.toml"',
        path=True,
    ),
    Key(
        "arch",
        Text("an architecture", parse_architecture),
        "Target architecture.",
        f'"{architecture_name(DEFAULT)}"',
        'arch = "sm_80"',
    ),
    Key(
        "blocks",
        TableOf("a pattern of kernel name", Either(Text("a block shape", parse_block))),
        "Block shape of the kernels whose names match a pattern, where neither `--block` nor the "
        "file gives it. The first matching pattern counts.",
        "{}",
        'blocks = { "sgemm_*" = [16, 16], "*" = 128 }',
    ),
    Key(
        "defines",
        ListOf(Text("a macro", parse_define)),
        "Macros to define, as with `-D`.",
        "[]",
        'defines = ["TILE=16", "NDEBUG"]',
    ),
    Key(
        "undefines",
        ListOf(Text("a macro name", parse_undefine)),
        "Macros to undefine, as with `-U`.",
        "[]",
        'undefines = ["DEBUG"]',
    ),
    Key(
        "include-paths",
        ListOf(_PATH),
        "Folders to search for included files, as with `-I`.",
        "[]",
        'include-paths = ["include", "third_party/cub"]',
        path=True,
    ),
    Key(
        "compile-commands",
        _PATH,
        "A `compile_commands.json`, or the folder that contains it: the macros and include folders "
        "of each file.",
        "none",
        'compile-commands = "build"',
        path=True,
    ),
    Key(
        "qualifier-macros",
        TableOf("a macro", one_of("a qualifier", ("__global__", "__device__", "__host__"))),
        "Macros that stand for a qualifier and whose definition warplint cannot see.",
        "{}",
        'qualifier-macros = { MY_KERNEL = "__global__" }',
    ),
    Key(
        "rule-folders",
        ListOf(_PATH),
        "Folders of rules of your own (`docs/rule_api.md`). They are programs: they run only with "
        "`--allow-rule-folders`, and only those of the configuration of the current folder.",
        "[]",
        'rule-folders = ["lint/rules"]',
        path=True,
    ),
    Key(
        "select",
        ListOf(_RULE),
        "Rules to apply instead of those that are on by default: codes, names, families such as "
        "SHM, or ALL.",
        "the rules that are on by default",
        'select = ["SYN", "SHM001"]',
    ),
    Key(
        "extend-select",
        ListOf(_RULE),
        "Rules to apply in addition to `select`.",
        "[]",
        'extend-select = ["MEM001"]',
    ),
    Key(
        "ignore",
        ListOf(_RULE),
        "Rules not to apply; overrides both.",
        "[]",
        'ignore = ["uncoalesced-access"]',
    ),
    Key(
        "per-file-ignores",
        TableOf("a pattern of path", ListOf(_RULE)),
        "Rules not to apply to the files whose paths match a pattern (as in a `.gitignore`, "
        "relative to this file).",
        "{}",
        'per-file-ignores = { "tests/**" = ["SHM", "GLB"] }',
    ),
    Key(
        "severity",
        TableOf("a rule", one_of("a severity", SEVERITIES), _rule),
        "Severity of the findings of a rule.",
        "{}",
        'severity = { GLB001 = "note" }',
    ),
    Key(
        "thresholds",
        TableOf("a rule", Number(0), _rule),
        "The number from which on a rule reports; its page says what is counted.",
        "{}",
        "thresholds = { SHM001 = 4, GLB001 = 2.5 }",
    ),
    Key(
        "kernel-size",
        Number(1, whole=True, most=MOST_OPERATIONS),
        "How much work a kernel may take, in operations of the largest one that is checked for "
        "barriers, races, masks and uninitialised memory; races between the threads of a whole "
        "block are searched in kernels of up to three fifths as many. With the default a kernel "
        "takes about a second at most, and a file four times as long, or an eighth of a second for "
        "each kernel written in it, but no more than six seconds, shared fairly: the smallest "
        "kernels come first, so that large ones starve none of them; further instances of a "
        "template get what the other kernels leave. The work is counted, not timed: results do not "
        "depend on the machine. Calls are followed as far as a kernel has 8/7 as many operations, "
        "and a file 2.5 times that, each call counted as eight, shared fairly, too: nothing is "
        "known of calls beyond it, and the summary counts them. A kernel that was not checked "
        "completely is reported with the rules that were left out, and makes the exit code 3.",
        f"{KERNEL_SIZE}",
        "kernel-size = 200000",
    ),
    Key(
        "certainty",
        one_of("a certainty", CERTAINTIES),
        "`definite` reports only findings that are proven, `possible` also those that are only "
        "possible, as `--show-possible` does.",
        '"definite"',
        'certainty = "possible"',
    ),
    Key(
        "fail-on",
        one_of("a severity", SEVERITIES),
        "The lowest severity that makes the exit code 1.",
        '"warning"',
        'fail-on = "note"',
    ),
    Key(
        "extensions",
        ListOf(one_of("a suffix of C++ files", MORE_SUFFIXES)),
        "Suffixes of files to search folders for besides `.cu`, `.cuh` and `.ptx`: host code that "
        "launches kernels or copies memory, headers that no input includes.",
        "[]",
        'extensions = [".cpp", ".h"]',
    ),
    Key(
        "exclude",
        ListOf(_PATTERN),
        "Files and folders to skip when searching a folder (as in a `.gitignore`, relative to this "
        "file).",
        "[]",
        'exclude = ["third_party/", "*_generated.cu"]',
    ),
    Key(
        "python",
        Flag(),
        "Read the kernels in strings of Python files: `RawKernel`, `SourceModule`, `load_inline`.",
        "false",
        "python = true",
    ),
    Key(
        "force-exclude",
        Flag(),
        "Skip excluded files even when they are passed explicitly, as pre-commit does.",
        "false",
        "force-exclude = true",
    ),
    Key(
        "respect-gitignore",
        Flag(),
        "Skip files that git ignores when searching a folder.",
        "true",
        "respect-gitignore = false",
    ),
    Key(
        "baseline",
        _PATH,
        "A baseline file: the findings listed in it are not reported.",
        "none",
        'baseline = "warplint-baseline.json"',
        path=True,
    ),
    Key(
        "jobs",
        Number(1, whole=True, most=MOST_JOBS),
        "Number of parallel processes.",
        "the number of processors",
        "jobs = 4",
    ),
)

BY_NAME = {key.name: key for key in KEYS}


def schema() -> dict[str, Any]:
    """The JSON Schema of a configuration file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "warplint",
        "description": "Configuration of warplint: warplint.toml, or [tool.warplint] in "
        "pyproject.toml.",
        "type": "object",
        "additionalProperties": False,
        "properties": {key.name: {"description": key.help, **key.kind.schema()} for key in KEYS},
    }
