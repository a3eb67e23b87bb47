"""Shared memory banks: how many wavefronts one warp access takes.

In: the byte address of each active lane, the width and kind of the access, the architecture.
Out: the wavefronts, the ideal number, and the lanes that meet in each bank of the worst pass.

The rules were measured on an H200 (sm_90): 5,632 probe patterns, and 448 single accesses with the
hardware counter. A *pass* serves a group of lanes; D(group) is the largest number of distinct
words that the lanes of the group touch in one bank.

- up to 32 bits: D(all 32 lanes); lanes that touch the same word are served together, stores too
- 64 bits: the sum of D over two groups of 16 lanes; 128 bits: over four groups of 8
- loads of 64 and 128 bits serve twice the lanes at once when the warp is *paired*: each active
  lane l has the address of lane l^1, or l^1 is inactive (or so with l^2, for the whole warp)
- ldmatrix: the sum of D over each group of 8 row addresses
- atomics: the most active lanes in one bank, whatever their words; compare-and-swap twice that
- `atomicAdd(p, 1)` whose result is unused becomes ATOMS.POPC.INC, which costs D(all lanes)
- lanes that are switched off never count

Older architectures differ in the layout (`SharedMemoryLayout`), not in the code. On 1.x each half
of a warp is a request of its own and takes a wavefront at least, a wide access is a sequence of
32-bit requests, and in each pass only one word is broadcast. Not handled:
LDGSTS, whose wavefronts no tool of NVIDIA counts reliably; atomics that the compiler turns into
loops (additions of floats and of 64 bits, all of them before 5.0), which are counted as one round.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from enum import Enum
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .architectures import Architecture, SharedMemoryLayout

#: One lane of a warp and the byte address it accesses.
Lane = tuple[int, int]

_WARP_SIZE = 32
_WIDTHS = (1, 2, 4, 8, 16)


class SharedKind(Enum):
    """What a warp access to shared memory does; the hardware counts these differently."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"
    CAS = "compare-and-swap"
    INCREMENT = "increment"  # ATOMS.POPC.INC
    MATRIX_LOAD = "ldmatrix"  # one 16-byte row address per lane


@dataclass(frozen=True, slots=True)
class BankConflict:
    """The cost of one warp access to shared memory: its wavefronts, by the bank model."""

    wavefronts: int
    ideal: int  # wavefronts if the same lanes met in no bank
    #: The lanes that touch each bank in the worst pass, by bank.
    banks: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    worst_bank: int | None = None  # the bank that the worst pass waits for

    @property
    def degree(self) -> float:
        """Wavefronts per ideal wavefront; 1.0 when no lane is active."""
        return self.wavefronts / self.ideal if self.ideal else 1.0

    @property
    def excessive(self) -> int:
        """Wavefronts beyond the ideal, as Nsight Compute counts them."""
        return self.wavefronts - self.ideal


def shared_wavefronts(
    addresses: Sequence[int | None], width: int, kind: SharedKind, architecture: Architecture
) -> BankConflict:
    """The wavefronts, by the bank model, of one shared access of `width` bytes per lane; None
    stands for an inactive lane.

    A MATRIX_LOAD takes the row addresses: 8, 16 or 32 of them for x1, x2, x4, each `width` 16.
    """
    if width not in _WIDTHS:
        raise ValueError(f"access width must be one of {_WIDTHS}, not {width}")
    if len(addresses) > _WARP_SIZE:
        raise ValueError(f"a warp has {_WARP_SIZE} lanes, not {len(addresses)}")
    layout = architecture.shared_memory
    lowest = min([address for address in addresses if address is not None], default=0)
    # Moving a whole warp by full rows changes no bank, so that loop rounds share one entry.
    base = lowest - lowest % layout.row_bytes
    shape = tuple([None if address is None else address - base for address in addresses])
    return _evaluate(shape, width, kind, layout)


