"""The bank model against an H200, and against a second, slower formulation of its rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.hardware.architectures import architecture
from warplint.analyzer.hardware.banks import SharedKind, shared_wavefronts

PROBES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "h200_probes.json").read_text()
)
HOPPER = architecture(90)

#: Nsight Compute computes its source counters from addresses. On these paired warps they
#: contradict the hardware's own counter, and the model follows the hardware.
TOOL_CONTRADICTS_HARDWARE = {
    "sh_ld8": {"mod2x32"},
    "sh_ld16": {"mod2x32", "mod2x8", "randmask8_25", "randmask8_37"},
}

ATOMICS = {"sh_atom", "sh_inc", "sh_red", "sh_exch", "sh_max", "sh_or"}


def probe(operation: str) -> tuple[SharedKind, int]:
    """The kind and width of a probed instruction, from the name of its probe."""
    if operation in ATOMICS:
        return SharedKind.ATOMIC, 4
    if operation == "sh_cas":
        return SharedKind.CAS, 4
    if operation == "sh_popc":
        return SharedKind.INCREMENT, 4
    if operation.startswith("sh_ldsm"):
        return SharedKind.MATRIX_LOAD, 16
    kind = SharedKind.LOAD if operation.startswith("sh_ld") else SharedKind.STORE
    return kind, int(operation.removeprefix("sh_ld").removeprefix("sh_st"))


def addresses(pattern: str, width: int, operation: str = "") -> list[int | None]:
    """The byte address of each lane: the pattern counts in elements, `-` is an inactive lane."""
    slots = PROBES["patterns"][pattern].split()
    if operation.startswith("sh_ldsm"):
        # ldmatrix wants every row: the probe gave inactive lanes the first one.
        rows = 8 * int(operation.removeprefix("sh_ldsm")[0])
        return [0 if slot == "-" else int(slot) * width for slot in slots[:rows]]
    return [None if slot == "-" else int(slot) * width for slot in slots]


@pytest.mark.parametrize("operation", PROBES["shared"])
def test_all_probe_patterns(operation: str) -> None:
    measured = PROBES["shared"][operation]
    kind, width = probe(operation)
    different = {
        name
        for name, wavefronts, ideal in zip(
            PROBES["patterns"],
            measured["wavefronts"].split(),
            measured["ideal"].split(),
            strict=True,
        )
        for answer in [shared_wavefronts(addresses(name, width, operation), width, kind, HOPPER)]
        if (answer.wavefronts, answer.ideal) != (int(wavefronts), int(ideal))
    }
    assert different == TOOL_CONTRADICTS_HARDWARE.get(operation, set())


def test_all_hardware_counters() -> None:
    for name, operation, wavefronts in PROBES["hardware_wavefronts"]:
        kind, width = probe(f"sh_{operation}")
        answer = shared_wavefronts(addresses(name, width), width, kind, HOPPER)
        assert answer.wavefronts == wavefronts, (name, operation)


lanes = st.lists(st.none() | st.integers(0, 200), min_size=32, max_size=32)
widths = st.sampled_from([1, 2, 4, 8, 16])


def brute_force(shape: list[int | None], width: int, kind: SharedKind) -> int:
    """The rules for compute capability 5.0 and later, word by word and bank by bank."""

    def distinct(group: list[int]) -> int:
        words = {
            (shape[lane] + offset) // 4  # type: ignore[operator]
            for lane in group
            if shape[lane] is not None
            for offset in range(width)
        }
        return max(sum(word % 32 == bank for word in words) for bank in range(32))

    size = {8: 16, 16: 8}.get(width, 32)
    paired = any(
        all(
            shape[lane] is None or shape[lane ^ d] is None or shape[lane] == shape[lane ^ d]
            for lane in range(32)
        )
        for d in (1, 2)
    )
    if kind is SharedKind.LOAD and width > 4 and paired:
        size *= 2
    return sum(distinct(list(range(first, first + size))) for first in range(0, 32, size))


@given(lanes, widths, st.sampled_from([SharedKind.LOAD, SharedKind.STORE]))
def test_loads_and_stores_by_brute_force(
    slots: list[int | None], width: int, kind: SharedKind
) -> None:
    shape = [None if slot is None else slot * width for slot in slots]
    answer = shared_wavefronts(shape, width, kind, HOPPER)
    assert answer.wavefronts == brute_force(shape, width, kind)
    assert answer.ideal <= answer.wavefronts


@given(st.lists(st.none() | st.integers(0, 20), min_size=16, max_size=16), st.sampled_from([1, 2]))
def test_paired_loads_by_brute_force(slots: list[int | None], distance: int) -> None:
    """Pairs l and l ^ distance share an address: random warps almost never do."""
    leaders = [lane for lane in range(32) if not lane & distance]
    shape: list[int | None] = [None] * 32
    for leader, slot in zip(leaders, slots, strict=True):
        shape[leader] = shape[leader | distance] = None if slot is None else slot * 16
    for width in (8, 16):
        answer = shared_wavefronts(shape, width, SharedKind.LOAD, HOPPER)
        assert answer.wavefronts == brute_force(shape, width, SharedKind.LOAD)


@given(lanes, st.integers(0, 1000), widths, st.sampled_from(SharedKind))
def test_moving_a_warp_by_whole_rows_changes_nothing(
    slots: list[int | None], rows: int, width: int, kind: SharedKind
) -> None:
    shape = [None if slot is None else slot * width for slot in slots]
    moved = [None if address is None else address + 128 * rows for address in shape]
    for each in (HOPPER, architecture("1.3")):
        assert shared_wavefronts(shape, width, kind, each) == shared_wavefronts(
            moved, width, kind, each
        )


@given(lanes)
def test_atomics_count_lanes_and_increments_count_words(slots: list[int | None]) -> None:
    shape = [None if slot is None else slot * 4 for slot in slots]
    active = [slot for slot in slots if slot is not None]
    crowd = max((sum(slot % 32 == bank for slot in active) for bank in range(32)), default=0)
    words = max((sum(slot % 32 == bank for slot in set(active)) for bank in range(32)), default=0)
    assert shared_wavefronts(shape, 4, SharedKind.ATOMIC, HOPPER).wavefronts == crowd
    assert shared_wavefronts(shape, 4, SharedKind.CAS, HOPPER).wavefronts == 2 * crowd
    assert shared_wavefronts(shape, 4, SharedKind.INCREMENT, HOPPER).wavefronts == words


@given(lanes, widths, st.sampled_from([SharedKind.LOAD, SharedKind.STORE]))
def test_the_worst_bank_holds_every_lane_it_names(
    slots: list[int | None], width: int, kind: SharedKind
) -> None:
    shape = [None if slot is None else slot * width for slot in slots]
    answer = shared_wavefronts(shape, width, kind, HOPPER)
    for bank, named in answer.banks.items():
        for lane in named:
            address = shape[lane]
            assert address is not None
            touched = range(address // 4, (address + width - 1) // 4 + 1)
            assert bank in {word % 32 for word in touched}
    assert (answer.worst_bank is None) == all(slot is None for slot in slots)


@pytest.mark.parametrize(
    ("stride", "degree", "banks"), [(1, 1, 32), (2, 2, 16), (3, 1, 32), (4, 4, 8), (32, 32, 1)]
)
def test_the_stride_table_of_the_textbooks(stride: int, degree: int, banks: int) -> None:
    shape = [4 * stride * lane for lane in range(32)]
    answer = shared_wavefronts(shape, 4, SharedKind.LOAD, HOPPER)
    assert (answer.degree, len(answer.banks), answer.excessive) == (degree, banks, degree - 1)


def test_the_lanes_of_an_eight_way_conflict() -> None:
    shape = [4 * 32 * (lane % 8) + 4 * (lane // 8) for lane in range(32)]
    answer = shared_wavefronts(shape, 4, SharedKind.LOAD, HOPPER)
    assert answer.wavefronts == 8
    assert answer.worst_bank == 0
    assert answer.banks == {bank: tuple(range(8 * bank, 8 * bank + 8)) for bank in range(4)}


def test_one_lane_at_the_same_word_as_all_others_is_free() -> None:
    for kind in (SharedKind.LOAD, SharedKind.STORE, SharedKind.INCREMENT):
        assert shared_wavefronts([64] * 32, 4, kind, HOPPER).wavefronts == 1
    assert shared_wavefronts([64] * 32, 4, SharedKind.ATOMIC, HOPPER).wavefronts == 32


def test_a_warp_without_active_lanes_costs_nothing() -> None:
    for kind in SharedKind:
        answer = shared_wavefronts([None] * 32, 16, kind, HOPPER)
        assert (answer.wavefronts, answer.ideal, answer.degree) == (0, 0, 1.0)


@pytest.mark.parametrize(
    ("capability", "width", "stride", "wavefronts", "ideal"),
    [
        # 16 banks, two half-warps: a stride of 16 words is 16-way in each of them.
        ("1.0", 4, 4, 2, 2),
        ("1.0", 4, 64, 32, 2),
        # Programming Guide 4.2, F.3.3.3: 8-bit elements side by side conflict, 4-way.
        ("1.0", 1, 1, 8, 2),
        ("2.0", 1, 1, 1, 1),
        # F.3.3.4: doubles are two 32-bit requests with a 2-way conflict each; not so on 2.x.
        ("1.3", 8, 8, 8, 4),
        ("2.0", 8, 8, 2, 2),
        # F.4.3: the majority of 128-bit accesses are 2-way on 2.x.
        ("2.0", 16, 16, 8, 4),
        ("9.0", 16, 16, 4, 4),
        # G.4.3: words i and i + 32 of one segment share a bank without conflict on 3.x.
        ("3.5", 4, 8, 1, 1),
        ("3.5", 4, 16, 2, 1),
        ("5.0", 4, 8, 2, 1),
        ("3.5", 8, 8, 1, 1),
    ],
)
def test_older_architectures(
    capability: str, width: int, stride: int, wavefronts: int, ideal: int
) -> None:
    shape = [stride * lane for lane in range(32)]
    answer = shared_wavefronts(shape, width, SharedKind.LOAD, architecture(capability))
    assert (answer.wavefronts, answer.ideal) == (wavefronts, ideal)


def test_one_word_is_broadcast_at_a_time_on_the_oldest() -> None:
    g80 = architecture("1.0")
    assert shared_wavefronts([0] * 16, 4, SharedKind.LOAD, g80).wavefronts == 1
    two_words = [4 * (lane // 8) for lane in range(16)]
    assert shared_wavefronts(two_words, 4, SharedKind.LOAD, g80).wavefronts == 2
    assert shared_wavefronts(two_words, 4, SharedKind.LOAD, architecture(20)).wavefronts == 1


def test_eight_byte_banks_of_kepler() -> None:
    wide = architecture(35).with_eight_byte_banks()
    column = [4 * 32 * lane for lane in range(32)]
    assert shared_wavefronts(column, 4, SharedKind.LOAD, wide).wavefronts == 16
    assert shared_wavefronts(column, 4, SharedKind.LOAD, HOPPER).wavefronts == 32


@pytest.mark.parametrize("width", [0, 3, 32])
def test_an_impossible_width_is_refused(width: int) -> None:
    with pytest.raises(ValueError, match=f"not {width}"):
        shared_wavefronts([0], width, SharedKind.LOAD, HOPPER)


def test_a_warp_has_32_lanes() -> None:
    with pytest.raises(ValueError, match="not 33"):
        shared_wavefronts([0] * 33, 4, SharedKind.LOAD, HOPPER)
