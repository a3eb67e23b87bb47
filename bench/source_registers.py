"""The estimate of registers from source: collects labels, evaluates it, and trains the model.

    python bench/source_registers.py collect FOLDER REPOSITORY...  # folders of CUDA C++
    python bench/source_registers.py features FOLDER               # of the kernels in labels.jsonl
    python bench/source_registers.py evaluate FOLDER               # repositories left out
    python bench/source_registers.py train FOLDER                 # writes the model that is shipped

`collect` needs nvcc and ptxas: of each repository a number of files that compile by themselves,
with the folders around them as include paths, gives the registers of their kernels on three
architectures. `evaluate` and `train` need numpy and scikit-learn. The number is what the model for
PTX (registers.py), which is not trained here, says of the code that a source would be made into;
what is learnt of sources is how far off that is, and whether there are more registers than 32. Of
the repositories asked, that model may have been trained on the PTX. `evaluate` deals repositories
into parts, and asks each part of a model that was trained on the others, without kernels that have
the name of one that is asked: collections take kernels from one another. Of the instances of one
template a repository gives at most four.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from register_training import ARCHITECTURES, CLIFF, exported, folds_of, forest_of

from warplint.analyzer.analyses.storage.source_registers import FEATURES, source_features
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.file_check import facts_of
from warplint.analyzer.engine.inputs import InputFile
from warplint.analyzer.engine.processes.deep_stack import deeply
from warplint.analyzer.engine.reading import read_input
from warplint.analyzer.findings.rule import Input
from warplint.analyzer.ptx.syntax.demangle import kernel_identity, readable
from warplint.analyzer.resources.ptxas_log import read_log
from warplint.analyzer.resources.register_model import threads_of
from warplint.analyzer.resources.source_register_model import OF_ESTIMATE, numbers_of_code

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from warplint.analyzer.ir.kernel import Kernel

    Label = dict[str, Any]

OUTPUT = Path(__file__).parents[1] / "analyzer" / "resources" / "source_register_model.json"
FILES = 16  # of a repository
LARGEST = 80_000  # characters of a file
SECONDS = 45  # for a file
INSTANCES = 4  # of one template, by repository
PARTS, FOLDS = 10, 4  # of the evaluation, and inside of training
SPREAD_TREES, ABOVE_TREES = 40, 40
THRESHOLD = 0.45  # the share of trees from which on a kernel is said to be above the cliff
COVERAGE = 0.9
NEAR = 8  # registers from the truth
ESTIMATE = len(FEATURES)  # where the estimate for PTX stands, behind the features
LEAF = ESTIMATE + OF_ESTIMATE + 1
_AROUND = ("", "include", "src", "inc", "common")


def main() -> None:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["collect", "features", "evaluate", "train"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("repositories", nargs="*", type=Path)
    options = parser.parse_args()
    if options.what == "collect":
        _collect(options.folder, options.repositories)
    elif options.what == "features":
        _write_features(options.folder)
    elif options.what == "evaluate":
        _evaluate(Table(options.folder))
    else:
        table = Table(options.folder)
        OUTPUT.write_text(
            json.dumps(_document(Trained(table), table), separators=(",", ":")) + "\n"
        )


# ---- labels --------------------------------------------------------------------------------------


def _collect(folder: Path, repositories: Iterable[Path]) -> None:
    """One line for each file that compiles."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "labels.jsonl").open("a") as out:
        for repository in repositories:
            for path in _chosen(repository):
                if label := _label(repository, path):
                    out.write(json.dumps(label) + "\n")
                    out.flush()


def _chosen(repository: Path) -> list[Path]:
    found = [
        path
        for path in sorted(repository.rglob("*.cu"))
        if "__global__" in (text := path.read_text(errors="replace")) and len(text) < LARGEST
    ]
    random.Random(11).shuffle(found)
    return found[:FILES]


