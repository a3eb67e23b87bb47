"""Macros that no file in sight defines, where it shows what they stand for.

In: the tokens of a translation unit. Out: tokens in which such a macro is gone, or stands as the
words that it must mean:

- macros of well-known projects for `__global__` and its like (`grammars/cuda_names.toml`);
- `type MACRO(...) name`: nothing but an attribute can stand there, as `_ALIGN(64)`; it is dropped;
- `MACRO void name(...)`, or `MACRO name(...)` without a type, of a function that asks for threadIdx
  or has launch bounds, and that nobody calls: a kernel. A device function is called by one.

Not handled: attributes that matter, such as an alignment; kernels that other macros make.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from ...source.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from .outline import FunctionOutline

_NO_ARGUMENTS = frozenset(["_SEMI", "BRACE"])
_BEFORE_QUALIFIER = frozenset(
    ["_SEMI", "_RBRACE", "BRACE", "GREATER", "STORAGE", "STRING", "PRAGMA", "_COLON"]
)
_AFTER_QUALIFIER = frozenset(
    ["TYPEKW", "NAME", "STORAGE", "CV", "ATTRIBUTE", "_TYPENAME", "_DECLTYPE", "CLASSKEY"]
)
_BEFORE_ATTRIBUTE = frozenset(["NAME", "TYPEKW"])
_AFTER_DECLARATOR = frozenset(["[", ";", "=", ","])
_INDICES = frozenset(["threadIdx", "blockIdx"])
_MARKS = frozenset(["__global__", "__device__", "__host__"])
_ARGUMENTS = 64  # tokens of template arguments
_ON_DEVICE = frozenset(["__global__", "__device__"])
_CALLED = frozenset(["LPAREN", "LESS", "_LBRACE"])
_BEGINS = frozenset(["_SEMI", "_RBRACE", "GREATER", "STORAGE", "_RPAR", "BRACE", "PRAGMA"])


def _no_type_follows(kinds: list[str], index: int) -> bool:
    """`name(` or `__launch_bounds__(…) name(` at `index`."""
    while kinds[index : index + 2] == ["ATTRIBUTE", "LPAREN"]:
        index = _closing(kinds, index + 1) + 1
    return kinds[index : index + 2] == ["NAME", "LPAREN"]


def with_qualifiers(tokens: Tokens, macros: Mapping[str, str]) -> Tokens:
    """`RAFT_KERNEL` and its like, undefined here, as the words they stand for."""
    if macros.keys().isdisjoint(tokens.texts):
        return tokens
    hits = [i for i, text in enumerate(tokens.texts) if text in macros]
    kinds = tokens.kinds
    out, start = Tokens(), 0
    for index in hits:
        before = kinds[index - 1] if index else "_SEMI"
        after = kinds[index + 1] if index + 1 < len(kinds) else ""
        bounded = before == "_RPAR" and _ends_attribute(kinds, index - 1)
        if not (bounded or before in _BEFORE_QUALIFIER) or after not in _AFTER_QUALIFIER:
            continue
        out.extend(tokens.cut(start, index))
        words = macros[tokens.texts[index]].split()
        if "__global__" in words and _no_type_follows(kinds, index + 1):
            words.append("void")  # RAFT_KERNEL name(…): what else could a kernel return?
        for word in words:
            out.kinds.append("STORAGE" if word != "void" else "TYPEKW")
            out.texts.append(word)
            out.places.append(tokens.places[index])
        start = index + 1
    if not start:
        return tokens
    out.extend(tokens.cut(start, len(tokens)))
    return out


def without_attributes(tokens: Tokens) -> Tokens:
    """`uint32_t _ALIGN(64) words[20];` without the macro."""
    kinds, texts = tokens.kinds, tokens.texts
    out, start = Tokens(), 0
    for at, (first, second) in enumerate(pairwise(kinds)):
        if second != "LPAREN" or first != "NAME" or not at or at < start:
            continue
        if kinds[at - 1] not in _BEFORE_ATTRIBUTE:
            continue
        after = _closing(kinds, at + 1) + 1
        if (
            _NO_ARGUMENTS.isdisjoint(kinds[at:after])  # a parenthesis too many
            and kinds[after : after + 1] == ["NAME"]
            and texts[after + 1 : after + 2]
            and (texts[after + 1] in _AFTER_DECLARATOR)
        ):
            out.extend(tokens.cut(start, at))
            start = after
    if not start:
        return tokens
    out.extend(tokens.cut(start, len(tokens)))
    return out


def hidden_kernels(tokens: Tokens, functions: Iterable[FunctionOutline]) -> list[int]:
    """The macros that stand for `__global__`, by the place of their token."""
    texts = tokens.texts
    if _INDICES.isdisjoint(texts) and "__launch_bounds__" not in texts:
        return []
    found = ((texts[each.name], _macro_of(tokens, each)) for each in functions)
    candidates = [(name, at) for name, at in found if at is not None]
    if not candidates:
        return []
    called = _called(tokens, {name for name, _ in candidates})
    return sorted(at for name, at in candidates if name not in called)


def hidden_device_functions(tokens: Tokens, functions: Sequence[FunctionOutline]) -> list[int]:
    """The macros that stand for `__device__`, by the place of their token: of functions that device
    code calls, where no function of that name says itself where it runs.
    """
    texts = tokens.texts
    found = [(each, _word_before_type(tokens, each)) for each in functions]
    hidden = {id(each): at for each, at in found if at is not None}
    if not hidden:
        return []
    marked = [each for each in functions if _is_marked(tokens, each, _MARKS)]
    names = {texts[each.name] for each, at in found if at is not None}
    names -= {texts[each.name] for each in marked}
    called = _calls(tokens, functions, names)
    pending = [each for each in marked if _is_marked(tokens, each, _ON_DEVICE)]
    there = set[str]()
    while pending:
        new = called.get(id(pending.pop()), set()) - there
        there |= new
        pending += (each for each in functions if id(each) in hidden and texts[each.name] in new)
    return sorted(at for each, at in found if at is not None and texts[each.name] in there)


def as_device_functions(tokens: Tokens, macros: Sequence[int]) -> Tokens:
    """The tokens with `__device__` for these macros."""
    out = tokens.cut(0, len(tokens))
    for at in macros:
        out.kinds[at], out.texts[at] = "STORAGE", "__device__"
    return out


def as_kernels(tokens: Tokens, macros: Sequence[int]) -> Tokens:
    """The tokens with `__global__`, and `void` where no type follows, for these macros."""
    out, start = Tokens(), 0
    for at in macros:
        out.extend(tokens.cut(start, at))
        words = [("STORAGE", "__global__")]
        if _no_type_follows(tokens.kinds, at + 1):
            words.append(("TYPEKW", "void"))
        for kind, text in words:
            out.kinds.append(kind)
            out.texts.append(text)
            out.places.append(tokens.places[at])
        start = at + 1
    out.extend(tokens.cut(start, len(tokens)))
    return out


def _macro_of(tokens: Tokens, function: FunctionOutline) -> int | None:
    """The macro before a function's name that must mean `__global__`, if there is one."""
    kinds, texts = tokens.kinds, tokens.texts
    header = texts[function.start : function.name]
    if function.owner is not None or not _MARKS.isdisjoint(header) or len(header) < 1:
        return None
    body = texts[function.body : function.stop]
    if _INDICES.isdisjoint(body) and "__launch_bounds__" not in header:
        return None
    typed = texts[function.name - 1] == "void"
    at = function.name - (2 if typed else 1)
    while at > function.start and kinds[at] == "_RPAR":
        opening = _opening(kinds, at)
        if not opening or kinds[opening - 1] != "ATTRIBUTE":
            return None
        at = opening - 2
    if at < function.start or kinds[at] != "NAME":
        return None
    before = kinds[at - 1] if at > function.start else "_SEMI"
    if before not in _BEGINS or (not typed and _returns_value(body)):
        return None
    return at


