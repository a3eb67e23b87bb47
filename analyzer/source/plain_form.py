"""Records as plain data and back: what is kept between runs can be read without trust.

In: records of known classes, whose annotations say what each field holds. Out: lists, strings and
numbers, ready for JSON. On the way back every value is compared with the annotation that it stands
for, so that what comes out is a record as the program could have made it, or a `FormError`; no data
chooses a class, calls a function or imports a module. Annotations are those of the language for
`None`, `bool`, `int`, `float`, `str`, tuples, lists, sets, dictionaries, counters and optional
values of them, records and enums by their names, and aliases that the caller explains. Not handled:
unions of several classes, bytes, values that contain themselves.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


class FormError(Exception):
    """Stored data is not what the annotation of a record's field says."""


class Form(NamedTuple):
    """How the values of one annotation become plain data to store, and how they come back."""

    to_plain: Callable[[Any], Any]
    from_plain: Callable[[Any], Any]


class Forms:
    """How records are stored: the forms of all annotations that are made of some classes.

    `special` are forms for names that stand for more than a record: an alias, or a value that is
    written once and named elsewhere.
    """

    def __init__(self, classes: Iterable[type], special: Mapping[str, Form] | None = None) -> None:
        self._classes = {each.__name__: each for each in classes}
        self._known: dict[str, Form] = {
            "None": _exactly(type(None)),
            **{each.__name__: _exactly(each) for each in (bool, int, float, str)},
            "Data": Form(_plain_data, _plain_data),
            **(special or {}),
        }

    def __getitem__(self, annotation: str) -> Form:
        """The form of an annotation, as it is written in the source."""
        found = self._known.get(annotation)
        if found is None:
            found = self._known[annotation] = self._made(annotation)
        return found

    def add(self, alias: str, annotation: str) -> None:
        """Let a name stand for an annotation."""
        self._known[alias] = self[annotation]

    def _made(self, annotation: str) -> Form:
        either = list(_split(annotation, "|"))
        if len(either) == 2 and either[1] == "None":
            return self._optional(either[0])
        name, bracket, rest = annotation.partition("[")
        if bracket:
            return self._container(name, list(_split(rest[:-1], ",")))
        made = self._classes.get(annotation)
        if made is None:
            raise FormError(f"{annotation} is no known record")
        return _enum(made) if issubclass(made, Enum) else self._record(made)

    def _optional(self, annotation: str) -> Form:
        if annotation == "bytes":  # what is kept was read from files
            return self["None"]
        to_plain, from_plain = self[annotation]
        return Form(
            lambda value: None if value is None else to_plain(value),
            lambda data: None if data is None else from_plain(data),
        )

    def _container(self, name: str, inner: list[str]) -> Form:
        if name == "tuple" and inner[1:] == ["..."]:
            return _many(tuple, self[inner[0]])
        if name == "tuple":
            return _each([self[each] for each in inner])
        if name in _CONTAINERS and len(inner) == 1:
            many = _many(_CONTAINERS[name], self[inner[0]])
            if name == "list":
                return many
            return Form(lambda value: sorted(many.to_plain(value), key=repr), many.from_plain)
        pair = _each([self[inner[0]], self[inner[1] if len(inner) > 1 else "int"]])
        pairs = _many(list, pair)
        if name not in _MAPPINGS:
            raise FormError(f"{name} is no known container")
        made = _MAPPINGS[name]
        return Form(
            lambda value: pairs.to_plain(list(value.items())),
            lambda data: made(dict(pairs.from_plain(data))),
        )

    def _record(self, made: type) -> Form:
        names = [field.name for field in dataclasses.fields(made)]
        forms: list[Form] = []
        row = _row(forms)

        def to_plain(value: Any) -> list[Any]:
            if value.__class__ is not made:
                raise FormError(f"{value!r} is no {made.__name__}")
            values = [getattr(value, name) for name in names]
            return [form[0](each) for form, each in zip(forms, values, strict=True)]

        result = Form(to_plain, lambda data: made(*row.from_plain(data)))
        self._known[made.__name__] = result  # before its fields, which may hold such records
        forms += [self[str(field.type)] for field in dataclasses.fields(made)]
        return result


_CONTAINERS: dict[str, Callable[[Iterable[Any]], Any]] = {
    "list": list, "set": set, "frozenset": frozenset,
}  # fmt: skip
_MAPPINGS: dict[str, Callable[[dict[Any, Any]], Any]] = {"dict": dict, "Counter": Counter}


def _exactly(made: type) -> Form:
    def same(value: Any) -> Any:
        if value.__class__ is not made:
            raise FormError(f"{value!r} is no {made.__name__}")
        return value

    return Form(same, same)


def _plain_data(value: Any) -> Any:
    """JSON as it is; a tuple would come back as a list."""
    made = value.__class__
    if made is list:
        return [_plain_data(each) for each in value]
    if made is dict:
        return {_exactly(str).to_plain(name): _plain_data(each) for name, each in value.items()}
    if value is None or made in (str, int, bool, float):
        return value
    raise FormError(f"{value!r} is no plain data")


def _enum(made: type[Enum]) -> Form:
    members = {member.value: member for member in made}

    def from_plain(data: Any) -> Any:
        try:
            return members[data]
        except (KeyError, TypeError):
            raise FormError(f"{data!r} is no {made.__name__}") from None

    return Form(lambda value: value.value, from_plain)


def _many(made: Callable[[Iterable[Any]], Any], inner: Form) -> Form:
    to_plain, from_plain = inner

    def of_list(data: Any) -> Any:
        if data.__class__ is not list:
            raise FormError(f"{data!r} is no list")
        return made([from_plain(each) for each in data])

    return Form(lambda value: [to_plain(each) for each in value], of_list)


def _each(forms: list[Form]) -> Form:
    row = _row(forms)
    return Form(row.to_plain, lambda data: tuple(row.from_plain(data)))


def _row(forms: list[Form]) -> Form:
    """Values of several forms, one after the other; the forms may be filled in later."""

    def to_plain(values: Any) -> list[Any]:
        if len(values) != len(forms):
            raise FormError(f"{len(values)} values for {len(forms)}")
        return [form[0](value) for form, value in zip(forms, values, strict=True)]

    def from_plain(data: Any) -> list[Any]:
        if data.__class__ is not list or len(data) != len(forms):
            raise FormError(f"{data!r} is no list of {len(forms)}")
        return [form[1](each) for form, each in zip(forms, data, strict=True)]

    return Form(to_plain, from_plain)


def _split(text: str, mark: str) -> Iterator[str]:
    """The parts between marks that stand in no bracket."""
    depth, start = 0, 0
    for at, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if character == mark and not depth:
            yield text[start:at].strip()
            start = at + 1
    yield text[start:].strip()
