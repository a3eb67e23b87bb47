"""The table of compute capabilities: complete, sourced, and found by any name people write."""

from __future__ import annotations

from dataclasses import fields

import pytest

from warplint.analyzer.hardware.architectures import (
    Architecture,
    UnknownArchitectureError,
    architecture,
    known_architectures,
)


@pytest.mark.parametrize(
    ("which", "capability"),
    [
        (90, 90),
        ("sm_90", 90),
        ("sm_90a", 90),
        ("compute_90", 90),
        ("9.0", 90),
        ("90", 90),
        (" SM_86 ", 86),
        ("sm_100f", 100),
        ("10.3", 103),
        ("sm_121", 121),
        ("sm_10", 10),
        ("1.3", 13),
    ],
)
def test_an_architecture_is_found_by_every_spelling(which: int | str, capability: int) -> None:
    assert architecture(which).capability == capability


def test_an_architecture_finds_itself() -> None:
    hopper = architecture(90)
    assert architecture(hopper) is hopper


@pytest.mark.parametrize(
    ("which", "hint"),
    [
        ("sm_9", "did you mean sm_90?"),
        ("99", "did you mean sm_90?"),
        ("hopper", "known are sm_10 to sm_121"),
        ("", "known are sm_10 to sm_121"),
        (7, "did you mean sm_70?"),
    ],
)
def test_an_unknown_architecture_says_what_to_write(which: int | str, hint: str) -> None:
    with pytest.raises(UnknownArchitectureError) as caught:
        architecture(which)
    assert repr(str(which)) in str(caught.value)
    assert hint in str(caught.value)


def test_all_capabilities_of_nvidias_compilers_are_known() -> None:
    names = " ".join(each.compute_capability for each in known_architectures())
    assert names == (
        "1.0 1.1 1.2 1.3 2.0 2.1 3.0 3.2 3.5 3.7 5.0 5.2 5.3 6.0 6.1 6.2 7.0 7.2 7.5 "
        "8.0 8.6 8.7 8.8 8.9 9.0 10.0 10.1 10.3 11.0 12.0 12.1"
    )


@pytest.mark.parametrize("each", known_architectures(), ids=str)
def test_every_value_has_a_source(each: Architecture) -> None:
    for field in fields(Architecture):
        assert each.source(field.name), field.name
    with pytest.raises(KeyError):
        each.source("clock_rate")


@pytest.mark.parametrize("each", known_architectures(), ids=str)
def test_the_limits_agree_with_each_other(each: Architecture) -> None:
    assert each.warps_per_sm * 32 == each.threads_per_sm
    assert each.threads_per_block <= each.threads_per_sm
    assert each.registers_per_block <= each.registers_per_sm
    assert max(each.shared_capacities) == each.shared_per_sm
    assert each.shared_per_block <= (each.shared_per_block_optin or each.shared_per_block)
    if each.capability >= 80:
        assert each.shared_per_block_optin == each.shared_per_sm - each.shared_reserved
    layout = each.shared_memory
    assert layout.lanes_32 >= layout.lanes_64 >= layout.lanes_128
    assert layout.row_bytes % (layout.banks * layout.bank_bytes) == 0


def test_figures_every_cuda_programmer_knows() -> None:
    g80, hopper, ada = architecture("1.0"), architecture("9.0"), architecture("8.9")
    assert (g80.threads_per_sm, g80.registers_per_sm, g80.shared_per_sm) == (768, 8192, 16384)
    assert (g80.threads_per_block, g80.blocks_per_sm, g80.shared_memory.banks) == (512, 8, 16)
    assert (hopper.threads_per_sm, hopper.shared_per_block_optin) == (2048, 227 * 1024)
    assert (ada.warps_per_sm, ada.blocks_per_sm) == (48, 24)


def test_only_kepler_has_eight_byte_banks() -> None:
    assert architecture(35).with_eight_byte_banks().shared_memory.bank_bytes == 8
    assert architecture(90).with_eight_byte_banks() is architecture(90)
