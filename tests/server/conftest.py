"""One server for the tests of a module: starting one costs more than most tests do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .editor import FULL, Editor

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    made = Editor(tmp_path_factory.mktemp("workspace"), FULL)
    yield made
    made.end()
