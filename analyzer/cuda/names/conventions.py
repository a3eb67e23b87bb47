"""What the name of something that nothing in sight defines is taken to say.

Names decide nothing about what a file shows. What it does not show (a macro of a header that was
not found, a function of another file) is known by its name alone, and here is everything that is
read from one: conventions that code keeps to, each with the least that it may do. Words of CUDA and
of its libraries are no conventions: those stand in the other modules of this room, and the macros
of well-known projects in `grammars/cuda_names.toml`. docs/names.md says the same to users.
"""

from __future__ import annotations

import re

#: A name that is not declared, and that reads like a constant or a macro, is a number.
CONSTANT = re.compile(r"[A-Z][A-Z0-9_]+$|k[A-Z]\w*$")

#: How a token is read that the grammar alone leaves open: a macro, or a type.
CAPITALS = re.compile(r"[A-Z_][A-Z0-9_]+$")
CAMEL = re.compile(r"(?:[A-Z]\w*[a-z]\w*|\w+_t)$")

#: Functions of the host that do not return, and those that check what they are given.
ENDING = re.compile(r"_?exit|quick_exit|(?:\w+_)?(?:abort|terminate)")
STATING = re.compile(
    r"(?:\w+_)?(?:assert|check|require|expects?|enforce|verify|ensure)(?:_(?:true|eq|lt|le|gt|ge|msg|arg))?",
    re.IGNORECASE,
)

#: A number of the host that is compared with 1, 2, 4, 8 or 16: the size of an element. The one name
#: here that the file may declare itself; it leaves out launches for elements of other sizes.
ELEMENT_SIZE = re.compile(
    r"n?_?bytes|(?:bytes|size)_?(?:per|of)_?(?:elem(?:ent)?|item|type|value|t)"
    r"|(?:elem(?:ent)?|item|d?type)_?(?:size|bytes)",
    re.IGNORECASE,
)

_RESTRICT = re.compile(r"_*restrict_*|(?:[A-Z][A-Z0-9]*_)*_*RESTRICT_*")


def is_restrict(qualifier: str) -> bool:
    """Whether a qualifier of a pointer says that nothing else leads to what it points to: the word
    itself, or a macro that the file does not define and that is called so.
    """
    return _RESTRICT.fullmatch(qualifier) is not None
