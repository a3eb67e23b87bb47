"""Checks one combination of opcode and operand kinds against the table of instructions.

In: the words of `Names.describe` for the operands. Out: complaints. When an opcode fits several
templates, the operands must suit one of them. Widths and kinds follow PTX ISA 9.4, "Type
Information for Instructions and Operands": untyped bits go with any type of their size, integers
with integers of either sign, and for `ld`, `st` and `cvt` a register may be wider than the type.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ...source.numbers import integer
from ..syntax.instruction_table import fits, is_known
from ..syntax.ptx_types import bits, is_type, type_of

if TYPE_CHECKING:
    from ..syntax.instruction_table import Fit, Role
    from ..syntax.tree import Instruction, Opcode, PtxModule

_WIDENING = frozenset({"ld", "ldu", "st", "cvt", "atom", "red", "multimem"})
_NARROW_VECTOR = 128  # bits; wider ones came with sm_100
_ARCHITECTURE = re.compile(r"sm_(\d+)([af]?)")


class Complaint(NamedTuple):
    """What is wrong with a PTX instruction, and the kind of diagnostic it makes."""

    kind: str
    message: str


def check_operands(
    module: PtxModule, instruction: Instruction, guard: str, operands: tuple[str, ...]
) -> tuple[Complaint, ...]:
    """All complaints about the opcode and operand kinds of a PTX instruction."""
    opcode = instruction.opcode
    found: list[Complaint] = []
    if guard and guard != "pred":
        kind = "undeclared" if guard == "?" else "operand-type"
        found.append(Complaint(kind, "the guard is not a predicate register"))
    if any("?" in word for word in operands):
        found.append(Complaint("undeclared", ""))
    candidates = fits(opcode.text)
    if not candidates:
        return (*found, _unknown(opcode))
    right = [fit for fit in candidates if _takes(fit.roles(opcode), len(operands))]
    if not right:
        wanted = _counts(candidates)
        message = f"{opcode.text} takes {wanted} operands, not {len(operands)}"
        return (*found, Complaint("operand-count", message))
    complaints = [_mismatches(fit, opcode, operands, module.address_size) for fit in right]
    best = min(complaints, key=len)
    if best and not found:
        found.extend(best)
    available = [_missing_feature(module, fit, opcode) for fit in right]
    if all(available) and available[0]:
        found.append(Complaint("target-mismatch", f"{opcode.text} {available[0]}"))
    return tuple(found)


def _unknown(opcode: Opcode) -> Complaint:
    if not is_known(opcode.mnemonic):
        return Complaint("unknown-instruction", f"unknown instruction {opcode.mnemonic}")
    return Complaint("unknown-modifier", f"{opcode.text} is not a valid form of {opcode.mnemonic}")


def _takes(roles: list[Role], count: int) -> bool:
    """Whether the number of operands is right."""
    return sum(not role.optional for role in roles) <= count <= len(roles)


def _counts(candidates: tuple[Fit, ...]) -> str:
    least = min(fit.template.least_operands for fit in candidates)
    most = max(fit.template.most_operands for fit in candidates)
    return str(least) if least == most else f"{least} to {most}"


def _missing_feature(module: PtxModule, fit: Fit, opcode: Opcode) -> str:
    """Why the module's version or target does not have a template; empty when it has."""
    template = fit.template
    version, architecture = template.version, template.architecture
    vector = fit.chosen.get("vec")
    if vector and int(vector[1:]) * bits(type_of(opcode.modifiers[-1])) > _NARROW_VECTOR:
        version, architecture = max(version, (8, 8)), max(architecture, 100)
    if module.version is not None and module.version < version:
        return "needs .version {}.{}".format(*version)
    for target in module.targets:
        match = _ARCHITECTURE.fullmatch(target)
        if match:
            number, own = integer(match.group(1), 10), match.group(2)
            if number is None:
                continue
            if number < architecture:
                return f"needs sm_{architecture} or newer"
            strict = module.version is None or module.version >= (2, 0)
            if strict and number > (template.last_architecture or number):
                return "needs a rounding modifier or .approx since sm_20"
            if template.own_features and not own:
                return f"needs sm_{architecture}a"
    return ""