@lru_cache(maxsize=1 << 14)
def _evaluate(
    shape: tuple[int | None, ...], width: int, kind: SharedKind, layout: SharedMemoryLayout
) -> BankConflict:
    """`shared_wavefronts` for addresses relative to the start of a row."""
    lanes = [(lane, address) for lane, address in enumerate(shape) if address is not None]
    group_size = _lanes_per_pass(shape, width, kind, layout)
    passes = _passes(lanes, group_size, width, layout)
    touched = [_words_by_bank(group, part, layout) for group, part in passes]
    costs = [_cost(words, kind, layout) for words in touched]
    if kind is not SharedKind.MATRIX_LOAD and width == 16:
        costs = [cost + layout.extra_passes_128 for cost in costs]
    wavefronts = sum(costs)
    # Compare-and-swap goes over the banks twice, to compare and to swap.
    rounds = 2 if kind is SharedKind.CAS else 1
    least = -(-len(lanes) * width // layout.pass_bytes)
    if layout.one_broadcast_word:
        least = max(least, len({lane // group_size for lane, _ in lanes}))
    ideal = min(wavefronts, rounds * least)
    if not costs:
        return BankConflict(0, 0)
    worst = touched[costs.index(max(costs))]
    banks = {bank: tuple(lane for lane, _ in worst[bank]) for bank in sorted(worst)}
    worst_bank = max(worst, key=lambda bank: (_bank_cost(worst[bank], kind), -bank))
    return BankConflict(wavefronts, ideal, MappingProxyType(banks), worst_bank)


def _lanes_per_pass(
    shape: Sequence[int | None], width: int, kind: SharedKind, layout: SharedMemoryLayout
) -> int:
    """How many consecutive lanes are served together."""
    if kind is SharedKind.MATRIX_LOAD:
        return layout.lanes_128
    lanes = layout.lanes_per_pass(width)
    wide_load = kind is SharedKind.LOAD and width > 4
    if wide_load and layout.merged_load_pairs and (_paired(shape, 1) or _paired(shape, 2)):
        lanes *= 2
    return lanes


def _paired(shape: Sequence[int | None], distance: int) -> bool:
    """Whether each active lane and lane ^ distance, if active, have the same address."""
    full = [*shape, *[None] * (_WARP_SIZE - len(shape))]
    return all(
        address is None or full[lane ^ distance] in (None, address)
        for lane, address in enumerate(full)
    )


def _passes(
    lanes: Sequence[Lane], group_size: int, width: int, layout: SharedMemoryLayout
) -> list[tuple[list[Lane], int]]:
    """The groups of lanes that are served together, each with the bytes it accesses per lane."""
    groups = [
        group
        for first in range(0, _WARP_SIZE, group_size)
        if (group := [entry for entry in lanes if first <= entry[0] < first + group_size])
    ]
    if not layout.one_broadcast_word or width <= layout.bank_bytes:
        return [(group, width) for group in groups]
    return [
        ([(lane, address + offset) for lane, address in group], layout.bank_bytes)
        for group in groups
        for offset in range(0, width, layout.bank_bytes)
    ]


def _words_by_bank(
    group: Iterable[Lane], width: int, layout: SharedMemoryLayout
) -> dict[int, list[Lane]]:
    """For each bank the lanes that touch it, each with the row (of equal words) it touches."""
    touched: dict[int, list[Lane]] = {}
    size, banks, row_bytes = layout.bank_bytes, layout.banks, layout.row_bytes
    for lane, address in group:
        for word in range(address // size, (address + width - 1) // size + 1):
            touched.setdefault(word % banks, []).append((lane, word * size // row_bytes))
    return touched


def _cost(
    touched: Mapping[int, Sequence[Lane]], kind: SharedKind, layout: SharedMemoryLayout
) -> int:
    """Wavefronts of one pass."""
    if layout.one_broadcast_word and kind not in (SharedKind.ATOMIC, SharedKind.CAS):
        return _steps_with_one_broadcast(touched)
    return max(_bank_cost(lanes, kind) for lanes in touched.values())


def _bank_cost(lanes: Sequence[Lane], kind: SharedKind) -> int:
    """How long one bank is busy: distinct words, or every lane for atomics."""
    if kind is SharedKind.ATOMIC:
        return len(lanes)
    if kind is SharedKind.CAS:
        return 2 * len(lanes)
    return len({row for _, row in lanes})


def _steps_with_one_broadcast(touched: Mapping[int, Sequence[Lane]]) -> int:
    """Compute capability 1.x: each step serves one whole word and one lane of every other bank.

    NVIDIA leaves open which word is broadcast; here it is the one wanted by the most lanes of the
    bank with the most lanes left.
    """
    waiting = [Counter(row for _, row in lanes) for lanes in touched.values()]
    steps = 0
    while waiting:
        waiting.sort(key=lambda words: words.total(), reverse=True)
        row, _ = waiting[0].most_common(1)[0]
        del waiting[0][row]
        for words in waiting[1:]:
            other = next(iter(words))
            words[other] -= 1
            if not words[other]:
                del words[other]
        waiting = [words for words in waiting if words]
        steps += 1
    return steps