def _is_marked(tokens: Tokens, function: FunctionOutline, marks: frozenset[str]) -> bool:
    return not marks.isdisjoint(tokens.texts[function.start : function.name])


def _word_before_type(tokens: Tokens, function: FunctionOutline) -> int | None:
    """The word before the type of a function, or before a constructor, which is none of C++."""
    if _is_marked(tokens, function, _MARKS):
        return None
    kinds, texts = tokens.kinds, tokens.texts
    constructs = function.owner is not None and texts[function.name] == function.owner.name
    last = _declarator(tokens, function)
    for at in range(function.start, last):
        if kinds[at] != "NAME" or (at > function.start and kinds[at - 1] not in _BEGINS):
            continue
        after = at + 1
        while kinds[after] in ("STORAGE", "CV"):
            after += 1
        own = after < last if kinds[after] == "NAME" else kinds[after] == "TYPEKW"
        return at if own or (constructs and after == last) else None
    return None


def _declarator(tokens: Tokens, function: FunctionOutline) -> int:
    """Where the name of a function begins: at `A` of `void A<T>::f()`."""
    kinds, texts, at = tokens.kinds, tokens.texts, function.name
    while at - 2 > function.start and texts[at - 1] == "::":
        at -= 2
        if kinds[at] == "GREATER":
            while at > function.start and kinds[at] != "LESS":
                at -= 1
            at -= 1
    return at


