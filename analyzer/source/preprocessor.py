"""Source text to the tokens a compiler would see, without needing any header.

In: a `SourceText` and `PreprocessorOptions`. Out: `Preprocessed`, the tokens of the file and of
every `#include "…"` that was found, macros expanded, conditions decided; `#pragma unroll`, its
kin and `#pragma pack` stay as PRAGMA tokens. A condition that hangs on a name nobody defined is
unknown. Of its branches the largest is kept; conditions on the same name are decided together, by
the outermost of the files that ask, so that code guarded twice stays consistent. Braces play no
part in this, so a branch may be unbalanced.
But a name that nothing hangs on but statements inside of functions counts as not defined, as the
compiler has it, when all headers of the project were found (`preprocessor_files.py`).
Not handled: `#include MACRO`, `#line`, `#embed`, modules; `<…>` headers are followed only when
found under -I or, of the repository's own, where a build would find them (`include_roots.py`).
"""

from __future__ import annotations

import os
import re
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING

from ...grammars import grammar_data
from .header_search import HeaderSearch
from .known_headers import is_well_known, macros_of
from .macro_defaults import MacroDefaults
from .preprocessor_conditions import Condition, Value
from .preprocessor_files import parted, parted_header
from .preprocessor_groups import (
    CONDITIONALS,
    DIRECTIVE,
    DIRECTIVE_WORDS,
    OPENING,
    Branch,
    Group,
    condition_key,
    directive_word,
    directives_of,
    gives_default,
    likeliest,
)
from .preprocessor_macros import Expander, Macro
from .problem import Damage, Problem
from .records import dataclass
from .tokens import SourceMap, Tokens, Unterminated, tokenize, word_kinds

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from .text import SourceText, Span

INCLUDE_DEPTH = 60
INCLUDED_CHARACTERS = 30_000_000
REPORTS = 20  # of one kind for one file

_INCLUDE = re.compile(r'[#\s]*+\w++[^"<\n]*+(?:"([^"\n]+)"|<([^>\n]+)>)')  # something may be amiss
_HEADER_NAME = re.compile(
    r"([\w+/-][\w.+/-]{0,255}\.(?:cuh?|h|hpp|hxx|inl|inc)\b)()"
)  # in a damaged line
_NAME_OF_MACRO = re.compile(r"[A-Za-z_]\w*")
_OPT_OUTS = ("DISABLE_", "NO_", "WITHOUT_")  # what a build leaves out only when it is told to
_PRAGMA_KEPT = re.compile(r"(?:GCC\s+)?(?:unroll|nounroll)\b|pack\b")


@dataclass(frozen=True, slots=True)
class PreprocessorOptions:
    """What the command line says of macros and headers; `arch` is the compute capability times ten
    (90).
    """

    defines: Mapping[str, str] = field(default_factory=dict)
    undefines: frozenset[str] = frozenset()
    include_paths: tuple[Path | str, ...] = ()
    arch: int | None = None


@dataclass(slots=True)
class Preprocessed:
    """The tokens of a preprocessed source, where they come from, the macros at the end, what went
    wrong.
    """

    tokens: Tokens
    places: SourceMap
    macros: dict[str, Macro]
    problems: list[Problem]
    includes: dict[str, bool]  # the name in `#include "name"` -> was it found
    missing: list[str]  # the headers that were not found, `<name>` too
    dropped: list[Span]  # text under conditions that do not hold, from directive to directive
    undecided: list[Span]  # the directives of conditions that nothing at hand settles
    defaults: list[Span]  # uses of macros that are defined because nothing at hand does so

    @property
    def unseen(self) -> tuple[str, ...]:
        """The headers of a project that were not found: anything may stand in them."""
        names = dict.fromkeys(self.missing)
        return tuple(name for name in names if not is_well_known(name))


@cache
def _tables() -> tuple[dict[str, str], dict[str, str], frozenset[str]]:
    data = grammar_data("cuda_names.toml")
    return data["predefined"], data["macros"], frozenset(data["absent"]["names"].split())


@cache
def _cuda_words() -> frozenset[str]:
    """`__global__`, `__launch_bounds__`, ...: macros that nvcc brings along."""
    return frozenset(word for word in word_kinds() if word.startswith("__"))


@cache
def _known_macros() -> dict[str, Macro]:
    """The macros of the tables, as nvcc would have them defined before a file begins."""
    predefined, known, _ = _tables()
    texts = [f"{name}{'' if body[:1] == '(' else ' '}{body}" for name, body in known.items()]
    texts += [f"{name} {body}" for name, body in predefined.items()]
    made = [_macro(text, -1, 0) for text in texts]
    return {macro.name: macro for macro in made if macro is not None}


