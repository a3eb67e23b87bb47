"""The instructions of PTX, read from `ptx_instructions.txt`.

In: the table in the manual's notation, explained at its head. Out: for an opcode such as
`ld.global.nc.v4.f32` the templates it fits, each with its operands' roles and types, its effect,
and the least PTX version and architecture. Modifiers should stand in the manual's order; those that
stand in another order fit as well, as ptxas has it. A template is compiled when it is first tried.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

from ....grammars import grammar_text
from ...source.records import dataclass
from .ptx_types import is_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .tree import Opcode

_TEMPLATE = re.compile(
    r"(?P<opcode>\S+)(?:\s+(?P<operands>[^@]*?))??(?:\s+: (?P<effect>\w+))?"
    r"(?:\s+@(?P<version>\d+\.\d+)/(?P<architecture>\d+)(?P<own>[af]?)(?:-(?P<last>\d+))?)?\s*$"
)
_MODIFIER = re.compile(r"\{((?:\.[^{}.]+)+)\}|(\.[^.{}]+)")
_OPERAND = re.compile(
    r"(?P<optional>\{)?(?:,\s*)?(?:\{[!-]\})?(?P<name>\[[^\]]*\]|\w+)"
    r"(?::(?P<type>\.?[\w:]+))?(?:=\.(?P<modifier>[\w:]+))?(?P<pair>\{\|[pq]\}|\|[pq])?(?P<end>\})?\s*"
)
_RANGE = re.compile(r"<(\d+)\.\.(\d+)/(\d+)>")


@dataclass(frozen=True, slots=True)
class Role:
    """One operand in a line of the table of PTX instructions."""

    name: str
    type: str  # "" for the instruction's type, ".dtype" for a modifier's, else a type or a word
    optional: bool
    address: bool
    written: bool
    pair: str = ""  # "", "optional" or "required": a second destination behind `|`
    modifier: str = ""  # the operand goes with this modifier


@dataclass(frozen=True)
class Template:
    """One line of the table of PTX instructions: an opcode's modifiers and operands."""

    mnemonic: str
    notation: str
    operands: tuple[Role, ...]
    effect: str
    version: tuple[int, int]
    architecture: int
    own_features: bool  # sm_90a and the like
    last_architecture: int | None  # for forms that later ones refuse
    choices: Mapping[str, tuple[str, ...]]

    @property
    def least_operands(self) -> int:
        """How many operands must be written."""
        return sum(not role.optional for role in self.operands)

    @property
    def most_operands(self) -> int:
        """How many operands may be written."""
        return len(self.operands)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What the modifiers may be, in order."""
        seen: set[str] = set()
        parts: list[str] = []
        for match in _MODIFIER.finditer(self.notation[len(self.mnemonic) :]):
            words = match.group(1) or match.group(2)
            body = "".join(self._one(f".{word}", seen) for word in words[1:].split("."))
            parts.append(f"(?:{body})?" if match.group(1) else body)
        return re.compile("".join(parts))

    def _one(self, word: str, seen: set[str]) -> str:
        values = self.choices.get(word)
        if values is None:
            return re.escape(word) + r"(?![\w:])"
        alternatives = "|".join(map(re.escape, sorted(values, key=len, reverse=True)))
        name = _group_name(word[1:])
        if name in seen:
            return rf"(?:{alternatives})(?![\w:])"
        seen.add(name)
        return rf"(?P<{name}>{alternatives})(?![\w:])"

    @cached_property
    def words(self) -> frozenset[str]:
        """Every modifier that may occur."""
        found: set[str] = set()
        for match in _MODIFIER.finditer(self.notation[len(self.mnemonic) :]):
            for word in (match.group(1) or match.group(2))[1:].split("."):
                for value in self.choices.get(f".{word}", (f".{word}",)):
                    found.update(value[1:].split("."))
        return frozenset(found)


@dataclass(frozen=True, slots=True)
class Fit:
    """A line of the table of PTX instructions that an opcode fits, with the modifiers chosen."""

    template: Template
    chosen: Mapping[str, str]  # "dtype" → "f32"

    def roles(self, opcode: Opcode) -> list[Role]:
        """The operands that may be written; those that go with a modifier must be, or must not."""
        found: list[Role] = []
        for role in self.template.operands:
            if not role.modifier:
                found.append(role)
            elif any(f"{m}::".startswith(f"{role.modifier}::") for m in opcode.modifiers):
                found.append(replace(role, optional=False))
        return found

    def operand_type(self, role: Role, opcode: Opcode) -> str:
        """The type of an operand: a PTX type, or "any", "imm", "name", "wide", "address"."""
        word = role.type
        if not word:
            return next((m for m in reversed(opcode.modifiers) if is_type(m)), "any")
        if word == "descriptor":
            return "b64"
        if word == "matrix":
            return "any"
        if word.startswith("."):
            return self.chosen.get(word[1:], "any")
        return word


@cache
def templates() -> dict[str, tuple[Template, ...]]:
    """The lines of the table of PTX instructions by mnemonic, as read."""
    groups = list(_groups(grammar_text("ptx_instructions.txt")))
    common = _choices(groups[0][1])
    table: dict[str, list[Template]] = {}
    for lines, explanations in groups[1:]:
        choices = {**common, **_choices(explanations)}
        for line in lines:
            template = _template(line, choices)
            table.setdefault(template.mnemonic, []).append(template)
    return {mnemonic: tuple(found) for mnemonic, found in table.items()}


def _groups(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """The runs of lines between blank ones: templates, and what their modifiers may be."""
    lines: list[str] = []
    explanations: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("#"):
            continue
        if not line.strip():
            if lines:
                yield lines, explanations
            lines, explanations = [], []
        elif line.startswith(" "):
            explanations.append(line)
        else:
            lines.append(line)


def _choices(explanations: list[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in explanations:
        name, _, values = line.partition("=")
        found[name.strip()] = tuple(one for value in values.split() for one in _expand(value))
    return found


def _expand(value: str) -> list[str]:
    """`.m64n<8..256/8>k16` stands for n8, n16, …, n256."""
    family = _RANGE.search(value)
    if family is None:
        return [value]
    first, last, step = map(int, family.groups())
    return [value.replace(family.group(), str(n)) for n in range(first, last + 1, step)]


def _template(line: str, choices: Mapping[str, tuple[str, ...]]) -> Template:
    match = _TEMPLATE.match(line)
    if match is None:
        raise ValueError(f"ptx_instructions.txt: cannot read {line!r}")
    major, _, minor = (match.group("version") or "1.0").partition(".")
    notation = match.group("opcode")
    return Template(
        mnemonic=re.split(r"[.{]", notation, maxsplit=1)[0],
        notation=notation,
        operands=tuple(_roles(match.group("operands") or "")),
        effect=match.group("effect") or "",
        version=(int(major), int(minor)),
        architecture=int(match.group("architecture") or 10),
        own_features=bool(match.group("own")),
        last_architecture=int(match.group("last")) if match.group("last") else None,
        choices=choices,
    )


def _roles(text: str) -> Iterator[Role]:
    position = 0
    while position < len(text):
        match = _OPERAND.match(text, position)
        if match is None or match.end() == position:
            raise ValueError(f"ptx_instructions.txt: cannot read the operands {text!r}")
        position = match.end()
        if text[position : position + 1] == ",":
            position += 1
            while text[position : position + 1] == " ":
                position += 1
        name = match.group("name")
        pair = match.group("pair") or ""
        destination = name in ("d", "p") or (name == "e" and text.startswith("d:any, e:any, [a]"))
        type_ = match.group("type") or ("pred" if name == "p" else "")
        yield Role(
            name=name.strip("[]{}"),
            type=type_,
            optional=bool(match.group("optional")) and match.group("end") is not None,
            address=name.startswith("["),
            written=destination and not name.startswith("["),
            pair="" if not pair else "optional" if pair.startswith("{") else "required",
            modifier=match.group("modifier") or "",
        )


@cache
def fits(opcode: str) -> tuple[Fit, ...]:
    """The table's lines that a PTX opcode fits; empty where mnemonic or modifier is not known."""
    mnemonic, dot, rest = opcode.partition(".")
    written = dot + rest
    candidates = templates().get(mnemonic, ())
    found: list[Fit] = []
    for template in candidates:
        match = template.pattern.fullmatch(written)
        if match:
            chosen = {name: value[1:] for name, value in match.groupdict().items() if value}
            found.append(Fit(template, chosen))
    if not found and rest:
        reordered = (_reordered(template, rest.split(".")) for template in candidates)
        found = [fit for fit in reordered if fit is not None]
    return tuple(found)


def _reordered(template: Template, modifiers: list[str]) -> Fit | None:
    """The fit of modifiers written in another order than the manual's, as ptxas takes them."""
    chosen: dict[str, str] = {}
    left = list(modifiers)
    for match in _MODIFIER.finditer(template.notation[len(template.mnemonic) :]):
        for word in (match.group(1) or match.group(2))[1:].split("."):
            values = template.choices.get(f".{word}", (f".{word}",))
            taken = next((modifier for modifier in left if f".{modifier}" in values), None)
            if taken is not None:
                left.remove(taken)
                chosen.setdefault(_group_name(word), taken)
            elif not match.group(1):
                return None
    return None if left else Fit(template, chosen)


def _group_name(word: str) -> str:
    return re.sub(r"\W", "_", word)


def is_known(mnemonic: str) -> bool:
    """Whether the table of PTX instructions has the mnemonic at all."""
    return mnemonic in templates()