# ---- types ---------------------------------------------------------------------------------------


def _mismatches(
    fit: Fit, opcode: Opcode, operands: tuple[str, ...], address_size: int
) -> list[Complaint]:
    found: list[Complaint] = []
    for role, word in zip(_filled(fit.roles(opcode), len(operands)), operands, strict=False):
        expected = fit.operand_type(role, opcode)
        if role.address:
            message = _address(word, opcode, address_size)
        else:
            message = _mismatch(fit, role, expected, word, opcode)
        if message:
            found.append(Complaint("operand-type", f"{opcode.text}: {role.name} {message}"))
    return found


def _filled(roles: list[Role], count: int) -> list[Role]:
    """The roles in force: optional ones fill up from the left."""
    spare = count - sum(not role.optional for role in roles)
    found: list[Role] = []
    for role in roles:
        if role.optional:
            if spare <= 0:
                continue
            spare -= 1
        found.append(role)
    return found


def _mismatch(fit: Fit, role: Role, expected: str, word: str, opcode: Opcode) -> str:
    """Why an operand does not suit its role; empty when it does."""
    if expected == "any":
        return ""
    if word.startswith("["):
        return "must not be an address in [ ]"
    if role.pair == "required" and "|" not in word:
        return "must be a pair of registers a|b"
    first, _, second = word.partition("|")
    if second and not role.pair:
        return "must be a single register"
    if second and second not in ("pred", "_"):
        return "needs a predicate after |"
    if first == "_" and not second and not fit.template.effect:
        return "must be a register"
    return _single(fit, role, expected, first, opcode)


_SPACES = ("global", "shared", "local", "const", "param")
_NOT_FLAT = frozenset({"tex", "tld4", "txq", "suld", "sust", "sured", "suq", "tcgen05"})


def _address(word: str, opcode: Opcode, address_size: int) -> str:
    """Whether an address may be used with the space the instruction names."""
    if word.startswith("variable"):
        return ""
    if not word.startswith("["):
        return "must be an address in [ ]"
    if opcode.mnemonic in _NOT_FLAT:
        return ""
    base, _, offset = word[1:-1].partition(";")[0].partition("+")
    if offset not in ("", "#"):
        return "can only be offset by a constant"
    if base == "pred" or base.startswith("f"):
        return f"cannot be an address: it is .{base}" if base != "function" else ""
    named = [m.split("::")[0] for m in opcode.modifiers if m.split("::")[0] in _SPACES]
    if base.startswith("#"):
        return "" if named == ["local"] else "cannot be a constant outside of .local"
    narrow = address_size == 64 and base in ("b32", "u32", "s32")
    if narrow and named in ([], ["global"]):
        return "must have 64 bits"
    if base == "parameter" and not named:
        return "is in .param, but the instruction does not say so"
    if len(named) != 1:
        return ""
    given = base.partition(":")[2] if base.startswith("variable") else ""
    given = "param" if base == "parameter" else given
    if given and given != named[0]:
        return f"is in .{given}, not in .{named[0]}"
    return ""


def _single(fit: Fit, role: Role, expected: str, word: str, opcode: Opcode) -> str:
    if expected == "imm":
        return "" if word.startswith("#") else "must be a constant"
    if expected in ("name", "address"):
        return ""
    vector = fit.chosen.get("vec", "")
    if vector and not role.type:
        return _vector(expected, word, int(vector[1:]), opcode)
    if word.startswith("{"):
        return _packed(expected, word, opcode)
    plain = not word.startswith(("#", "variable", "special")) and word not in _NAMES
    if role.written and not plain:
        return "must be a register"
    negated, word = word[:1], word.lstrip("!-~+")
    if negated in tuple("!-~+") and not (negated == "!" and expected == "pred"):
        return "" if opcode.mnemonic == "vmad" else "cannot be negated"
    return _value(expected, word, opcode)


