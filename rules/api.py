"""The rule API: what rules outside of warplint are written with, by `VERSION`.

In: nothing. Out: the names that a rule of a user's own imports from here, and from nowhere else of
the package; docs/rule_api.md says what may be asked of the facts that its `check` gets. A name or a
fact that goes, or means something else, raises the version; new ones do not.
"""

from __future__ import annotations

from ..analyzer.analyses.facts import KernelFacts, LaunchFacts
from ..analyzer.analyses.host.facts import HostFacts
from ..analyzer.findings.finding import Certainty, Fact, Finding, Fix, Part, Related, Severity
from ..analyzer.findings.rule import Category, Input, Rule, Subject
from ..analyzer.ir.memory import MemoryObject, Space
from ..analyzer.ir.operations import (
    AccessKind,
    Barrier,
    BarrierKind,
    Branch,
    Call,
    Compare,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    Pure,
    WarpOperation,
)
from ..analyzer.ir.values import Constant, Parameter, Special, SpecialRegister, Value, whole_number

VERSION = 1

__all__ = [
    "VERSION",
    "AccessKind",
    "Barrier",
    "BarrierKind",
    "Branch",
    "Call",
    "Category",
    "Certainty",
    "Compare",
    "Constant",
    "Fact",
    "Finding",
    "Fix",
    "HostFacts",
    "Input",
    "KernelFacts",
    "LaunchFacts",
    "MemoryAccess",
    "MemoryObject",
    "Opcode",
    "Operation",
    "Parameter",
    "Part",
    "Phi",
    "Pure",
    "Related",
    "Rule",
    "Severity",
    "Space",
    "Special",
    "SpecialRegister",
    "Subject",
    "Value",
    "WarpOperation",
    "whole_number",
]
