"""Macro expansion on tokens, every token knowing its use and its definition.

In: tokens and a table of `Macro`. Out: the expanded tokens, by Prosser's algorithm (hide sets), so
that recursion, aliases of function-like macros, `#`, `##`, `__VA_ARGS__` and `__VA_OPT__` behave as
the standard says. Arguments keep their own places; what comes from a macro body gets the place of
the outermost use and remembers its place in the body.
Total work is bounded. A use that would grow past the budget is expanded once more, with statements
that a macro repeats (`switch` over types, a branch for each value) kept where they stand first and
a call of `not_expanded` in the other places; one that is still too large is left as it was written.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from .records import dataclass
from .tokens import SourceMap, Tokens, tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TOKENS_PER_USE = 60_000  # that are left in the end
TOKENS_PER_TEXT = 150_000  # that all uses in one text leave: they are parsed as if written there
GROWTH = 2  # times its own tokens: what a use may leave whatever others left (`SIZE`, `MAX(a, b)`)
STEPS_PER_USE = 250_000  # on the way: products of sequences take 100,000 for 300 tokens
STEPS_PER_UNIT = 1_000_000  # all of CUB takes 600,000
STEPS_ALWAYS = 2_000  # for one use, whatever others took: `CHECK(x)` is none of theirs;
STEPS_AT_LEAST = 16  # for one where all of them took twice as much
CHARACTERS = 32  # that are put together to one token in the time of another token
SCANNED_PER_USE = 1_000_000  # tokens that are looked through for the ends of arguments: those
SCANNED_PER_UNIT = 4_000_000  # of nested uses again and again, to the end where one is missing
ARGUMENT_DEPTH = 60
USE_DEPTH = 400  # macros whose bodies use each other

_NOTHING: frozenset[str] = frozenset()
_OPENING = {"LPAREN", "LBRACKET", "BRACE"}


class Word(NamedTuple):
    """A token on its way through macro expansion, with the macros it may not be expanded by."""

    kind: str
    text: str
    place: int
    hidden: frozenset[str]


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro of the preprocessor; `parameters` is None for an object-like one, `...` is named
    `__VA_ARGS__`.
    """

    name: str
    parameters: tuple[str, ...] | None
    variadic: bool
    body: Tokens
    place: int

    @property
    def value(self) -> str:
        """The replacement as text, words separated by one blank."""
        return " ".join(self.body.texts)


class _Use(NamedTuple):
    """One use: where it stands, the macros hidden in what it makes, how deep in arguments it is."""

    start: int
    end: int
    hidden: frozenset[str]
    depth: int


class BudgetError(Exception):
    """One use of a macro produced too many tokens, or its arguments are nested too deeply."""


@dataclass(slots=True)
class _Budget:
    """What one use may take, as long as all of the file together do not take too much."""

    for_use: int
    for_unit: int
    spent: int = 0
    limit: int = 0  # of what is spent while a use is expanded

    def begin(self) -> None:
        """One more use."""
        limit = min(self.spent + self.for_use, self.for_unit)
        always = min(self.spent + STEPS_ALWAYS, 2 * self.for_unit)
        self.limit = max(limit, always, self.spent + STEPS_AT_LEAST)

    def pay(self, steps: int) -> None:
        """Raises BudgetError where that is too much."""
        self.spent += steps
        if self.spent > self.limit:
            raise BudgetError


@dataclass(slots=True)
class _Text:
    """Tokens that are expanded with the same macros, and what was seen in vain."""

    tokens: Tokens
    unclosed: set[int] = field(default_factory=set)  # parentheses, once one was looked for
    too_large: set[str] = field(default_factory=set)  # names of macros without parameters

    def look_for_unclosed(self) -> None:
        """Note where parentheses open that nothing closes."""
        if self.unclosed:
            return
        open_: list[int] = []
        for at, text in enumerate(self.tokens.texts):
            if text == "(":
                open_.append(at)
            elif text == ")" and open_:
                open_.pop()
        self.unclosed.update(open_)


_NO_TEXT = _Text(Tokens())


