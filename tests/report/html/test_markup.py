from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.report.html.markup import (
    Html,
    code_text,
    element,
    joined,
    name_text,
    prose,
    text,
)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes = dict(attrs)

    def handle_data(self, data: str) -> None:
        self.words += data


def read(page: str) -> _Reader:
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader


HOSTILE = st.sampled_from(
    ["</script>", "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "<!--", "]]>",
     "&#x3c;", "' onload='x", "\x00", "\u202e", "</td>", "javascript:x", "`", "\t", "\n"]
)  # fmt: skip
TEXT = st.lists(HOSTILE | st.text(max_size=5), max_size=5).map("".join)


@given(TEXT, TEXT)
def test_whatever_is_no_html_stays_text(child: str, value: str) -> None:
    page = element("p", child, title=value, class_="x")
    reader = read(page)
    assert reader.seen == ["p"]
    assert set(reader.attributes) == {"title", "class"}
    assert "<" not in page.removeprefix("<p").removesuffix("</p>")
    assert "\x00" not in page
    assert "\u202e" not in page


@given(TEXT)
def test_code_and_prose_are_text(value: str) -> None:
    assert read(code_text(value)).seen == []
    assert set(read(prose(value)).seen) <= {"code"}


def test_children_that_are_html_are_taken_as_they_are() -> None:
    assert element("p", element("b", "<"), "<") == "<p><b>&lt;</b>&lt;</p>"
    assert joined(["<", Html("<br>")], ", ") == "&lt;, <br>"


def test_what_is_none_or_false_is_left_out() -> None:
    assert element("input", checked=True, disabled=False, id=None) == "<input checked>"
    assert element("rect", stroke_width=1.5, viewBox="0 0 1 1") == (
        '<rect stroke-width="1.5" viewBox="0 0 1 1"/>'
    )


@pytest.mark.parametrize("name", ["onload", "style", "src", "formaction", "x y", "onClick"])
def test_attributes_that_run_or_load_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no attribute"):
        element("p", **{name: "x"})


def test_links_stay_on_the_page() -> None:
    assert element("a", "x", href="#k1") == '<a href="#k1">x</a>'
    with pytest.raises(ValueError, match="leads out"):
        element("a", "x", href="javascript:alert(1)")


def test_code_stands_between_backticks() -> None:
    assert prose("call `f<T>()` once") == "call <code>f&lt;T&gt;()</code> once"
    assert prose("one ` alone") == text("one ` alone")
    assert code_text("\tif (a<b)") == "\tif (a&lt;b)"


def test_long_names_may_break_between_their_words() -> None:
    assert name_text("ns::a_b<1>") == "ns::<wbr>a_<wbr>b&lt;<wbr>1&gt;"
    assert name_text("<b>__c") == "&lt;<wbr>b&gt;__<wbr>c"
