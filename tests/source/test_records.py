"""Dataclasses that are cheap to define behave like the standard ones."""

from __future__ import annotations

import dataclasses
import pickle
from dataclasses import field

import pytest

from warplint.analyzer.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: list[int] = field(default_factory=list, compare=False)
    hidden: int = field(default=0, repr=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    x: int
    y: list[int] = field(default_factory=list, compare=False)
    hidden: int = field(default=0, repr=False)


@dataclass(slots=True)
class Box:
    content: object = None


@dataclass(frozen=True, slots=True, eq=False)
class Unique:
    name: str


@dataclass(frozen=True, slots=True)
class Nothing:
    pass


@dataclass(frozen=True, slots=True)
class Own:
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own)

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "own"


@dataclass(slots=True, kw_only=True)
class Counted:
    missing: int
    twice: int = field(init=False)
    seen: list[int] = field(init=False, default_factory=list)
    kind: str = field(init=False, default="whole")

    def __post_init__(self) -> None:
        self.twice = 2 * self.missing


@dataclass(frozen=True, slots=True)
class Named(Point):
    name: str = ""


def test_values_compare_and_hash_by_the_fields_that_count() -> None:
    assert Point(1, [2]) == Point(1, [3])
    assert hash(Point(1, [2])) == hash(Point(1, [3])) == hash(Standard(1, [2]))
    assert Point(1) != Point(2)
    assert Point(1) != Point(1, hidden=1)
    assert Point(1) != Standard(1)
    assert Nothing() == Nothing()
    assert len({Nothing(), Nothing()}) == 1
    assert Unique("a") != Unique("a")
    assert len({Unique("a"), Unique("a")}) == 2
    assert Named(1, name="a") != Named(1, name="b")
    assert Named(1) != Point(1)


def test_values_are_made_from_the_fields() -> None:
    for _ in range(2):  # the first makes the function
        made = Counted(missing=2)
        assert (made.missing, made.twice, made.seen, made.kind) == (2, 4, [], "whole")
        assert Point(1).y is not Point(1).y
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'twice'"):
        Counted(missing=1, twice=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        Counted(1)  # type: ignore[misc]


def test_what_can_change_has_no_hash() -> None:
    assert Box(1) == Box(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Box())


def test_what_a_class_says_itself_holds() -> None:
    assert (Own("a") == Own("b"), hash(Own("a")), repr(Own("a"))) == (True, 7, "own")


def test_text() -> None:
    assert repr(Point(1, [2])) == repr(Standard(1, [2])).replace("Standard", "Point")
    assert repr(Nothing()) == "Nothing()"
    box = Box()
    box.content = box
    assert repr(box) == "Box(content=...)"


def test_the_tools_of_the_standard_library_work() -> None:
    assert [each.name for each in dataclasses.fields(Named)] == ["x", "y", "hidden", "name"]
    assert dataclasses.replace(Point(1, [2]), x=3) == Point(3)
    assert dataclasses.asdict(Point(1, [2])) == {"x": 1, "y": [2], "hidden": 0}
    again = pickle.loads(pickle.dumps(Named(1, [2], 3, "a")))
    assert (again, again.y) == (Named(1, [5], 3, "a"), [2])
    assert not hasattr(Point(1), "__dict__")