_NAMES = frozenset({"function", "label", "parameter"})


def _packed(expected: str, word: str, opcode: Opcode) -> str:
    """`mov.b64 %rd1, {%r1, %r2}`: elements of one size that fill the type."""
    elements = [one for one in word[1:-1].split(",") if one != "_"]
    if len(elements) <= 1 and word.count(",") == 0:
        return ""
    if opcode.mnemonic != "mov":
        return "must not be a vector"
    sizes = {bits(type_of(one)) for one in elements if is_type(one)}
    if len(sizes) > 1:
        return "must have elements of one size"
    total = sum(sizes) * (word.count(",") + 1)
    return "" if not sizes or total == bits(type_of(expected)) else "has the wrong size"


def _vector(expected: str, word: str, count: int, opcode: Opcode) -> str:
    if not word.startswith("{"):
        return f"must be a vector of {count}"
    elements = word[1:-1].split(",")
    if len(elements) != count:
        return f"must be a vector of {count}, not of {len(elements)}"
    if len({bits(type_of(one)) for one in elements if is_type(one)}) > 1:
        return "must have elements of one size"
    return next(filter(None, (_value(expected, one, opcode) for one in elements)), "")


_TAKES_NAMES = frozenset({"mov", "cvta", "mapa", "isspacep", "istypep", "getctarank", "alloca"})


def _value(expected: str, word: str, opcode: Opcode) -> str:
    """Whether a register, constant or name may stand where a type is expected."""
    if word in ("_", "?"):
        return ""
    if expected == "wide":
        narrow = next((m for m in reversed(opcode.modifiers) if is_type(m)), "u32")
        expected = f"{narrow[0]}{2 * bits(type_of(narrow))}"
    if word.startswith("special"):
        return _special(expected, word, opcode)
    if word.startswith("variable") or word in _NAMES:
        fits_in = opcode.mnemonic in _TAKES_NAMES and expected[0] != "f"
        return "" if fits_in else "must be a register"
    if word.startswith("#"):
        return _constant(expected, word)
    return _register(expected, word, opcode)


def _special(expected: str, word: str, opcode: Opcode) -> str:
    """Special registers are only read by `mov` (and converted)."""
    if word == "special:warp size":
        return ""
    if opcode.mnemonic not in ("mov", "cvt"):
        return "cannot be a special register"
    if word.endswith("vector"):
        return "must be one component of the special register"
    given = bits(type_of(word.partition(":")[2]))
    wanted = bits(type_of(expected))
    return "" if given == wanted or (given == 32 and wanted == 16) else "has the wrong width"


def _register(expected: str, word: str, opcode: Opcode) -> str:
    if expected == "pred" or word == "pred":
        return "" if expected == word else f"must be .{expected}, not .{word}"
    wanted, given = type_of(expected), type_of(word)
    same = bits(wanted) == bits(given)
    if not same and not (opcode.mnemonic in _WIDENING and bits(given) > bits(wanted)):
        return f"must have {bits(wanted)} bits, not {bits(given)}"
    return "" if _kinds_agree(expected, word) else f"must be .{expected}, not .{word}"


def _constant(expected: str, word: str) -> str:
    if word == "#f" and (expected[0] in "us" or expected == "pred"):
        return "must be an integer"
    if word == "#" and expected.startswith(("f", "bf")):
        return "must be a floating-point constant"
    return ""


def _kinds_agree(expected: str, given: str) -> bool:
    """Bits go with everything, integers with integers, floats with floats."""
    if expected[0] == "b" and expected[1].isdigit():
        return True
    if given[0] == "b" and given[1].isdigit():
        return True
    integers = expected[0] in "us" and given[0] in "us"
    return integers or (expected[0] == "f" and given[0] == "f")
