"""The data files of this folder: what was measured, and what NVIDIA's manuals say.

In: a file's name. Out: its text, or the content of a TOML file. The loader of the package hands
them out, so that an archive will do; `importlib.resources` would take four times as long to import
as all the tables take to read.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from typing import Any


def table_text(name: str) -> str:
    """The text of a data file about the hardware."""
    data = pkgutil.get_data(__package__, name)
    if data is None:
        raise FileNotFoundError(name)
    return data.decode("utf-8")


@cache
def table(name: str) -> dict[str, Any]:
    """The content of a TOML file about the hardware; not to be changed."""
    import tomllib

    return tomllib.loads(table_text(name))
