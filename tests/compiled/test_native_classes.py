"""Records that are written out are the records that the decorator makes."""

from __future__ import annotations

import dataclasses
import importlib
import pickle
import sys
from types import ModuleType
from typing import Any

import pytest
from source_tree import ROOT

SOURCE = '''"""Records of all kinds."""

from __future__ import annotations

from dataclasses import field

from warplint.analyzer.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """Two numbers."""

    x: int
    y: list[int] = field(default_factory=list, compare=False)
    hidden: int = field(default=0, repr=False)

    def total(self) -> int:
        return self.x + sum(self.y)


@dataclass(frozen=True, slots=True)
class Name:
    text: str = "none"


@dataclass(slots=True)
class Box:
    content: object = None
    kept: list[int] = field(
        default_factory=lambda: [1, 2],
    )


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


@dataclass(slots=True, kw_only=True)
class Counted:
    missing: int
    twice: int = field(init=False)
    seen: list[int] = field(init=False, default_factory=list)
    kind: str = field(init=False, default="whole")

    def __post_init__(self) -> None:
        self.twice = 2 * self.missing


class Plain:
    __slots__ = ("held",)
'''


@pytest.fixture
def classes(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT)
    return importlib.import_module("compiled.native_classes")


@pytest.fixture
def modules(classes: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """The module as it is, and with its records written out; both are Python."""
    made = []
    for name, source in (("as_is", SOURCE), ("out", classes.written_out(SOURCE, opened=False))):
        module = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(source, name, "exec"), module.__dict__)
        made.append(module)
    return made[0], made[1]


def test_no_decorator_is_left(classes: Any) -> None:
    written = classes.written_out(SOURCE, opened=False)
    assert "@" not in written
    assert 'class Point:\n    """Two numbers."""\n\n    x: int\n    y: list[int]\n' in written


def test_opened_classes_are_marked(classes: Any) -> None:
    written = classes.written_out(SOURCE, opened=True)
    assert written.count("@_mypyc_attr(serializable=True") == SOURCE.count("\nclass ")


def test_a_module_without_records_stays_as_it_is(classes: Any) -> None:
    source = "from __future__ import annotations\n\n\nclass Bare:\n    pass\n"
    assert classes.written_out(source, opened=True) == source


def test_values_are_equal_and_hashed_alike(modules: tuple[Any, Any]) -> None:
    for each in modules:
        assert each.Point(1, [2]) == each.Point(1, [3])
        assert each.Point(1) != each.Point(2)
        assert each.Point(1) != each.Point(1, hidden=1)
        assert each.Point(1) != 1
        assert each.Nothing() == each.Nothing()
        assert each.Unique("a") != each.Unique("a")
        assert each.Own("a") == each.Own("b")
        with pytest.raises(TypeError, match="unhashable"):
            hash(each.Box())
    first, second = modules
    for made in (lambda m: m.Point(5, [1]), lambda m: m.Name("a"), lambda m: m.Own("b")):
        assert hash(made(first)) == hash(made(second))


def test_values_are_made_alike(modules: tuple[Any, Any]) -> None:
    for each in modules:
        made = each.Counted(missing=2)
        assert (made.missing, made.twice, made.seen, made.kind) == (2, 4, [], "whole")
        with pytest.raises(TypeError, match="positional argument"):
            each.Counted(2)
        assert each.Point(1).y is not each.Point(1).y
        assert (each.Box().kept, each.Box(kept=[]).kept) == ([1, 2], [])
        assert each.Point(1, [2]).total() == 3


def test_values_read_alike(modules: tuple[Any, Any]) -> None:
    first, second = modules
    for made in (lambda m: m.Point(5, [1]), lambda m: m.Nothing(), lambda m: m.Counted(missing=1)):
        assert repr(made(first)) == repr(made(second))


def test_the_tools_of_the_standard_library_work(modules: tuple[Any, Any]) -> None:
    first, second = modules
    for name in ("Point", "Name", "Box", "Unique", "Nothing", "Own", "Counted"):
        fields = [
            [(each.name, each.type, each.init, each.compare) for each in dataclasses.fields(made)]
            for made in (getattr(first, name), getattr(second, name))
        ]
        assert fields[0] == fields[1]
        assert getattr(first, name).__match_args__ == getattr(second, name).__match_args__
    assert dataclasses.replace(second.Point(1, [2]), x=3) == second.Point(3)
    assert pickle.loads(pickle.dumps(second.Point(1, [2]))) == second.Point(1)


@pytest.mark.parametrize(
    ("decorator", "body"),
    [("@dataclass(order=True)", "x: int"), ("@dataclass", "x: ClassVar[int] = 1")],
)
def test_what_cannot_be_written_out_is_an_error(classes: Any, decorator: str, body: str) -> None:
    source = f"from __future__ import annotations\n\n\n{decorator}\nclass Odd:\n    {body}\n"
    with pytest.raises(classes.UnsupportedError, match="Odd"):
        classes.written_out(source, opened=False)


def test_fields_of_a_base_class_are_an_error(classes: Any) -> None:
    further = "\n\n@dataclass(frozen=True, slots=True)\nclass Further(Point):\n    z: int = 0\n"
    with pytest.raises(TypeError, match="Further has fields of a base class"):
        exec(compile(classes.written_out(SOURCE + further, opened=False), "x", "exec"), {})
