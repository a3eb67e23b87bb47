"""What is known of places of a file, beside its findings: what an editor shows around the code.

In: functions from the facts of a kernel, and from a module, to notes (`report/editor/notes.py`).
Out: notes, which are kept with the result of a file. A check makes none unless it is asked to.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..analyses.facts import KernelFacts
    from ..ir.kernel import Module
    from ..source.text import Span


class NoteKind(Enum):
    """What a note in an editor is for."""

    HOVER = "hover"  # Markdown about what the span covers
    VARIABLE = "variable"  # Markdown about a name, wherever it stands in the span
    HINT = "hint"  # a word or two, to stand after the span
    LENS = "lens"  # a line above the span
    KERNEL = "kernel"  # a function and its name; `other` is its header
    DEVICE = "device"
    LAUNCH = "launch"  # a launch and the name of its kernel; `other` is the kernel's header


@dataclass(frozen=True, slots=True)
class Note:
    """Something that an editor shows about a place of the source, beside the findings."""

    kind: NoteKind
    span: Span
    text: str
    other: Span | None = None
    name: str = ""  # of the variable,
    space: str = ""  # and the memory that it lies in


@dataclass(frozen=True, slots=True)
class Annotator:
    """The functions that make an editor's notes of each kernel, after its rules, and of a file."""

    kernel: Callable[[KernelFacts], Iterable[Note]]
    module: Callable[[Module], Iterable[Note]]
