"""How races speak of data that was chosen as an example."""

from __future__ import annotations

from warplint.rules._shared.races import said_data


def test_of_negative_data_the_sign_alone_is_said() -> None:
    said = [said_data("next", number) for number in (4096, 0, -1, -4096)]
    assert said == ["next = 4096", "next = 0", "next = -1", "next < 0"]
