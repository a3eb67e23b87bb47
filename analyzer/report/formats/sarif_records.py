"""The objects of SARIF 2.1.0 that warplint writes, and their encoding.

One record per object of the OASIS standard, with its properties in snake case; `encode` turns a
record into plain data with the standard's names. What is None or empty is left out, unless the
standard gives emptiness a meaning (`results: []` says that the run looked and found nothing).
"""

from __future__ import annotations

import re
from dataclasses import field, fields, is_dataclass
from typing import Any

from ...source.records import dataclass

Bag = dict[str, Any]

_KEEP = {"keep": True}


@dataclass(frozen=True, slots=True)
class Message:
    """3.11: text, with links to related locations in it; `markdown` only for rules."""

    text: str
    markdown: str | None = None


@dataclass(frozen=True, slots=True)
class ArtifactLocation:
    """3.4: a file, relative to a named root."""

    uri: str
    uri_base_id: str | None = None
    index: int | None = None
    description: Message | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """3.30: lines and columns from 1; the end column is that after the last character."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class PhysicalLocation:
    """3.29: a region of a file."""

    artifact_location: ArtifactLocation
    region: Region | None = None


@dataclass(frozen=True, slots=True)
class LogicalLocation:
    """3.33: the kernel."""

    name: str
    kind: str = "function"


@dataclass(frozen=True, slots=True)
class Location:
    """3.28: a place, with the number by which messages link to it."""

    physical_location: PhysicalLocation
    id: int | None = None
    logical_locations: tuple[LogicalLocation, ...] = ()
    message: Message | None = None


@dataclass(frozen=True, slots=True)
class ArtifactContent:
    """3.3: inserted text."""

    text: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """3.57: a region and the text to put there."""

    deleted_region: Region
    inserted_content: ArtifactContent


@dataclass(frozen=True, slots=True)
class ArtifactChange:
    """3.56: the replacements in one file."""

    artifact_location: ArtifactLocation
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class Fix:
    """3.55: a change that mends a result."""

    description: Message
    artifact_changes: tuple[ArtifactChange, ...]


@dataclass(frozen=True, slots=True)
class ThreadFlowLocation:
    """3.38: one step of a thread."""

    location: Location
    execution_order: int


@dataclass(frozen=True, slots=True)
class ThreadFlow:
    """3.37: the steps of one thread."""

    id: str
    message: Message
    locations: tuple[ThreadFlowLocation, ...]


@dataclass(frozen=True, slots=True)
class CodeFlow:
    """3.36: threads that together show a result."""

    thread_flows: tuple[ThreadFlow, ...]


@dataclass(frozen=True, slots=True)
class Suppression:
    """3.35: a result that the code's author has looked at and left."""

    kind: str
    justification: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """3.27: a finding."""

    rule_id: str
    rule_index: int
    level: str
    message: Message
    locations: tuple[Location, ...]
    partial_fingerprints: Bag
    related_locations: tuple[Location, ...] = ()
    code_flows: tuple[CodeFlow, ...] = ()
    fixes: tuple[Fix, ...] = ()
    suppressions: tuple[Suppression, ...] | None = field(default=None, metadata=_KEEP)
    rank: float | None = None  # 0 to 100
    properties: Bag = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReportingConfiguration:
    """3.50: a rule as it is without any settings."""

    enabled: bool
    level: str


@dataclass(frozen=True, slots=True)
class ToolComponentReference:
    """3.54: a catalogue by its index in `taxonomies`."""

    name: str
    index: int
    guid: str


@dataclass(frozen=True, slots=True)
class ReportingDescriptorReference:
    """3.52: an entry of a catalogue."""

    id: str
    index: int
    tool_component: ToolComponentReference


@dataclass(frozen=True, slots=True)
class ReportingDescriptorRelationship:
    """3.53: how a rule relates to an entry; `relevant` claims no more than that."""

    target: ReportingDescriptorReference
    kinds: tuple[str, ...] = ("relevant",)


@dataclass(frozen=True, slots=True)
class ReportingDescriptor:
    """3.49: a rule."""

    id: str
    name: str
    short_description: Message
    full_description: Message
    help: Message
    default_configuration: ReportingConfiguration
    properties: Bag
    help_uri: str | None = None
    relationships: tuple[ReportingDescriptorRelationship, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolComponent:
    """3.19: warplint itself."""

    name: str
    full_name: str
    version: str
    semantic_version: str
    rules: tuple[ReportingDescriptor, ...] = field(metadata=_KEEP)
    supported_taxonomies: tuple[ToolComponentReference, ...] = ()


@dataclass(frozen=True, slots=True)
class TaxonDescriptor:
    """3.49: an entry of a catalogue; `name` is its number, the description its title."""

    id: str
    short_description: Message
    help_uri: str | None = None


@dataclass(frozen=True, slots=True)
class TaxonomyComponent:
    """3.19: a catalogue that rules refer to."""

    name: str
    guid: str
    organization: str
    version: str
    information_uri: str
    short_description: Message
    taxa: tuple[TaxonDescriptor, ...]
    is_comprehensive: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """3.18."""

    driver: ToolComponent


@dataclass(frozen=True, slots=True)
class Notification:
    """3.58: a problem of the run, not of the code."""

    level: str
    message: Message
    locations: tuple[Location, ...] = ()


@dataclass(frozen=True, slots=True)
class Invocation:
    """3.20: how the run went."""

    execution_successful: bool
    exit_code: int
    tool_execution_notifications: tuple[Notification, ...] = ()


@dataclass(frozen=True, slots=True)
class Artifact:
    """3.24: a file that was looked at or spoken of."""

    location: ArtifactLocation
    roles: tuple[str, ...] = ()
    source_language: str | None = None


@dataclass(frozen=True, slots=True)
class RunAutomationDetails:
    """3.17: which analysis this is, so that one commit can carry several."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """3.14."""

    tool: Tool
    automation_details: RunAutomationDetails
    invocations: tuple[Invocation, ...]
    original_uri_base_ids: Bag
    column_kind: str = "unicodeCodePoints"
    artifacts: tuple[Artifact, ...]
    taxonomies: tuple[TaxonomyComponent, ...] = ()
    results: tuple[Result, ...] = field(metadata=_KEEP)


@dataclass(frozen=True, slots=True, kw_only=True)
class SarifLog:
    """3.13: the whole file."""

    schema: str = field(
        default="https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
        "sarif-schema-2.1.0.json",
        metadata={"name": "$schema"},
    )
    version: str = "2.1.0"
    runs: tuple[Run, ...]


def encode(value: Any) -> Any:
    """An object of SARIF as plain data for JSON; the keys of a bag are kept as they are."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            item.metadata.get("name") or camel_case(item.name): encode(content)
            for item in fields(value)
            if not _left_out(content := getattr(value, item.name))
            or ("keep" in item.metadata and content is not None)
        }
    if isinstance(value, dict):
        return {key: encode(content) for key, content in value.items()}
    if isinstance(value, (tuple, list)):
        return [encode(content) for content in value]
    return value


def camel_case(name: str) -> str:
    """`rule_index` and `wavefronts ideal` as `ruleIndex` and `wavefrontsIdeal`."""
    first, *rest = re.split(r"[_\s-]+", name)
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def _left_out(value: Any) -> bool:
    return value is None or value == () or value == {}
