"""What is learnt of registers: from a table of kernels to the document that is shipped.

In: features and registers of kernels (`Table`). Out: a model that can be asked (`Trained`), and as
the document that analyzer/resources/register_model.py reads (`document_of`). Needs numpy and
scikit-learn. Which kernels, and how good it is: registers.py.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import floor
from typing import Any

from network_training import APART, HIDDEN, PLAIN, Networks

from warplint.analyzer.ptx.estimate.register_features import FEATURES
from warplint.analyzer.resources.register_model import has_cliff
from warplint.analyzer.resources.register_networks import WEIGHTS
from warplint.analyzer.resources.trees import MILLION

ARCHITECTURES = (80, 90, 120)
COVERAGE = 0.8
CLIFF = 32  # registers up to which 2,048 threads stay resident
VALUE, FOLD_VALUE = (500, 4), (250, 2)  # trees and networks
SPREAD_TREES, ABOVE_TREES = 50, 40
FOLDS = 4  # inside of training
MOST = 256  # registers are fewer
LEAF = len(FEATURES) + 1  # instead of a feature or the architecture
FEW = 10  # kernels that are not enough to pick a number by
WITHIN_8 = 4  # what it counts that a number is within 8 registers, if 1 that it is within 4


@dataclass(frozen=True)
class Table:
    """Kernels, once for each architecture: features, registers, and which repository."""

    rows: Any  # FEATURES, and the architecture behind them
    registers: Any
    groups: Any
    names: Any  # of templates

    @property
    def arch(self) -> Any:
        return self.rows[:, -1]

    @property
    def cliff(self) -> Any:
        """Those on architectures where occupancy begins to fall above 32 registers."""
        import numpy as np

        return np.isin(self.arch, [arch for arch in ARCHITECTURES if has_cliff(arch)])

    def only(self, chosen: Any) -> Table:
        columns = self.rows, self.registers, self.groups, self.names
        return Table(*(column[chosen] for column in columns))


def column(name: str) -> int:
    return FEATURES.index(name)


class Mixture:
    """Two models in equal parts, which err differently."""

    def __init__(self, first: Any, second: Any) -> None:
        self.first, self.second = first, second

    def fit(self, rows: Any, target: Any) -> Mixture:
        """Both parts."""
        self.first.fit(rows, target)
        self.second.fit(rows, target)
        return self

    def predict(self, rows: Any) -> Any:
        """The mean of both."""
        return (self.first.predict(rows) + self.second.predict(rows)) / 2


def _mixture(trees: int, networks: int) -> Mixture:
    return Mixture(_trees(trees, rate=0.05, leaves=24), Networks(networks))


class Trained:
    """What is shipped: registers over the base, the error to expect, and whether above 32.

    All architectures are learnt together, and a kernel is in the same fold on all of them. What is
    chosen by results (`picked`, `threshold`, `factor`) is chosen by those of models that had not
    seen the repository.
    """

    def __init__(self, known: Table) -> None:
        import numpy as np

        rows, registers, groups = known.rows, known.registers, known.groups
        target = np.log(registers / rows[:, column("base")])
        over = (registers > CLIFF).astype(float)
        self.value = _mixture(*VALUE).fit(rows, target)
        self.above = _randomised(ABOVE_TREES).fit(rows[known.cliff], over[known.cliff])
        outside, share = np.zeros(len(target)), np.zeros(len(target))
        folds = [np.isin(groups, fold) for fold in folds_of(groups, FOLDS)]
        for fold in folds:
            model = _mixture(*FOLD_VALUE).fit(rows[~fold], target[~fold])
            outside[fold] = model.predict(rows[fold])
            others = ~fold & known.cliff
            above = _randomised(ABOVE_TREES).fit(rows[others], over[others])
            share[fold] = above.predict(rows[fold])
        self.threshold = _threshold(share[known.cliff], over[known.cliff] > 0)
        middle = _on_side(_numbers(rows, outside), share > self.threshold, known.cliff)
        self.picked = {
            arch: _picked(middle[known.arch == arch], registers[known.arch == arch])
            for arch in ARCHITECTURES
        }
        error = np.abs(outside - target)
        self.spread = _trees(SPREAD_TREES).fit(rows, np.log(error + 0.02))
        # What the spread has learnt by heart is too small elsewhere: it is asked of other folds.
        held = np.zeros(len(target))
        for fold in folds:
            model = _trees(SPREAD_TREES).fit(rows[~fold], np.log(error[~fold] + 0.02))
            held[fold] = error[fold] / np.exp(model.predict(rows[fold]))
        self.factor = {
            arch: float(np.quantile(held[known.arch == arch], COVERAGE)) for arch in ARCHITECTURES
        }

    def predict(self, asked: Table) -> tuple[Any, Any, Any]:
        """The number and the ends of the interval."""
        import numpy as np

        rows, cliff = asked.rows, asked.cliff
        value = self.value.predict(rows)
        factor = np.array([self.factor[int(arch)] for arch in asked.arch])
        width = factor * np.exp(self.spread.predict(rows))
        above = self.above.predict(rows) > self.threshold
        middle = _on_side(_numbers(rows, value), above, cliff)
        middle = np.array(
            [
                self.picked[int(arch)][int(said)]
                for arch, said in zip(asked.arch, middle, strict=True)
            ]
        )
        middle = _on_side(middle, above, cliff)
        base, cap = rows[:, column("base")], rows[:, column("cap")]
        low, high = (np.round(base * np.exp(value + sign * width)) for sign in (-1, 1))
        low, high = np.minimum(low, middle), np.maximum(high, middle)
        return tuple(np.clip(end, 8, cap) for end in (middle, low, high))  # type: ignore[return-value]


def _numbers(rows: Any, value: Any) -> Any:
    """Registers of what the model says."""
    import numpy as np

    return np.clip(np.round(rows[:, column("base")] * np.exp(value)), 8, MOST - 1)


def _on_side(values: Any, above: Any, cliff: Any) -> Any:
    """The nearest values on the side of the cliff that they are said to be on, if there is one."""
    import numpy as np

    there = np.where(above, np.maximum(values, CLIFF + 1), np.minimum(values, CLIFF))
    return np.where(cliff, there, values)


def _threshold(share: Any, above: Any) -> float:
    """The share of trees from which on a kernel is said to be above.

    Where shares are probabilities, F1 is highest at half of that highest F1 (Lipton, Elkan,
    Naryanaswamy, "Optimal Thresholding of Classifiers to Maximize F1 Measure", 2014). The place
    where it happened to be highest depends on a few kernels.
    """
    import numpy as np

    grid = np.arange(0.3, 0.61, 0.02)
    found = [
        2 * ((share > one) & above).sum() / ((share > one).sum() + above.sum()) for one in grid
    ]
    return float(max(found)) / 2


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
        near = (off <= 4) + WITHIN_8 * (off <= 8) + np.exp(-((off / 5) ** 2) / 2)
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


def _randomised(count: int) -> Any:
    from sklearn.ensemble import ExtraTreesRegressor

    return ExtraTreesRegressor(
        count,
        max_leaf_nodes=150,
        min_samples_leaf=2,
        max_features=0.6,
        random_state=0,
    )


def folds_of(groups: Any, count: int) -> list[list[str]]:
    """The groups dealt into folds of about the same size."""
    folds: list[list[str]] = [[] for _ in range(count)]
    sizes = [0] * count
    for group, size in Counter(groups).most_common():
        place = sizes.index(min(sizes))
        folds[place].append(group)
        sizes[place] += size
    return [fold for fold in folds if fold]


# ---- the document --------------------------------------------------------------------------------


def document_of(model: Trained, table: Table) -> dict[str, Any]:
    """What is shipped, as register_model.py reads it."""
    value = model.value
    return {
        "features": list(FEATURES),
        "value": exported(value.first, 1 / 2),
        "networks": exported_networks(value.second, 1 / 2),
        # A sum above 0 where the share of trees is above the threshold.
        "above": {"start": -model.threshold, "trees": forest_of(model.above)},
        "spread": exported(model.spread),
        "architectures": {
            str(arch): {
                "kernels": int((table.arch == arch).sum()),
                "factor": round(model.factor[arch], 4),
                "picked": [int(one) for one in model.picked[arch]],
            }
            for arch in ARCHITECTURES
        },
    }


def exported(model: Any, share: float = 1.0, leaf: int = LEAF) -> dict[str, Any]:
    """Boosted trees, as register_model.py reads them."""
    trees = []
    for (predictor,) in model._predictors:
        nodes = predictor.nodes
        fields = ("feature_idx", "num_threshold", "left", "right", "value")
        columns = [nodes[name].tolist() for name in fields]
        leaves = [bool(leaf) for leaf in nodes["is_leaf"]]
        trees.append(_in_order(columns, leaves, share, leaf))
    return {"start": share * float(model._baseline_prediction.item()), "trees": trees}


def exported_networks(model: Networks, share: float) -> dict[str, Any]:
    """Networks as register_model.py reads them: for each unit its weights and, last, its bias."""
    parts = []
    for place in range(model.count):
        layers = []
        for weights, biases in zip(model.weights, model.biases, strict=True):
            last = len(layers) == len(HIDDEN)
            size = share * model.size / model.count if last else 1
            both = zip(weights[place].T.tolist(), biases[place][0].tolist(), strict=True)
            units = [[*own, bias] for own, bias in both]
            layers.append([[round(size * one * WEIGHTS) for one in unit] for unit in units])
        parts.append(layers)
    ends = {"centre": model.centre, "scale": model.scale}
    rounded = {name: [round(float(one), 4) for one in end] for name, end in ends.items()}
    return {"plain": PLAIN, "apart": list(APART), **rounded, "parts": parts}


def forest_of(model: Any, share: float = 1.0, leaf: int = LEAF) -> list[list[int]]:
    """Randomised trees, of which each has its part in the mean."""
    trees = []
    for one in model.estimators_:
        tree = one.tree_
        columns = [
            tree.feature.tolist(), tree.threshold.tolist(), tree.children_left.tolist(),
            tree.children_right.tolist(), tree.value[:, 0, 0].tolist(),
        ]  # fmt: skip
        leaves = [left < 0 for left in tree.children_left]
        trees.append(_in_order(columns, leaves, share / len(model.estimators_), leaf))
    return trees


def _in_order(columns: list[list[Any]], leaves: list[bool], share: float, leaf: int) -> list[int]:
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
            flat += [leaf, round(share * values[node] * MILLION)]
        else:
            flat += [int(features[node]), floor(thresholds[node])]
            work += [int(right[node]), int(left[node])]
    return flat
