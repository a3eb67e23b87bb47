"""Helpers: parse a few lines and print what was read."""

from __future__ import annotations

from warplint.analyzer.cuda.syntax.printing import as_text
from warplint.analyzer.cuda.units.parse import ParseOptions, TranslationUnit, parse_cuda
from warplint.analyzer.source.text import SourceText


def unit(text: str, **options: object) -> TranslationUnit:
    return parse_cuda(SourceText("test.cu", text), ParseOptions(**options))  # type: ignore[arg-type]


def body(statements: str, *, head: str = "", parameters: str = "") -> str:
    """The statements of a kernel, as text; fails when something was not read."""
    read = unit(f"{head}\n__global__ void kernel({parameters}) {{\n{statements}\n}}")
    function = next(f for f in read.functions if f.decl.name == "kernel")
    assert read.opaque[function] == [], [o.reason for o in read.opaque[function]]
    return " ".join(as_text(item) for item in function.body.block_items)


def expression(text: str, *, head: str = "", parameters: str = "") -> str:
    return body(f"x = {text};", head=head, parameters=parameters)[len("(= x ") : -1]


def declarations(text: str) -> list[str]:
    return [as_text(node) for node in unit(text).declarations]


def functions(text: str) -> list[str]:
    return [as_text(function) for function in unit(text).functions]
