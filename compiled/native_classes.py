"""Records written out as plain classes, which mypyc compiles to structures of C.

In: the source of a module. Out: the same, in which a class that `@dataclass` completes when it is
imported has its `__init__`, `__eq__`, `__hash__` and `__repr__` in its text, and is declared as a
record after it. mypyc hands a class to the decorator with its annotations looked up, and so needs
names that are imported for type checkers only; what the decorator adds is never compiled.
Equal by the same fields and hashed alike. Not handled: fields of a base class, `order`, `InitVar`,
class variables in records; each is an error.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

_IMPORTS = (
    "from typing import TYPE_CHECKING as _CHECKING, Any as _Any, ClassVar as _ClassVar",
    "from warplint.analyzer.source.records import declare as _declare",
    "if _CHECKING:",
    "    from mypy_extensions import mypyc_attr as _mypyc_attr",
)
#: Copies and pickles are made without its constructor, and Python may inherit from it.
_OPEN = "@_mypyc_attr(serializable=True, allow_interpreted_subclasses=True)"
_EMPTY = {"list": "[]", "dict": "{}", "set": "set()"}


class UnsupportedError(Exception):
    """A record that cannot be written out."""


@dataclass(frozen=True)
class Field:
    """A field of a record, as its class body says it."""

    name: str
    type: str
    written: str  # what stands after `=`; empty for nothing
    options: dict[str, str] = field(default_factory=dict)  # of `field(...)`

    @property
    def default(self) -> str:
        """The expression of its default value; empty for none, or one that is made."""
        return self.options.get("default", "") if self.options else self.written

    @property
    def factory(self) -> str:
        """An expression that makes its default value; empty for none."""
        name = self.options.get("default_factory", "")
        return _EMPTY.get(name, f"({name})()") if name else ""

    def counts(self, what: str) -> bool:
        """Whether it takes part in `init`, `compare` or `repr`."""
        return self.options.get(what, "True") == "True"


def written_out(source: str, *, opened: bool) -> str:
    """The module with plain classes for its records; `opened` are those and all with slots."""
    lines = source.split("\n")
    edits: list[tuple[int, int, list[str]]] = []  # first line, how many, what instead
    for each in ast.parse(source).body:
        if isinstance(each, ast.ClassDef):
            mark = [_OPEN] if opened else []
            edits += _record(each, mark) or _slotted(each, mark)
    if not edits:
        return source
    for first, count, instead in sorted(edits, key=lambda edit: edit[0], reverse=True):
        lines[first : first + count] = instead
    future = lines.index("from __future__ import annotations")
    lines[future + 1 : future + 1] = _IMPORTS
    return "\n".join(lines)


def _record(made: ast.ClassDef, mark: list[str]) -> list[tuple[int, int, list[str]]]:
    """The edits that write a record out; none for another class."""
    for decorator in made.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        named = decorator if call is None else call.func
        if not (isinstance(named, ast.Name) and named.id == "dataclass"):
            continue
        options = (
            {} if call is None else {each.arg: ast.unparse(each.value) for each in call.keywords}
        )
        if unknown := set(options) - {"frozen", "slots", "eq", "kw_only"}:
            raise UnsupportedError(f"{made.name}: {unknown}")
        fields, edits = [], []
        for each in made.body:
            if isinstance(each, ast.AnnAssign):
                fields.append(_field(made, each))
                plain = f"    {fields[-1].name}: {fields[-1].type}"
                edits.append((each.lineno - 1, _height(each), [plain]))
        edits.append((decorator.lineno - 1, _height(decorator), mark))
        edits.append((made.end_lineno or 0, 0, _methods(made, fields, options)))
        return edits
    return []


def _slotted(made: ast.ClassDef, mark: list[str]) -> list[tuple[int, int, list[str]]]:
    names = {ast.unparse(each.targets[0]) for each in made.body if isinstance(each, ast.Assign)}
    return [(made.lineno - 1, 0, mark)] if mark and "__slots__" in names else []


def _height(node: ast.stmt | ast.expr) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _field(made: ast.ClassDef, each: ast.AnnAssign) -> Field:
    name, type_ = ast.unparse(each.target), ast.unparse(each.annotation)
    if "ClassVar" in type_ or "InitVar" in type_:
        raise UnsupportedError(f"{made.name}.{name}: {type_}")
    written = "" if each.value is None else ast.unparse(each.value)
    options: dict[str, str] = {}
    if isinstance(each.value, ast.Call) and ast.unparse(each.value.func) == "field":
        options = {str(item.arg): ast.unparse(item.value) for item in each.value.keywords}
    return Field(name, type_, written, options)


def _methods(made: ast.ClassDef, fields: list[Field], options: dict[str, str]) -> list[str]:
    own = {each.name for each in made.body if isinstance(each, ast.FunctionDef)}
    compared = [each.name for each in fields if each.counts("compare")]
    lines = ["    __dataclass_fields__: _ClassVar[dict[str, _Any]] = {}"]
    if "__init__" not in own:
        lines += _constructor(fields, options, after="__post_init__" in own)
    if options.get("eq", "True") == "True" and "__eq__" not in own:
        lines += _comparison(made.name, compared)
        if options.get("frozen") == "True" and "__hash__" not in own:
            hashed = ", ".join(f"self.{name}" for name in compared)
            hashed = hashed if len(compared) == 1 else f"({hashed})"
            lines += ["    def __hash__(self) -> int:", f"        return hash({hashed})"]
    if "__repr__" not in own:
        shown = [each.name for each in fields if each.counts("repr")]
        parts = ", ".join(f"{name}={{self.{name}!r}}" for name in shown)
        lines += ["    def __repr__(self) -> str:", f'        return f"{made.name}({parts})"']
    declared = ", ".join(f'"{each.name}": {each.type!r}' for each in fields)
    defaults = ", ".join(f'"{each.name}": {each.written}' for each in fields if each.written)
    named = ", kw_only=True" if options.get("kw_only") == "True" else ""
    return [*lines, f"_declare({made.name}, {{{declared}}}, {{{defaults}}}{named})"]


def _constructor(fields: list[Field], options: dict[str, str], *, after: bool) -> list[str]:
    parameters, body = ["self"], []
    if options.get("kw_only") == "True":
        parameters.append("*")
    for each in fields:
        value = each.name
        if not each.counts("init"):
            value = each.factory or each.default
        elif each.factory:
            parameters.append(f"{each.name}: {each.type} | None = None")
            value = f"{each.factory} if {each.name} is None else {each.name}"
        else:
            default = f" = {each.default}" if each.default else ""
            parameters.append(f"{each.name}: {each.type}{default}")
        if value:
            body.append(f"        self.{each.name} = {value}")
    if after:
        body.append("        self.__post_init__()")
    return [f"    def __init__({', '.join(parameters)}) -> None:", *(body or ["        pass"])]


def _comparison(name: str, compared: list[str]) -> list[str]:
    equal = " and ".join(f"self.{each} == other.{each}" for each in compared)
    return [
        "    def __eq__(self, other: _Any) -> bool:",
        f"        if not isinstance(other, {name}):",
        "            return NotImplemented",
        f"        return {equal or 'True'}",
    ]
