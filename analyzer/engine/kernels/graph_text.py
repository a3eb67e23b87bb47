"""Values that refer to each other, written down so that equal graphs have equal texts.

In: kernels and all that hangs on them, and what stands for a place. Out: lines of text, one for
each object, in the order in which they are met; the same lines, the same graph. What is compared by
identity (operations, blocks, objects in memory) is named by its number, so circles and long chains
need no recursion; what is compared by value is the same wherever it was made. Functions count by
their names: what they compute is not looked at. Not handled: objects of other libraries, which
raise `TypeError`.
"""

from __future__ import annotations

from enum import Enum
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any

from ...source.location import Location
from ...source.records import slots
from ...source.text import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_PLAIN = frozenset((int, float, str, bool, type(None), complex, bytes))
_PACKAGE = __name__.partition(".")[0] + "."
#: What they hand on of their own is looked at by nobody; it may be the same or not.
_FRONT_ENDS = (f"{_PACKAGE}analyzer.cuda.", f"{_PACKAGE}analyzer.ptx.")
_IDENTITY = object.__eq__
_ASKED_APART = ("specimens",)  # kernels that are made when somebody asks: `kernel_content.py`


class GraphText:
    """The values that a kernel's result rests on as lines of text, equal for equal graphs."""

    def __init__(self, place: Callable[[Span], object]) -> None:
        self.lines: list[str] = []
        self._place = place
        self._known: dict[int, str] = {}  # what stands for an object, by its id
        self._numbers: dict[str, str] = {}  # what stands for a value, by its text
        self._alive: list[Any] = []  # or another object might get the same id
        self._waiting: list[Any] = []
        self._count = 0

    def add(self, value: Any) -> None:
        """Write down a value, and all that it leads to."""
        self.lines.append(self._form(value))
        for each in self._waiting:  # grows meanwhile
            self.lines.append(self._content(each, each.__class__))
        self._waiting.clear()

    def _form(self, value: Any) -> str:
        """What stands for a value where another one names it."""
        made = value.__class__
        if made in _PLAIN:
            return repr(value)
        if made is tuple or made is list:
            return f"[{','.join([self._form(each) for each in value])}]"
        found = self._known.get(id(value))
        if found is None:
            self._alive.append(value)
            found = self._known[id(value)] = self._first_form(value, made)
        return found

    def _first_form(self, value: Any, made: type) -> str:
        if issubclass(made, Enum):
            return f"{made.__name__}.{value._name_}"
        if issubclass(made, Span):
            return f"<{self._place(value)},{self._form(value.macro)}>"
        if made is dict:
            pairs = [f"{self._form(key)}:{self._form(each)}" for key, each in value.items()]
            return f"{{{','.join(pairs)}}}"
        if made is set or made is frozenset:
            return f"{{{','.join(sorted(map(self._form, value)))}}}"
        if made is FunctionType or made is BuiltinFunctionType:
            return str(value.__qualname__)
        if made.__module__.startswith(_FRONT_ENDS):
            return self._number()
        if not made.__module__.startswith(_PACKAGE):
            raise TypeError(f"{made.__qualname__} cannot be written down")
        if (made.__eq__ is _IDENTITY and not issubclass(made, Location)) or made.__hash__ is None:
            self._waiting.append(value)
            return self._number()
        if isinstance(value, tuple):
            return f"{made.__name__}{self._form(tuple(value))}"
        return self._shared(self._content(value, made))

    def _number(self) -> str:
        self._count += 1
        return f"@{self._count}"

    def _shared(self, text: str) -> str:
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = f"${len(self._numbers)}"
            self.lines.append(text)
        return number

    def _content(self, value: Any, made: type) -> str:
        parts = [self._form(getattr(value, name, None)) for name in _names(made)]
        return f"{made.__name__}({','.join(parts)})"


_NAMES: dict[type, tuple[str, ...]] = {}


def _names(made: type) -> Sequence[str]:
    """The attributes that make up a value of a class."""
    found = _NAMES.get(made)
    if found is None:
        own = getattr(made, "__dataclass_fields__", None)
        found = tuple(each for each in own or slots(made) if each not in _ASKED_APART)
        if not own and made.__dictoffset__:
            raise TypeError(f"{made.__qualname__} may hold anything")
        _NAMES[made] = found
    return found
