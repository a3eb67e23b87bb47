"""ptxas, run by us where it is installed: the surest numbers short of the user's own build.

In: the path of a PTX or CUDA file, an architecture, and how to build it. Out: what the compiler
says of each kernel, or the reason why it says nothing; a build that fails is not our error. The
tools are looked for on the PATH, under CUDA_HOME and CUDA_PATH, in /usr/local/cuda, and in the
package nvidia-cuda-nvcc of Python (`pip install warplint[ptxas]`). Nothing is written beside the
input, no build takes longer than its limit, and the input is only compiled, never run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from typing import TYPE_CHECKING

from ..source.records import dataclass
from .ptxas_log import read_log

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .ptxas_log import BuildLog


#: What a shell reads between quotes, as nvcc puts them around the words of its own commands.
_READ = re.compile(r"[$`\n\r\0]|\\$")
_READ_IN_NAMES = re.compile(r"[$`\n\r\0\"'\\;|&<>]")


class BuildError(Exception):
    """nvcc or ptxas refused the file, ran too long, or is not there; the message says which."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """The tools to use and how; `nvcc` is None where only PTX can be compiled."""

    ptxas: str
    nvcc: str | None = None
    max_registers: int | None = None
    timeout: float = 60.0


def find_compiler(ptxas: str | None = None) -> Compiler | None:
    """The tools of the first toolkit that is there, or those beside the `ptxas` that is named."""
    folders = _folders() if ptxas is None else iter([os.path.dirname(ptxas)])
    found = ptxas
    for folder in folders:
        found = found or _program(folder, "ptxas")
        nvcc = _program(folder, "nvcc")
        if found is not None:
            return Compiler(found, nvcc)
    return None


def _program(folder: str, name: str) -> str | None:
    """A tool of a folder; nothing is taken from the current one, which holds what is analysed."""
    return shutil.which(os.path.join(folder, name)) if os.path.isabs(folder) else None


def _folders() -> Iterator[str]:
    yield from os.environ.get("PATH", "").split(os.pathsep)
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if variable in os.environ:
            yield os.path.join(os.environ[variable], "bin")
    yield "/usr/local/cuda/bin"
    packages = os.path.join(sysconfig.get_paths()["purelib"], "nvidia")
    for name in ("cu13", "cuda_nvcc"):
        yield os.path.join(packages, name, "bin")


def compile_ptx(compiler: Compiler, path: str, arch: int) -> BuildLog:
    """What ptxas says of a PTX file; raises BuildError."""
    command = [compiler.ptxas, "-v", f"-arch=sm_{arch}", os.path.abspath(path)]
    if compiler.max_registers is not None:
        command.append(f"-maxrregcount={compiler.max_registers}")
    return _build(compiler, command)


def compile_cuda(compiler: Compiler, path: str, arch: int, flags: Sequence[str]) -> BuildLog:
    """What nvcc and ptxas say of a CUDA file with the user's -D, -U and -I; raises BuildError."""
    if compiler.nvcc is None:
        raise BuildError("nvcc was not found, and ptxas alone cannot compile CUDA C++")
    for word, unsafe in ((os.path.abspath(path), _READ_IN_NAMES), *((f, _READ) for f in flags)):
        found = unsafe.search(word)
        if found is not None:
            raise BuildError(f"nvcc hands its words to a shell, which would read `{found[0]}`")
    command = [compiler.nvcc, "-cubin", f"-arch=sm_{arch}", "-Xptxas", "-v", "-x", "cu"]
    if compiler.max_registers is not None:
        command.append(f"-maxrregcount={compiler.max_registers}")
    return _build(compiler, [*command, *flags, os.path.abspath(path)])


def _build(compiler: Compiler, command: Sequence[str]) -> BuildLog:
    import tempfile

    with tempfile.TemporaryDirectory(prefix="warplint-") as folder:
        output = os.path.join(folder, "kernels.cubin")
        try:
            done = subprocess.run(
                [*command, "-o", output],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=compiler.timeout,
                cwd=folder,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BuildError(f"took longer than {compiler.timeout:g} seconds") from None
        except OSError as error:
            raise BuildError(f"cannot be run: {error.strerror or error}") from None
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode:
        raise BuildError(_reason(text, done.returncode))
    return read_log(text)


def _reason(text: str, code: int) -> str:
    """The first error that the compiler printed."""
    for line in text.splitlines():
        if "error" in line.lower() or "fatal" in line.lower():
            return line.strip()[:200]
    return f"ended with code {code}"
