"""Where members lie: writes structures that nobody wrote by hand and asks nvcc for their layouts.

`python bench/layouts.py` needs nvcc. It makes 300 structures from fixed seeds, of scalars, arrays,
vectors, pointers, bit-fields, members of earlier structures and bases, packed and aligned in every
way there is (`#pragma pack`, attributes of classes and of members, `alignas`), lets nvcc say the
size, alignment and offsets of each, and writes both to tests/data/layouts.cu and layouts.json. The
tests of the layouts rest on these files. Structures on which nvcc and the host's compiler differ
(most have an alignment beyond what packs them) are left out: no program can pass those to a kernel.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

DATA = Path(__file__).parents[1] / "tests" / "data"
COUNT, SEED = 300, 28
SCALARS = [
    "char", "unsigned char", "bool", "short", "int", "unsigned", "float", "long long", "double",
    "int *", "float2", "float4", "uchar3", "short4",
]  # fmt: skip
_PRINT = """\
template <int n> void P(const char *name, int (&row)[n]) {
    printf("%s", name);
    for (int number : row) printf(" %d", number);
    puts("");
}
"""
BIT_TYPES = ["unsigned char", "unsigned short", "unsigned", "unsigned long long"]


def _class_attribute(random: random.Random) -> tuple[str, str]:
    """What stands behind `struct`, and what behind the closing brace."""
    number = 2 ** random.randrange(5)
    head = [
        "__attribute__((packed))", "__attribute__((__packed__))", f"__align__({number})",
        f"__attribute__((packed, aligned({number})))", f"__attribute__((aligned({number})))",
        f"alignas({16 * number})",
    ]  # fmt: skip
    behind = [
        "__attribute__((packed))", f"__attribute__((aligned({number})))",
        f"__attribute__((packed, aligned({number})))",
    ]  # fmt: skip
    chance = random.random()
    if chance < 0.25:
        return random.choice(head), ""
    return ("", random.choice(behind)) if chance < 0.45 else ("", "")


def _member(random: random.Random, name: str, earlier: list[str]) -> str:
    kind = random.choice([*SCALARS, *earlier[-6:]])
    if kind in earlier:
        kind = f"{kind} "
    before = behind = ""
    chance = random.random()
    if chance < 0.08:
        behind = " __attribute__((packed))"
    elif chance < 0.14:
        behind = f" __attribute__((aligned({2 ** random.randrange(1, 5)})))"
    elif chance < 0.18:
        before = f"alignas({random.choice([16, 32])}) "
    elif chance < 0.22:
        behind = f" __attribute__((packed, aligned({2 ** random.randrange(3)})))"
    elif chance < 0.28:
        return f"{random.choice(BIT_TYPES)} {name} : {random.randrange(1, 9)};"
    array = f"[{random.randrange(1, 5)}]" if random.random() < 0.2 else ""
    return f"{before}{kind} {name}{array}{behind};"


def _structure(random: random.Random, number: int, earlier: list[str]) -> tuple[str, list[str]]:
    """The text of a structure and the names of its members that have an offset."""
    head, behind = _class_attribute(random)
    name = f"S{number}"
    key = "union" if random.random() < 0.08 else "struct"
    bases = ""
    if key == "struct" and earlier and random.random() < 0.12:
        bases = f" : {random.choice(earlier[-6:])}"
    members = [_member(random, f"{name}_m{n}", earlier) for n in range(random.randrange(1, 6))]
    names = [f"{name}_m{n}" for n, member in enumerate(members) if " : " not in member]
    body = "".join(f"    {member}\n" for member in members)
    return f"{key} {head} {name}{bases} {{\n{body}}} {behind};\n", names


def source(left_out: Collection[str] = ()) -> tuple[str, dict[str, list[str]]]:
    """The file of all structures but some, and the members of each that have an offset."""
    text, made, unions = "", dict[str, list[str]](), set[str]()
    depth = number = 0
    while len(made) < COUNT:
        chooser = random.Random(f"{SEED} {number}")
        chance = chooser.random()
        if chance < 0.12:
            text += f"#pragma pack(push, {2 ** chooser.randrange(4)})\n"
            depth += 1
        elif chance < 0.22 and depth:
            text += "#pragma pack(pop)\n"
            depth -= 1
        elif chance < 0.28:
            text += f"#pragma pack({2 ** chooser.randrange(5)})\n"
        elif chance < 0.36:
            text += "#pragma pack()\n"
        structs = [name for name in made if name not in unions]
        written, names = _structure(chooser, number, structs)
        if f"S{number}" not in left_out:
            unions.update([f"S{number}"] if written.startswith("union") else [])
            text += written
            made[f"S{number}"] = names
        number += 1
    return text, made


def answers(text: str, made: dict[str, list[str]]) -> dict[str, list[int]]:
    """Size, alignment and offsets of each structure, as nvcc lays it out for the device."""
    asked = ""
    for name, members in made.items():
        offsets = "".join(f", __builtin_offsetof({name}, {member})" for member in members)
        asked += f"__device__ unsigned R_{name}[] = {{sizeof({name}), alignof({name}){offsets}}};\n"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "layouts.cu")
        file.write_text(f"#pragma pack(push)\n{text}#pragma pack()\n{asked}")
        command = ["nvcc", "-ptx", "-w", "-arch=sm_90", "-o", f"{folder}/out.ptx", str(file)]
        subprocess.run(command, check=True)
        written = Path(folder, "out.ptx").read_text()
    pattern = re.compile(r"\.global .*\.b8 R_(S\d+)\[(\d+)\] = \{([\d, ]+)\}")
    return {m[1]: _words(int(m[2]), m[3]) for m in pattern.finditer(written)}


def _words(size: int, written: str) -> list[int]:
    """The 32-bit numbers in bytes that PTX writes, zeros at the end left out."""
    data = bytes(int(byte) for byte in written.split(",")).ljust(size, b"\0")
    return [int.from_bytes(data[at : at + 4], "little") for at in range(0, size, 4)]


def host_answers(text: str, made: dict[str, list[str]]) -> dict[str, list[int]]:
    """The same of the host's compiler."""
    asked = ""
    for name, members in made.items():
        offsets = "".join(f", (int)__builtin_offsetof({name}, {member})" for member in members)
        asked += f"int R_{name}[] = {{(int)sizeof({name}), (int)alignof({name}){offsets}}};\n"
    calls = " ".join(f'P("{name}", R_{name});' for name in made)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "of_host.cu")
        file.write_text(f"#include <cstdio>\n{_PRINT}#pragma pack(push)\n{text}"
                        f"#pragma pack()\n{asked}int main() {{ {calls} }}\n")  # fmt: skip
        command = ["nvcc", "-w", "-o", f"{folder}/out", str(file)]
        subprocess.run(command, check=True)
        lines = subprocess.run([f"{folder}/out"], check=True, capture_output=True, text=True).stdout
    return {row[0]: [int(n) for n in row[1:]] for row in map(str.split, lines.splitlines())}


def _text_of(name: str, text: str) -> str:
    found = re.search(rf"(struct|union)[^\n;]* {name}[ :][^}}]*", text)
    assert found is not None
    return found[0]


def main() -> None:
    """Writes both files."""
    left_out: set[str] = set()
    while True:
        text, made = source(left_out)
        found, of_host = answers(text, made), host_answers(text, made)
        assert found.keys() == of_host.keys() == made.keys()
        differing = [name for name in made if found[name] != of_host[name]]
        if not differing:
            break
        members = {name: set(re.findall(r"S\d+\b", _text_of(name, text))) for name in differing}
        left_out.update(n for n in differing if members[n].isdisjoint({*differing} - {n}))
    print(len(left_out), "structures that the two compilers lay out differently are left out")
    rows = {
        name: {"size": size, "alignment": most, "offsets": dict(zip(made[name], at, strict=True))}
        for name, (size, most, *at) in found.items()
    }
    (DATA / "layouts.cu").write_text(text)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
    (DATA / "layouts.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
