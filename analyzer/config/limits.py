"""The most that a configuration, which a stranger may have written, can ask of a machine."""

from __future__ import annotations

#: Suffixes that may hold device code or launch it: searched for in folders where asked.
MORE_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl")

MOST_JOBS = 256  # processes of one run
MOST_OPERATIONS = 1_000_000  # of a kernel that barriers and races are looked for in
