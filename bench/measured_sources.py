"""The sources that measured launches name, and what warplint makes of them.

In: the folder of an oracle, or of checked out repositories. Out: the launches, and the files to
read for a kernel, in the order to try them, each read once: the kernel's own file and those that
include it, which may hold its launches.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warplint.analyzer.cuda.read import CudaOptions, read_cuda
from warplint.analyzer.ptx.read import read_ptx
from warplint.analyzer.source.reader import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.ir.kernel import Kernel, Module

_UNITS = frozenset({".cu", ".cpp", ".cc"})
_HEADERS = frozenset({".cuh", ".h", ".hpp", ".inl"})
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)


def measured_launches(oracle: Path) -> Iterator[dict[str, Any]]:
    """The launches of an oracle in their order; `nth` counts those of one kernel and shape."""
    before = Counter[tuple[object, ...]]()
    for measured in json.loads((oracle / "lines.json").read_text())["launches"]:
        shape = (measured["mangled"], *measured["grid"], *measured["block"])
        measured["nth"] = before[shape]
        before[shape] += 1
        yield measured


class Sources:
    """Where the files of an oracle are."""

    def __init__(self, oracle: Path, repositories: Path | None) -> None:
        self._oracle = oracle
        self._repositories = repositories
        self._includers: dict[Path, dict[str, list[Path]]] = {}

    def units(self, measured: dict[str, Any]) -> list[Path]:
        """The files to read for a measured kernel."""
        if self._repositories is None:
            return [self._oracle / measured["file"]]
        root = self._repositories / measured["repo"].replace("/", "+")
        file = measured["file"] or next(iter(measured.get("other_files", ())), "")
        return list(self._with_includers(root, root / file)) if file else []

    def _with_includers(self, root: Path, file: Path) -> Iterator[Path]:
        """What includes the file, near files first, then the file itself."""
        if root not in self._includers:
            self._includers[root] = _includers(root)
        seen = [file]
        for path in seen:
            near = self._includers[root].get(path.name, [])
            seen += [other for other in near if other not in seen and _reaches(other, path)]
        yield from (path for path in seen[1:] if path.suffix in _UNITS)
        yield file


def _includers(root: Path) -> dict[str, list[Path]]:
    """By the name of a file, the files of a repository that include one of that name."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(root.rglob("*")):
        if path.suffix in _UNITS | _HEADERS and path.is_file():
            for name in _INCLUDE.findall(path.read_bytes()):
                found[Path(name.decode(errors="replace")).name].append(path)
    return found


def _reaches(includer: Path, included: Path) -> bool:
    """Whether a name in one file means the other file: one lies in the other's folder or below."""
    folders = (includer.parent, included.parent)
    return folders[0] in (folders[1], *folders[1].parents) or folders[1] in folders[0].parents


class Reader:
    """Modules of files, from source or from PTX, each read once."""

    def __init__(self, *, ptx: bool) -> None:
        self._ptx = ptx
        self._modules: dict[Path, Module | None] = {}

    def module(self, path: Path) -> Module | None:
        """The module of a file; None when there is no PTX of it."""
        if path not in self._modules:
            self._modules[path] = self._from_ptx(path) if self._ptx else _from_source(path)
        return self._modules[path]

    def _from_ptx(self, path: Path) -> Module | None:
        beside = path.with_suffix(".ptx")
        if beside.is_file():
            return _with_launches(str(beside), path)
        nvcc = shutil.which("nvcc")
        if nvcc is None:
            return None
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / beside.name
            command = [nvcc, "-ptx", "-O3", "-lineinfo", "-arch=sm_90", "-w"]
            includes = [f"-I{found}" for found in _include_paths(path)]
            run = subprocess.run(
                [*command, *includes, str(path), "-o", str(made)], capture_output=True
            )
            return _with_launches(str(made), path) if run.returncode == 0 else None


def _from_source(path: Path) -> Module:
    source, _ = read_source(str(path))
    return read_cuda(source, CudaOptions(include_paths=_include_paths(path)))


def _include_paths(path: Path) -> tuple[Path, ...]:
    """The file's folder, and the folders of headers beside those around it."""
    around = [folder / name for folder in path.parents[:5] for name in ("include", "Common", "inc")]
    return (path.parent, *(folder for folder in around if folder.is_dir()))


def _with_launches(ptx: str, source: Path) -> Module:
    """The module of a PTX file, its kernels with the launches in their source's host code."""
    module = read_ptx(read_source(ptx)[0])
    original = _from_source(source)
    launches = {spelling(kernel): kernel.launches for kernel in original.kernels}
    for kernel in module.kernels:
        spelled = re.sub(r"\([\w ]+\)", "", spelling(kernel))
        kernel.launches.extend(launches.get(spelled, ()))
    return module


def spelling(kernel: Kernel) -> str:
    """The name of a kernel or instance without spaces, as source and PTX share it."""
    return kernel.label.replace(" ", "")
