"""Mangled names read to the end: the grammar of the Itanium C++ ABI, "Mangling", as text.

In: a symbol that begins with `_Z`. Out: its name with scopes and template arguments, in the words
of `c++filt`: what a function returns and takes is left out, except inside of template arguments.
Types are pairs of text, left and right of what they declare: `void (*` and `)(int)`. Not handled:
`requires` clauses, modules, expressions with fold or new, special names such as those of vtables.
"""

from __future__ import annotations

from ...source.numbers import integer
from .itanium_types import Type, instance_of, pointer
from .itanium_words import BUILTINS, LETTERS, LITERALS, OPERATORS, STANDARD, WHOLE

_MOST_DEPTH = 100  # types, names and expressions in each other
_MOST_DIGITS = 4  # of the number of what is referred to
_MOST_TEXT = 20_000  # characters: what refers to what refers to itself grows
_NAMELESS = "(anonymous namespace)"


class UnreadableError(Exception):
    """The mangled symbol holds something that this reader does not know."""


def name_of(symbol: str) -> str:
    """The name of a function or variable; of a local one only its own. Raises UnreadableError."""
    reader = _Reader(symbol)
    if reader.at("Z"):
        return reader.local_name().rpartition("\0")[2]
    return reader.name().replace("\0", "::")


