"""The names that no rewrite may change: those of CUDA, of its libraries, and of C++."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Where the front end says what names of others mean.
_TABLES = ("analyzer/cuda/names", "analyzer/cuda/lowering/library", "analyzer/cuda/lowering/types")
_MEMBERS = "x y z w s0 s1 main T operator this requires defined"


@cache
def reserved_names() -> frozenset[str]:
    """Every word in the tables of names, and in the modules that model libraries."""
    found = set(_MEMBERS.split())
    for name in ("cuda_names.toml", "standard_library.cuh"):
        found |= set(_words((ROOT / "grammars" / name).read_text(encoding="utf-8")))
    for folder in _TABLES:
        for path in (ROOT / folder).rglob("*.py"):
            found |= set(_literals(path))
    return frozenset(found)


def _literals(path: Path) -> list[str]:
    """The words of a module's short string literals, which are no messages."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = [
        n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    docs = {ast.get_docstring(n, clean=False) for n in ast.walk(tree)
            if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)}  # fmt: skip
    return [word for text in texts if text not in docs for word in _words(text)]


def _words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", text)