def _label(repository: Path, path: Path) -> Label | None:
    """The registers of a file's kernels; None where it does not compile."""
    around = [each for each in path.parents if each == repository or repository in each.parents]
    include = [str(each / name) for each in around for name in _AROUND if (each / name).is_dir()]
    labels: dict[str, dict[int, int]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        ptx = f"{temporary}/out.ptx"
        words = [*("nvcc", "-w", "-ptx", "-arch=compute_80", "-std=c++17"), "-o", ptx]
        words += [word for each in include for word in ("-I", each)]
        if _output([*words, str(path)]) is None:
            return None
        for arch in ARCHITECTURES:
            text = _output(["ptxas", "-v", f"-arch=sm_{arch}", "-o", os.devnull, ptx])
            for kernel in read_log(text or "").kernels:
                if (count := kernel.usage.registers.value) is not None:
                    labels.setdefault(kernel.name, {})[arch] = count
    return {"repo": repository.name, "file": str(path), "inc": include, "labels": labels}


def _output(words: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=True)
    except (subprocess.SubprocessError, OSError):
        return None
    return done.stderr


# ---- features ------------------------------------------------------------------------------------


def _write_features(folder: Path) -> None:
    """One line for each kernel that the source and the labels both have."""
    labels = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    by_file = {label["file"]: label for label in labels}
    with (folder / "rows.jsonl").open("w") as out:
        for label in by_file.values():
            for row in _rows(label):
                out.write(json.dumps(row) + "\n")


def _rows(label: Label) -> Iterator[dict[str, Any]]:
    settings = Settings(arch=ARCHITECTURES[0], include_paths=tuple(label["inc"]))
    file = InputFile(label["file"], Input.CUDA)
    module = deeply(partial(read_input, file, settings)).module
    if module is None:
        return
    symbols: dict[str, list[str]] = {}
    for symbol in label["labels"]:
        symbols.setdefault(kernel_identity(symbol).name.split("<")[0], []).append(symbol)
    names = Counter(kernel.name for kernel in module.kernels)
    for kernel in module.kernels:
        symbol = _symbol(kernel, symbols.get(kernel.name, []), alone=names[kernel.name] == 1)
        if symbol is None or kernel.status != "full":
            continue
        facts = facts_of(kernel, module, settings)
        for arch, registers in label["labels"][symbol].items():
            features = deeply(partial(source_features, facts, threads_of(int(arch))))
            yield {
                "repo": label["repo"],
                "name": kernel.name,
                "arch": int(arch),
                "registers": registers,
                "features": features,
            }


def _symbol(kernel: Kernel, symbols: Sequence[str], *, alone: bool) -> str | None:
    """The compiled kernel that one of a source is; None where that is not clear."""
    if alone and len(symbols) == 1:
        return symbols[0]
    label = _plain(kernel.label)
    found = [each for each in symbols if _plain(readable(each)).split("(")[0].endswith(label)]
    return found[0] if len(found) == 1 else None


def _plain(name: str) -> str:
    spaced = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", name)
    return re.sub(r"\s+", "", spaced).replace("true", "1").replace("false", "0")


# ---- training ------------------------------------------------------------------------------------


class Table:
    """Kernels, once for each architecture."""

    def __init__(self, folder: Path) -> None:
        import numpy as np

        rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
        seen: Counter[tuple[str, str, int]] = Counter()
        kept = []
        for row in rows:
            key = (row["repo"], row["name"], row["arch"])
            seen[key] += 1
            if seen[key] <= INSTANCES:
                kept.append(row)
        self.rows = np.array([_inputs(row) for row in kept], float)
        self.registers = np.array([row["registers"] for row in kept], float)
        self.groups = np.array([row["repo"] for row in kept])
        self.names = np.array([row["name"] for row in kept])
        self.cap = self.rows[:, FEATURES.index("cap")]

    @property
    def arch(self) -> Any:
        return self.rows[:, -1]


def _inputs(row: dict[str, Any]) -> list[float]:
    """What trees see: features, what the model for PTX says of them, and the architecture."""
    arch, features = row["arch"], row["features"]
    return [*features, *(numbers_of_code(arch, features, FEATURES) or ()), arch]


class Trained:
    """What is shipped: the error to expect of the estimate for PTX, and whether there are more
    registers than 32.
    """

    def __init__(self, table: Table, chosen: Any = None) -> None:
        import numpy as np

        chosen = np.ones(len(table.rows), bool) if chosen is None else chosen
        rows, registers, groups = (
            column[chosen] for column in (table.rows, table.registers, table.groups)
        )
        self.above = _randomised(ABOVE_TREES).fit(rows, (registers > CLIFF).astype(float))
        error = np.abs(np.log(registers / rows[:, ESTIMATE]))
        self.spread = _trees(SPREAD_TREES).fit(rows, np.log(error + 0.02))
        # What the spread has learnt by heart is too small elsewhere: it is asked of other folds.
        held = np.zeros(len(error))
        for names in folds_of(groups, FOLDS):
            fold = np.isin(groups, names)
            model = _trees(SPREAD_TREES).fit(rows[~fold], np.log(error[~fold] + 0.02))
            held[fold] = error[fold] / np.exp(np.minimum(model.predict(rows[fold]), 0))
        self.factor = float(np.quantile(held, COVERAGE))

    def predict(self, rows: Any, cap: Any) -> tuple[Any, Any, Any]:
        """The number and the ends of the interval, as source_register_model.py has them."""
        import numpy as np

        value = rows[:, ESTIMATE]
        width = self.factor * np.exp(np.minimum(self.spread.predict(rows), 0))
        low, high = (np.round(value * np.exp(sign * width)) for sign in (-1, 1))
        above = self.above.predict(rows) > THRESHOLD
        middle = np.where(above, np.maximum(value, CLIFF + 1), np.minimum(value, CLIFF))
        ends = middle, np.minimum(low, middle), np.maximum(high, middle)
        return tuple(np.clip(end, 8, np.minimum(cap, 255)) for end in ends)  # type: ignore[return-value]


def _randomised(count: int) -> Any:
    from sklearn.ensemble import ExtraTreesRegressor

    return ExtraTreesRegressor(
        count, max_leaf_nodes=150, min_samples_leaf=3, max_features=0.4, random_state=0
    )


def _trees(count: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(
        loss="squared_error",
        max_iter=count,
        learning_rate=0.05,
        max_leaf_nodes=6,
        min_samples_leaf=30,
        l2_regularization=10.0,
        max_features=0.3,
        random_state=0,
    )


def _document(model: Trained, table: Table) -> dict[str, Any]:
    return {
        "features": list(FEATURES),
        "kernels": len(table.rows),
        "repositories": len(set(table.groups)),
        "factor": round(model.factor, 4),
        # A sum above 0 where the share of trees is above the threshold.
        "above": {"start": -THRESHOLD, "trees": forest_of(model.above, 1.0, LEAF)},
        "spread": exported(model.spread, 1.0, LEAF),
    }


# ---- evaluation ----------------------------------------------------------------------------------


def _evaluate(table: Table) -> None:
    import numpy as np

    found = np.zeros((3, len(table.rows)))
    for part in folds_of(table.groups, PARTS):
        asked = np.isin(table.groups, part)
        model = Trained(table, ~asked & ~np.isin(table.names, table.names[asked]))
        found[:, asked] = model.predict(table.rows[asked], table.cap[asked])
    head = f"{'':8}{'kernels':>9}{'±4':>7}{'±8':>7}{'error':>7}{'inside':>8}{'width':>7}"
    head += f"{'said':>6}{'found':>6}{'>32':>6}"
    print(head)
    for arch in (*ARCHITECTURES, None):
        chosen = np.ones(len(table.rows), bool) if arch is None else table.arch == arch
        name = "all" if arch is None else f"sm_{arch}"
        print(f"{name:8}" + _scores(found[:, chosen], table.registers[chosen]))
    print(f"{len(set(table.groups))} repositories; of more than 32: precision, recall and F1")


def _scores(found: Any, truth: Any) -> str:
    import numpy as np

    middle, low, high = found
    off = np.abs(middle - truth)
    inside = ((low <= truth) & (truth <= high)).mean()
    said, above = middle > CLIFF, truth > CLIFF
    both = (said & above).sum()
    right, told = both / max(said.sum(), 1), both / max(above.sum(), 1)
    score = 2 * both / max(said.sum() + above.sum(), 1)
    return (
        f"{len(truth):9}{(off <= NEAR / 2).mean():7.0%}{(off <= NEAR).mean():7.0%}"
        f"{off.mean():7.1f}{inside:8.0%}{np.median(high - low):7.0f}"
        f"{right:6.2f}{told:6.2f}{score:6.2f}"
    )


if __name__ == "__main__":
    main()
