"""Rewrites of CUDA C++ that change no program: each gives another text with the same kernels.

In: the text of a file. Out: the text rewritten, or None where the rewrite does not apply; a renamed
one with its map. Names that nothing in the file declares are left alone, for those may be macros of
headers, and so are the words of CUDA and of its libraries.
"""

from __future__ import annotations

import re
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from metamorphic.tokens import Token, is_kept, joined, tokens_of

from warplint.analyzer.cuda.syntax import nodes
from warplint.analyzer.cuda.syntax.nodes.c_ast import c_ast
from warplint.analyzer.cuda.units.parse import parse_cuda
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Names that hold a word which once decided something, or still might.
TRAPS = (
    *("released", "chasm", "unrestricted", "fragment_list", "rows_padded", "mma_count", "ready"),
    *("lock", "lgammaf_count", "hip_runtime", "bytes", "pipeline_depth", "barrier_word", "asm_n"),
    *(
        "clock_rate",
        "texture_of",
        "atomicish",
        "shfl_any",
        "aligned_up",
        "volatile_not",
        "acquired",
    ),
    *("seq_cst_of", "proxy_of", "bulk_tensor", "cluster_map", "popc_ffs", "element", "combined"),
    *("part", "update", "unknown", "lambda", "constant_of", "expect_tx", "CurandState", "kernel"),
)
#: All of these words in one name, for whoever looks for a word in it.
MANY = (
    "released_acquire_seq_cst_acq_rel_proxy_bulk_tensor_cluster_arrive_expect_tx_asm_restrict_"
    "fragment_padded_rounded_aligned_mma_wmma_shfl_vote_match_popc_ffs_clock_texture_volatile_"
)


def declared_names(text: str) -> set[str]:
    """The names that the file itself declares."""
    unit = parse_cuda(SourceText("file.cu", text))
    found = {name for node in _everything(unit) for name in _names_of(node)}
    found |= set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.MULTILINE))
    found |= set(re.findall(r"\bnamespace\s+(\w+)\s*\{", text))
    return {name for name in found if name.isidentifier()}


def _everything(unit: Any) -> Iterator[Any]:
    for item in (*unit.functions, *unit.declarations):
        yield from nodes.walk(item)


def _names_of(node: Any) -> Iterator[str]:
    match node:
        case nodes.Function():
            yield node.decl.name
            for parameter in node.template.parameters if node.template is not None else ():
                yield parameter.name or ""
        case c_ast.Decl() | c_ast.Typedef() | nodes.TypeAlias() | c_ast.Enumerator():
            yield node.name or ""
        case c_ast.Label() | nodes.ClassDefinition() | c_ast.Enum() | nodes.TemplateParameter():
            yield node.name or ""
        case c_ast.TypeDecl():
            yield node.declname or ""


# ---- names ---------------------------------------------------------------------------------------


def renamed(text: str, left: frozenset[str], salt: str) -> tuple[str, Mapping[str, str]] | None:
    """Every name that the file declares called otherwise, but for those that are `left`."""
    tokens = tokens_of(text)
    taken = {token.text for token in tokens if token.kind == "name"}
    taken |= {word for token in tokens if token.kind == "directive" for word in _words(token.text)}
    names = sorted(declared_names(text) - left)
    new: dict[str, str] = {}
    for name in names:
        start = int(sha256(f"{salt}{name}".encode()).hexdigest(), 16) % len(TRAPS)
        if start % 3:
            new[name] = f"{MANY}{len(new)}"
            continue
        trap = TRAPS[start]
        while trap in taken or trap in left:
            start += 1
            trap = f"{TRAPS[start % len(TRAPS)]}{start // len(TRAPS) or ''}"
        taken.add(trap)
        new[name] = trap
    if not new:
        return None
    return joined([_with_names(token, new) for token in tokens]), new


def _words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", text)


def _with_names(token: Token, new: Mapping[str, str]) -> Token:
    if token.kind == "name":
        return Token("name", new.get(token.text, token.text))
    if token.kind == "directive" and not re.match(r"\s*#\s*include", token.text):
        pieces = tokens_of(token.text.replace("#", "\0"))
        return Token(
            "directive", joined([_with_names(each, new) for each in pieces]).replace("\0", "#")
        )
    return token