def _calls(
    tokens: Tokens, functions: Iterable[FunctionOutline], names: set[str]
) -> dict[int, set[str]]:
    """Which of the names each function calls, by its id."""
    kinds, texts = tokens.kinds, tokens.texts
    every = sorted(functions, key=lambda each: each.start)
    starts, found = [each.start for each in every], dict[int, set[str]]()
    for place in _places_of(texts, names):
        item = every[bisect_right(starts, place) - 1] if starts[0] <= place else None
        if item is not None and item.body < place < item.stop and kinds[place + 1] in _CALLED:
            found.setdefault(id(item), set()).add(texts[place])
    return found


def _places_of(texts: Sequence[str], names: set[str]) -> Iterator[int]:
    return (at for at, text in enumerate(texts) if text in names) if names else iter(())


def _returns_value(body: Sequence[str]) -> bool:
    return any(first == "return" and second != ";" for first, second in pairwise(body))


def _called(tokens: Tokens, names: set[str]) -> set[str]:
    """Those of the names that a call names: `f(...)` or `f<T>(...)` other than where a function is
    declared.
    """
    kinds, texts = tokens.kinds, tokens.texts
    return {
        texts[at]
        for at, (first, second) in enumerate(pairwise(kinds))
        if first == "NAME" and second in ("LPAREN", "LESS") and texts[at] in names
        if at and kinds[at - 1] not in ("NAME", "TYPEKW", "_RPAR", "STORAGE")
        if second == "LPAREN" or _is_called_with(tokens, at + 1)
    }


def _is_called_with(tokens: Tokens, opening: int) -> bool:
    """Whether `<` begins template arguments behind which those of a call stand, no launch."""
    depth = 0
    for at in range(opening, min(opening + _ARGUMENTS, len(tokens) - 1)):
        text = tokens.texts[at]
        depth += {"<": 1, ">": -1, ">>": -2}.get(text, 0)
        if depth <= 0:
            return tokens.kinds[at + 1] == "LPAREN"
        if text in (";", "{", "}"):
            return False
    return False


def _ends_attribute(kinds: Sequence[str], closing: int) -> bool:
    """Whether a parenthesis closes `__launch_bounds__(...)`."""
    opening = _opening(kinds, closing)
    return opening > 0 and kinds[opening - 1] == "ATTRIBUTE"


def _opening(kinds: Sequence[str], closing: int) -> int:
    """The parenthesis that one closes, or the first token."""
    depth = 0
    for at in range(closing, -1, -1):
        depth += {"_RPAR": 1, "LPAREN": -1}.get(kinds[at], 0)
        if not depth:
            return at
    return 0


def _closing(kinds: Sequence[str], opening: int) -> int:
    """The parenthesis that closes one, or the last token."""
    depth = 0
    for at in range(opening, len(kinds)):
        depth += {"LPAREN": 1, "_RPAR": -1}.get(kinds[at], 0)
        if not depth:
            return at
    return len(kinds) - 1
