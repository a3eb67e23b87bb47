"""The whole page: the template, its style, and what a run found.

In: the result of a run that made sheets of its kernels. Out: one HTML document, the same for the
same result. It loads nothing and runs nothing: its policy allows one style, by its hash.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from ...config.architecture import architecture_name
from ...source.words import plural
from .detail import detail_for
from .kernel_section import kernel_section
from .markup import Html, element, joined, prose, text
from .overview import overview
from .run_notes import run_notes
from .space_table import memories
from .subjects import subjects_of
from .summary_tiles import summary_tiles

if TYPE_CHECKING:
    from ...engine.result import RunResult

_PLACEHOLDER = re.compile(r"\{\{([a-z ]+)\}\}")


def render_html(result: RunResult, version: str) -> str:
    """The page of one run of `check`."""
    subjects = subjects_of(result)
    detail = detail_for(len(subjects.kernels))
    arch = architecture_name(result.arch)
    main = joined(
        (
            overview(subjects),
            run_notes(result, subjects),
            *(kernel_section(each, detail) for each in subjects.kernels),
            memories(each.sheet for each in subjects.kernels),
        ),
    )
    return whole_page(
        f"warplint: {plural(len(subjects.kernels), 'kernel')}, {arch}",
        joined((headline("kernel report"), summary_tiles(result, arch))),
        main,
        f"warplint {version}. Numbers are predictions from the source for {arch}; "
        "`verify` says how to measure one.",
    )


def headline(what: str) -> Html:
    """The headline of an HTML page: what the page is."""
    return element("h1", element("span", "warplint", class_="brand"), f" {what}")


def whole_page(title: str, header: Html, main: Html, footer: str) -> str:
    """An HTML page of these parts; an element of `main` has the id `overview`."""
    style = _resource("style.css")
    parts = {
        "title": text(title),
        "style hash": text(f"sha256-{b64encode(sha256(style.encode()).digest()).decode()}"),
        "style": Html(style),
        "header": header,
        "main": main,
        "footer": prose(footer),
    }
    return _PLACEHOLDER.sub(lambda match: parts[match[1]], _resource("template.html"))


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
