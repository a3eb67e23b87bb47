"""The most that a configuration, which a stranger may have written, can ask of a machine."""

from __future__ import annotations

MOST_JOBS = 256  # processes of one run
MOST_OPERATIONS = 1_000_000  # of a kernel that barriers and races are looked for in