def through_macros(text: str, left: frozenset[str]) -> str | None:
    """Each use of some names in the bodies of functions by a macro that stands for them."""
    uses = [token.text for token in tokens_of(text) if token.kind == "name"]
    names = [
        name
        for name in sorted(declared_names(text) - left)
        if uses.count(name) > 1 and not re.search(rf"(?:\.|->|::|\bdefine[ \t])\s*{name}\b", text)
    ][:3]
    if not names:
        return None
    made, depth = [], 0
    for token in tokens_of(text):
        depth += {"{": 1, "}": -1}.get(token.text, 0)
        own = token.kind == "name" and token.text in names and depth > 0
        macro = f"STANDS_FOR_{names.index(token.text)}" if own else ""
        made.append(Token("name", macro) if own else token)
    lines = [f"#define STANDS_FOR_{index} {name}\n" for index, name in enumerate(names)]
    return "".join(lines) + joined(made)


# ---- how it is written ---------------------------------------------------------------------------


def without_comments(text: str) -> str:
    """Comments are gone, but for those that speak to warplint."""
    return joined(
        [
            Token("blank", " ") if token.kind == "comment" and not is_kept(token) else token
            for token in tokens_of(text)
        ]
    )


def with_misleading_comments(text: str) -> str:
    """Comments that speak of what once decided something, in front and behind."""
    said = "// hip/hip_runtime.h multiProcessorCount cudaFuncAttributeMaxDynamicSharedMemorySize\n"
    more = "/* __restrict__ asm volatile fragment <<<1, 1>>> sharedMemPerBlock memory_order */"
    return f"{said}{text}\n{more}\n"


def on_one_line(text: str) -> str | None:
    """Everything between two preprocessor lines on one line."""
    return _respaced(text, " ")


def a_token_a_line(text: str) -> str | None:
    """Every token on a line of its own."""
    return _respaced(text, "\n")


def _respaced(text: str, blank: str) -> str | None:
    tokens = tokens_of(without_comments(text))
    if any(map(is_kept, tokens)):
        return None  # it holds for its line
    made: list[str] = []
    for token in tokens:
        if token.kind == "blank":
            continue
        if token.kind == "directive":
            made.append(f"\n{token.text.strip()}\n")
        else:
            made += [token.text, blank]
    return "".join(made)


# ---- where it stands -----------------------------------------------------------------------------


def in_namespace(text: str) -> str | None:
    """All of it behind the last preprocessor line in front, in a namespace."""
    tokens = tokens_of(text)
    starts = [i for i, token in enumerate(tokens) if token.kind in ("name", "symbol")]
    head = starts[0] if starts else len(tokens)
    rest = [token for token in tokens[head:] if token.kind not in ("blank", "comment")]
    if any(token.kind == "directive" and "include" in token.text for token in rest):
        return None
    if any(b.text == "::" and a.kind != "name" and a.text != ">" for a, b in pairwise(rest)):
        return None  # it names something from outside
    return joined(tokens[:head]) + "namespace fragment_of {\n" + joined(tokens[head:]) + "\n}\n"


def reordered(text: str) -> str | None:
    """What stands at file scope, as late as what is used by something allows."""
    made: list[str] = []
    changed = False
    for segment in _segments(text):
        pieces = _pieces(segment)
        order = _late(pieces)
        changed |= order != sorted(order)
        made += [pieces[index] for index in order]
    return "".join(made) if changed else None


def _segments(text: str) -> Iterator[list[Token]]:
    """Runs of tokens, and alone the preprocessor lines between functions: nothing may pass one."""
    run: list[Token] = []
    depth = 0
    for token in tokens_of(text):
        depth += {"{": 1, "}": -1}.get(token.text, 0)
        if token.kind == "directive" and not depth:
            yield run
            yield [token, Token("blank", "\n")]
            run = []
        else:
            run.append(token)
    yield run


def _pieces(tokens: list[Token]) -> list[str]:
    """The declarations of a run, each with the comments before it and to the end of its line."""
    pieces: list[str] = []
    current: list[str] = []
    depth, ended = 0, False
    for token in tokens:
        if ended and token.kind in ("blank", "comment"):
            current.append(token.text)
            if "\n" in token.text:
                pieces.append("".join(current))
                current, ended = [], False
            continue
        if ended and token.text != ";":
            pieces.append("".join(current))
            current = []
        current.append(token.text)
        depth += {"{": 1, "}": -1, "(": 1, ")": -1}.get(token.text, 0)
        ended = depth == 0 and token.text in (";", "}")
    return [*pieces, "".join(current)]


def _late(pieces: list[str]) -> list[int]:
    """An order that turns the pieces around where none uses a name of the other."""
    words = [
        {token.text for token in tokens_of(piece) if token.kind == "name" and len(token.text) > 1}
        for piece in pieces
    ]
    names = [declared_names(piece) & own for piece, own in zip(pieces, words, strict=True)]
    left = list(range(len(pieces)))
    order: list[int] = []
    while left:
        free = [i for i in left if not any(j < i and names[j] & words[i] for j in left)]
        chosen = free[-1]
        order.append(chosen)
        left.remove(chosen)
    return order
