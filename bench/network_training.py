"""Small networks of rectified units: how those that are shipped for registers are trained.

In: features of kernels and, as the target, the logarithm of their registers over the base. Out:
`Networks`, the mean of several that began with other weights; they go on smoothly where kernels are
too few for the steps of trees. Squared errors of a logarithm say little of what an estimate is used
for, whether it is within a few registers: what is lost grows by a step, smoothed, at 4 and at 8
registers besides (`_STEPS`). Adam (Kingma, Ba, "Adam: A Method for Stochastic Optimization", 2015)
with weights held small and a rate that falls along a cosine. Needs numpy. Nothing here is shipped.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from warplint.analyzer.ptx.estimate.register_features import DISTANCES
from warplint.analyzer.resources.register_networks import FARTHEST

PLAIN = 1 + len(DISTANCES)  # inputs that are given as they are, too
APART = (90, 120)  # architectures that an input of their own tells from the others
HIDDEN = (16, 8)  # units of a network
_LEAST_SCALE = 1e-3  # of an input that is nearly the same for all kernels
_ROUNDS, _BATCH, _RATE, _SMALL = 30, 128, 2e-3, 1.0
#: Registers off, what is lost beyond, and over how many registers the step is smoothed.
_STEPS = ((8.0, 2.0, 2.0), (4.0, 1.0, 1.5))
_FARTHEST_SAID = 2.0  # from the base, of the logarithm
_MEANS = (0.9, 0.999)  # of Adam
_LARGEST = 30.0  # of what exp is asked for


class Networks:
    """Several networks, trained side by side."""

    def __init__(self, count: int) -> None:
        self.count = count

    def fit(self, rows: Any, target: Any) -> Networks:
        """Train them all."""
        import numpy as np

        inputs = inputs_of(rows)
        self.centre, self.scale = inputs.mean(0), np.maximum(inputs.std(0), _LEAST_SCALE)
        self.size = float(target.std())
        known = self._inputs(rows), target, rows[:, 0]
        random = np.random.default_rng(0)
        sizes = (inputs.shape[1], *HIDDEN, 1)
        self.weights, self.biases = [], []
        for before, after in pairwise(sizes):
            most = np.sqrt(6 / (before + after))
            for parameters, shape in ((self.weights, before), (self.biases, 1)):
                first = random.uniform(-most, most, (self.count, shape, after))
                parameters.append(first.astype(np.float32))
        adam = _Adam([*self.weights, *self.biases])
        batches = len(target) // _BATCH
        for done in range(_ROUNDS * batches):
            if done % batches == 0:
                order = np.stack([random.permutation(len(target)) for _ in range(self.count)])
            at = done % batches * _BATCH
            chosen = order[:, at : at + _BATCH]
            slopes = self._slopes(*(one[chosen] for one in known))
            adam.step(slopes, _RATE * (1 + np.cos(np.pi * done / (_ROUNDS * batches))) / 2)
        return self

    def predict(self, rows: Any) -> Any:
        """The mean of what they say."""
        return self.size * self._values(self._inputs(rows)[None])[-1].mean(0)[:, 0]

    def _inputs(self, rows: Any) -> Any:
        import numpy as np

        far = (inputs_of(rows) - self.centre) / self.scale
        return np.clip(far, -FARTHEST, FARTHEST).astype(np.float32)

    def _values(self, inputs: Any) -> list[Any]:
        """Of all layers: the inputs first, and what is said last."""
        import numpy as np

        values = [inputs]
        for layer, (weights, biases) in enumerate(zip(self.weights, self.biases, strict=True)):
            sums = values[-1] @ weights + biases
            values.append(np.maximum(sums, 0) if layer < len(HIDDEN) else sums)
        return values

    def _slopes(self, inputs: Any, target: Any, base: Any) -> list[Any]:
        """Of the mean loss of a batch, along all weights and then along all biases."""
        values = self._values(inputs)
        slope = (_slope(values[-1][..., 0], target, base, self.size) / _BATCH)[..., None]
        of_weights, of_biases = [], []
        for layer in range(len(HIDDEN), -1, -1):
            held = _SMALL / _BATCH * self.weights[layer]
            of_weights.insert(0, values[layer].swapaxes(1, 2) @ slope + held)
            of_biases.insert(0, slope.sum(1, keepdims=True))
            slope = (slope @ self.weights[layer].swapaxes(1, 2)) * (values[layer] > 0)
        return of_weights + of_biases


def _slope(said: Any, target: Any, base: Any, size: float) -> Any:
    """How much is lost by saying more, of each kernel."""
    import numpy as np

    registers = base * np.exp(np.clip(said * size, -_FARTHEST_SAID, _FARTHEST_SAID))
    off = registers - base * np.exp(target)
    slope = said - target / size
    for most, lost, smooth in _STEPS:
        beyond = np.clip((np.abs(off) - most) / smooth, -_LARGEST, _LARGEST)
        share = 1 / (1 + np.exp(-beyond))
        slope = slope + lost * share * (1 - share) / smooth * np.sign(off) * registers * size
    return slope.astype(np.float32)


class _Adam:
    """Steps against slopes, each parameter by how large its own slopes have been."""

    def __init__(self, parameters: list[Any]) -> None:
        import numpy as np

        self.parameters = parameters
        self.means = [[np.zeros_like(one) for one in parameters] for _ in _MEANS]
        self.done = 0

    def step(self, slopes: list[Any], rate: float) -> None:
        """Change the parameters in place."""
        import numpy as np

        self.done += 1
        for place, (parameter, slope) in enumerate(zip(self.parameters, slopes, strict=True)):
            means = []
            for mean, keep, seen in zip(self.means, _MEANS, (slope, slope**2), strict=True):
                mean[place] = keep * mean[place] + (1 - keep) * seen
                means.append(mean[place] / (1 - keep**self.done))
            parameter -= (rate * means[0] / (np.sqrt(means[1]) + 1e-8)).astype(np.float32)


def inputs_of(rows: Any) -> Any:
    """Logarithms of all numbers, the first numbers as such, and which architecture it is.

    Numbers may be 0 or negative. The first are the base and distances, the last the architecture.
    """
    import numpy as np

    logarithms = np.sign(rows) * np.log1p(np.abs(rows))
    return np.hstack([logarithms, rows[:, :PLAIN], rows[:, -1:] == np.array([APART])])