@dataclass(slots=True)
class Expander:
    """Expands tokens by the macros that the preprocessor knows at the moment.

    `exhausted` lists uses given up, `shortened` those whose repeated statements stand once.
    """

    places: SourceMap
    macros: dict[str, Macro] = field(default_factory=dict)
    exhausted: list[tuple[str, int]] = field(default_factory=list)
    shortened: list[tuple[str, int]] = field(default_factory=list)
    _steps: _Budget = field(default_factory=lambda: _Budget(STEPS_PER_USE, STEPS_PER_UNIT))
    _scanned: _Budget = field(default_factory=lambda: _Budget(SCANNED_PER_USE, SCANNED_PER_UNIT))
    _left: dict[int, int] = field(default_factory=dict)  # tokens that uses left, by their text
    _once: bool = False  # statements that a macro repeats are left out

    def expand(self, tokens: Tokens) -> Tokens:
        """All of `tokens`, expanded; the very same object when no macro is used."""
        macros = self.macros
        if macros.keys().isdisjoint(tokens.texts):
            return tokens
        out = Tokens()
        position, text = 0, _Text(tokens)
        for index in [i for i, text in enumerate(tokens.texts) if text in macros]:
            if index < position:
                continue
            out.extend(tokens.cut(position, index))
            position = self._use(text, index, out)
        out.extend(tokens.cut(position, len(tokens)))
        return out

    def _use(self, text: _Text, index: int, out: Tokens) -> int:
        """Expand the use at `index` into `out`; the index of the first token not consumed."""
        tokens = text.tokens
        first = Word(tokens.kinds[index], tokens.texts[index], tokens.places[index], _NOTHING)
        words: list[Word] | None = None
        source = _Input([first], text, index + 1)
        alone = self.macros[first.text].parameters is None and not source.opens()
        file = bisect_right(self.places.bases, self.places.use_start(first.place))
        room = min(TOKENS_PER_TEXT - self._left.get(file, 0), TOKENS_PER_USE)
        made = len(self.places.expansions)
        for self._once in () if alone and first.text in text.too_large else (False, True):
            source = _Input([first], text, index + 1)
            self._steps.begin()
            self._scanned.begin()
            try:
                words = self._run(source, 0)
            except BudgetError:
                words = None
            if words is not None and len(words) <= max(room, GROWTH * (source.position - index)):
                break
            words = None
            del self.places.expansions[made:]
        if words is None:
            if alone:
                text.too_large.add(first.text)
            self.exhausted.append((first.text, first.place))
            out.extend(tokens.cut(index, source.position))
            return source.position
        if self._once:
            self.shortened.append((first.text, first.place))
        self._left[file] = self._left.get(file, 0) + len(words)
        for word in words:
            out.kinds.append(word.kind)
            out.texts.append(word.text)
            out.places.append(word.place)
        return source.position

    def _run(self, source: _Input, depth: int) -> list[Word]:
        if depth > ARGUMENT_DEPTH:
            raise BudgetError
        done: list[Word] = []
        macros = self.macros
        while source.waiting:
            word = source.waiting.pop()
            macro = macros.get(word.text)
            if macro is None or word.text in word.hidden:
                done.append(word)
                continue
            arguments: Mapping[str, list[Word]] = {}
            hidden, closing = word.hidden, word
            if macro.parameters is not None:
                taken = source.arguments(macro, self._scanned)
                if taken is None:
                    done.append(word)
                    continue
                arguments, closing = taken
                hidden = hidden & closing.hidden
            start = self.places.use_start(word.place)
            end = self.places.use_end(closing.place, len(closing.text))
            use = _Use(start, end, hidden | {macro.name}, depth)
            replaced = self._substitute(macro, arguments, use)
            self._steps.pay(len(replaced) + 1)
            if len(use.hidden) > USE_DEPTH:
                raise BudgetError
            source.waiting.extend(reversed(replaced))
        return done

    def _substitute(
        self, macro: Macro, arguments: Mapping[str, list[Word]], use: _Use
    ) -> list[Word]:
        """The body of `macro` with its arguments put in, ready to be scanned again."""
        body = macro.body
        if not arguments and "##" not in body.texts and not macro.variadic:
            return self._as_written(body, use)
        repeated: set[str] = set()
        expanded: dict[str, list[Word]] = {}
        out: list[Word] = []
        index, count = 0, len(body)
        paste = False
        while index < count:
            text = body.texts[index]
            following = body.texts[index + 1] if index + 1 < count else ""
            if text == "##" and 0 < index < count - 1:
                paste = True
                index += 1
                continue
            if text == "#" and following in arguments:
                place = self.places.expanded(use.start, use.end, body.places[index], len(text))
                self._pay(arguments[following])
                piece = [Word("STRING", _stringized(arguments[following]), place, use.hidden)]
                index += 1
            elif text == "__VA_OPT__" and following == "(" and macro.variadic:
                index, piece = self._optional(macro, arguments, use, index)
            elif text in repeated:
                place = self.places.expanded(use.start, use.end, body.places[index], len(text))
                piece = _left_out(arguments[text], place, use.hidden)
            elif text in arguments:
                if self._once and any(word.text == ";" for word in arguments[text]):
                    repeated.add(text)
                if paste or following == "##":
                    piece = arguments[text]
                else:
                    if text not in expanded:
                        inner = _Input(list(reversed(arguments[text])), _NO_TEXT, 0)
                        expanded[text] = self._run(inner, use.depth + 1)
                    piece = expanded[text]
                piece = [Word(w[0], w[1], w[2], w[3] | use.hidden) for w in piece]
            else:
                place = self.places.expanded(use.start, use.end, body.places[index], len(text))
                piece = [Word(body.kinds[index], text, place, use.hidden)]
            if paste:
                place = self.places.expanded(use.start, use.end, body.places[index], len(text))
                self._pay([*out[-1:], *piece[:1]])
                out = _pasted(out, piece, place, text == "__VA_ARGS__")
                paste = False
            else:
                out += piece
            if self._steps.spent + len(out) > self._steps.limit:
                self._steps.pay(len(out))  # raises: what was made in vain took its time, too
            index += 1
        return out

    def _as_written(self, body: Tokens, use: _Use) -> list[Word]:
        """A body in which nothing is put in."""
        if self._steps.spent + len(body) > self._steps.limit:
            self._steps.pay(self._steps.limit - self._steps.spent + 1)  # raises
        start, end, hidden, expanded = use.start, use.end, use.hidden, self.places.expanded
        return [
            Word(kind, text, expanded(start, end, place, len(text)), hidden)
            for kind, text, place in zip(body.kinds, body.texts, body.places, strict=True)
        ]

    def _pay(self, words: Iterable[Word]) -> None:
        """Count the characters that one token is made of: `x ## x` doubles a name each time."""
        self._steps.pay(sum(len(word.text) for word in words) // CHARACTERS)

    def _optional(
        self, macro: Macro, arguments: Mapping[str, list[Word]], use: _Use, index: int
    ) -> tuple[int, list[Word]]:
        """`__VA_OPT__(words)` at `index`: the index of its `)` and what it stands for."""
        depth, end = 0, index + 1
        while end < len(macro.body):
            depth += {"(": 1, ")": -1}.get(macro.body.texts[end], 0)
            if not depth:
                break
            end += 1
        if not arguments.get("__VA_ARGS__"):
            return end, []
        inner = Macro(macro.name, None, False, macro.body.cut(index + 2, end), macro.place)
        return end, self._substitute(inner, arguments, use)


@dataclass(slots=True)
class _Input:
    """Words waiting to be scanned (last first), then the tokens after the use."""

    waiting: list[Word]
    text: _Text
    position: int

    def opens(self) -> bool:
        """Whether the next token behind the use is a parenthesis."""
        return self.text.tokens.texts[self.position : self.position + 1] == ["("]

    def next(self) -> Word | None:
        if self.waiting:
            return self.waiting.pop()
        at = self.position
        tokens = self.text.tokens
        if at >= len(tokens):
            return None
        self.position = at + 1
        return Word(tokens.kinds[at], tokens.texts[at], tokens.places[at], _NOTHING)

    def arguments(self, macro: Macro, budget: _Budget) -> tuple[dict[str, list[Word]], Word] | None:
        """The arguments by parameter and the closing parenthesis; None when this is no call.

        Raises BudgetError when more words than are left would have to be looked through.
        """
        position, waiting = self.position, len(self.waiting)
        if not waiting and position in self.text.unclosed:
            return None
        read: list[Word] = []
        found: list[list[Word]] = [[]]
        depth = 0
        most = budget.limit - budget.spent
        names = macro.parameters or ()
        while (word := self.next()) is not None:
            read.append(word)
            if len(read) > most:
                raise BudgetError
            if len(read) == 1:
                if word.text != "(":
                    break
                continue
            if word.kind in _OPENING:
                depth += word.text == "("
            elif word.text == ")":
                if not depth:
                    budget.pay(len(read))
                    return _by_name(names, found), word
                depth -= 1
            elif (
                word.text == "," and not depth and not (macro.variadic and len(found) >= len(names))
            ):
                found.append([])
                continue
            found[-1].append(word)
        if word is None:
            self.text.look_for_unclosed()
        budget.pay(len(read))
        self.waiting += reversed(read[: waiting - len(self.waiting)])
        self.position = position
        return None


def _by_name(names: tuple[str, ...], found: list[list[Word]]) -> dict[str, list[Word]]:
    """Missing arguments are empty, surplus ones are dropped: the compiler complains, we read on."""
    return {name: found[i] if i < len(found) else [] for i, name in enumerate(names)}


def _stringized(words: Iterable[Word]) -> str:
    """`#x`: the words in quotes, a blank between words that would grow together otherwise."""
    text, last, end = "", "", None
    for word in words:
        apart = end is not None and word.place >= 0 and word.place > end
        if last and (apart or (last[-1:].isalnum() and word.text[:1].isalnum())):
            text += " "
        quoted = word.kind in ("STRING", "CHAR")
        text += word.text.replace("\\", "\\\\").replace('"', '\\"') if quoted else word.text
        last, end = word.text, word.place + len(word.text) if word.place >= 0 else None
    return f'"{text}"'


def _left_out(words: list[Word], place: int, hidden: frozenset[str]) -> list[Word]:
    """A call in place of statements, or of a lambda that holds some."""
    call = [("NAME", "not_expanded"), ("LPAREN", "("), ("_RPAR", ")")]
    if words[0].text != "[":
        call.append(("_SEMI", ";"))
    return [Word(kind, text, place, hidden) for kind, text in call]


def _pasted(left: list[Word], right: list[Word], place: int, variadic: bool) -> list[Word]:
    """`left ## right` made at `place`; `, ## __VA_ARGS__` without arguments drops the comma."""
    if left and left[-1].text == "," and variadic:
        return left[:-1] if not right else left + right
    if not left or not right:
        return left + right
    head, tail = left[-1], right[0]
    made, _ = tokenize(head.text + tail.text, directives=False)
    joined = [
        Word(kind, text, place, head.hidden & tail.hidden)
        for kind, text in zip(made.kinds, made.texts, strict=True)
    ]
    return left[:-1] + joined + right[1:]
