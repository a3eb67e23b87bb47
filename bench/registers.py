"""The register estimator: collects labels, evaluates it, and trains the model that is shipped.

    python bench/registers.py collect FOLDER      # ptxas -v on FOLDER/<repository>__*.ptx
    python bench/registers.py evaluate FOLDER     # leave repositories out, with their copies
    python bench/registers.py repositories FOLDER # leave only the repository itself out
    python bench/registers.py strangers FOLDER    # also leave out kernels of the same names
    python bench/registers.py spills FOLDER       # yes or no under caps; nothing is trained for it
    python bench/registers.py train FOLDER        # writes analyzer/resources/register_model.json

`--jobs N` does it in N processes.

`collect` needs ptxas; the others need numpy and scikit-learn, and read what `collect` left. A PTX
file belongs to the repository that its name begins with. Kernels whose text is the same but for
names count once, and of the instances of one template a repository gives at most eight, so that a
header that is instantiated a hundred times does not stand for a hundred kernels. `evaluate` leaves
repositories out: they are dealt into ten parts, and each part is asked of a model that was trained
on the other nine; forks, copies, and what took code from one another are one (`families`), but for
`repositories`. Nothing of a repository asked is ever seen in training, nor in what is chosen from
it (`picked`, `threshold`). Single kernels that collections took from one another, and those of
libraries, are still known from elsewhere; `strangers` leaves out of training whatever has the name
of a kernel that is asked. Behind the scores stands how far they would lie from themselves with
other repositories (`_error`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from register_training import ARCHITECTURES, CLIFF, Table, Trained, document_of, folds_of

from warplint.analyzer.ptx.estimate.register_features import entry_numbers, features_for
from warplint.analyzer.ptx.estimate.spills import MARGIN, surely_spills
from warplint.analyzer.ptx.syntax.entry import bounds_of
from warplint.analyzer.ptx.syntax.parse import parse_ptx
from warplint.analyzer.resources.ptxas_log import read_log
from warplint.analyzer.resources.register_model import threads_of
from warplint.analyzer.source.reader import read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from warplint.analyzer.ptx.syntax.tree import Function
    from warplint.analyzer.source.text import SourceText

OUTPUT = Path(__file__).parents[1] / "analyzer" / "resources" / "register_model.json"
BUILDS = tuple(f"sm_{arch}" for arch in ARCHITECTURES)
CAPS = (32, 64)
CAPPED = tuple(f"cap{cap}" for cap in CAPS)  # sm_80 with -maxrregcount
INSTANCES = 8  # of one template, by repository
SMALL_GROUP = 20  # kernels of a family that is not printed on its own
PARTS = 10  # of the evaluation
NEAR = 8  # registers from the truth
DRAWS = 300  # of repositories, for the error of a score
#: Repositories share code that have so many kernels of the same names, and so large a part of the
#: smaller one's.
SHARED_NAMES, SHARED_PART = 5, 0.25
_LIBRARIES = ("cub", "thrust")  # whose kernels are in whatever uses them


@dataclass
class Sample:
    """One kernel: where from, what it has, and for each build its registers."""

    repository: str
    family: str  # of repositories that share code
    name: str
    numbers: dict[str, float]
    labels: dict[str, int]
    expected: dict[str, bool]  # whether it is said to spill, for each capped build


def collect(folder: Path, jobs: int) -> None:
    """Run ptxas on every PTX file, once for each build."""
    _in_processes(_builds, sorted(folder.glob("*.ptx")), jobs)


def _builds(path: Path) -> None:
    for arch in ARCHITECTURES:
        _ptxas(path, f"sm_{arch}", f"-arch=sm_{arch}")
    for cap in CAPS:
        _ptxas(path, f"cap{cap}", "-arch=sm_80", f"-maxrregcount={cap}")


def _ptxas(path: Path, build: str, *options: str) -> None:
    log = path.with_suffix(f".{build}.log")
    if log.exists():
        return
    cubin = path.with_suffix(f".{build}.cubin")  # bench/exact_resources.py reads those
    command = ["ptxas", "-v", *options, str(path), "-o", str(cubin)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        log.write_text(done.stdout + done.stderr)
    except subprocess.TimeoutExpired:
        log.write_text("")


def samples(folder: Path, jobs: int = 1) -> list[Sample]:
    """Every distinct kernel that has labels, at most `INSTANCES` of one template."""
    repositories: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*.ptx")):
        repositories.setdefault(path.name.split("__")[0], []).append(path)
    everything = _in_processes(_samples_of, [*repositories.items()], jobs)
    names: dict[str, set[str]] = {}
    for repository, own in zip(repositories, everything, strict=True):
        named = {own_name(sample.name) for _, sample in own}
        names[repository] = {name for name in named if name is not None}
    family = families(names)
    distinct: dict[bytes, Sample] = {}
    for digest, sample in chain.from_iterable(everything):
        distinct.setdefault(digest, sample)
    return [replace(one, family=family[one.repository]) for one in distinct.values()]


def _samples_of(repository: tuple[str, list[Path]]) -> list[tuple[bytes, Sample]]:
    """The distinct kernels of one repository, with what tells them apart."""
    name, paths = repository
    found: dict[bytes, Sample] = {}
    instances: Counter[str] = Counter()
    for path in paths:
        labels = {build: _labels(path, build) for build in (*BUILDS, *CAPPED)}
        if not any(labels.values()):
            continue
        source, _ = read_source(path)
        if source is None:
            continue
        module = parse_ptx(source)
        functions = {item.name: item for item in module.functions if item.body is not None}
        entries = [item for item in module.functions if item.is_entry and item.body is not None]
        for entry, digest in sorted(digests(source, entries), key=lambda pair: pair[1]):
            own = {
                build: known[entry.name] for build, known in labels.items() if entry.name in known
            }
            template = template_of(entry.name)
            if not own or digest in found or instances[template] >= INSTANCES:
                continue
            instances[template] += 1
            numbers = entry_numbers(source, functions, entry)
            expected = {
                f"cap{cap}": surely_spills(entry, numbers, cap)
                for cap in CAPS
                if f"cap{cap}" in own and not (numbers["threads"] or numbers["max_registers"])
            }
            found[digest] = Sample(name, name, entry.name, numbers, own, expected)
    return [*found.items()]


def _in_processes(work: Callable[[Any], Any], items: Sequence[Any], jobs: int) -> list[Any]:
    """What `work` says of each item, one after the other or in so many processes."""
    if jobs == 1:
        return [work(item) for item in items]
    with ProcessPoolExecutor(jobs) as processes:
        return [*processes.map(work, items)]


def digests(source: SourceText, entries: list[Function]) -> Iterator[tuple[Function, bytes]]:
    """What tells kernels apart: the text without names, and the bounds."""
    for entry in entries:
        text = re.sub(r"[%$\w]*_?Z\w+", "N", source.text[entry.header_end : entry.end])
        key = hashlib.sha256((text + str(bounds_of(entry, source).max_threads)).encode())
        yield entry, key.digest()


def template_of(symbol: str) -> str:
    """The names in a mangled symbol up to its template arguments, without versions of CUB."""
    start = re.match(r"_ZN?", symbol)
    if start is None:
        return symbol
    names: list[str] = []
    at = start.end()
    while length := re.match(r"\d+", symbol[at:]):
        at += length.end()
        name = symbol[at : at + int(length.group())]
        at += int(length.group())
        names.append(re.sub(r"(CUB|THRUST)_\d+_SM_\d+", r"\1", name))
    return "::".join(names)


def families(names: Mapping[str, set[str]]) -> dict[str, str]:
    """For each repository the first of those that it shares code with, by the names of kernels.

    One that shares with two joins them.
    """
    import networkx as nx

    shared = nx.Graph()
    shared.add_nodes_from(names)
    for one, other in combinations(sorted(names), 2):
        same = len(names[one] & names[other])
        if same >= SHARED_NAMES and same >= SHARED_PART * min(len(names[one]), len(names[other])):
            shared.add_edge(one, other)
    return {one: min(group) for group in nx.connected_components(shared) for one in group}


def own_name(symbol: str) -> str | None:
    """The name of a kernel without its namespaces; None for one of a library."""
    namespace, _, name = template_of(symbol).rpartition("::")
    return None if namespace.split("::")[0] in _LIBRARIES else name


def _labels(path: Path, build: str) -> dict[str, int]:
    """Registers of each kernel; of a capped build, whether it spills."""
    log = path.with_suffix(f".{build}.log")
    if not log.exists():
        return {}
    known = read_log(log.read_text(errors="replace")).kernels
    if build in CAPPED:
        return {kernel.name: int(bool(kernel.usage.spills)) for kernel in known}
    return {
        kernel.name: kernel.usage.registers.value
        for kernel in known
        if kernel.usage.registers.value
    }


def table_of(found: list[Sample]) -> Table:
    """The kernels of all architectures."""
    import numpy as np

    rows, registers, groups, names = [], [], [], []
    for arch in ARCHITECTURES:
        threads = threads_of(arch)
        for sample in _labelled(found, arch):
            rows.append([*features_for(sample.numbers, threads), arch])
            registers.append(sample.labels[f"sm_{arch}"])
            groups.append(sample.family)
            names.append(template_of(sample.name))
    columns = np.array(rows, float), np.array(registers, float), np.array(groups), np.array(names)
    return Table(*columns)


def _labelled(found: list[Sample], arch: int) -> list[Sample]:
    return [sample for sample in found if f"sm_{arch}" in sample.labels]


def evaluate(folder: Path, jobs: int, *, strangers: bool = False, copies: bool = False) -> None:
    """Print what a model says of repositories, or `strangers`, that it has not seen.

    `copies` of these it may have seen.
    """
    import numpy as np

    found = samples(folder, jobs)
    if copies:
        found = [replace(sample, family=sample.repository) for sample in found]
    print(f"{len(found)} distinct kernels of {len({s.repository for s in found})} repositories")
    table = table_of(found)
    answer = tuple(np.zeros(len(table.registers)) for _ in range(3))
    masks = [np.isin(table.groups, part) for part in folds_of(table.groups, PARTS)]
    ask = partial(_unseen, table, strangers=strangers, threads=None if jobs == 1 else 1)
    for asked, answers in zip(masks, _in_processes(ask, masks, jobs), strict=True):
        for whole, own in zip(answer, answers, strict=True):
            whole[asked] = own
    print("arch     repository              kernels exact    ±2    ±4    ±8  mean  inside  F1>32")
    for arch in ARCHITECTURES:
        own = table.arch == arch
        repositories = np.array([sample.repository for sample in _labelled(found, arch)])
        kernels = Counter(table.groups[own].tolist())
        for group in sorted(group for group, count in kernels.items() if count >= SMALL_GROUP):
            _report(arch, group, table, own & (table.groups == group), answer)
        _report(arch, "all", table, own, answer)
        value, registers = answer[0][own], table.registers[own]
        near, said, true = abs(value - registers) <= NEAR, value > CLIFF, registers > CLIFF
        of_near = 100 * _error(repositories, partial(_share, near))
        of_f1 = _error(repositories, partial(_f1, said, true))
        print(f"sm_{arch}: standard errors: ±{NEAR} {of_near:.1f}, F1 {of_f1:.3f}", flush=True)


def _unseen(
    table: Table, asked: Any, *, strangers: bool, threads: int | None
) -> tuple[Any, Any, Any]:
    """What is said of the kernels asked by a model of the others; at most so many threads."""
    import numpy as np
    import sklearn.ensemble  # noqa: F401  # its threads are there to be limited
    from threadpoolctl import threadpool_limits

    known = ~(asked | np.isin(table.names, table.names[asked])) if strangers else ~asked
    with threadpool_limits(threads):
        return Trained(table.only(known)).predict(table.only(asked))


def _report(arch: int, name: str, table: Table, asked: Any, answer: tuple[Any, ...]) -> None:
    import numpy as np

    registers = table.registers[asked]
    value, low, high = (one[asked] for one in answer)
    off = np.abs(value - registers)
    f1 = _f1(value > CLIFF, registers > CLIFF, slice(None))
    inside = ((low <= registers) & (registers <= high)).mean()
    shares = " ".join(f"{100 * (off <= most).mean():5.1f}" for most in (0, 2, 4, 8))
    print(
        f"sm_{arch:<5} {name[:24]:<24} {len(registers):>6} {shares} {off.mean():5.1f} "
        f"{100 * inside:7.1f}  {f1:.3f}",
        flush=True,
    )


def _share(right: Any, chosen: Any) -> float:
    return float(right[chosen].mean())


def _f1(said: Any, true: Any, chosen: Any) -> float:
    said, true = said[chosen], true[chosen]
    return float(2 * (said & true).sum() / max(1, said.sum() + true.sum()))


def _error(repositories: Any, score: Callable[[Any], float]) -> float:
    """How far a score lies from itself where as many repositories are drawn again and again.

    Efron, "Bootstrap Methods: Another Look at the Jackknife", 1979.
    """
    import numpy as np

    random = np.random.default_rng(0)
    places = [np.flatnonzero(repositories == one) for one in np.unique(repositories)]
    found = []
    for _ in range(DRAWS):
        drawn = random.integers(len(places), size=len(places))
        found.append(score(np.concatenate([places[one] for one in drawn])))
    return float(np.std(found))


def spills(folder: Path, jobs: int) -> None:
    """Print how often "it spills under this cap" is right; nothing is trained for it.

    Kernels with bounds of their own, which override a cap from the command line, are not asked.
    """
    found = samples(folder, jobs)
    if not any(sample.expected for sample in found):
        logs = " and ".join(f"*.{build}.log" for build in CAPPED)
        raise SystemExit(
            f"{folder}: no kernel without bounds of its own has labels of capped builds; `collect` "
            f"makes them, as {logs} beside each *.ptx"
        )
    print(f"more than {MARGIN} values beyond the cap in any order")
    print("repository              asked   said  right  spill precision recall")
    by_repository: dict[str, list[tuple[bool, bool]]] = {}
    for sample in sorted(found, key=lambda one: one.repository):
        answers = [(said, bool(sample.labels[name])) for name, said in sample.expected.items()]
        for repository in (sample.repository, "all"):
            by_repository.setdefault(repository, []).extend(answers)
    by_repository["all"] = by_repository.pop("all")  # last
    for repository, pairs in by_repository.items():
        said = sum(yes for yes, _ in pairs)
        spilled = sum(spill for _, spill in pairs)
        right = sum(yes and spill for yes, spill in pairs)
        precision = right / said if said else float("nan")
        recall = right / spilled if spilled else float("nan")
        print(
            f"{repository[:24]:<24} {len(pairs):>5} {said:>6} {right:>6} {spilled:>6} "
            f"{precision:9.3f} {recall:6.3f}"
        )


def train(folder: Path, jobs: int) -> None:
    """Write the model from all samples."""
    found = samples(folder, jobs)
    table = table_of(found)
    document = document_of(Trained(table), table)
    OUTPUT.write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{OUTPUT}: {OUTPUT.stat().st_size} bytes, {len(found)} kernels")


def main() -> None:
    """Run one of the steps."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    steps = {
        "collect": collect,
        "evaluate": evaluate,
        "repositories": partial(evaluate, copies=True),
        "strangers": partial(evaluate, strangers=True),
        "spills": spills,
        "train": train,
    }
    parser.add_argument("step", choices=[*steps])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1, help="processes to work in")
    arguments = parser.parse_args()
    steps[arguments.step](arguments.folder, arguments.jobs)


if __name__ == "__main__":
    main()
