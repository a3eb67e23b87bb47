"""What follows from PTX alone, and what stands in a cubin, against what ptxas -v prints.

    python bench/exact_resources.py FOLDER
    python bench/exact_resources.py --compile DIR|FILE.cu... [--draw N]

reads FOLDER/*.ptx with the logs that `ptxas -v` left in *.sm_XX.log and the cubins in
*.sm_XX.cubin, or lets nvcc and ptxas make them of sources, of which `--draw` takes N and nvcc may
refuse some. Printed is for each architecture how many kernels have the same number. Constant bank 0
is compared with the cubin: ptxas prints none from 9.0 on. Spills add to the frame and do not follow
from PTX: it is also counted where nothing is spilled. And it is counted where copies count once and
templates as often as for registers.py: a template that spills may be instantiated a hundred times.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from draws import add_draw, cuda_files
from registers import INSTANCES, digests, template_of

from warplint.analyzer.ptx.estimate.exact_resources import ModuleResources
from warplint.analyzer.ptx.syntax.parse import parse_ptx
from warplint.analyzer.resources.fatbin import read_binary
from warplint.analyzer.resources.ptxas_log import read_log
from warplint.analyzer.source.reader import read_source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warplint.analyzer.ir.usage import Usage

ARCHITECTURES = (80, 90, 120)
EXACT = ("barriers", "static_shared", "frame")
IN_CUBIN = ("registers", "barriers", "static_shared", "frame")


def compare(folder: Path) -> Counter[tuple[str, str]]:
    """Counts by build and by what was compared."""
    counts: Counter[tuple[str, str]] = Counter()
    seen: set[tuple[str, bytes]] = set()
    instances: Counter[tuple[str, str, str]] = Counter()  # of a template in a repository
    for path in sorted(folder.glob("*.ptx")):
        source, _ = read_source(path)
        if source is None:
            continue
        module = parse_ptx(source)
        rules = ModuleResources(module)
        entries = [item for item in module.functions if item.is_entry and item.body is not None]
        digest_of = {entry.name: digest for entry, digest in digests(source, entries)}
        for arch in ARCHITECTURES:
            build = f"sm_{arch}"
            log, cubin = (path.with_suffix(f".{build}.{kind}") for kind in ("log", "cubin"))
            if not log.exists() or not cubin.exists():
                continue
            said = {k.name: k.usage for k in read_log(log.read_text(errors="replace")).kernels}
            held = {k.name: k.usage for k in read_binary(cubin.read_bytes()).kernels}
            for entry in entries:
                if entry.name not in said:
                    continue
                own = rules.usage(entry, arch)
                _count(counts, build, (own, said[entry.name], held[entry.name]))
                template = (build, path.name.split("__")[0], template_of(entry.name))
                kernel = (build, digest_of[entry.name])
                if kernel in seen or instances[template] >= INSTANCES:
                    continue
                seen.add(kernel)
                instances[template] += 1
                counts[build, "distinct"] += 1
                same = own.frame.value == said[entry.name].frame.value
                counts[build, "frame of distinct"] += same
    return counts


def _count(
    counts: Counter[tuple[str, str]], build: str, usages: tuple[Usage, Usage, Usage]
) -> None:
    own, said, held = usages
    counts[build, "kernels"] += 1
    for name in EXACT:
        counts[build, name] += getattr(own, name).value == getattr(said, name).value
    counts[build, "constant_bank"] += own.constant_bank.value == held.constant_bank.value
    if not said.spill_stores.value:
        counts[build, "without spills"] += 1
        counts[build, "frame without spills"] += own.frame.value == said.frame.value
    for name in IN_CUBIN:
        counts[build, f"cubin {name}"] += getattr(held, name).value == getattr(said, name).value


def build(sources: Sequence[Path], folder: Path) -> int:
    """Make PTX, logs and cubins of the sources that nvcc accepts; how many it does."""
    count = 0
    for number, source in enumerate(sources):
        ptx = folder / f"{_repository(source)}__{number}.ptx"
        words = ["nvcc", "-ptx", "-std=c++17", f"-arch=sm_{ARCHITECTURES[0]}", "-o", ptx, source]
        if subprocess.run(words, capture_output=True, check=False).returncode:
            continue
        count += 1
        for arch in ARCHITECTURES:
            cubin, log = (ptx.with_suffix(f".sm_{arch}.{kind}") for kind in ("cubin", "log"))
            words = ["ptxas", "-v", f"-arch=sm_{arch}", "-o", cubin, ptx]
            done = subprocess.run(words, capture_output=True, check=False)
            log.write_bytes(done.stderr)
    return count


def _repository(source: Path) -> str:
    """`owner+name` where a source lies in the work tree of a repository."""
    return next((part for part in source.parts if "+" in part), "all")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--compile", action="store_true", help="the paths are sources")
    add_draw(parser)
    options = parser.parse_args()
    if not options.compile:
        _show(compare(options.paths[0]))
        return
    with tempfile.TemporaryDirectory() as temporary:
        sources = cuda_files(options.paths, options.draw)
        count = build(sources, Path(temporary))
        _show(compare(Path(temporary)))
    print(f"{count} of {len(sources)} sources compile")


def _show(counts: Counter[tuple[str, str]]) -> None:
    for (arch, what), count in sorted(counts.items()):
        parts = ("without spills", "distinct")
        total = counts[arch, next((part for part in parts if part in what), "kernels")]
        print(f"{arch:<7} {what:<22} {count:>6} of {total} ({100 * count / total:.2f} %)")


if __name__ == "__main__":
    main()
