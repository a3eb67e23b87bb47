"""Rewrites of PTX that change no program.

In: the text of a module. Out: the text rewritten. Registers, labels and variables of functions get
other names; entries keep theirs, and so do special registers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metamorphic.tokens import is_kept, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable

_REGISTERS = re.compile(r"\.reg\s+\.\w+\s+([^;]+);")
_LABEL = re.compile(r"^\s*([$\w]+):(?!:)", re.MULTILINE)
_VARIABLE = re.compile(r"\.(?:shared|local)\s(?:[^;\[={]*?)\.\w+\s+([\w$]+)\s*(?=[\[;=])")
_NAME = re.compile(r"(?<![\w$.%])[%$]?[A-Za-z_$][\w$]*")


def renamed(text: str) -> str:
    """Registers, labels and arrays are called otherwise."""
    new: dict[str, str] = {}
    for match in _REGISTERS.finditer(text):
        for index, name in enumerate(re.split(r"\s*,\s*", match[1].strip())):
            base = name.partition("<")[0]
            new.setdefault(
                base, f"%ready_{len(new)}asm{index}_" if base[:1] == "%" else f"mma{len(new)}_"
            )
    for match in _LABEL.finditer(text):
        new.setdefault(match[1], f"$restrict_{len(new)}")
    for match in _VARIABLE.finditer(text):
        if not match[1].startswith("_Z"):
            new.setdefault(match[1], f"released_{len(new)}")
    banks = {
        m for match in _REGISTERS.finditer(text) for m in re.findall(r"([%\w$]+)<\d+>", match[1])
    }

    def other(match: re.Match[str]) -> str:
        name = match[0]
        base = name.rstrip("0123456789")
        if name not in new and base in banks:
            return f"{new[base]}{name[len(base) :]}"
        return new.get(name, name)

    return _on_code(text, lambda code: _NAME.sub(other, code))


def without_comments(text: str) -> str:
    """Comments are gone, but for those that speak to warplint."""
    return "".join(
        " " if token.kind == "comment" and not is_kept(token) else token.text
        for token in tokens_of(text)
    )


def indented(text: str) -> str | None:
    """Other blanks: a tab for each run of them, and an empty line behind each line."""
    if any(map(is_kept, tokens_of(text))):
        return None
    return _on_code(
        without_comments(text), lambda code: re.sub(r"\n+", "\n\n", re.sub(r"[ \t]+", "\t", code))
    )


def _on_code(text: str, change: Callable[[str], str]) -> str:
    """What is neither comment nor literal, changed."""
    made: list[str] = []
    run: list[str] = []
    for token in tokens_of(text):
        if token.kind in ("comment", "literal"):
            made += [change("".join(run)), token.text]
            run = []
        else:
            run.append(token.text)
    return "".join([*made, change("".join(run))])
