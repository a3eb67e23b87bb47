"""Random kernels that always end: nested branches, loops, breaks, switches over a few variables.

Every variable is written to `out` at the end and, now and then, on the way. A C++ compiler can say
what such a kernel computes when `out` and `q` are objects of its own.
"""

from __future__ import annotations

from random import Random

VARIABLES = ("a", "b", "c", "u")


class Generator:
    """One kernel from one seed."""

    def __init__(self, seed: int, *, barriers: bool = False) -> None:
        self._random = Random(seed)
        self._barriers = barriers  # and no returns: a barrier does not wait for who has left
        self._lines: list[str] = []
        self._counters = 0
        self._depth = 0

    def kernel(self, name: str) -> str:
        """The text of the kernel: `name(int *out, const int *q, int n)`."""
        for _ in range(self._random.randint(3, 6)):
            self._statement(loops=0)
        body = "\n".join(self._lines)
        for variable in VARIABLES:
            body += f"\n    out[{variable} & 31] = {variable};"
        return (
            f"__global__ void {name}(int *out, const int *q, int n) {{\n"
            "    int t = threadIdx.x;\n"
            f"    int a = 0, b = t, c = n;\n    unsigned u = blockIdx.x;\n{body}\n}}\n"
        )

    # ---- expressions -----------------------------------------------------------------------------

    def _leaf(self) -> str:
        index = ("t", "n", "(int)blockIdx.x", "(t / 32)", "(t >> 5)")
        number = str(self._random.randint(-3, 9))
        return self._random.choice([*VARIABLES, *VARIABLES, *index, number])

    def _expression(self, depth: int = 0) -> str:
        pick = self._random.random()
        if depth > 2 or pick < 0.3:
            return self._leaf()
        left, right = self._expression(depth + 1), self._expression(depth + 1)
        if pick < 0.65:
            return f"({left} {self._random.choice(['+', '-', '&', '|', '^'])} {right})"
        if pick < 0.72:
            return f"({left} * {self._random.randint(2, 5)})"
        if pick < 0.8:
            operator = self._random.choice(["/", "%"])
            return f"({left} {operator} {self._random.choice([2, 3, 8, 32])})"
        if pick < 0.86:
            return f"({left} {self._random.choice(['<<', '>>'])} {self._random.randint(0, 4)})"
        if pick < 0.92:
            return f"({self._condition(depth + 1)} ? {left} : {right})"
        if pick < 0.96:
            cast = self._random.choice(["unsigned char", "short", "unsigned", "long long"])
            return f"({cast})({left})"
        return f"q[{left} & 15]"

    def _condition(self, depth: int = 0) -> str:
        left, right = self._expression(depth + 1), self._expression(depth + 1)
        test = f"({left} {self._random.choice(['<', '<=', '==', '!=', '>', '>='])} {right})"
        pick = self._random.random()
        if pick < 0.1 and depth < 2:
            operator = self._random.choice(["&&", "||"])
            return f"({test} {operator} {self._condition(depth + 1)})"
        if pick < 0.25:
            return f"(({left} & {self._random.choice([1, 2, 3])}) == {self._random.randint(0, 2)})"
        return f"!{test}" if pick < 0.3 else test

    # ---- statements ------------------------------------------------------------------------------

    def _add(self, text: str) -> None:
        self._lines.append("    " * (self._depth + 1) + text)

    def _block(self, count: int, loops: int) -> None:
        self._depth += 1
        for _ in range(count):
            self._statement(loops)
        self._depth -= 1

    def _statement(self, loops: int) -> None:
        pick = self._random.random()
        if self._barriers and self._random.random() < 0.2:
            self._add("__syncthreads();")
        elif pick < 0.4 or self._depth > 3:
            self._assignment()
        elif pick < 0.5:
            value = self._random.choice(VARIABLES)
            self._add(f"out[{self._expression(1)} & 31] = {value};")
        elif pick < 0.7:
            self._branch(loops)
        elif pick < 0.85 and loops < 2:
            self._loop(loops)
        elif pick < 0.92 and loops:
            leave = self._random.choice(["break", "break", "continue"])
            self._add(f"if ({self._condition()}) {leave};")
        elif pick < 0.96 and not loops:
            self._switch(loops)
        elif pick < 0.97 and not self._barriers:
            self._add(f"if ({self._condition()}) return;")
        else:
            self._assignment()

    def _assignment(self) -> None:
        target = self._random.choice(VARIABLES)
        operator = self._random.choice(["=", "=", "+=", "^="])
        self._add(f"{target} {operator} {self._expression()};")

    def _branch(self, loops: int) -> None:
        self._add(f"if ({self._condition()}) {{")
        self._block(self._random.randint(1, 3), loops)
        if self._random.random() < 0.5:
            self._add("} else {")
            self._block(self._random.randint(1, 2), loops)
        self._add("}")

    def _loop(self, loops: int) -> None:
        self._counters += 1
        i = f"i{self._counters}"
        bound = self._random.choice(["3", "(t & 3)", "(n & 3)", "(a & 3)", "(u % 4)"])
        pick = self._random.random()
        if pick < 0.5:
            self._add(f"for (int {i} = 0; {i} < (int){bound}; ++{i}) {{")
            self._block(self._random.randint(1, 3), loops + 1)
            self._add("}")
        elif pick < 0.7:
            self._add(f"for (int {i} = {bound} + 1; {i} > 0; {i} >>= 1) {{")
            self._block(self._random.randint(1, 3), loops + 1)
            self._add("}")
        elif pick < 0.85:
            self._add(f"int {i} = 0;")
            self._add(f"while ({i}++ < 4 && {self._condition()}) {{")
            self._block(self._random.randint(1, 3), loops + 1)
            self._add("}")
        else:
            self._add(f"int {i} = 0;")
            self._add("do {")
            self._block(self._random.randint(1, 3), loops + 1)
            self._add(f"}} while (++{i} < (int){bound});")
        if self._random.random() < 0.5:
            self._add(f"a += {self._random.choice(VARIABLES)};")

    def _switch(self, loops: int) -> None:
        self._add(f"switch ({self._expression()} & 3) {{")
        for value in self._random.sample(range(4), 3):
            self._add(f"case {value}: {{")
            self._block(1, loops)
            self._add("}")
            if self._random.random() < 0.7:
                self._add("    break;")
        if self._random.random() < 0.5:
            self._add("default: {")
            self._block(1, loops)
            self._add("}")
        self._add("}")


def random_kernel(seed: int, name: str = "kernel", *, barriers: bool = False) -> str:
    """The kernel of a seed."""
    return Generator(seed, barriers=barriers).kernel(name)
