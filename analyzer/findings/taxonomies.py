"""Catalogues of defects that rules refer to: NVIDIA's CUDA C++ guidelines, and CWE.

In: an id as a rule writes it, `CUDA-1.14` or `CWE-362`. Out: its catalogue and its title. The CUDA
ids and titles are those of "CUDA C++ Guidelines for Robust and Safety Critical Programming",
version 3.0.1 (NVIDIA, 2023); the CWE titles those of the Common Weakness Enumeration (MITRE).
Only entries that a rule of ours can show are here; a rule that needs another adds its row.
"""

from __future__ import annotations

from ..source.records import dataclass


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """A catalogue: `prefix` begins its ids, `page` is a URL with a place for the bare id."""

    prefix: str
    name: str
    organization: str
    version: str
    guid: str  # names the catalogue in SARIF files; never changes
    url: str
    page: str = ""


@dataclass(frozen=True, slots=True)
class Taxon:
    """One entry of a catalogue."""

    taxonomy: Taxonomy
    number: str  # "1.14", "362"
    title: str

    @property
    def id(self) -> str:
        """As a rule writes it."""
        return f"{self.taxonomy.prefix}-{self.number}"


CUDA_GUIDELINES = Taxonomy(
    "CUDA",
    "CUDA C++ Guidelines",
    "NVIDIA",
    "3.0.1",
    "b1b3ce4e-9d0b-4a27-b1e2-6a4f5c1d7e01",
    "https://docs.nvidia.com/cuda/cuda-for-tegra-appnote/cudaguideV3.0.1.html",
)
CWE = Taxonomy(
    "CWE",
    "CWE",
    "MITRE",
    "4.16",
    "25f72d7e-8a92-459d-ad67-64853f788765",
    "https://cwe.mitre.org/data/published/cwe_v4.16.pdf",
    "https://cwe.mitre.org/data/definitions/{}.html",
)

_TITLES = {
    CUDA_GUIDELINES: {
        "1.3": "Check for errors after calling any CUDA library interface",
        "1.4": "Check for errors after launching a kernel by calling cudaGetLastError",
        "1.12": "Constant memory objects shall not be modified from the device program",
        "1.14": "A implicit thread block synchronization function should be called by all active "
        "threads",
    },
    CWE: {
        "119": "Improper Restriction of Operations within the Bounds of a Memory Buffer",
        "125": "Out-of-bounds Read",
        "131": "Incorrect Calculation of Buffer Size",
        "190": "Integer Overflow or Wraparound",
        "362": "Concurrent Execution using Shared Resource with Improper Synchronization "
        "('Race Condition')",
        "415": "Double Free",
        "416": "Use After Free",
        "457": "Use of Uninitialized Variable",
        "562": "Return of Stack Variable Address",
        "570": "Expression is Always False",
        "571": "Expression is Always True",
        "667": "Improper Locking",
        "686": "Function Call With Incorrect Argument Type",
        "762": "Mismatched Memory Management Routines",
        "787": "Out-of-bounds Write",
        "820": "Missing Synchronization",
        "821": "Incorrect Synchronization",
        "833": "Deadlock",
    },
}

#: Every entry by its id.
TAXA = {
    taxon.id: taxon
    for taxonomy, titles in _TITLES.items()
    for taxon in (Taxon(taxonomy, number, title) for number, title in titles.items())
}
