"""git, as it is without anybody's configuration."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_SETTINGS = ("user.name=t", "user.email=t@example.com", "protocol.file.allow=always")
_OWN = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder: Path, *words: str, **environment: str) -> str:
    """What git says in a folder."""
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *settings, *words],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env=kept | _OWN | environment,
    )
    return done.stdout.strip()
