"""The register estimator: collects labels, evaluates it, and trains the model that is shipped.

    python bench/registers.py collect FOLDER      # ptxas -v on FOLDER/<repository>__*.ptx
    python bench/registers.py evaluate FOLDER     # leave one repository out, per architecture
    python bench/registers.py train FOLDER        # writes analyzer/resources/register_model.json

`collect` needs ptxas; the others need numpy and scikit-learn, and read what `collect` left. A PTX
file belongs to the repository that its name begins with. Kernels whose text is the same but for
names count once. `evaluate` trains on all repositories but one and asks that one; repositories
with fewer than 20 kernels are one group. Nothing of the kernel asked is ever seen in training.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warplint.analyzer.ptx.entry import bounds_of
from warplint.analyzer.ptx.parse import parse_ptx
from warplint.analyzer.ptx.register_features import FEATURES, entry_features
from warplint.analyzer.resources.ptxas_log import read_log
from warplint.analyzer.source.reader import read_source

OUTPUT = Path(__file__).parents[1] / "analyzer" / "resources" / "register_model.json"
ARCHITECTURES = (80, 90, 120)
BUILDS = tuple(f"sm_{arch}" for arch in ARCHITECTURES)
SMALL_GROUP = 20
COVERAGE = 0.8


@dataclass
class Sample:
    """One kernel: where from, its features, and for each build its registers."""

    repository: str
    name: str
    features: tuple[float, ...]
    labels: dict[str, int]


def collect(folder: Path) -> None:
    """Run ptxas on every PTX file, once for each build."""
    for path in sorted(folder.glob("*.ptx")):
        for arch in ARCHITECTURES:
            _ptxas(path, arch)


def _ptxas(path: Path, arch: int) -> None:
    log = path.with_suffix(f".sm_{arch}.log")
    if log.exists():
        return
    command = ["ptxas", "-v", f"-arch=sm_{arch}", str(path), "-o", "/dev/null"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        log.write_text(done.stdout + done.stderr)
    except subprocess.TimeoutExpired:
        log.write_text("")


def samples(folder: Path) -> list[Sample]:
    """Every distinct kernel that has labels."""
    found: list[Sample] = []
    seen: set[bytes] = set()
    for path in sorted(folder.glob("*.ptx")):
        labels = {name: _labels(path, name) for name in BUILDS}
        if not any(labels.values()):
            continue
        source, _ = read_source(path)
        if source is None:
            continue
        module = parse_ptx(source)
        functions = {item.name: item for item in module.functions if item.body is not None}
        for entry in module.functions:
            if not entry.is_entry or entry.body is None:
                continue
            text = re.sub(r"[%$\w]*_?Z\w+", "N", source.text[entry.header_end : entry.end])
            key = hashlib.sha256((text + str(bounds_of(entry, source).max_threads)).encode())
            own = {name: known[entry.name] for name, known in labels.items() if entry.name in known}
            if own and key.digest() not in seen:
                seen.add(key.digest())
                features = entry_features(source, functions, entry)
                found.append(Sample(path.name.split("__")[0], entry.name, features, own))
    return found


def _labels(path: Path, build: str) -> dict[str, int]:
    log = path.with_suffix(f".{build}.log")
    if not log.exists():
        return {}
    return {
        kernel.name: kernel.usage.registers.value
        for kernel in read_log(log.read_text(errors="replace")).kernels
        if kernel.usage.registers.value
    }


# ---- the model -----------------------------------------------------------------------------------


def column(name: str) -> int:
    return FEATURES.index(name)


class Trained:
    """Two small ensembles of trees: of the registers over the base, and of the error to expect."""

    def __init__(self, rows: Any, registers: Any, groups: Any) -> None:
        import numpy as np

        base = rows[:, column("base")]
        target = np.log(registers / base)
        self.value = _trees(150).fit(rows, target)
        outside = np.zeros(len(target))
        for group in _folds(groups):
            inside = ~np.isin(groups, group)
            outside[~inside] = _trees(100).fit(rows[inside], target[inside]).predict(rows[~inside])
        error = np.abs(outside - target)
        self.spread = _trees(60).fit(rows, np.log(error + 0.02))
        # What the spread has learnt by heart is too small elsewhere: it is asked of other folds.
        held = np.zeros(len(target))
        for group in _folds(groups):
            inside = ~np.isin(groups, group)
            model = _trees(60).fit(rows[inside], np.log(error[inside] + 0.02))
            held[~inside] = error[~inside] / np.exp(model.predict(rows[~inside]))
        self.factor = float(np.quantile(held, COVERAGE))

    def predict(self, rows: Any) -> tuple[Any, Any, Any]:
        """The number and the ends of the interval."""
        import numpy as np

        base, cap = rows[:, column("base")], rows[:, column("cap")]
        value = self.value.predict(rows)
        width = self.factor * np.exp(self.spread.predict(rows))
        ends = (base * np.exp(value + shift * width) for shift in (0, -1, 1))
        return tuple(np.clip(np.round(end), 8, cap) for end in ends)  # type: ignore[return-value]


def _trees(count: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(
        loss="squared_error",
        max_iter=count,
        learning_rate=0.06,
        max_leaf_nodes=10,
        min_samples_leaf=8,
        l2_regularization=3.0,
        max_features=0.3,
        random_state=0,
    )


def _folds(groups: Any) -> list[list[str]]:
    """The groups dealt into four folds of about the same size."""
    folds: list[list[str]] = [[], [], [], []]
    sizes = [0, 0, 0, 0]
    for group, count in Counter(groups).most_common():
        place = sizes.index(min(sizes))
        folds[place].append(group)
        sizes[place] += count
    return [fold for fold in folds if fold]


def _table(found: list[Sample], build: str) -> tuple[Any, Any, Any]:
    """Features, registers and groups of the kernels of one build."""
    import numpy as np

    own = [sample for sample in found if build in sample.labels]
    count = Counter(sample.repository for sample in own)
    groups = [s.repository if count[s.repository] >= SMALL_GROUP else "others" for s in own]
    rows = np.array([sample.features for sample in own], float)
    labels = np.array([sample.labels[build] for sample in own], float)
    return rows, labels, np.array(groups)


def evaluate(folder: Path) -> None:
    """Print the table of leave-one-repository-out."""
    import numpy as np

    found = samples(folder)
    print(f"{len(found)} distinct kernels of {len({s.repository for s in found})} repositories")
    print("arch     repository              kernels exact   ±2   ±4   ±8  mean  inside  F1>32")
    for arch in ARCHITECTURES:
        rows, registers, groups = _table(found, f"sm_{arch}")
        values, lows, highs = (np.zeros(len(registers)) for _ in range(3))
        for group in sorted(set(groups)):
            asked = groups == group
            model = Trained(rows[~asked], registers[~asked], groups[~asked])
            values[asked], lows[asked], highs[asked] = model.predict(rows[asked])
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


def train(folder: Path) -> None:
    """Write the model from all samples."""
    found = samples(folder)
    document: dict[str, Any] = {"features": list(FEATURES), "architectures": {}}
    for arch in ARCHITECTURES:
        rows, registers, groups = _table(found, f"sm_{arch}")
        model = Trained(rows, registers, groups)
        document["architectures"][str(arch)] = {
            "kernels": len(registers),
            "factor": round(model.factor, 4),
            "value": _exported(model.value),
            "spread": _exported(model.spread),
        }
    OUTPUT.write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{OUTPUT}: {OUTPUT.stat().st_size} bytes, {len(found)} kernels")


def _exported(model: Any) -> dict[str, Any]:
    """Trees as lists of nodes: [feature, threshold, left, right], or a number for a leaf."""
    trees = []
    for (predictor,) in model._predictors:
        nodes: list[Any] = []
        for node in predictor.nodes:
            if node["is_leaf"]:
                nodes.append(round(float(node["value"]), 5))
            else:
                threshold = round(float(node["num_threshold"]), 4)
                nodes.append(
                    [int(node["feature_idx"]), threshold, int(node["left"]), int(node["right"])]
                )
        trees.append(nodes)
    return {"start": round(float(model._baseline_prediction.item()), 6), "trees": trees}


def main() -> None:
    """Run one of the three steps."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=["collect", "evaluate", "train"])
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    {"collect": collect, "evaluate": evaluate, "train": train}[arguments.step](arguments.folder)


if __name__ == "__main__":
    main()
