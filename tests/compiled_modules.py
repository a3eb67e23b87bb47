"""Which modules run as machine code: those of a compiled wheel, which are stricter than Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType


def is_compiled(module: ModuleType) -> bool:
    """Whether a module was compiled (`WARPLINT_COMPILE=1`, see `compiled/modules.toml`)."""
    return not str(module.__file__).endswith(".py")


def of_python_only(module: ModuleType, reason: str) -> pytest.MarkDecorator:
    """Mark a test that does to a module's classes what only classes of Python allow.

    What it asserts has to hold of both; the compiled ones are made from the same source.
    """
    return pytest.mark.skipif(is_compiled(module), reason=reason)
