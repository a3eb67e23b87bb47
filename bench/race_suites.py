"""How many labelled kernels of public race suites get the right verdict.

    python bench/race_suites.py FOLDER [--suite NAME] [--all]

FOLDER holds a checkout per repository, `owner+name`; bench/race_suites.toml names the files with a
race or a barrier that not all threads reach ("racy"), read from the suites' own verdicts or, where
these say something else (gpurepair's say whether it can be repaired), from the source. Every other
file of a suite's folder counts as correct. The launch is that of a file's first lines
(`--blockDim=64 --gridDim=[2,2] -DN=4`, as GPUVerify has it), else what the tool finds by itself.
A racy file is found when any definite finding of the race rules lies in it; one in a correct file
is a false positive. Printed are recall and false positives by suite, each miss, each file blamed.
"""

from __future__ import annotations

import argparse
import re
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.file_check import facts_of
from warplint.analyzer.engine.inputs import InputFile
from warplint.analyzer.engine.reading import read_input
from warplint.analyzer.findings.finding import Certainty
from warplint.analyzer.findings.rule import Input
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.findings.finding import Finding

LABELS = Path(__file__).with_suffix(".toml")
RULES = ("SYN001", "SYN002", "SYN003", "SYN006", "SYN007", "SYN008", "SYN009", "WRP001", "WRP002")
MAX_THREADS = 1024
HEAD = 6  # lines of a file that may give its launch


class Verdict(NamedTuple):
    """One file: what the label says, and what was found."""

    path: Path
    racy: bool
    definite: tuple[Finding, ...]
    possible: tuple[Finding, ...]
    seconds: float  # CPU time of the slowest kernel
    reason: str

    @property
    def right(self) -> bool:
        """Whether label and findings agree."""
        return bool(self.definite) == self.racy


def settings_of(path: Path) -> Settings:
    """The launch and the macros that a file's first lines give."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        head = [line for line, _ in zip(lines, range(HEAD), strict=False) if line[:2] == "//"]
    text = next((line for line in head if "Dim=" in line), "")  # the first launch of several
    names = re.findall(r"-D(\w+)(?:=(\w+))?", text)
    block = _shape(text, "blockDim")
    if block is not None and block[0] > MAX_THREADS:
        block = (MAX_THREADS, 1, 1)
    return Settings(
        block=block,
        grid=_shape(text, "gridDim"),
        defines={name: value or "1" for name, value in names},
    )


def _shape(text: str, option: str) -> tuple[int, int, int] | None:
    found = re.search(rf"--{option}=\[?([\d,\s]+)", text)
    if found is None:
        return None
    numbers = [int(number) for number in re.findall(r"\d+", found[1])]
    x, y, z = (*numbers, 1, 1, 1)[:3]
    return x, y, z


def verdict(path: Path, racy: bool, reason: str) -> Verdict:
    """Read one file and apply the race rules to its kernels."""
    known = load_rules()
    rules = [known[code] for code in RULES if code in known]
    settings = settings_of(path)
    module = read_input(InputFile(str(path), Input.CUDA), settings).module
    found: list[Finding] = []
    slowest = 0.0
    for kernel in module.kernels if module else ():
        start = time.process_time()
        facts = facts_of(kernel, module, settings) if module else None
        for rule in rules:
            found += rule.check(facts) if rule.check and facts else ()
        slowest = max(slowest, time.process_time() - start)
    definite = tuple(one for one in found if one.certainty is Certainty.DEFINITE)
    possible = tuple(one for one in found if one.certainty is not Certainty.DEFINITE)
    return Verdict(path, racy, definite, possible, slowest, reason)


def verdicts(root: Path, suite: dict[str, object]) -> Iterator[Verdict]:
    """Every file of a suite."""
    racy, left_out = suite.get("racy", {}), suite.get("left_out", {})
    assert isinstance(racy, dict)
    assert isinstance(left_out, dict)
    folder = root / str(suite["folder"])
    for path in sorted(folder.rglob("*.cu")):
        name = str(path.relative_to(folder).with_suffix("")).removesuffix("/kernel")
        if name not in left_out:
            yield verdict(path, name in racy, racy.get(name, ""))


def report(name: str, found: list[Verdict], *, every: bool) -> None:
    """Print one suite."""
    racy = [one for one in found if one.racy]
    hits = [one for one in racy if one.right]
    wrong = [one for one in found if not one.racy and not one.right]
    clean = len(found) - len(racy)
    slowest = max((one.seconds for one in found), default=0.0)
    print(
        f"{name}: {len(hits)} of {len(racy)} racy files found, "
        f"{len(wrong)} of {clean} correct files blamed, slowest kernel {slowest:.2f} s"
    )
    for one in found:
        if every or not one.right:
            kind = ("missed" if one.racy else "blamed") if not one.right else "right"
            print(f"  {kind:7}{one.path} {one.reason}")
            for finding in one.definite if not one.racy or every else one.possible:
                text = "".join(part.text for part in finding.message)
                print(f"         {finding.rule.code} line {finding.span.line}: {text}")


def main() -> None:
    """Print the table of a folder of checkouts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--suite", default="", help="only suites with this in their name")
    parser.add_argument("--all", action="store_true", help="print right verdicts, too")
    arguments = parser.parse_args()
    for suite in tomllib.loads(LABELS.read_text(encoding="utf-8"))["suite"]:
        name = suite["repository"]
        if arguments.suite in f"{name}/{suite['folder']}":
            root = arguments.folder / name.replace("/", "+")
            found = list(verdicts(root, suite))
            report(f"{name} {suite['folder']}", found, every=arguments.all)


if __name__ == "__main__":
    main()
