"""Names that several namespaces declare."""

from __future__ import annotations

from warplint.analyzer.cuda.lowering.program.scoped_names import Place, ScopedNames


def names(*declared: tuple[tuple[str, ...], str]) -> tuple[Place, ScopedNames]:
    place = Place()
    made = ScopedNames(place)
    for scope, value in declared:
        made.declare("width", value, scope)
    return place, made


def test_a_name_of_one_namespace_is_found_from_everywhere() -> None:
    place, made = names((("a",), "one"), (("a",), "again"))
    assert made["width"] == "one"
    place.scope = ("b", "c")
    assert made.get("width") == "one"
    assert made.scope_of("width") == ("a",)
    assert made.within(["z"], "width") == "one"


def test_of_several_the_innermost_around_the_place_is_meant() -> None:
    place, made = names(((), "file"), (("a",), "outer"), (("a", "b"), "inner"))
    for scope, meant in (
        ((), "file"),
        (("z",), "file"),
        (("a",), "outer"),
        (("a", "z"), "outer"),
        (("a", "b", "T"), "inner"),
    ):
        place.scope = scope
        assert made["width"] == made.get("width") == meant
        assert "width" in made


def test_where_none_of_several_lies_around_nothing_is_meant() -> None:
    place, made = names((("a",), "one"), (("b",), "other"))
    assert made.is_ambiguous("width")
    assert "width" not in made
    assert made.get("width") is None
    assert made.within(["b"], "width") == "other"
    assert made.within(["c"], "width") is None
    place.scope = ("b",)
    assert made["width"] == "other"


def test_what_several_classes_declare_is_left_to_the_namespaces() -> None:
    _, made = names(((), "file"))
    made.declare("width", "member", ("T",), of_class=True)
    made.withdraw("width")
    assert made["width"] == "file"
    _, made = names()
    made.declare("width", "member", ("T",), of_class=True)
    assert made["width"] == "member"
    made.withdraw("width")
    assert "width" not in made


def test_behind_namespaces_a_name_is_theirs() -> None:
    place, made = names(
        ((), "file"), (("a",), "outer"), (("a", "b"), "inner"), (("c", "b"), "other")
    )
    assert made.within([], "width") == "file"
    assert made.within(["a"], "width") == "outer"
    assert made.within(["a", "b"], "width") == "inner"
    assert made.within(["b"], "width") is None
    place.scope = ("c",)
    assert made.within(["b"], "width") == "other"
    place.aliases["d"] = ("a", "b")
    assert made.within(["d"], "width") == "inner"
    assert made.within(["e"], "width") is None


def test_what_is_nested_inline_is_found_and_what_no_namespace_declares_is_not() -> None:
    _, made = names((("a", "v1"), "inline"))
    assert made.within(["a"], "width") == "inline"
    _, made = names(((), "file"))
    assert made.within(["a"], "width") is None
    assert made.within([], "width") == "file"
