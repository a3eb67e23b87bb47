"""The register estimator: collects labels, evaluates it, and trains the model that is shipped.

    python bench/registers.py collect FOLDER      # ptxas -v on FOLDER/<repository>__*.ptx
    python bench/registers.py evaluate FOLDER     # leave repositories out, per architecture
    python bench/registers.py spills FOLDER       # yes or no under caps; nothing is trained for it
    python bench/registers.py train FOLDER        # writes analyzer/resources/register_model.json

`collect` needs ptxas; the others need numpy and scikit-learn, and read what `collect` left. A PTX
file belongs to the repository that its name begins with. Kernels whose text is the same but for
names count once, and of the instances of one template a repository gives at most eight, so that a
header that is instantiated a hundred times does not stand for a hundred kernels. `evaluate` leaves
repositories out: they are dealt into ten parts, and each part is asked of a model that was trained
on the other nine; repositories with fewer than 20 kernels are one. Nothing of a repository asked is
ever seen in training, nor in what is chosen from it (`picked`, `threshold`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warplint.analyzer.ptx.entry import bounds_of
from warplint.analyzer.ptx.parse import parse_ptx
from warplint.analyzer.ptx.register_features import (
    FEATURES,
    entry_numbers,
    features_for,
)
from warplint.analyzer.ptx.register_spills import MARGIN, surely_spills
from warplint.analyzer.resources.ptxas_log import read_log
from warplint.analyzer.resources.register_model import MILLION, has_cliff, threads_of
from warplint.analyzer.source.reader import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.ptx.syntax import Function
    from warplint.analyzer.source.text import SourceText

OUTPUT = Path(__file__).parents[1] / "analyzer" / "resources" / "register_model.json"
ARCHITECTURES = (80, 90, 120)
BUILDS = tuple(f"sm_{arch}" for arch in ARCHITECTURES)
CAPS = (32, 64)
CAPPED = tuple(f"cap{cap}" for cap in CAPS)  # sm_80 with -maxrregcount
INSTANCES = 8  # of one template, by repository
SMALL_GROUP = 20
COVERAGE = 0.8
CLIFF = 32  # registers up to which 2,048 threads stay resident
VALUE_TREES, FOLD_TREES, SPREAD_TREES = (300, 30), (150, 20), 50
ABOVE_TREES = 30
PARTS, FOLDS = 10, 4  # of the evaluation, and inside of training
MOST = 256  # registers are fewer
FEW = 10  # kernels that are not enough to pick a number by


@dataclass
class Sample:
    """One kernel: where from, what it has, and for each build its registers."""

    repository: str
    name: str
    numbers: dict[str, float]
    labels: dict[str, int]
    expected: dict[str, bool]  # whether it is said to spill, for each capped build


def collect(folder: Path) -> None:
    """Run ptxas on every PTX file, once for each build."""
    for path in sorted(folder.glob("*.ptx")):
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


def samples(folder: Path) -> list[Sample]:
    """Every distinct kernel that has labels, at most `INSTANCES` of one template."""
    found: list[Sample] = []
    seen: set[bytes] = set()
    instances: Counter[tuple[str, str]] = Counter()
    for path in sorted(folder.glob("*.ptx")):
        labels = {name: _labels(path, name) for name in (*BUILDS, *CAPPED)}
        if not any(labels.values()):
            continue
        source, _ = read_source(path)
        if source is None:
            continue
        module = parse_ptx(source)
        functions = {item.name: item for item in module.functions if item.body is not None}
        repository = path.name.split("__")[0]
        entries = [item for item in module.functions if item.is_entry and item.body is not None]
        for entry, digest in sorted(_digests(source, entries), key=lambda pair: pair[1]):
            own = {name: known[entry.name] for name, known in labels.items() if entry.name in known}
            template = repository, template_of(entry.name)
            if not own or digest in seen or instances[template] >= INSTANCES:
                continue
            seen.add(digest)
            instances[template] += 1
            numbers = entry_numbers(source, functions, entry)
            expected = {
                f"cap{cap}": surely_spills(entry, numbers, cap)
                for cap in CAPS
                if f"cap{cap}" in own and not (numbers["threads"] or numbers["max_registers"])
            }
            found.append(Sample(repository, entry.name, numbers, own, expected))
    return found


def _digests(source: SourceText, entries: list[Function]) -> Iterator[tuple[Function, bytes]]:
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


# ---- the model -----------------------------------------------------------------------------------


def column(name: str) -> int:
    return FEATURES.index(name)


class Mixture:
    """Boosted trees and randomised ones, in equal parts: they err differently."""

    def __init__(self, boosted: int, randomised: int) -> None:
        self.boosted = _trees(boosted, rate=0.05, leaves=16)
        self.randomised = _randomised(randomised, leaves=260)

    def fit(self, rows: Any, target: Any) -> Mixture:
        """Both parts."""
        self.boosted.fit(rows, target)
        self.randomised.fit(rows, target)
        return self

    def predict(self, rows: Any) -> Any:
        """The mean of both."""
        return (self.boosted.predict(rows) + self.randomised.predict(rows)) / 2


class Trained:
    """What is shipped: registers over the base, the error to expect, and perhaps above 32.

    What is chosen by results (`picked`, `threshold`, `factor`) is chosen by those of models that
    had not seen the repository.
    """

    def __init__(self, rows: Any, registers: Any, groups: Any, *, above: bool) -> None:
        import numpy as np

        target = np.log(registers / rows[:, column("base")])
        over = (registers > CLIFF).astype(float)
        self.value = Mixture(*VALUE_TREES).fit(rows, target)
        self.above = _randomised(ABOVE_TREES, leaves=200).fit(rows, over) if above else None
        outside, share = np.zeros(len(target)), np.zeros(len(target))
        for group in _folds(groups, FOLDS):
            inside = ~np.isin(groups, group)
            model = Mixture(*FOLD_TREES).fit(rows[inside], target[inside])
            outside[~inside] = model.predict(rows[~inside])
            if above:
                forest = _randomised(ABOVE_TREES, leaves=200).fit(rows[inside], over[inside])
                share[~inside] = forest.predict(rows[~inside])
        self.threshold = _threshold(share, over > 0) if above else 0.0
        middle = np.clip(np.round(rows[:, column("base")] * np.exp(outside)), 8, MOST - 1)
        if above:
            middle = _on_side(middle, share > self.threshold)
        self.picked = _picked(middle, registers)
        error = np.abs(outside - target)
        self.spread = _trees(SPREAD_TREES).fit(rows, np.log(error + 0.02))
        # What the spread has learnt by heart is too small elsewhere: it is asked of other folds.
        held = np.zeros(len(target))
        for group in _folds(groups, FOLDS):
            inside = ~np.isin(groups, group)
            model = _trees(SPREAD_TREES).fit(rows[inside], np.log(error[inside] + 0.02))
            held[~inside] = error[~inside] / np.exp(model.predict(rows[~inside]))
        self.factor = float(np.quantile(held, COVERAGE))

    def predict(self, rows: Any) -> tuple[Any, Any, Any]:
        """The number and the ends of the interval."""
        import numpy as np

        base, cap = rows[:, column("base")], rows[:, column("cap")]
        value = self.value.predict(rows)
        width = self.factor * np.exp(self.spread.predict(rows))
        low, middle, high = (np.round(base * np.exp(value + s * width)) for s in (-1, 0, 1))
        middle = np.clip(middle, 8, MOST - 1)
        if self.above is None:
            middle = self.picked[middle.astype(int)]
        else:
            above = self.above.predict(rows) > self.threshold
            middle = _on_side(self.picked[_on_side(middle, above).astype(int)], above)
        low, high = np.minimum(low, middle), np.maximum(high, middle)
        return tuple(np.clip(end, 8, cap) for end in (middle, low, high))  # type: ignore[return-value]


def _on_side(values: Any, above: Any) -> Any:
    """The nearest values on the side of the cliff that they are said to be on."""
    import numpy as np

    return np.where(above, np.maximum(values, CLIFF + 1), np.minimum(values, CLIFF))


def _threshold(share: Any, above: Any) -> float:
    """The share of trees from which on a kernel is said to be above: where F1 is highest."""
    import numpy as np

    grid = np.arange(0.3, 0.61, 0.02)
    found = [
        2 * ((share > one) & above).sum() / ((share > one).sum() + above.sum()) for one in grid
    ]
    smooth = np.convolve(found, np.ones(3) / 3, "valid")
    return float(grid[1 + int(smooth.argmax())])


def _picked(values: Any, registers: Any) -> Any:
    """For each number that the trees may say, the one most likely to be near the truth.

    Registers pile up at steps (24, 32, 40, 48, ...) that ptxas rounds or fills up to, and a mean
    lies between two of them. The numbers that kernels have for which about the same was said are
    weighed by their distance.
    """
    import numpy as np

    picked = np.arange(MOST, dtype=float)
    for value in range(8, MOST):
        weights = np.exp(-(((values - value) / (2 * max(1, value / 40))) ** 2) / 2)
        if weights.sum() < FEW:
            continue
        choices = np.arange(max(8, value - 8), min(MOST - 1, value + 8) + 1)
        off = np.abs(registers[None] - choices[:, None])
        near = (off <= 4) + 2 * (off <= 8) + np.exp(-((off / 5) ** 2) / 2)
        scores = near @ weights / weights.sum() - 0.02 * np.abs(choices - value)
        picked[value] = choices[scores.argmax()]
    return np.maximum.accumulate(picked)


def _trees(count: int, rate: float = 0.08, leaves: int = 11) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(
        loss="squared_error",
        max_iter=count,
        learning_rate=rate,
        max_leaf_nodes=leaves,
        min_samples_leaf=8,
        l2_regularization=3.0,
        max_features=0.3,
        random_state=0,
    )


def _randomised(count: int, leaves: int) -> Any:
    from sklearn.ensemble import ExtraTreesRegressor

    return ExtraTreesRegressor(
        count,
        max_leaf_nodes=leaves,
        min_samples_leaf=2,
        max_features=0.6,
        random_state=0,
    )


def _folds(groups: Any, count: int) -> list[list[str]]:
    """The groups dealt into folds of about the same size."""
    folds: list[list[str]] = [[] for _ in range(count)]
    sizes = [0] * count
    for group, size in Counter(groups).most_common():
        place = sizes.index(min(sizes))
        folds[place].append(group)
        sizes[place] += size
    return [fold for fold in folds if fold]


def _table(found: list[Sample], build: str) -> tuple[Any, Any, Any]:
    """Features, registers and groups of the kernels of one build."""
    import numpy as np

    own = [sample for sample in found if build in sample.labels]
    count = Counter(sample.repository for sample in own)
    groups = [s.repository if count[s.repository] >= SMALL_GROUP else "others" for s in own]
    threads = threads_of(int(build.removeprefix("sm_")))
    rows = np.array([features_for(sample.numbers, threads) for sample in own], float)
    labels = np.array([sample.labels[build] for sample in own], float)
    return rows, labels, np.array(groups)


def evaluate(folder: Path) -> None:
    """Print what a model says of repositories that it has not seen."""
    import numpy as np

    found = samples(folder)
    print(f"{len(found)} distinct kernels of {len({s.repository for s in found})} repositories")
    print("arch     repository              kernels exact   ±2   ±4   ±8  mean  inside  F1>32")
    for arch in ARCHITECTURES:
        rows, registers, groups = _table(found, f"sm_{arch}")
        values, lows, highs = (np.zeros(len(registers)) for _ in range(3))
        for part in _folds(groups, PARTS):
            asked = np.isin(groups, part)
            known = rows[~asked], registers[~asked], groups[~asked]
            model = Trained(*known, above=has_cliff(arch))
            values[asked], lows[asked], highs[asked] = model.predict(rows[asked])
        for group in sorted(set(groups)):
            asked = groups == group
            _report(arch, group, registers[asked], (values[asked], lows[asked], highs[asked]))
        _report(arch, "all", registers, (values, lows, highs))


def _report(arch: int, name: str, registers: Any, answer: tuple[Any, Any, Any]) -> None:
    import numpy as np

    value, low, high = answer
    off = np.abs(value - registers)
    both = ((value > 32) & (registers > 32)).sum()
    f1 = 2 * both / max(1, (value > 32).sum() + (registers > 32).sum())
    inside = ((low <= registers) & (registers <= high)).mean()
    shares = " ".join(f"{100 * (off <= most).mean():4.0f}" for most in (0, 2, 4, 8))
    print(
        f"sm_{arch:<5} {name[:24]:<24} {len(registers):>6} {shares} {off.mean():5.1f} "
        f"{100 * inside:6.0f}  {f1:.3f}",
        flush=True,
    )


def spills(folder: Path) -> None:
    """Print how often "it spills under this cap" is right; nothing is trained for it.

    Kernels with bounds of their own, which override a cap from the command line, are not asked.
    """
    found = samples(folder)
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


def train(folder: Path) -> None:
    """Write the model from all samples."""
    found = samples(folder)
    document: dict[str, Any] = {"features": list(FEATURES), "architectures": {}}
    for arch in ARCHITECTURES:
        rows, registers, groups = _table(found, f"sm_{arch}")
        model = Trained(rows, registers, groups, above=has_cliff(arch))
        document["architectures"][str(arch)] = {
            "kernels": len(registers),
            "factor": round(model.factor, 4),
            "picked": [int(one) for one in model.picked],
            "value": exported_mixture(model.value),
            "above": _exported_above(model),
            "spread": exported(model.spread),
        }
    OUTPUT.write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{OUTPUT}: {OUTPUT.stat().st_size} bytes, {len(found)} kernels")


def exported(model: Any, share: float = 1.0) -> dict[str, Any]:
    """Boosted trees, as register_model.py reads them."""
    trees = []
    for (predictor,) in model._predictors:
        nodes = predictor.nodes
        fields = ("feature_idx", "num_threshold", "left", "right", "value")
        columns = [nodes[name].tolist() for name in fields]
        leaves = [bool(leaf) for leaf in nodes["is_leaf"]]
        trees.append(_in_order(columns, leaves, share))
    return {"start": share * float(model._baseline_prediction.item()), "trees": trees}


def exported_mixture(model: Mixture) -> dict[str, Any]:
    """Both parts as one sum of trees."""
    document = exported(model.boosted, 1 / 2)
    document["trees"] += _forest(model.randomised, 1 / 2)
    return document


def _exported_above(model: Trained) -> dict[str, Any] | None:
    """A sum above 0 where the share of trees is above the threshold."""
    if model.above is None:
        return None
    return {"start": -model.threshold, "trees": _forest(model.above, 1.0)}


def _forest(model: Any, share: float) -> list[list[int]]:
    """Randomised trees, of which each has its part in the mean."""
    trees = []
    for one in model.estimators_:
        tree = one.tree_
        columns = [
            tree.feature.tolist(), tree.threshold.tolist(), tree.children_left.tolist(),
            tree.children_right.tolist(), tree.value[:, 0, 0].tolist(),
        ]  # fmt: skip
        leaves = [left < 0 for left in tree.children_left]
        trees.append(_in_order(columns, leaves, share / len(model.estimators_)))
    return trees


def _in_order(columns: list[list[Any]], leaves: list[bool], share: float) -> list[int]:
    """A tree from its root, what is left of a node right behind it: feature, number, feature, ….

    The number of a leaf, which has no feature, is its value in millionths; all features are whole
    numbers, and so are the thresholds.
    """
    features, thresholds, left, right, values = columns
    flat: list[int] = []
    work = [0]
    while work:
        node = work.pop()
        if leaves[node]:
            flat += [len(FEATURES), round(share * values[node] * MILLION)]
        else:
            flat += [int(features[node]), floor(thresholds[node])]
            work += [int(right[node]), int(left[node])]
    return flat


def main() -> None:
    """Run one of the steps."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=["collect", "evaluate", "spills", "train"])
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    steps = {"collect": collect, "evaluate": evaluate, "spills": spills, "train": train}
    steps[arguments.step](arguments.folder)


if __name__ == "__main__":
    main()
