"""Parses a PTX file: statements by one regular expression, operands by their shape.

In: a `SourceText`. Out: a `PtxModule`, always: a statement that cannot be read becomes `Unread` and
a `Problem` with its line, column and what was expected there, and reading goes on with the next.
After a missing semicolon it goes on at the next line that begins like a statement; a missing brace
ends at the next function. After `_MOST_ERRORS` errors the rest of the file is left unread.
The statement's meaning is not looked at here: that is `check/check.py` and `lowering/module.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...source.collection import collection_paused
from ...source.numbers import integer
from ...source.problem import Damage, Problem
from ...source.text import Span
from .scanner import (
    RESUME,
    STATEMENT,
    VISIBLE,
    blank_comments,
    cut_initialisers,
    unclosed_comment,
)
from .statement_patterns import ShapeError, StatementPatterns
from .tree import (
    Atoms,
    Directive,
    Function,
    Guard,
    Header,
    Instruction,
    Label,
    Loc,
    Name,
    Opcode,
    Prototype,
    PtxModule,
    Registers,
    ScopeEnd,
    ScopeStart,
    Section,
    SourceLine,
    Statement,
    Targets,
    Unread,
    Variables,
)

if TYPE_CHECKING:
    from ...source.text import SourceText

_MOST_ERRORS = 2_000
_QUOTED = re.compile(r'^\s*(\d+)\s*"((?:[^"\\\n]|\\.)*)"', re.ASCII)
_LOC_NUMBERS = re.compile(r"\d+")
_OPCODE = re.compile(r"(?:@!?[\w$%]+\s+)?[a-z]\w*(?:\.[\w:]+)*", re.ASCII)
_VERSION = re.compile(r"(\d+)\.(\d+)", re.ASCII)
# The groups of a plain instruction by the last of them: guard, opcode, names and numbers.
_PLAIN_GROUPS = [tuple(range(1, last + 1)) for last in range(7)]
_new = tuple.__new__  # a named tuple's own constructor takes twice as long
_WORD = re.compile(r"[\w$.%]+", re.ASCII)
_NEXT_DECLARATION = re.compile(
    r"\n[ \t]*+(?=\.(?:visible|extern|weak|common|entry|func|global|const|file)\b)", re.ASCII
)


def parse_ptx(source: SourceText) -> PtxModule:
    """The syntax tree of a PTX file."""
    with collection_paused():
        return _Parser(source).run()


def _number(digits: str) -> int:
    """A number of a directive; 0 for one that no file means."""
    return integer(digits, 10) or 0


class _Opcodes(dict[str, Opcode]):
    def __missing__(self, text: str) -> Opcode:
        opcode = self[text] = Opcode(text)
        return opcode


class _Guards(dict[str, Guard]):
    """Guards by their text: `@!%p1`."""

    def __init__(self, atoms: Atoms) -> None:
        super().__init__()
        self._atoms = atoms

    def __missing__(self, text: str) -> Guard:
        predicate = text.lstrip("@! \t\r\n\f\v")
        guard = self[text] = Guard(self._atoms.name(predicate), "!" in text)
        return guard


class _Places(dict[str, SourceLine]):
    """What `.loc` lines say; most lines occur many times."""

    def __missing__(self, text: str) -> SourceLine:
        head, _, tail = text.partition(",")
        file, line, column = map(_number, head.split())
        place = SourceLine(file, line, column)
        if tail:
            function, _, site = tail.partition(",")
            numbers = [*map(_number, _LOC_NUMBERS.findall(site))]
            name = function.split(None, 1)[1].strip()
            place = SourceLine(file, line, column, name, (numbers[0], numbers[1], numbers[2]))
        self[text] = place
        return place


class _Parser:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.text = blank_comments(source.text)
        self.module = PtxModule(source)
        self.atoms = self.module.atoms
        self.opcodes = _Opcodes()
        self.places = _Places()
        self.guards = _Guards(self.atoms)
        self.operands = StatementPatterns("operands", self.atoms)
        self.others = {
            s: StatementPatterns(s, self.atoms) for s in ("header", "variables", "registers")
        }
        self.errors = 0
        self.header: tuple[Header, int, int] | None = None
        self.body: list[Statement] = []
        self.depth = 0

    def run(self) -> PtxModule:
        """Read everything."""
        position: int | None = 0
        while position is not None:
            if self.errors > _MOST_ERRORS:
                self._give_up(position)
                break
            position = self._read_from(position)
        if self.header is not None:
            self._problem(len(self.text), len(self.text), "expected '}' at the end of the function")
            self._close(len(self.text))
        opened = unclosed_comment(self.source.text)
        if opened is not None:
            self._problem(opened, opened + 2, "expected '*/': the comment is not closed")
        return self.module

    def _read_from(self, position: int) -> int | None:
        """Read statements in a row; the place to go on from after damage, None at the end."""
        atoms, opcodes, guards = self.atoms, self.opcodes, self.guards
        read = self.operands.read
        body, inside = self.body, self.header is not None
        for match in STATEMENT.finditer(self.text, position):
            kind = match.lastgroup
            if kind is None:
                guard, opcode, *names = match.group(*_PLAIN_GROUPS[match.lastindex or 0])
                operands = tuple([atoms[name] for name in names])
            elif kind == "operands":
                guard, opcode, text = match.group("guard", "opcode", "operands")
                try:
                    operands = read(text)
                except ShapeError as error:
                    start = match.start("guard" if guard else "opcode")
                    return self._recover(start, match, match.start("operands"), error)
            elif kind == "loc":
                text = match.group("loc")
                place = (self.places[text], text, match.start("loc"), match.end())
                (body if inside else self.module.items).append(_new(Loc, place))
                continue
            elif kind == "end":
                return None
            else:
                resume = self._other(kind, match)
                if resume is not None or self.errors > _MOST_ERRORS:
                    return match.end() if resume is None else resume
                body, inside = self.body, self.header is not None
                continue
            start = match.start("guard" if guard else "opcode")
            given = guards[guard] if guard else None
            body.append(_new(Instruction, (opcodes[opcode], operands, given, start, match.end())))
            if not inside:
                self._outside(start, match.end())
                if self.errors > _MOST_ERRORS:
                    return match.end()
        return None

    def _other(self, kind: str, match: re.Match[str]) -> int | None:
        """Read a statement that is no instruction; where to go on when not behind it."""
        start, end = self._start(match), match.end()
        try:
            match kind:
                case "label":
                    self._add(Label(self.atoms.name(match.group("label")), start, end))
                case "open":
                    self.depth += 1
                    self._add(ScopeStart(start, end))
                case "close":
                    self._close_brace(start, end)
                case "registers":
                    vector, type_, names = self.others["registers"].read(match.group("registers"))
                    self._add(Registers(vector, type_, names, start, end))
                case "variables":
                    return self._variables(start)
                case "after":
                    return self._header(match, start, end)
                case "targets":
                    names = self.operands.read(match.group("targets"))
                    if not all(isinstance(name, Name) for name in names):
                        raise ShapeError(0, f"expected names after .{match.group('list')}")
                    self._add(Targets("." + match.group("list"), names, start, end))
                case "contents":
                    section = Section(match.group("section"), match.group("contents"), start, end)
                    self.module.items.append(section)
                case "plain":
                    self._directive(match, start, end)
                case _:
                    self._unread(start, end, self._what_is_wrong(match), start)
        except ShapeError as error:
            return self._recover(start, match, start, error)
        return None

    def _start(self, match: re.Match[str]) -> int:
        """Where a statement's first character is."""
        found = VISIBLE.search(match.string, match.start())
        return len(match.string) if found is None else found.start()

    def _add(self, statement: Any) -> None:
        """Add to the current body, or to the module when the statement may stand there."""
        if self.header is not None:
            self.body.append(statement)
        elif isinstance(statement, Directive | Variables | Loc):
            self.module.items.append(statement)
        else:
            self.body.append(statement)
            self._outside(statement.start, statement.end)

    def _outside(self, start: int, end: int) -> None:
        self.body.pop()
        self._unread(start, end, "expected a directive or a function: this is outside of any")

    # ---- functions -------------------------------------------------------------------------

    def _header(self, match: re.Match[str], start: int, end: int) -> int | None:
        text, after = match.group("header"), match.group("after")
        if self.header is not None and ".callprototype" not in text:
            self._problem(start, start, "expected '}' before the next function")
            self._close(start)
        try:
            header: Header = self.others["header"].read(text)
        except ShapeError as error:
            behind = self._prototype(match, start)
            if behind is not None:
                return behind
            if after == "{" and self.header is None:
                self._read_damaged_header(match, start, end, error)
                return None
            return self._recover(start, match, match.start("header"), error)
        if header.kind == ".callprototype":
            self._add(Prototype(header, start, end))
        elif after == "{":
            self.header = (header, start, match.end("header"))
            self.body = []
            self.depth = 1
        else:
            if not after:
                self._problem(end, end, "expected '{' or ';' after the function's header")
            self.module.items.append(Function(header, None, start, match.end("header"), end))
        return None

    def _prototype(self, match: re.Match[str], start: int) -> int | None:
        """Read a function's header that ends without a semicolon before the next declaration, as
        compilers wrote them for PTX 2 and ptxas reads them to this day; where to go on.
        """
        text = match.group("header")
        ends = _NEXT_DECLARATION.search(text, text.find(".func") + 1)
        if ends is None or ".func" not in text[: ends.start()]:
            return None
        try:
            header: Header = self.others["header"].read(text[: ends.start()])
        except ShapeError:
            return None
        end = match.start("header") + ends.start()
        self.module.items.append(Function(header, None, start, end, end))
        return end

    def _read_damaged_header(
        self, match: re.Match[str], start: int, end: int, error: ShapeError
    ) -> None:
        """Keep the kernel under its name, so that the report can say what was lost."""
        text = match.group("header")
        kind = ".entry" if ".entry" in text else ".func"
        words = _WORD.findall(text.partition(kind)[2])
        name = next((word for word in words if word[0] not in ".%0123456789"), "?")
        self.header = (
            Header((), kind, (), None, self.atoms.name(name), None, ()),
            start,
            match.end("header"),
        )
        self.body = []
        self.depth = 1
        at = match.start("header") + error.offset
        self._unread(at, at + 1, error.message)

    def _close_brace(self, start: int, end: int) -> None:
        self.depth -= 1
        if self.header is None:
            self.depth = 0
            self._unread(start, end, "unexpected '}': no function is open here")
        elif self.depth == 0:
            self._close(end)
        else:
            self.body.append(ScopeEnd(start, end))

    def _close(self, end: int) -> None:
        assert self.header is not None
        header, start, header_end = self.header
        body = tuple(self.body)
        self.module.items.append(Function(header, body, start, header_end, end))
        self.header = None
        self.body = []
        self.depth = 0

    # ---- declarations and directives -------------------------------------------------------

    def _variables(self, start: int) -> int | None:
        """Read a variable declaration up to its semicolon; where to go on."""
        end = self.text.find(";", start)
        if end < 0:
            end = len(self.text)
        text = self.text[start:end]
        written, values = cut_initialisers(text) if "=" in text else (text, [])
        try:
            linkage, space, qualifiers, type_, declarators = self.others["variables"].read(written)
        except ShapeError as error:
            line_end = self.text.find("\n", start)
            stop = end + 1 if line_end < 0 else min(end + 1, line_end + 1)
            at = min(start + error.offset, stop)
            self._unread(start, stop, error.message, at)
            return stop
        given = iter(values)
        declarators = tuple(
            one if one.initialiser is None else one._replace(initialiser=next(given, ""))
            for one in declarators
        )
        self._add(Variables(linkage, space, qualifiers, type_, declarators, start, end + 1))
        return end + 1

    def _directive(self, match: re.Match[str], start: int, end: int) -> None:
        name, text = match.group("directive"), match.group("plain").strip()
        module = self.module
        self._add(Directive("." + name, text, start, end))
        version = _VERSION.fullmatch(text)
        if name == "version" and version:
            module.version = (_number(version.group(1)), _number(version.group(2)))
        elif name == "target":
            module.targets += tuple(word.strip() for word in text.split(","))
        elif name == "address_size" and text.isdecimal():
            module.address_size = _number(text)
        elif name == "file":
            quoted = _QUOTED.match(text)
            if quoted:
                module.files[_number(quoted.group(1))] = quoted.group(2).replace("\\\\", "\\")

    # ---- damage ----------------------------------------------------------------------------

    def _recover(
        self, start: int, match: re.Match[str], text_start: int, error: ShapeError
    ) -> int | None:
        """Note what could not be read, and find where the next statement may begin."""
        end = match.end()
        resume = RESUME.search(self.text, start, end)
        stop = resume.end() if resume else end
        at = min(text_start + error.offset, max(start, stop - 1))
        message = error.message
        if resume and self._lacks_semicolon(match, resume.start()):
            at, message = resume.start(), "expected ';' at the end of the statement"
        self._unread(start, stop, message, at)
        return stop

    def _lacks_semicolon(self, match: re.Match[str], end: int) -> bool:
        """Whether an instruction would have been well formed, had it ended here."""
        if match.lastgroup != "operands" or match.start("operands") > end:
            return False
        try:
            self.operands.read(self.text[match.start("operands") : end])
        except ShapeError:
            return False
        return True

    def _what_is_wrong(self, match: re.Match[str]) -> str:
        """The message for a line that is no statement; the last one often lacks its semicolon."""
        text = match.group().strip()
        opcode = _OPCODE.match(text)
        if opcode is not None:
            try:
                self.operands.read(text[opcode.end() :])
            except ShapeError:
                pass
            else:
                return "expected ';' at the end of the statement"
        shown = text if len(text) <= 30 else text[:30] + "…"
        return f"expected a statement, found {shown!r}"

    def _unread(self, start: int, end: int, message: str, at: int | None = None) -> None:
        statement = Unread(start, end)
        if self.header is not None:
            self.body.append(statement)
        else:
            self.module.items.append(statement)
        self._problem(start if at is None else at, end, message)

    def _give_up(self, position: int) -> None:
        end = len(self.text)
        self._unread(position, end, "too many syntax errors: the rest of the file was skipped")

    def _problem(self, start: int, end: int, message: str) -> None:
        self.errors += 1
        kernel = self.header[0].name.text if self.header is not None else None
        self.module.problems.append(
            Problem(
                path=self.source.path,
                message=message,
                advice="check this statement with ptxas; the others were analysed",
                damage=Damage.PARTIAL,
                span=Span(self.source, start, max(start, end)),
                kernel=kernel,
            )
        )
