"""Rules in SARIF: what GitHub and the viewers show beside a finding.

In: a `Rule`. Out: its `reportingDescriptor`. GitHub reads `help.markdown`, the VS Code viewer
`fullDescription.markdown`; both texts come from the rule's page. `security-severity` is left out:
it would turn every alert into a security alert. `Catalogues` holds the entries of NVIDIA's
guidelines and of CWE that the rules refer to, and the numbers by which SARIF names them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...findings.addresses import rule_url
from ...findings.finding import Certainty, Severity
from ...findings.rule import Category
from ...findings.taxonomies import TAXA
from .sarif_records import (
    Message,
    ReportingConfiguration,
    ReportingDescriptor,
    ReportingDescriptorReference,
    ReportingDescriptorRelationship,
    TaxonDescriptor,
    TaxonomyComponent,
    ToolComponentReference,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...findings.rule import Rule
    from ...findings.taxonomies import Taxon, Taxonomy

#: GitHub cuts descriptions beyond this.
_LONGEST = 1024

_PRECISION = {Certainty.DEFINITE: "high", Certainty.POSSIBLE: "medium"}
_PROBLEM = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "recommendation",
}
_TAGS = {
    Category.CORRECTNESS: ("correctness", "reliability"),
    Category.SUSPICIOUS: ("correctness",),
    Category.PERFORMANCE: ("performance", "efficiency"),
    Category.REPORT: ("report",),
}


class Catalogues:
    """The catalogue entries that some rules refer to, each catalogue and entry with its index."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        named = sorted({name for rule in rules for name in rule.references})
        self._taxa: dict[Taxonomy, list[Taxon]] = {}
        for name in named:
            self._taxa.setdefault(TAXA[name].taxonomy, []).append(TAXA[name])
        self._indices = {taxonomy: index for index, taxonomy in enumerate(self._taxa)}

    def references(self) -> tuple[ToolComponentReference, ...]:
        """The catalogues by name and index."""
        return tuple(map(self._reference, self._taxa))

    def components(self) -> tuple[TaxonomyComponent, ...]:
        """The catalogues with the entries that are referred to."""
        return tuple(
            TaxonomyComponent(
                name=taxonomy.name,
                guid=taxonomy.guid,
                organization=taxonomy.organization,
                version=taxonomy.version,
                information_uri=taxonomy.url,
                short_description=Message(f"{taxonomy.name} of {taxonomy.organization}"),
                taxa=tuple(map(_taxon, taxa)),
            )
            for taxonomy, taxa in self._taxa.items()
        )

    def relationships(self, rule: Rule) -> tuple[ReportingDescriptorRelationship, ...]:
        """What a rule refers to."""
        return tuple(
            ReportingDescriptorRelationship(self._entry(TAXA[name])) for name in rule.references
        )

    def _entry(self, taxon: Taxon) -> ReportingDescriptorReference:
        index = self._taxa[taxon.taxonomy].index(taxon)
        return ReportingDescriptorReference(taxon.number, index, self._reference(taxon.taxonomy))

    def _reference(self, taxonomy: Taxonomy) -> ToolComponentReference:
        return ToolComponentReference(taxonomy.name, self._indices[taxonomy], taxonomy.guid)


def _taxon(taxon: Taxon) -> TaxonDescriptor:
    page = taxon.taxonomy.page
    return TaxonDescriptor(
        taxon.number, Message(taxon.title), page.format(taxon.number) if page else None
    )


def descriptor(rule: Rule, catalogues: Catalogues) -> ReportingDescriptor:
    """The rule as SARIF describes it."""
    summary = rule.summary[:1].upper() + rule.summary[1:] + "."
    what = rule.sections.get("What it does") or summary
    inputs = sorted(item.value for item in rule.inputs)
    return ReportingDescriptor(
        id=rule.code,
        name=rule.name,
        short_description=Message(_cut(summary)),
        full_description=Message(_cut(what), what),
        help=Message(rule.page or summary, rule.page or summary),
        help_uri=rule_url(rule.code) or None,
        default_configuration=ReportingConfiguration(rule.default, rule.severity.value),
        properties={
            "category": rule.category.value,
            "certainty": rule.certainty.value,
            "precision": _PRECISION[rule.certainty],
            "problem.severity": _PROBLEM[rule.severity],
            "tags": ["gpu", *inputs, *_TAGS[rule.category], *_reference_tags(rule)],
        },
        relationships=catalogues.relationships(rule),
    )


def _reference_tags(rule: Rule) -> list[str]:
    """GitHub ignores taxonomies and reads CWE ids from tags of this form."""
    cwe = [TAXA[name].number for name in rule.references if name.startswith("CWE-")]
    return [f"external/cwe/cwe-{int(number):03}" for number in cwe]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