def _macro(text: str, place: int, start: int) -> Macro | None:
    """The macro that `text` defines from `start` on; None when there is no name to be found."""
    words, _ = tokenize(text, max(place, 0), start, directives=False)
    if not words or not words.texts[0].isidentifier():
        return None
    name = words.texts[0]
    if name in _cuda_words():
        return None  # `#define __global__` and the like is for compilers that are not nvcc
    body, parameters, variadic = 1, None, False
    touching = words.places[1:2] == [words.places[0] + len(name)]
    if touching and words.texts[1] == "(" and ")" in words.texts:
        body = words.texts.index(")") + 1
        named = [t for t in words.texts[2 : body - 1] if t != ","]
        variadic = "..." in named
        if named[-1:] == ["..."]:
            after_comma = len(named) == 1 or words.texts[body - 3] == ","
            named[-1:] = ["__VA_ARGS__"] if after_comma else []
        parameters = tuple(named)
    kept = words.cut(body, len(words))
    if place < 0:
        kept.places = [0] * len(kept)
    return Macro(name, parameters, variadic, kept, place)


def preprocess(source: SourceText, options: PreprocessorOptions) -> Preprocessed:
    """Preprocess one translation unit; never raises."""
    return _Preprocessor(source, options).run()


class _Preprocessor:
    def __init__(self, source: SourceText, options: PreprocessorOptions) -> None:
        self._source = source
        self._options = options
        self._places = SourceMap(source)
        self._expander = Expander(self._places)
        self._macros = self._expander.macros
        self._tokens = Tokens()
        self._waiting = Tokens()  # kept but not yet expanded: a macro call may span directives
        self._problems: list[Problem] = []
        self._includes: dict[str, bool] = {}
        self._missing: list[str] = []
        self._once: set[str] = set()
        self._open: list[str] = []  # the paths of the files that are open
        self._sizes: list[Mapping[str, list[int]]] = []  # of the files that are open
        self._assumed: dict[str, bool] = {}  # conditions that nothing decides
        self._guards: dict[str, str] = {}  # by path: the macro that leaves nothing of the file
        self._switches: frozenset[str] = frozenset()  # names asked for in function bodies alone
        self._headers = HeaderSearch(source.path, options.include_paths)
        self._characters = 0
        self._dropped: list[tuple[int, int]] = []
        self._undecided: list[tuple[int, int]] = []  # places and lengths of directives
        self._defaults = MacroDefaults()
        _, known, absent = _tables()
        self._absent = (set(absent) | options.undefines) - options.defines.keys()
        self._default = known.keys() - options.defines.keys()
        self._present = set() if options.arch else {"__CUDA_ARCH__"}
        self._macros.update(_known_macros())
        self._absent -= self._macros.keys()
        for name, body in options.defines.items():
            self._define(f"{name} {body}")
        if options.arch:
            self._define(f"__CUDA_ARCH__ {options.arch * 10}")
        for name in options.undefines:
            self._macros.pop(name, None)

    def run(self) -> Preprocessed:
        self._file(self._source, 0, 0)
        self._flush()
        for name, place in self._expander.exhausted[:REPORTS]:
            self._report(
                place, f"macro {name} expands to too many tokens and was not expanded",
                "simplify the macro, or analyse the preprocessed file", len(name),
            )  # fmt: skip
        for name, place in self._expander.shortened[:REPORTS]:
            self._report(
                place, f"macro {name} expands to too many tokens: repetitions were skipped",
                "the other branches and their launches were not analysed", len(name),
                Damage.NOTICE,
            )  # fmt: skip
        macros = {n: m for n, m in self._macros.items() if n not in self._default}
        dropped = [self._places.span(start, start, end - start) for start, end in self._dropped]
        undecided = [self._places.span(at, at, length) for at, length in self._undecided]
        defaults = [self._places.span(at, at, length) for at, length in self._defaults.uses]
        return Preprocessed(
            self._tokens,
            self._places,
            macros,
            self._problems,
            self._includes,
            self._missing,
            dropped,
            undecided,
            defaults,
        )

    # ---- one file ------------------------------------------------------------------------------

    def _file(self, source: SourceText, base: int, depth: int) -> None:
        file = parted_header(source.text) if depth else parted(source.text)
        tokens, lines, words = file.tokens_at(base), file.lines, file.words
        groups, unclosed = file.groups()
        self._guards[source.path] = file.guard
        self._open.append(os.path.normpath(source.path))
        outer, self._switches = self._switches, file.switches
        self._sizes.append(file.sizes)
        for key in file.choices:
            self._assumed.setdefault(key, False)  # as for a compiler that gets no such flag
        stack: list[Group] = []  # the conditionals that are open
        active = True
        position, start = 0, base
        dropped: list[tuple[int, int]] = []  # places of text that no condition kept
        for index in [*lines, len(tokens)]:
            end = tokens.places[index] if index < len(tokens) else base + len(source.text)
            if active:
                self._waiting.extend(tokens.cut(position, index))
            elif end > start:
                dropped.append((start, end))
            position = index + 1
            start = end + len(tokens.texts[index]) if index < len(tokens) else end
            word = words.get(index, "")
            if word in OPENING:
                group = groups[index]
                group.parent_active = active
                group.chosen = self._choose(group, tokens) if active else -1
                if active and not group.decided:
                    places = directives_of(group, len(tokens))
                    self._undecided += [(tokens.places[i], len(tokens.texts[i])) for i in places]
                stack.append(group)
            if word in CONDITIONALS and stack:
                group = stack.pop() if word == "endif" else stack[-1]
                chosen = word == "endif" or group.chosen == index
                active = group.parent_active and chosen
            elif active and index < len(tokens):
                if word == "define":
                    open_ = [g for g in stack if g.parent_active and not g.decided]
                    conditions = [tokens.texts[g.branches[0].index] for g in open_]
                    self._defaults.define(tokens.texts[index], conditions)
                self._directive(word, tokens.texts[index], tokens.places[index], source, depth)
            elif word == "define" and next(g for g in reversed(stack) if g.parent_active).decided:
                self._leave_undefined(tokens.texts[index])
        for index in unclosed[:REPORTS]:
            line = tokens.texts[index]
            message, advice = f"unmatched {line.split()[0]}", "add the missing directive"
            self._report(tokens.places[index], message, advice, len(line))
        self._dropped += dropped
        self._switches = outer
        self._sizes.pop()
        self._open.pop()
        self._report_broken([each.at(base) for each in file.broken], dropped)

    def _choose(self, group: Group, tokens: Tokens) -> int:
        """The directive index of the branch to keep, -1 for none."""
        candidates: list[Branch] = []
        for branch in group.branches:
            value = 1 if branch.word == "else" else self._evaluate(branch, tokens)
            if value != 0:
                candidates.append(branch)
            if value:
                break
        else:
            candidates.append(Branch(-1, "else"))
        group.decided = len(candidates) == 1
        if group.decided:
            return candidates[0].index
        first = candidates[0]
        if first is group.branches[0] and len(candidates) == 2:
            key, positive = condition_key(tokens.texts[first.index])
            if not positive and key in self._sizes[-1] and gives_default(tokens, first.index):
                return first.index
        return likeliest(candidates, tokens.texts, self._holds).index

    def _holds(self, key: str) -> bool | None:
        """Whether a condition that a plain `#if` of the file asks is taken to hold, the same
        wherever it is asked: of files that include each other the outermost has the say.
        """
        if key not in self._sizes[-1]:
            return None
        if key not in self._assumed:
            sizes = next(sizes[key] for sizes in self._sizes if key in sizes)
            self._assumed[key] = sizes[0] > sizes[1]
        return self._assumed[key]

    def _evaluate(self, branch: Branch, tokens: Tokens) -> Value:
        text = tokens.texts[branch.index]
        place = tokens.places[branch.index]
        words, _ = tokenize(text, place, _after_word(text), directives=False)
        if branch.word in ("ifdef", "ifndef", "elifdef", "elifndef"):
            answer = self._is_defined(words.texts[0]) if words.texts else None
            if answer is None:
                return None
            return int(answer == branch.word.endswith("ifdef"))
        expanded = self._expand_condition(words)
        return Condition(expanded, self._is_defined).value()

    def _expand_condition(self, words: Tokens) -> Tokens:
        """Expand macros, but not the names after `defined`."""
        if "defined" not in words.texts:
            return self._expander.expand(words)
        out, start, index = Tokens(), 0, 0
        while index < len(words):
            if words.texts[index] == "defined":
                out.extend(self._expander.expand(words.cut(start, index)))
                end = index + (4 if words.texts[index + 1 : index + 2] == ["("] else 2)
                out.extend(words.cut(index, end))
                start = index = end
            else:
                index += 1
        out.extend(self._expander.expand(words.cut(start, len(words))))
        return out

    def _is_defined(self, name: str) -> bool | None:
        if name in self._macros or name in self._present or name in _cuda_words():
            return True
        if name in self._switches and all(map(is_well_known, self._missing)):
            return False
        return False if name in self._absent or name.startswith(_OPT_OUTS) else None

    # ---- directives ----------------------------------------------------------------------------

    def _directive(self, word: str, text: str, place: int, source: SourceText, depth: int) -> None:
        if word == "define":
            self._flush()
            self._define(text, place, _after_word(text))
        elif word == "undef":
            self._flush()
            for name in tokenize(text, 0, _after_word(text), directives=False)[0].texts[:1]:
                self._macros.pop(name, None)
                self._absent.add(name)
        elif word in ("include", "include_next"):
            self._flush()
            self._include(text, place, source, depth)
        elif word == "pragma":
            start = _after_word(text)
            start += len(text[start:]) - len(text[start:].lstrip())
            self._pragma(text[start:].rstrip(), place + start, source)
        elif word not in DIRECTIVE_WORDS and _HEADER_NAME.search(text):  # `#( include "a.h"`
            self._flush()
            self._include(text, place, source, depth)

    def _pragma(self, text: str, place: int, source: SourceText) -> None:
        """Keep what concerns loops and layouts, macros expanded as nvcc does there."""
        if _PRAGMA_KEPT.match(text):
            words, _ = tokenize(text, place, directives=False)
            expanded = self._expander.expand(words)
            if expanded is not words:
                place = self._places.expanded(place, place + len(text), place, len(text))
                text = " ".join(expanded.texts)
            self._waiting.kinds.append("PRAGMA")
            self._waiting.texts.append(text)
            self._waiting.places.append(place)
        elif text.startswith("once"):
            self._once.add(source.path)

    def _define(self, text: str, place: int = -1, start: int = 0) -> None:
        """A `#define`; without a place it comes from the command line or a table."""
        macro = _macro(text, place, start)
        if macro is not None:
            self._macros[macro.name] = macro
            self._absent.discard(macro.name)
            if place >= 0:
                self._default.discard(macro.name)

    def _leave_undefined(self, text: str) -> None:
        """A `#define` that is not met because its condition is known: nobody else need define it,
        as `#ifdef` behind `#if __CUDA_ARCH__ >= 800` expects.
        """
        match = _NAME_OF_MACRO.search(text, _after_word(text))
        if match is not None and match.group() not in self._macros:
            self._absent.add(match.group())

    def _include(self, text: str, place: int, source: SourceText, depth: int) -> None:
        match = _INCLUDE.match(text)
        if match is None:
            match = _HEADER_NAME.search(text)
            if match is None or self._headers.find(match[1], source) is None:
                return
        name = (match[1] or match[2]).replace("\\", "/")  # as compilers on Windows take them
        included = self._headers.find(name, source if match[1] else None)
        if included is None and directive_word(text) != "include_next":
            included = self._headers.guess(name, source)
            if included is not None and os.path.normpath(included.path) in self._open:
                return  # headers that include each other: its guard leaves nothing of it
        if match[1]:
            self._includes[name] = self._includes.get(name, False) or included is not None
        if included is None:
            self._missing.append(name)
            self._flush()
            for macro, body in macros_of(name).items():
                self._define(f"{macro} {body}")
            return
        if included.path in self._once or self._guards.get(included.path) in self._macros:
            return
        self._characters += len(included.text)
        if depth >= INCLUDE_DEPTH or self._characters > INCLUDED_CHARACTERS:
            self._report(place, f"{name} is included too often or nested too deeply",
                         "it was skipped; is an include guard missing?", len(text))  # fmt: skip
            return
        self._file(included, self._places.add(included), depth + 1)
        self._flush()

    # ---- output --------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Expand what was kept so far, before the macro table changes."""
        waiting = self._waiting
        if not waiting.kinds:
            return
        self._defaults.note(waiting)
        self._tokens.extend(self._expander.expand(waiting))
        self._waiting = Tokens()

    def _report(
        self, place: int, message: str, advice: str, length: int, damage: Damage = Damage.PARTIAL
    ) -> None:
        span = self._places.span(place, place, length)
        self._problems.append(Problem(span.path, message, advice, damage, span))

    def _report_broken(self, broken: list[Unterminated], skipped: list[tuple[int, int]]) -> None:
        for what, place in broken[:REPORTS]:
            ends_in_line = what == "string"  # the others took text with them that may be meant
            if not ends_in_line or not any(start <= place < end for start, end in skipped):
                self._report(place, f"unterminated {what}", "close it", 1)


def _after_word(text: str) -> int:
    """Where the text after a directive's word begins."""
    match = DIRECTIVE.match(text)
    return match.end() if match else len(text)
