"""Kinds of configuration values: how each is read, and how a JSON Schema describes it.

In: a value as TOML has it. Out: the value a run uses, or a `UsageError` that says what was wrong
and what to write. The same object makes the schema, so that the two cannot differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..source.records import dataclass
from .errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Schema = dict[str, Any]

LARGEST = 2**53  # of any number: larger ones are no longer exact everywhere


@dataclass(frozen=True, slots=True)
class Text:
    """A configuration value: a string that `parse` accepts; `what` names it in messages."""

    what: str
    parse: Callable[[str], Any] = str
    choices: tuple[str, ...] = ()

    def read(self, value: Any) -> Any:
        """The parsed string."""
        if not isinstance(value, str):
            raise UsageError(f"{_shown(value)} is not {self.what}", "write a string in quotes")
        if "\0" in value:
            raise UsageError(f"{_shown(value)} holds a NUL character", "leave it out")
        if self.choices and value not in self.choices:
            near = did_you_mean(value, list(self.choices))
            known = f"it is one of {', '.join(self.choices)}"
            raise UsageError(f"`{value}` is not {self.what}", f"{near} {known}".strip())
        return self.parse(value)

    def schema(self) -> Schema:
        """A string."""
        return {"type": "string"} | ({"enum": list(self.choices)} if self.choices else {})


@dataclass(frozen=True, slots=True)
class Flag:
    """A configuration value that is true or false."""

    def read(self, value: Any) -> bool:
        """The value."""
        if not isinstance(value, bool):
            raise UsageError(f"{_shown(value)} is neither true nor false", "write it unquoted")
        return value

    def schema(self) -> Schema:
        """A boolean."""
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Number:
    """A configuration value: a number that is at least `least`, and at most `most`."""

    least: float
    whole: bool = False
    most: float = LARGEST

    def read(self, value: Any) -> float:
        """The value."""
        allowed = int if self.whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, allowed) or not value >= self.least:
            what = "a whole number" if self.whole else "a number"
            raise UsageError(
                f"{_shown(value)} is not {what} of {self.least:g} or more", "write it unquoted"
            )
        if value > self.most:
            raise UsageError(f"{_shown(value)} is too large", f"it is {self.most:,.0f} at most")
        return value

    def schema(self) -> Schema:
        """A number with a minimum."""
        kind = "integer" if self.whole else "number"
        most = {} if self.most == LARGEST else {"maximum": self.most}
        return {"type": kind, "minimum": self.least, **most}


@dataclass(frozen=True, slots=True)
class Either:
    """A string or a list of numbers: two spellings of one thing, such as `"16,16"`, `[16, 16]`."""

    text: Text

    def read(self, value: Any) -> Any:
        """The parsed value of either spelling."""
        if isinstance(value, int) and not isinstance(value, bool):
            value = _digits(value)
        if isinstance(value, list) and all(type(item) is int for item in value):
            value = ",".join(map(_digits, value))
        return self.text.read(value)

    def schema(self) -> Schema:
        """Any of the spellings."""
        numbers = {
            "type": "array", "items": {"type": "integer", "minimum": 1},
            "minItems": 1, "maxItems": 3,
        }  # fmt: skip
        return {"anyOf": [{"type": "integer", "minimum": 1}, self.text.schema(), numbers]}


@dataclass(frozen=True, slots=True)
class ListOf:
    """A configuration value: a list of one kind."""

    kind: Text

    def read(self, value: Any) -> tuple[Any, ...]:
        """The parsed items."""
        if not isinstance(value, list):
            raise UsageError(f"{_shown(value)} is not a list", f"write [{_quoted(value)}]")
        return tuple(map(self.kind.read, value))

    def schema(self) -> Schema:
        """An array."""
        return {"type": "array", "items": self.kind.schema()}


@dataclass(frozen=True, slots=True)
class TableOf:
    """A configuration value: names and values of one kind; `check` may refuse a name."""

    names: str  # what a name is, for messages and the schema: "a pattern of kernel names"
    kind: Text | Number | Either | ListOf
    check: Callable[[str], Any] = str

    def read(self, value: Any) -> tuple[tuple[Any, Any], ...]:
        """The pairs in the order written."""
        if not isinstance(value, dict):
            raise UsageError(f"{_shown(value)} is not a table", f"its names are {self.names}s")
        return tuple(
            (self.check(name), _entry(self.kind, name, item)) for name, item in value.items()
        )

    def schema(self) -> Schema:
        """An object whose values are alike."""
        return {"type": "object", "additionalProperties": self.kind.schema()}


Kind = Text | Flag | Number | Either | ListOf | TableOf


def _entry(kind: Text | Number | Either | ListOf, name: str, item: Any) -> Any:
    try:
        return kind.read(item)
    except UsageError as error:
        raise UsageError(f"`{name}`: {error.message}", error.advice) from None


def one_of(what: str, choices: Sequence[str]) -> Text:
    """A configuration value: a string that is one of a few."""
    return Text(what, choices=tuple(choices))


def _digits(number: int) -> str:
    """A number in words that the text's own reading accepts or refuses."""
    return str(number) if abs(number) <= LARGEST else "too large"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    try:
        text = repr(value) if isinstance(value, str) else str(value)
    except ValueError:  # Python prints no number of thousands of digits
        text = "a number of very many digits"
    return f"`{text if len(text) <= 40 else text[:37] + '...'}`"


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else "..."
