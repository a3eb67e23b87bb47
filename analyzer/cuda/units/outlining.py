"""The outline of a file: where functions, classes and declarations begin and end.

In: all tokens of a translation unit. Out: `Outline`, functions with the token ranges of their
headers and bodies, and declarations with theirs, each with the namespaces and classes around it.
Bodies are jumped over, so that the work is in proportion to what stands outside of them. Damage
stays local: a body that misses its closing brace ends before the next kernel, a brace too many is
skipped, and what is not understood is passed over to the next `;` or `}`.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from ...source.records import dataclass
from .braces import matching_braces
from .outline import ClassOutline, DeclarationOutline, FunctionOutline, Outline

if TYPE_CHECKING:
    from ...source.tokens import SourceMap, Tokens
    from .braces import Braces
    from .outline import Scope

_BEFORE_BODY = frozenset(["_RPAR", "CV", "_NOEXCEPT"])
_BEFORE_INITIALIZER = frozenset(["_EQ", "_COMMA", "LPAREN"])
_DEEPEST = 64  # names of namespaces and classes around something
OPERATOR_TOKENS = 16  # of `operator const typename A<T>::B&`
_OUTSIDE = frozenset(["template", "namespace", "__device__", "__host__"])
_BEFORE_DECLARATION = frozenset(["BRACE", "_RBRACE", "_SEMI"])
_BEGINNINGS = (["STORAGE"], ["TYPEKW"], ["_TEMPLATE"], ["ATTRIBUTE"], ["CLASSKEY"], ["NAME"])
_REFERRED = (["AMP", "NAME", "LPAREN"], ["STAR", "NAME", "LPAREN"])
_NO_OPERATOR = frozenset("(){};")
_HEADER_WORDS = frozenset(["STORAGE", "CV", "TYPEKW", "ATTRIBUTE"])


def outline(tokens: Tokens, places: SourceMap) -> Outline:
    """The outline of a translation unit."""
    return _Scanner(tokens, matching_braces(tokens, places)).run()


@dataclass(slots=True)
class _Frame:
    """An open namespace or class."""

    stop: int
    scope: Scope
    owner: ClassOutline | None


@dataclass(slots=True)
class _Head:
    """What was seen since the last declaration ended."""

    start: int
    parameters: int = -1
    assigned: bool = False
    key: int = -1
    namespace: int = -1
    enumeration: bool = False
    template: bool = False
    initializers: bool = False


class _Scanner:
    def __init__(self, tokens: Tokens, braces: Braces) -> None:
        self._kinds = tokens.kinds
        self._texts = tokens.texts
        self._partner = braces.partner
        self._ends = braces.ends
        self._kernels = _places_of("__global__", tokens.texts)
        self._result = Outline(unbalanced=braces.lonely)
        self._frames: list[_Frame] = []

    def run(self) -> Outline:
        index, count = 0, len(self._kinds)
        head = _Head(0)
        while index < count:
            kind = self._kinds[index]
            handler = _HANDLERS.get(kind)
            if handler is None:
                index += 1
                continue
            index, head = handler(self, index, head)
        return self._result

    @property
    def _scope(self) -> Scope:
        return self._frames[-1].scope if self._frames else ()

    def _inside(self, *names: str) -> Scope:
        """The scope in namespaces or a class that begin here; no deeper than anybody writes."""
        return (*self._scope, *names)[:_DEEPEST]

    @property
    def _owner(self) -> ClassOutline | None:
        return self._frames[-1].owner if self._frames else None

    # ---- tokens that matter outside of bodies --------------------------------------------------

    def _parenthesis(self, index: int, head: _Head) -> tuple[int, _Head]:
        """Jump over `(…)`; the first one after a name holds the parameters."""
        before = self._kinds[index - 1] if index else ""
        named = before in ("NAME", "GREATER") or self._after_operator(index)
        attribute = self._texts[index - 1] in ("__attribute__", "__declspec")
        open_head = not head.assigned and not head.initializers and not attribute
        inside = self._in_class_head(index, head) or self._is_suffix(index, head)
        referred = self._kinds[index + 1 : index + 4] in _REFERRED  # `T (&get())[N]`
        if (named or referred) and open_head and not inside:
            head.parameters = index + 3 if referred else index
        return self._after(index, "LPAREN", "_RPAR"), head

    def _in_class_head(self, index: int, head: _Head) -> bool:
        """`struct A<is_x<T>()>`: parentheses among the template arguments of a class."""
        if head.key < 0:
            return False
        texts = self._texts[head.key : index]
        return texts.count("<") > texts.count(">") + 2 * texts.count(">>")

    def _is_suffix(self, index: int, head: _Head) -> bool:
        """`void f(int) MACRO(x)`: a macro after the parameters."""
        if head.parameters < 0 or self._kinds[index - 2] != "_RPAR":
            return False
        earlier = self._texts[head.parameters - 1]
        return self._texts[index - 1].isupper() and not earlier.isupper()

    def _after_operator(self, index: int) -> bool:
        texts = self._texts
        if texts[max(0, index - 3) : index] == ["operator", "(", ")"]:
            return True
        for at in range(index - 1, max(-1, index - OPERATOR_TOKENS), -1):
            if texts[at] == "operator":
                return at < index - 1
            if texts[at] in _NO_OPERATOR:
                return False
        return False

    def _after(self, index: int, opening: str, closing: str) -> int:
        """The token after the bracket that closes `index`; bodies inside are jumped over.

        When none does before a `;` or `}`, what was opened ends before the first body.
        """
        depth, body = 0, -1
        kinds = self._kinds
        at, count = index, len(kinds)
        while at < count:
            kind = kinds[at]
            if kind == opening:
                depth += 1
            elif kind == closing:
                depth -= 1
                if not depth:
                    return at + 1
            elif kind == "BRACE":
                if body < 0 and kinds[at - 1] not in _BEFORE_INITIALIZER:
                    body = at
                at = self._partner.get(at, at)
            elif kind in ("_RBRACE", "_SEMI"):
                break
            at += 1
        return body if body >= 0 else at

    def _template(self, index: int, head: _Head) -> tuple[int, _Head]:
        """Jump over `template <…>`."""
        if self._kinds[index + 1 : index + 2] != ["LESS"]:
            return index + 1, head
        head.template = True
        depth, at = 0, index + 1
        while at < len(self._kinds):
            text = self._texts[at]
            if text in ("<", ">", ">>", ">>>"):
                depth += 1 if text == "<" else -len(text)
                if depth <= 0:
                    return at + 1, head
            elif text == "(":
                at = self._after(at, "LPAREN", "_RPAR")
                continue
            elif text == "{" and self._kinds[at - 1] in _BEFORE_BODY:
                return index + 2, head  # the `>` is missing
            elif text in (";", "{"):
                return at, head
            at += 1
        return at, head

    def _assigned(self, index: int, head: _Head) -> tuple[int, _Head]:
        if head.parameters < 0 and self._texts[index - 1] != "operator":
            head.assigned = True
        return index + 1, head

    def _class_key(self, index: int, head: _Head) -> tuple[int, _Head]:
        if head.parameters < 0 and not head.enumeration:
            head.key = index
        return index + 1, head

    def _enum(self, index: int, head: _Head) -> tuple[int, _Head]:
        if head.parameters < 0:
            head.enumeration = True
        return index + 1, head

    def _namespace(self, index: int, head: _Head) -> tuple[int, _Head]:
        head.namespace = index
        return index + 1, head

    def _colon(self, index: int, head: _Head) -> tuple[int, _Head]:
        if self._kinds[index - 1] == "ACCESS":
            return index + 1, _Head(index + 1)
        if head.parameters >= 0 and self._kinds[index - 1] in ("_RPAR", "_NOEXCEPT", "CV"):
            head.initializers = True
        return index + 1, head

    def _semicolon(self, index: int, head: _Head) -> tuple[int, _Head]:
        if index > head.start:
            declaration = DeclarationOutline(head.start, index + 1, self._scope)
            self._declarations().append(declaration)
        return index + 1, _Head(index + 1)

    def _declarations(self) -> list[DeclarationOutline]:
        owner = self._owner
        return self._result.declarations if owner is None else owner.declarations

    def _close(self, index: int, head: _Head) -> tuple[int, _Head]:
        """The end of a namespace or class."""
        while self._frames and self._frames[-1].stop < index:
            self._frames.pop()
        if self._frames and self._frames[-1].stop == index:
            frame = self._frames.pop()
            if frame.owner is not None and frame.owner is not self._owner:
                return self._after_class(index + 1, frame.owner)
        return index + 1, _Head(index + 1)

    def _after_class(self, index: int, owner: ClassOutline) -> tuple[int, _Head]:
        """`} x[3], *y;`: the variables declared with the class."""
        end = index
        while end < len(self._kinds) and self._kinds[end] not in ("_SEMI", "_RBRACE"):
            end = self._partner.get(end, end) + 1
        if end > index and end < len(self._kinds) and self._kinds[end] == "_SEMI":
            owner.trailing = DeclarationOutline(owner.start, end + 1, self._scope)
        if end < len(self._kinds) and self._kinds[end] == "_SEMI":
            end += 1
        elif end > index:
            end = index
        return end, _Head(end)

    # ---- braces --------------------------------------------------------------------------------

    def _brace(self, index: int, head: _Head) -> tuple[int, _Head]:
        closing = self._partner.get(index, len(self._kinds))
        if head.namespace >= 0 or self._is_linkage(index):
            scope = self._scope
            if head.namespace >= 0:
                scope = self._inside(
                    *filter(str.isidentifier, self._texts[head.namespace + 1 : index])
                )
            self._frames.append(_Frame(closing, scope, self._owner))
            return index + 1, _Head(index + 1)
        if head.parameters >= 0 and not head.assigned:
            kernel = self._kernel_between(head.parameters, index)
            if kernel >= 0:  # what looked like a parameter list is none
                stop = self._before_kernel(kernel, head.parameters)
                return stop, _Head(stop)
            if head.initializers and not self._is_body(index):
                return min(closing, len(self._kinds) - 1) + 1, head
            return self._function(index, closing, head)
        if head.key >= 0 and not head.enumeration and not head.assigned:
            return self._class(index, closing, head)
        if head.start == index:  # a lonely block: an unknown macro's body
            return index + 1, _Head(index + 1)
        if index not in self._partner:
            return index + 1, head
        if not (head.assigned or head.enumeration) and self._holds_declarations(index, closing):
            return self._damaged_scope(index, closing, head)
        kernel = self._kernel_between(head.start, closing)
        if kernel >= 0:  # no declaration holds a kernel: something is missing before it
            stop = self._before_kernel(kernel, head.start)
            if stop > head.start:
                return stop, _Head(stop)
        if not head.enumeration and (
            (not head.assigned and self._kinds[index - 1] == "_RPAR")
            or self._kinds[closing + 1 : closing + 2] in _BEGINNINGS
        ):
            return closing + 1, _Head(closing + 1)  # a body whose function's head is damaged
        return closing + 1, head

    def _holds_declarations(self, index: int, closing: int) -> bool:
        """Whether between two braces there is what is in no function: a function's body, or a
        word that begins declarations."""
        if self._kinds[index - 1] in _BEFORE_BODY:
            return False
        at = index + 1
        while at < closing:
            kind, before = self._kinds[at], self._kinds[at - 1]
            if self._texts[at] in _OUTSIDE and before in _BEFORE_DECLARATION:
                return True
            if kind == "BRACE":
                if before in _BEFORE_BODY:
                    return True
                at = self._partner.get(at, at)
            at += 1
        return False

    def _damaged_scope(self, index: int, closing: int, head: _Head) -> tuple[int, _Head]:
        """A namespace or class whose first word is damaged."""
        names = [t for t in self._texts[head.start : index] if t.isidentifier()]
        self._frames.append(_Frame(closing, self._inside(*names[-1:]), self._owner))
        return index + 1, _Head(index + 1)

    def _is_linkage(self, index: int) -> bool:
        return self._kinds[index - 1] == "STRING" and self._texts[index - 2] == "extern"

    def _is_body(self, index: int) -> bool:
        """Whether a brace after `: a(1), b<c<2>>{3}` opens the body rather than an initialiser."""
        named = self._kinds[index - 1] == "NAME"
        return not named and self._texts[index - 1] not in (">", ">>", ">>>")

    def _function(self, index: int, closing: int, head: _Head) -> tuple[int, _Head]:
        complete = closing < len(self._kinds)
        if not complete:
            closing = self._ends.get(index, closing)
        kernel = self._kernel_between(index, closing)
        if kernel >= 0:
            closing = self._before_kernel(kernel, index)
            complete = False
        stop = min(closing + 1, len(self._kinds)) if complete else closing
        owner = self._owner
        name, scope = head.parameters - 1, self._scope
        function = FunctionOutline(
            head.start, name, head.parameters, index, stop, scope, complete, owner
        )
        self._result.functions.append(function)
        if owner is not None:
            owner.functions.append(function)
        return stop, _Head(stop)

    def _kernel_between(self, index: int, closing: int) -> int:
        """The first `__global__` between two tokens, or -1."""
        later = bisect_left(self._kernels, index)
        found = later < len(self._kernels) and self._kernels[later] < closing
        return self._kernels[later] if found else -1

    def _before_kernel(self, kernel: int, body: int) -> int:
        """Where the header of a kernel found inside a body begins."""
        at = kernel
        while at > body + 1:
            before = self._kinds[at - 1]
            if before == "GREATER":
                opening = self._template_before(at - 1)
                if opening <= body:
                    break
                at = opening
            elif before in _HEADER_WORDS or (before == "STRING" and self._is_linkage(at)):
                at -= 1
            else:
                break
        return at

    def _template_before(self, index: int) -> int:
        """The `template` whose `<…>` ends at `index`, or -1."""
        depth = 0
        for at in range(index, max(-1, index - 2000), -1):
            text = self._texts[at]
            if text in (">", ">>"):
                depth += len(text)
            elif text == "<":
                depth -= 1
                if not depth:
                    return at - 1 if self._kinds[at - 1] == "_TEMPLATE" else -1
        return -1

    def _class(self, index: int, closing: int, head: _Head) -> tuple[int, _Head]:
        name = self._class_name(head.key + 1, index)
        stop = min(closing + 1, len(self._kinds))
        made = ClassOutline(head.start, head.key, name, index, stop, self._scope, self._owner)
        self._result.classes.append(made)
        scope = self._inside(name) if name else self._scope
        self._frames.append(_Frame(closing, scope, made))
        return index + 1, _Head(index + 1)

    def _class_name(self, index: int, stop: int) -> str | None:
        """The last name before `{`, `:` or `<`; attributes and macros may come before it."""
        name = None
        while index < stop:
            kind = self._kinds[index]
            if kind == "LPAREN":
                index = self._after(index, "LPAREN", "_RPAR")
                continue
            if kind in ("_COLON", "LESS"):
                break
            if kind == "NAME" and self._texts[index] != "final":
                name = self._texts[index]
            index += 1
        return name


def _places_of(word: str, texts: list[str]) -> list[int]:
    found, at = [], -1
    for _ in range(texts.count(word)):
        at = texts.index(word, at + 1)
        found.append(at)
    return found


_HANDLERS = {
    "LPAREN": _Scanner._parenthesis,
    "_TEMPLATE": _Scanner._template,
    "_EQ": _Scanner._assigned,
    "CLASSKEY": _Scanner._class_key,
    "ENUM": _Scanner._enum,
    "_NAMESPACE": _Scanner._namespace,
    "_COLON": _Scanner._colon,
    "_SEMI": _Scanner._semicolon,
    "BRACE": _Scanner._brace,
    "_RBRACE": _Scanner._close,
}