class _Reader:
    def __init__(self, symbol: str) -> None:
        self._text = symbol
        self._place = 2
        self._seen: list[Type] = []  # what later parts may refer to
        self._bound: list[Type] = []  # the template arguments of what is named
        self._depth = 0
        self._constant = False  # whether the function that was named last is a const member

    # ---- characters --------------------------------------------------------------------------

    def at(self, mark: str) -> bool:
        """Whether these characters come next."""
        return self._text.startswith(mark, self._place)

    def _accept(self, mark: str) -> bool:
        if not self.at(mark):
            return False
        self._place += len(mark)
        return True

    def _expect(self, mark: str) -> None:
        if not self._accept(mark):
            raise UnreadableError

    def _peek(self, count: int = 1) -> str:
        return self._text[self._place : self._place + count]

    def _digits(self) -> str:
        start = self._place
        while self._peek().isdecimal():
            self._place += 1
        return self._text[start : self._place]

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise UnreadableError

    def _number_to(self, base: int) -> int:
        """`_` is 0, `0_` is 1, ..."""
        end = self._text.find("_", self._place)
        digits = self._text[self._place : end]
        if end < 0 or len(digits) > _MOST_DIGITS:
            raise UnreadableError
        try:
            number = int(digits, base) + 1 if digits else 0
        except ValueError:
            raise UnreadableError from None
        self._place = end + 1
        return number

    def _remember(self, found: Type) -> Type:
        if len(found.left) + len(found.right) > _MOST_TEXT:
            raise UnreadableError
        self._seen.append(found)
        return found

    # ---- names -------------------------------------------------------------------------------

    def name(self) -> str:
        """A name with its scopes, `\\0` between them."""
        self._deeper()
        if self.at("N"):
            found = self._nested()
        elif self.at("Z"):
            found = self.local_name()
        else:
            found = self._unscoped()
        self._depth -= 1
        return found

    def local_name(self) -> str:
        """`Z function E entity`."""
        self._expect("Z")
        bound = self._bound
        scope = self.encoding()
        self._bound = bound
        self._expect("E")
        if self._accept("s"):
            self._discriminator()
            return f"{scope}\0string literal"
        if self._accept("d"):
            self._number_to(10)
        entity = self.name()
        self._discriminator()
        return f"{scope}\0{entity}"

    def _discriminator(self) -> None:
        if self._accept("__"):
            self._digits()
            self._accept("_")
        elif self._accept("_") and not self._digits():
            raise UnreadableError

    def encoding(self) -> str:
        """A function with its parameters, or a variable."""
        _, name, taken, _ = self._encoded()
        return name.replace("\0", "::") + taken

    def _encoded(self) -> tuple[str, str, str, str]:
        """The same in parts: what a template returns, the name, the parameters, the rest of what it
        returns.
        """
        self._constant = False
        name, after = self.name(), " const" if self._constant else ""
        if self._peek() in ("", "E", "."):
            return "", name, "", ""
        returned = self._type() if _is_template(name) else Type("")
        left = f"{returned.left} " if returned.left else ""
        return left, name, f"({self._parameters('E.')}){after}", returned.right

    def _parameters(self, ends: str) -> str:
        found: list[str] = []
        while self._peek() not in ("", *ends):
            found += self._spread(self._type())
        return "" if found == ["void"] else ", ".join(found)

    @staticmethod
    def _spread(given: Type) -> list[str]:
        return [given.text] if given.pack is None else [each.text for each in given.pack]

    def _nested(self) -> str:
        self._expect("N")
        constant = False
        while self._peek() in ("r", "V", "K"):
            constant = constant or self._peek() == "K"
            self._place += 1
        if self._peek() in ("R", "O"):
            self._place += 1
        found, known = "", True
        while not self._accept("E"):
            if found and not known:
                self._remember(Type(found.replace("\0", "::")))
            known = False
            if self.at("I"):
                arguments = self._arguments()
                found = instance_of(found, self._listed(arguments))
                self._bound = arguments
            elif self.at("S") and not self.at("St"):
                whole = WHOLE.get(self._peek(2)[1:])
                found, known = self._substitution().text, True
                found = whole or found
            elif self.at("T"):
                found, known = self._parameter().text, True
                self._remember(Type(found))
            elif self.at("D") and self._peek(2) in ("DT", "Dt"):
                found = self._decltype().text
            else:
                known = self._accept("St")
                part = "std" if known else self._unqualified(found)
                found = f"{found}\0{part}" if found else part
        self._constant = constant
        return found

    def _unscoped(self) -> str:
        if self.at("S") and not self.at("St"):
            found = self._substitution().text
        else:
            std = self._accept("St")
            found = self._unqualified("")
            found = f"std\0{found}" if std else found
            if self.at("I"):
                self._remember(Type(found.replace("\0", "::")))
        if self.at("I"):
            arguments = self._arguments()
            found = instance_of(found, self._listed(arguments))
            self._bound = arguments
        return found

    def _unqualified(self, scope: str) -> str:
        self._accept("L")  # internal linkage
        found = self._own_name(scope)
        while self._accept("B"):
            found += f"[abi:{self._source_name()}]"
        return found

    def _own_name(self, scope: str) -> str:
        if self._peek().isdecimal():
            return self._source_name()
        if self._accept("Ul"):
            taken = self._parameters("E")
            self._expect("E")
            return f"{{lambda({taken})#{self._number_to(10) + 1}}}"
        if self._accept("Ut"):
            return f"{{unnamed type#{self._number_to(10) + 1}}}"
        if self._peek() in ("C", "D") and self._peek(2)[1:].isdecimal():
            tilde = "~" if self._peek() == "D" else ""
            self._place += 2
            plain = scope.rpartition("\0")[2].partition("<")[0].rpartition("::")[2]
            return tilde + plain.partition("[")[0]
        if self._accept("cv"):
            return f"operator {self._type().text}"
        sign = OPERATORS.get(self._peek(2))
        if sign is None:
            raise UnreadableError
        self._place += 2
        return f"operator{' ' if sign[0].isalpha() else ''}{sign}"

    def _source_name(self) -> str:
        digits = self._digits()
        length = integer(digits, 10) or 0
        name = self._text[self._place : self._place + length]
        if not length or len(name) < length:
            raise UnreadableError
        self._place += length
        return _NAMELESS if name.startswith("_GLOBAL__N") else name

    def _substitution(self) -> Type:
        self._expect("S")
        short = STANDARD.get(self._peek())
        if short is not None:
            self._place += 1
            return Type(short)
        number = self._number_to(36)
        if number >= len(self._seen):
            raise UnreadableError
        return self._seen[number]

    # ---- template arguments ------------------------------------------------------------------

    def _listed(self, arguments: list[Type]) -> str:
        inner = ", ".join(text for each in arguments for text in self._spread(each))
        if len(inner) > _MOST_TEXT:
            raise UnreadableError
        return f"<{inner}>"

    def _arguments(self) -> list[Type]:
        self._expect("I")
        return self._arguments_to_end()

    def _arguments_to_end(self) -> list[Type]:
        found: list[Type] = []
        while not self._accept("E"):
            if self._peek() == "":
                raise UnreadableError
            found.append(self._argument())
        return found

    def _argument(self) -> Type:
        if self._accept("J"):
            return Type("", pack=tuple(self._arguments_to_end()))
        if self._accept("X"):
            found = Type(self._expression())
            self._expect("E")
            return found
        return Type(self._literal()) if self.at("L") else self._type()

    def _parameter(self) -> Type:
        self._expect("T")
        number = self._number_to(36)
        if number >= len(self._bound):
            raise UnreadableError
        return self._bound[number]

    def _literal(self) -> str:
        self._expect("L")
        if self._accept("_Z"):
            left, name, taken, right = self._encoded()
            self._expect("E")
            return left + name.replace("\0", "::") + taken + right
        letter = self._peek()
        kind = self._type().text
        end = self._text.find("E", self._place)
        if end < 0:
            raise UnreadableError
        value = self._text[self._place : end].replace("n", "-")
        self._place = end + 1
        if kind == "bool" and value in ("0", "1"):
            return "true" if value == "1" else "false"
        if letter in LITERALS:
            return value + LITERALS[letter]
        return f"({kind}){value}"

    # ---- expressions -------------------------------------------------------------------------

    def _expression(self) -> str:
        self._deeper()
        found = self._inner_expression()
        self._depth -= 1
        return found

    def _inner_expression(self) -> str:
        if self.at("L"):
            return self._literal()
        if self.at("T"):
            return self._parameter().text
        if self._accept("cv"):
            kind = self._type().text
            return f"({kind})({self._expression()})"
        if self._accept("st"):
            return f"sizeof ({self._type().text})"
        if self._accept("sZ"):
            return str(len(self._parameter().pack or ()))
        if self._accept("sr"):
            scope = self._type().text
            found = self._unqualified("")
            return f"{scope}::{found}{self._listed(self._arguments()) if self.at('I') else ''}"
        if self._accept("ad"):
            return self._address()
        sign = OPERATORS.get(self._peek(2))
        if sign is None:
            raise UnreadableError
        code = self._peek(2)
        self._place += 2
        if code in ("ng", "ps", "nt", "co", "de"):
            return f"{sign}({self._expression()})"
        if code == "qu":
            one, two, three = (self._expression() for _ in range(3))
            return f"({one})?({two}) : ({three})"
        left = self._expression()
        return f"({left}){sign}({self._expression()})"

    def _address(self) -> str:
        """What stands behind `&`: of a variable, or of a function in a scope, its name alone."""
        if not self._accept("L_Z"):
            return f"&{self._expression()}"
        left, name, taken, right = self._encoded()
        self._expect("E")
        text = name.replace("\0", "::")
        alone = ("\0" in name or not taken) and not taken.endswith(" const")
        alone = alone and not _is_template(name)
        return f"&{text}" if alone else f"&({left}{text}{taken}{right})"

    # ---- types -------------------------------------------------------------------------------

    def _type(self) -> Type:
        self._deeper()
        found = self._inner_type()
        self._depth -= 1
        return found

    def _inner_type(self) -> Type:
        for mark, sign in (("P", "*"), ("R", "&"), ("O", "&&")):
            if self._accept(mark):
                return self._remember(pointer(self._type(), sign))
        qualifiers = ""
        for mark, word in (("r", " __restrict"), ("V", " volatile"), ("K", " const")):
            qualifiers = (word if self._accept(mark) else "") + qualifiers
        if qualifiers:
            inner = self._type()
            return self._remember(Type(inner.left + qualifiers, inner.right))
        if self._peek() in LETTERS:
            letter = self._peek()
            self._place += 1
            return Type(LETTERS[letter])
        if self._peek(2) in BUILTINS:
            word = BUILTINS[self._peek(2)]
            self._place += 2
            return Type(word)
        return self._made_type()

    def _made_type(self) -> Type:
        if self._accept("F"):
            return self._remember(self._function())
        if self._accept("A"):
            size = self._digits() if not self.at("_") else ""
            self._expect("_")
            inner = self._type()
            return self._remember(Type(f"{inner.left} ", f"[{size}]{inner.right}"))
        if self._accept("M"):
            scope, inner = self._type().text, self._type()
            return self._remember(pointer(inner, f" {scope}::*", of_class=True))
        if self._accept("Dp"):
            return self._remember(self._type())
        if self._peek(2) in ("DT", "Dt"):
            return self._remember(self._decltype())
        if self._accept("u"):
            return self._remember(Type(self._source_name()))
        if self._accept("Dv"):
            digits = self._digits()
            self._expect("_")
            return self._remember(Type(f"{self._type().text} __vector({digits})"))
        if self._accept("DF"):
            digits = self._digits()
            self._expect("_")
            return Type(f"_Float{digits}")
        if self.at("T") and self._peek(2) not in ("Ts", "Tu", "Te"):
            found = self._remember(self._parameter())
            return self._instance(found) if self.at("I") else found
        if self.at("S") and not self.at("St"):
            found = self._substitution()
            return self._instance(found) if self.at("I") else found
        bound = self._bound
        found = Type(self.name().replace("\0", "::"))
        self._bound = bound  # the arguments of a class are not those of what is named
        return self._remember(found)

    def _instance(self, template: Type) -> Type:
        return self._remember(Type(template.text + self._listed(self._arguments())))

    def _function(self) -> Type:
        self._accept("Y")
        returns = self._type()
        taken = self._parameters("E")
        self._expect("E")
        return Type(f"{returns.left} ", f"({taken}){returns.right}")

    def _decltype(self) -> Type:
        self._place += 2
        found = Type(f"decltype ({self._expression()})")
        self._expect("E")
        return found


def _is_template(name: str) -> bool:
    """Whether a name, with `\\0` between its parts, ends in template arguments."""
    last = name.rpartition("\0")[2]
    return last.endswith(">") and "operator" not in last.partition("<")[0]
