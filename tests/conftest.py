"""What all tests share: goldens, `--bless` to write them anew, and how properties are tested."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable

# No test may hang on how busy the machine is.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="write the goldens anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)`: the text is that of `goldens/<name>` beside the test file."""

    def compare(name: str, text: str) -> None:
        path = Path(request.path).parent / "goldens" / name
        if request.config.getoption("--bless"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no golden {path}; run pytest --bless and read what it writes"
        assert text == path.read_text(encoding="utf-8")

    return compare
