"""Instances of class templates: each is laid out once, also where it asks for itself."""

from __future__ import annotations

from warplint.analyzer.cuda.lowering.model import ctypes
from warplint.analyzer.cuda.lowering.model.scope import Scope, ValuePlace
from warplint.analyzer.cuda.lowering.types.constants import place
from warplint.analyzer.cuda.lowering.types.instances import Instances

TEMPLATE, OTHER = object(), object()


def bound(type: ctypes.CType) -> Scope:
    scope = Scope()
    scope.types["T"] = type
    return scope


def test_equal_arguments_give_one_layout() -> None:
    instances, made = Instances(), []

    def lay_out() -> ctypes.CType:
        made.append(ctypes.unknown(f"layout {len(made)}"))
        return made[-1]

    first = instances.of(TEMPLATE, bound(ctypes.INT), lay_out)
    assert instances.of(TEMPLATE, bound(ctypes.INT), lay_out) is first
    assert instances.of(TEMPLATE, bound(ctypes.unknown("U")), lay_out) is not first
    assert instances.of(OTHER, bound(ctypes.INT), lay_out) is not first
    assert len(made) == 3


def test_who_asks_for_a_class_inside_of_it_finds_it_later() -> None:
    instances, base = Instances(), Scope()
    names: list[str] = []

    def lay_out() -> ctypes.CType:
        name = f"layout {len(names)}"
        names.append(name)
        instances.bind(base, "Derived", instances.of(TEMPLATE, bound(ctypes.INT), lay_out))
        return ctypes.unknown(name)

    outer = instances.of(TEMPLATE, bound(ctypes.INT), lay_out)
    assert names == ["layout 0", "layout 1"]  # no further, however often it is asked for
    assert outer.name == "layout 0"
    later = Scope()
    instances.bind(later, "Derived", instances.of(TEMPLATE, bound(ctypes.INT), lay_out))
    assert later.types["Derived"] is outer


def test_a_name_that_waits_is_bound_when_the_class_is_known() -> None:
    instances, inner = Instances(), Scope()

    def innermost() -> ctypes.CType:
        instances.bind(inner, "Derived", instances.of(TEMPLATE, bound(ctypes.INT), innermost))
        return ctypes.unknown("whole")

    instances.of(TEMPLATE, bound(ctypes.INT), innermost)
    assert inner.types["Derived"].name == "whole"


def test_defaults_that_are_not_known_are_the_same_for_the_same_arguments() -> None:
    instances, parameter = Instances(), object()

    def made() -> ValuePlace:
        return place(0, ctypes.INT)

    first = instances.default(parameter, bound(ctypes.INT), made)
    assert instances.default(parameter, bound(ctypes.INT), made) is first
    assert instances.default(parameter, bound(ctypes.unknown("U")), made) is not first
    assert instances.default(object(), bound(ctypes.INT), made) is not first
