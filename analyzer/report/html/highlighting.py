"""The tokens of a piece of source that are coloured: comments, strings, words of the language.

In: text and its language. Out: ranges with a class each, in order. It colours, and decides nothing:
what is not recognised has no colour. Raw strings and line continuations are not handled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS = (
    "alignas|auto|bool|break|case|char|class|const|constexpr|continue|default|do|double|else|"
    "enum|extern|false|float|for|goto|if|inline|int|long|namespace|nullptr|operator|register|"
    "restrict|return|short|signed|sizeof|static|static_cast|reinterpret_cast|struct|switch|"
    "template|this|true|typedef|typename|union|unsigned|using|void|volatile|while|half|size_t|"
    "uint8_t|int8_t|uint16_t|int16_t|uint32_t|int32_t|uint64_t|int64_t|float2|float3|float4|int2|"
    "int3|int4|double2"
)
_BUILTINS = (
    r"__\w+__|__(?:syncthreads|syncwarp|shfl|ldg|restrict)\w*|threadIdx|blockIdx|blockDim|gridDim|"
    r"warpSize|atomic\w+"
)
_CUDA = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<directive>^[ \t]*#[ \t]*\w+)"
    rf"|(?P<builtin>\b(?:{_BUILTINS})\b)"
    rf"|(?P<word>\b(?:{_WORDS})\b)"
    r"|(?P<literal>\b(?:0[xX][\da-fA-F]+|\d[\d.]*(?:[eE][+-]?\d+)?)[fFuUlL]*\b)",
    re.DOTALL | re.MULTILINE,
)
_PTX = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<directive>^[ \t]*\.\w+)"
    r"|(?P<builtin>%\w+)"
    r"|(?P<word>^[ \t]*(?:@!?%\w+[ \t]+)?[a-z]\w*(?:\.\w+)+)"
    r"|(?P<literal>\b0[xXfFdD][\da-fA-F]+\b|\b\d+\b)",
    re.DOTALL | re.MULTILINE,
)


def tokens(text: str, language: str) -> Iterator[tuple[int, int, str]]:
    """The tokens of source to colour on the HTML page: from where to where, and the class."""
    pattern = _PTX if language == "ptx" else _CUDA
    for match in pattern.finditer(text):
        yield match.start(), match.end(), f"t-{match.lastgroup}"
