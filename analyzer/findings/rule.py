"""What a rule says of itself: codes, names, and the page that explains it.

A rule file defines `RULE = Rule(...)`, a docstring in Markdown that is its page, and `check`.
This module knows nothing of any particular rule.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

from ..source.records import dataclass
from .finding import Certainty, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .finding import Finding

CODE = re.compile(r"[A-Z]{3}[0-9]{3}")
#: The sections of every page, in this order; a test enforces them.
PAGE_SECTIONS = (
    "What it does",
    "Why is this bad?",
    "Example",
    "Use instead",
    "Known problems",
)


class Category(Enum):
    """How far to trust and how loud to be: the contract of a rule with its reader."""

    CORRECTNESS = "correctness"  # the kernel computes something else than it says
    SUSPICIOUS = "suspicious"  # most likely a mistake
    PERFORMANCE = "performance"  # right, but slower than it must be
    REPORT = "report"  # not a defect: facts, off unless selected


class Subject(Enum):
    """What a rule is about, and so what its `check` gets."""

    KERNEL = "kernel"  # a KernelFacts
    HOST = "host"  # a HostFacts: the host code of one file
    SUPPRESSIONS = "suppressions"  # a SuppressionUse: the comments of one file


class Joins(Enum):
    """Which findings of a rule are one to a reader."""

    PLACE = "place"  # those of one place; of a performance rule those of one array, too
    ARRAY = "array"  # those of one array in one kernel, which one remedy mends
    FUNCTION = "function"  # those in one function
    FILE = "file"  # those in one file, whatever kernels show them
    HABIT = "habit"  # those that one remedy mends, in whatever file


class Tag(Enum):
    """What the code of a finding is, where an editor can show it by how the code looks."""

    UNNECESSARY = "unnecessary"  # it can be removed
    DEPRECATED = "deprecated"  # there is something newer


class Input(Enum):
    """What a rule can read."""

    CUDA = "cuda"
    PTX = "ptx"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule's metadata; `page` is filled in by the discovery from the file's docstring."""

    code: str
    name: str
    summary: str  # one sentence, lower case, no full stop
    category: Category
    severity: Severity
    certainty: Certainty = Certainty.DEFINITE  # the best it can reach
    inputs: frozenset[Input] = frozenset(Input)
    default: bool = True
    subject: Subject = Subject.KERNEL
    joins: Joins = Joins.PLACE  # which of its findings reports tell of as one
    each: str = "place"  # what one of the findings that are joined speaks of
    #: Codes of rules whose finding at the same places, in another instance, says this one as well.
    yields_to: frozenset[str] = frozenset()
    tag: Tag | None = None
    notes_stand_out: bool = False  # worth a line in the report on a library, as owners read them
    costly: bool = False  # looks into kernels only up to the size that the settings give
    uncalled: bool = False  # asked of device functions that nothing in sight calls, too
    judged: tuple[str, ...] = ()  # what its findings are judged as: `doubts/registry.py`
    references: tuple[str, ...] = ()  # "CUDA-1.14", "CWE-362": ids of `taxonomies.py`
    page: str = ""
    check: Callable[..., Iterable[Finding]] | None = None

    @property
    def sections(self) -> Mapping[str, str]:
        """The page cut at its headings: title to text."""
        pieces = re.split(r"^## (.+)$", self.page, flags=re.MULTILINE)
        return {
            title.strip(): text.strip()
            for title, text in zip(pieces[1::2], pieces[2::2], strict=True)
        }
