"""What classes say is virtual: themselves, not what lies in them."""

from __future__ import annotations

import pytest

from warplint.analyzer.cuda.syntax.nodes import Virtual
from warplint.analyzer.cuda.syntax.virtual_words import VirtualWords


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("struct A { int x ; }", Virtual.NOTHING),
        ("struct A { virtual void f ( ) ; }", Virtual.FUNCTIONS),
        ("struct A { virtual ~ A ( ) ; }", Virtual.DESTRUCTOR),
        ("struct A { virtual ~ A ( ) ; virtual void f ( ) ; }", Virtual.FUNCTIONS),
        ("struct A : virtual B { int x ; }", Virtual.FUNCTIONS),
        ("struct A { struct B { virtual void f ( ) ; } ; }", Virtual.NOTHING),
        ("struct A { void f ( ) { struct B { virtual void g ( ) ; } ; } }", Virtual.NOTHING),
        ("struct A { int x ; virtual", Virtual.NOTHING),  # the end of a file
    ],
)
def test_what_a_class_says(text: str, said: Virtual) -> None:
    texts = text.split()
    assert VirtualWords(texts).of(0, len(texts)) is said


def test_a_class_in_a_class() -> None:
    text = "struct A { virtual void f ( ) ; struct B { virtual ~ B ( ) ; } ; } ; struct C { }"
    texts = text.split()
    words = VirtualWords(texts)
    inner, last = texts.index("B") - 1, texts.index("C") - 1
    assert words.of(inner, inner + 9) is Virtual.DESTRUCTOR
    assert words.of(0, last - 1) is Virtual.FUNCTIONS
    assert words.of(last, len(texts)) is Virtual.NOTHING
