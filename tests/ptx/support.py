"""What the tests of the PTX front end share: modules around a few instructions, IR as text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from warplint.analyzer.ir.printer import print_kernel
from warplint.analyzer.ir.verifier import verify
from warplint.analyzer.ptx.read import read_ptx
from warplint.analyzer.ptx.syntax.parse import parse_ptx
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Kernel, Module
    from warplint.analyzer.ir.operations import Operation
    from warplint.analyzer.ptx.syntax.tree import PtxModule

DATA = Path(__file__).parent / "data"
FIXTURES = sorted(DATA.glob("*.ptx"))

HEAD = """\
.version 9.0
.target sm_90a
.address_size 64
"""
REGISTERS = """\
 .reg .b16 %rs<20>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<40>;
 .reg .f64 %fd<20>; .reg .pred %p<20>; .reg .b128 %rq<4>;
"""
PARAMETERS = ".param .u64 .ptr .global .align 4 out, .param .u32 n"


def wrap(body: str, outside: str = "") -> str:
    """A module with one kernel `k` that has this body and some registers."""
    return f"{HEAD}{outside}\n.visible .entry k({PARAMETERS})\n{{\n{REGISTERS}{body}\n}}\n"


def parsed(text: str) -> PtxModule:
    """The syntax tree of a text."""
    return parse_ptx(SourceText("test.ptx", text))


def lowered(text: str) -> Module:
    """The kernels of a text; each of them is well formed."""
    module = read_ptx(SourceText("test.ptx", text))
    for kernel in module.kernels:
        assert verify(kernel) == []
    return module


def kernel(body: str, outside: str = "") -> Kernel:
    """The kernel that has this body; nothing of it may be lost."""
    module = lowered(wrap(body, outside))
    assert module.problems == []
    assert len(module.kernels) == 1
    assert module.kernels[0].status == "full"
    return module.kernels[0]


def operations(body: str, outside: str = "") -> list[Operation]:
    """The operations of the kernel that has this body, without its last `ret`."""
    found = list(kernel(f"{body}\n ret;", outside).operations())
    return found[:-1]


def ir(body: str, outside: str = "") -> str:
    """The IR of a body as text: no header, no line numbers, single blanks."""
    text = print_kernel(kernel(f"{body}\n ret;", outside))
    lines = [re.sub(r"\s+; .*", "", line) for line in text.splitlines()[1:]]
    kept = [line.strip() for line in lines if not line.startswith("  ") or "bytes of" not in line]
    if kept[0].startswith("entry") and len([line for line in kept if line.endswith(":")]) == 1:
        kept = kept[1:]
    return "\n".join(line for line in kept if line != "return")
