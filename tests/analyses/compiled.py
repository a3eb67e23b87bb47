"""The code that a compiler would make of a kernel with some body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyses.kernels import body_facts

from warplint.analyzer.analyses.compilation.compiled_code import compiled_code
from warplint.analyzer.analyses.pointers.local_arrays import judge
from warplint.analyzer.ir.memory import Space

if TYPE_CHECKING:
    from warplint.analyzer.analyses.facts import KernelFacts
    from warplint.analyzer.ptx.estimate.operations import Code

PARAMETERS = "const float *in, float *out, int n"


def code_of_facts(facts: KernelFacts) -> Code:
    """The code of a kernel."""
    items = facts.kernel.objects_in(Space.LOCAL)
    return compiled_code(facts, {item: judge(facts, item) for item in items})


def code_of(body: str, parameters: str = PARAMETERS) -> Code:
    """The code of a kernel that has this body."""
    return code_of_facts(body_facts(body, parameters=parameters))


def mnemonics(body: str, parameters: str = PARAMETERS) -> list[str]:
    """Its operations, jumps left out."""
    code = code_of(body, parameters)
    found = [op.kind.mnemonic for block in code.blocks for op in block]
    return [each for each in found if each not in ("bra", "ret")]
