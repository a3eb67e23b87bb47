"""Which parts of included files the main file rests on.

In: the outline of a translation unit. Out: the functions, classes and declarations worth parsing:
those of the main file, and those of included files that are named by something worth parsing,
directly or through others; a function of a class where both are named. A function of a header that
no second source could include, neither inline nor static nor a template, is one of the main file
where it launches kernels: the header is a part of it. A header of ten thousand
lines costs its lexing and no more than what is used of it. Names are compared as words, so that too
much may be taken, but not too little.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..names.launch_marks import begins_launch
from .outline import ClassOutline, DeclarationOutline, FunctionOutline, Outline

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...source.tokens import Tokens

Piece = FunctionOutline | ClassOutline | DeclarationOutline

_DEPTHS = {"<": 1, ">": -1, ">>": -2}
_CALLS = frozenset(["LPAREN", "LESS", "_LAUNCH"])
_DEVICE = ("__forceinline__", "__device__", "__global__")
#: What lets several sources define a function, each for itself or all the same.
_SHARED = frozenset(
    ["template", "inline", "static", "constexpr", "consteval", "__inline__", *_DEVICE]
)


def reachable(
    tokens: Tokens,
    found: Outline,
    in_main: Callable[[int], bool],
    wanted: Callable[[FunctionOutline], bool],
) -> Outline:
    """The part of the outline `found` that the main file rests on and is worth parsing.

    `in_main` says whether a token stands in the main file, `wanted` whether a function is worth it.
    """
    return _Reach(tokens, found, in_main, wanted).run()


class _Reach:
    def __init__(
        self,
        tokens: Tokens,
        found: Outline,
        in_main: Callable[[int], bool],
        wanted: Callable[[FunctionOutline], bool],
    ) -> None:
        self._tokens = tokens
        self._found = found
        self._wanted = wanted
        self._in_main = in_main
        self._waiting: list[Piece] = []
        self._taken: set[int] = set()
        self._named: dict[str, list[Piece]] = defaultdict(list)  # by a name the piece declares
        self._called: dict[str, list[Piece]] = defaultdict(list)
        self._members: dict[int, list[Piece]] = defaultdict(list)  # `union {…};`, by their class
        self._methods: dict[int, list[Piece]] = defaultdict(list)  # called ones, by their class
        self._classes = {piece.name for piece in found.classes if piece.name}
        self._aliases: dict[str, list[DeclarationOutline]] = defaultdict(list)  # `using` of a type
        self._seen: set[str] = set()  # the names in what was taken
        self._unsettled: dict[str, list[ClassOutline]] = defaultdict(
            list
        )  # by a name they wait for

    def run(self) -> Outline:
        found = self._found
        functions = [piece for piece in found.functions if self._wanted(piece)]
        pieces: list[Piece] = [*functions, *found.classes, *found.declarations]
        for piece in pieces:
            if self._in_main(piece.start) or self._is_part_of_main(piece):
                self._take(piece)
            else:
                self._register(piece)
        while self._waiting:
            self._follow(self._waiting.pop())
        return Outline(
            [piece for piece in functions if id(piece) in self._taken],
            [piece for piece in found.declarations if id(piece) in self._taken],
            [piece for piece in found.classes if id(piece) in self._taken],
            found.unbalanced,
        )

    def _is_part_of_main(self, piece: Piece) -> bool:
        """Whether a header defines a function that launches kernels, and no other file could."""
        if not isinstance(piece, FunctionOutline) or piece.owner is not None:
            return False
        texts = self._tokens.texts
        if not _SHARED.isdisjoint(texts[piece.start : piece.name]):
            return False
        return any(begins_launch(texts, at) for at in range(piece.body, piece.stop))

    def _take(self, piece: Piece) -> None:
        if id(piece) not in self._taken:
            self._taken.add(id(piece))
            self._waiting.append(piece)

    def _register(self, piece: Piece) -> None:
        kinds, texts = self._tokens.kinds, self._tokens.texts
        if isinstance(piece, ClassOutline):
            for name in self._class_names(piece):
                self._named[name].append(piece)
            if piece.owner is not None and (piece.trailing is not None or not piece.name):
                self._members[id(piece.owner)].append(piece)
        elif isinstance(piece, DeclarationOutline):
            alias = self._alias(piece)
            if alias is not None:
                self._named[alias].append(piece)
                self._aliases[alias].append(piece)
                return
            for index in range(piece.start, piece.stop):
                if kinds[index] == "NAME":
                    self._named[texts[index]].append(piece)
        elif "__global__" in texts[piece.start : piece.name]:
            self._named[texts[piece.name]].append(piece)
        elif kinds[piece.name] == "NAME":
            self._called[texts[piece.name]].append(piece)
        elif piece.owner is None:  # an operator or specialisation: found by any of its words
            for text in texts[piece.start : piece.parameters]:
                self._called[text].append(piece)

    def _alias(self, piece: DeclarationOutline) -> str | None:
        """The name that `using name = ...;` declares, the head of a template before it or not."""
        texts = self._tokens.texts
        for index in range(piece.start, piece.stop - 2):
            if texts[index] == "using" and texts[index + 2] == "=":
                return texts[index + 1]
        return None

    def _class_names(self, piece: ClassOutline) -> set[str]:
        """The name of a class, and what is declared with it: `typedef struct {…} name;`."""
        trailing = piece.trailing
        kinds, texts = self._tokens.kinds, self._tokens.texts
        behind = range(piece.stop, piece.stop if trailing is None else trailing.stop)
        return {piece.name or ""} - {""} | {texts[i] for i in behind if kinds[i] == "NAME"}

    def _follow(self, piece: Piece) -> None:
        """Take everything that `piece` names."""
        stop = piece.body if isinstance(piece, ClassOutline) else piece.stop
        kinds = self._tokens.kinds[piece.start : stop]
        texts = self._tokens.texts[piece.start : stop]
        names = {text for text, kind in zip(texts, kinds, strict=True) if kind == "NAME"}
        calls = {
            text
            for text, kind, after in zip(texts, kinds, kinds[1:], strict=False)
            if kind == "NAME" and after in _CALLS
        }
        self._seen |= names
        self._take_all(self._named, names)
        self._take_all(self._called, calls)
        for name in names & self._unsettled.keys():
            for waiting in self._unsettled.pop(name):
                self._take_class(waiting)
        if isinstance(piece, ClassOutline):
            for declaration in piece.declarations:
                self._follow(declaration)
            self._take_all(self._named, self._class_names(piece))
            for member in (*self._members.pop(id(piece), ()), *self._methods.pop(id(piece), ())):
                self._take(member)
            for function in piece.functions:
                special = self._tokens.kinds[function.name] != "NAME"
                if special or self._tokens.texts[function.name] == piece.name:
                    self._take(function)
        elif isinstance(piece, FunctionOutline) and piece.owner is not None:
            self._take(piece.owner)

    def _take_all(self, table: dict[str, list[Piece]], names: set[str]) -> None:
        for name in names & table.keys():
            for piece in table.pop(name):
                if isinstance(piece, ClassOutline):
                    self._take_class(piece)
                    continue
                owner = piece.owner if isinstance(piece, FunctionOutline) else None
                if owner is None or id(owner) in self._taken:
                    self._take(piece)
                else:  # until its class is named: there is no other way to an object of it
                    self._methods[id(owner)].append(piece)

    def _take_class(self, piece: ClassOutline) -> None:
        """Take a class that is named; a specialisation once the classes it is for are named, too.

        `struct Traits<Small, T>` is nobody's unless something else speaks of `Small`.
        """
        missing = self._specialised_for(piece) - self._seen
        if missing:
            self._unsettled[min(missing)].append(piece)
        else:
            self._take(piece)

    def _specialised_for(self, piece: ClassOutline) -> set[str]:
        """The classes among the template arguments of a specialisation's head."""
        texts = self._tokens.texts
        at = next((i for i in range(piece.key, piece.body) if texts[i] == piece.name), piece.body)
        depth, stop = 0, at + 1
        while stop < piece.body:
            depth += _DEPTHS.get(texts[stop], 0)
            if depth <= 0:
                break
            stop += 1
        own = set(texts[piece.start : piece.key])  # the parameters it leaves open
        found: set[str] = set()
        for name in self._names_in(at + 1, stop) - own:
            others = self._aliases.get(name, ())
            if len(others) == 1:  # what it stands for may be spoken of by its own name
                alias = others[0]
                found |= self._names_in(alias.start, alias.stop)
            else:
                found.add(name)
        return found & self._classes - own - {piece.name}

    def _names_in(self, start: int, stop: int) -> set[str]:
        kinds, texts = self._tokens.kinds, self._tokens.texts
        return {texts[index] for index in range(start, stop) if kinds[index] == "NAME"}
