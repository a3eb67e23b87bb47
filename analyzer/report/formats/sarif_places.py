"""Files and regions in SARIF: relative URIs under %SRCROOT%, and the list of artifacts.

In: paths and spans. Out: SARIF locations. Links are resolved, because GitHub matches URIs with the
paths of the repository. A file outside the root gets an absolute URI, which is all one can say.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from .sarif_records import Artifact, ArtifactLocation, PhysicalLocation, Region

if TYPE_CHECKING:
    from ...source.text import Span

ROOT_ID = "%SRCROOT%"

_LANGUAGES = {".ptx": "ptx"}


def find_root(start: Path) -> Path:
    """The root of the repository that `start` is in, or `start` itself."""
    resolved = start.resolve()
    for folder in (resolved, *resolved.parents):
        if (folder / ".git").exists():
            return folder
    return resolved


class Places:
    """Turns spans into SARIF's locations and remembers every file it was asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._by_path: dict[str, ArtifactLocation] = {}
        self._by_uri: dict[str, Artifact] = {}
        self._indices: dict[str, int] = {}

    def file(self, path: str, role: str | None = None) -> ArtifactLocation:
        """The location of a file; one index per file, however it is spelt."""
        if path not in self._by_path:
            uri, base = self._uri(path)
            if uri not in self._by_uri:
                language = _LANGUAGES.get(os.path.splitext(path)[1].lower(), "cuda")
                roles = (role,) if role else ()
                self._by_uri[uri] = Artifact(ArtifactLocation(uri, base), roles, language)
                self._indices[uri] = len(self._indices)
            self._by_path[path] = ArtifactLocation(uri, base, self._indices[uri])
        return self._by_path[path]

    def location(self, span: Span) -> PhysicalLocation:
        """The file and region of a span."""
        return PhysicalLocation(self.file(span.path), region(span))

    def artifacts(self) -> tuple[Artifact, ...]:
        """Every file, in the order of the indices."""
        return tuple(self._by_uri.values())

    def _uri(self, path: str) -> tuple[str, str | None]:
        resolved = Path(os.path.realpath(path))
        if resolved.is_relative_to(self.root):
            return quote(os.fsencode(resolved.relative_to(self.root).as_posix())), ROOT_ID
        return resolved.as_uri(), None


def region(span: Span) -> Region:
    """The SARIF region of a span; our columns are code points from 1, end excluded, as there."""
    return Region(span.line, span.column, span.end_line, span.end_column)
