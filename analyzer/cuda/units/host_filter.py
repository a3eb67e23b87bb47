"""Which functions of a translation unit are worth parsing.

In: the tokens and the outline's functions. Out: those that run on the device or talk to the CUDA
runtime, `constexpr` ones, those that call a function that launches (they may hold the constants of
the launch), and those that a launching function calls if they are short (`divide_up(n, 256)`) or
take something by reference (`shape_of(n, block)`), or by pointer where the runtime gives memory
(`sum(values, n)`); those that set a pointer that it gives memory to; the constructors of classes
that speak of `dim3`, if anything is launched, and short ones of classes that such a function
names; those that set a variable that is the grid or the block of a launch. The rest of the host
code is not parsed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from ..names.launch_marks import begins_launch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...source.tokens import Tokens
    from .outline import FunctionOutline

MEMORY = frozenset(["__device__", "__shared__", "__constant__", "__managed__", "__global__"])
_EVALUATED = frozenset({"constexpr", "consteval"})
_MARKS = MEMORY | {"<<<"}
_CALLED = frozenset(["LPAREN", "LESS", "_COMMA"])  # `run(...)`, `run<4>`, `measure(run, ...)`
_SHARING = ("__managed__", "cudaMalloc", "cudaMemcpy", "cudaHostAlloc")
_GIVING = ("cudaMalloc", "cudaHostAlloc")
_NEAR = 16  # tokens
_SHORT = 40  # tokens


def worth_parsing(tokens: Tokens, functions: Iterable[FunctionOutline]) -> set[int]:
    """The ids of the functions of a file worth parsing: those that have to do with CUDA."""
    texts, every = tokens.texts, list(functions)
    words = {t for t in set(texts) if t in _MARKS or t[:4] == "cuda" or t[:8] == "cuLaunch"}
    torn = {"<<"} if "<<" in texts else set[str]()
    marks = [
        i for i, t in enumerate(texts) if t in words or (t in torn and begins_launch(texts, i))
    ]
    wanted = {
        id(item)
        for item in every
        if _any_in(marks, item) or not _EVALUATED.isdisjoint(texts[item.start : item.name])
    }
    every.sort(key=lambda item: item.start)
    starts = [item.start for item in every]

    def around(places: Iterable[int]) -> set[int]:
        """The functions in which these tokens stand."""
        found = {bisect_right(starts, place) - 1 for place in places}
        return found - {-1}

    if any(each.startswith(_SHARING) for each in words):
        wanted |= {id(every[at]) for at in around(_writes_to_given(texts))}
    launches = [i for i in marks if texts[i] in ("<<<", "<<") or "Launch" in texts[i]]
    leading = {at for at in around(launches) if _any_in(launches, every[at])}
    if not leading:
        return wanted
    uses = _uses(tokens, every)
    pending, asked = list(leading), set[str]()
    while pending:
        name = texts[every[pending.pop()].name]
        if name in asked:
            continue
        asked.add(name)
        places = uses.get(name, [])
        callers = {at for at in around(places) - leading if _any_in(places, every[at])}
        leading |= callers
        pending += callers
    wanted |= {id(every[at]) for at in leading | around(_writes_to_shapes(texts, launches))}
    shares = any(each.startswith(_SHARING) for each in words)
    taking = {"&", "*"} if shares else {"&"}
    called: dict[str, bool] = {}  # by name, which many functions may have, on the way to a launch
    for item in every:
        short = item.stop - item.start <= _SHORT
        if short or not taking.isdisjoint(texts[item.parameters : item.body]):
            name = texts[item.name]
            if name not in called:
                places = uses.get(name, [])
                there = around(places) & leading
                called[name] = any(_any_in(places, every[at]) for at in there)
            if called[name]:
                wanted.add(id(item))
    made = _constructors(tokens, every)
    places = [i for i, t in enumerate(texts) if t in made] if made else []
    naming = (every[at] for at in around(places) if id(every[at]) in wanted)
    for name in {texts[i] for item in naming for i in _in(places, item)}:
        wanted.update(map(id, made[name]))
    return wanted | set(map(id, _makers_of_shapes(tokens, every)))


def _writes_to_given(texts: Sequence[str]) -> list[int]:
    """Where something is assigned to a name that memory is given to: `cudaMalloc(&data, n)`."""
    given: set[str] = set()
    for index, text in enumerate(texts):
        if text.startswith(_GIVING):
            near = texts[index : index + _NEAR]
            given.update(near[at - 1] for at in range(len(near)) if near[at] == ",")
    return [at - 1 for at in range(1, len(texts)) if texts[at] == "=" and texts[at - 1] in given]


def _writes_to_shapes(texts: Sequence[str], launches: Iterable[int]) -> list[int]:
    """Where a variable is set that is the grid or the block of a launch: `block.x = 256`."""
    shapes: set[str] = set()
    for index in launches:
        grid, _, block, after = [*texts[index + 1 : index + 5], *[""] * 4][:4]
        if texts[index + 2 : index + 3] == [","]:
            shapes.update((grid, block) if after in (",", ">>>", ">>") else (grid,))
    ends = (".", "=")
    return [at for at, text in enumerate(texts[:-1]) if text in shapes and texts[at + 1] in ends]


def _makers_of_shapes(
    tokens: Tokens, functions: Iterable[FunctionOutline]
) -> Iterator[FunctionOutline]:
    """The constructors of classes that may hold the shape of a launch."""
    texts = tokens.texts
    shapes: dict[int, bool] = {}
    for item in functions:
        owner = item.owner
        if owner is None or texts[item.name] != owner.name:
            continue
        if id(owner) not in shapes:
            shapes[id(owner)] = "dim3" in texts[owner.start : owner.stop]
        if shapes[id(owner)]:
            yield item


def _uses(tokens: Tokens, functions: Iterable[FunctionOutline]) -> dict[str, list[int]]:
    """Where the functions' names stand as callees or arguments."""
    kinds, texts = tokens.kinds, tokens.texts
    own = {item.name for item in functions}
    uses: dict[str, list[int]] = {texts[index]: [] for index in own if kinds[index] == "NAME"}
    for index, text in enumerate(texts[:-1]):
        if text in uses and kinds[index + 1] in _CALLED and index not in own:
            uses[text].append(index)
    return uses


def _constructors(
    tokens: Tokens, functions: Iterable[FunctionOutline]
) -> dict[str, list[FunctionOutline]]:
    """The short constructors that stand in their classes, by the names of those."""
    found: dict[str, list[FunctionOutline]] = {}
    for item in functions:
        name = tokens.texts[item.name]
        short = item.stop - item.start <= _SHORT
        if short and item.owner is not None and item.owner.name == name:
            found.setdefault(name, []).append(item)
    return found


def _in(places: list[int], item: FunctionOutline) -> Iterator[int]:
    """Those of sorted token indices that lie in a function."""
    for place in places[bisect_left(places, item.start) :]:
        if place >= item.stop:
            return
        yield place


def _any_in(places: list[int], item: FunctionOutline) -> bool:
    """Whether one of the token indices, which are sorted, lies in a function."""
    at = bisect_left(places, item.start)
    return at < len(places) and places[at] < item.stop
