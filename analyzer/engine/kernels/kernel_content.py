"""What the result of a kernel rests on, as a key: the same key, the same findings.

In: a kernel that was just read, its module, and what is asked of it. Out: a hash, and the anchors
(`anchors.py`) that its places lie in. A place counts by the anchor and where it is in it, so that a
kernel has the same key when text before it grows or shrinks, and in each file that includes it. The
text of an anchor, and which of two comes first, are a part of the key. The lines they take and the
paths of their files are not: `moved_lines.py`.
The kernel counts as the intermediate form that the rules see, with all that was inlined into it and
its launches, other instances of its text where the result rests on them, and of the module what
rules ask of it: of headers that were not found, whether there are any and the conditions in the
kernel's own text that hang on them; their names are in no finding but as `told.py` says. Not
handled: PTX, where the module is asked for more.
"""

from __future__ import annotations

from dataclasses import fields
from hashlib import sha256
from typing import TYPE_CHECKING

from ...ir.host import HostAccess, HostCall, HostLaunch, Residence
from ...ir.memory import Space
from .anchors import Anchors, whole_functions
from .graph_text import GraphText

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...config.settings import Settings
    from ...findings.rule import Rule
    from ...ir.kernel import Kernel, Module
    from ...ir.memory import MemoryObject
    from ...source.text import Span

_OF_FILES = ("of_file", "compile_commands", "include_paths")  # what they did is in the kernel


class Contents:
    """The keys of what the results of one module's kernels rest on."""

    def __init__(self, module: Module, settings: Settings, rules: Sequence[Rule]) -> None:
        self._module = module
        self.functions = whole_functions(module.functions)
        self._asked = (
            _settings(settings.at(module.source.path)),
            [rule.code for rule in rules],
            module.for_hip,
            bool(module.unseen.names),
        )
        self.asked = repr(self._asked).encode("utf-8", "surrogatepass")

    def key(self, kernel: Kernel, read_from: bytes | None = None) -> tuple[bytes, Anchors]:
        """The key of a kernel and its anchors; raises `TypeError` for one that has no text.

        One that instances are made up of has a text only with what they are all `read_from`.
        """
        return self._key(kernel, self._module.instances(kernel), read_from)

    def key_alone(self, kernel: Kernel, made: Sequence[Kernel] = ()) -> tuple[bytes, Anchors]:
        """The same of a kernel whose result does not rest on other instances of its text, but for
        some that are `made` up of it.
        """
        return self._key(kernel, [kernel, *made], b"")

    def _key(
        self, kernel: Kernel, instances: list[Kernel], read_from: bytes | None
    ) -> tuple[bytes, Anchors]:
        module, anchors = self._module, Anchors(self.functions)
        text = GraphText(anchors.place)
        if any(each.is_open for each in instances):
            if read_from is None:
                raise TypeError(f"instances of {kernel.name} are yet to be made up")
            text.add(read_from)
        rest: list[object] = [instances, self._constants(kernel), self._asked]
        for value in (kernel, *rest):
            text.add(value)
        constants = bool(kernel.objects_in(Space.CONSTANT))
        unsuited = bool(kernel.unsuited)
        for value in done_by_host(module, kernel, unsuited=unsuited, constants=constants):
            text.add(value)
        for spans in (module.kept_apart, module.unseen.undecided, module.unseen.defaults):
            text.add(list(_within(spans, anchors)))
        hashed = sha256("\n".join(text.lines).encode("utf-8", "surrogatepass"))
        for anchor in anchors.found:
            own = anchor.source.text[anchor.start : anchor.end]
            hashed.update(f"\0{own}".encode("utf-8", "surrogatepass"))
        hashed.update(repr(anchors.order()).encode())
        return hashed.digest(), anchors

    def _constants(self, kernel: Kernel) -> list[MemoryObject]:
        """What the first kernel of a file answers for, whichever uses it."""
        module = self._module
        first = bool(module.kernels) and kernel is module.kernels[0]
        return module.objects_in(Space.CONSTANT) if first else []


def done_by_host(
    module: Module, kernel: Kernel, *, unsuited: bool, constants: bool
) -> Iterator[list[object]]:
    """What host code does that the result of a kernel rests on, beside its launches."""
    if unsuited:  # whether a reference is an error depends on what the host calls
        calls = (each.name for each in module.host if isinstance(each, HostCall))
        yield [sorted(set(calls)), _elements_passed(module, kernel)]
    if constants:  # a hover names the line that sets one
        yield list(_settings_of_symbols(module))


def _elements_passed(module: Module, kernel: Kernel) -> list[list[bool]]:
    """Which arguments of each launch of a kernel in the file are elements behind a pointer."""
    launches = (each for each in module.host if isinstance(each, HostLaunch))
    mine = (launch.arguments for launch in launches if launch.kernel == kernel.name)
    return [[argument.is_element for argument in arguments] for arguments in mine]


def _settings_of_symbols(module: Module) -> Iterator[tuple[str, Span]]:
    for event in module.host:
        for argument in () if isinstance(event, HostAccess) else event.arguments:
            pointer = argument.pointer
            if pointer is not None and pointer.allocation.residence is Residence.SYMBOL:
                yield pointer.allocation.name, event.span


def _within(spans: Iterable[Span], anchors: Anchors) -> Iterator[tuple[object, str]]:
    """What a file says of its text, as far as it speaks of a kernel's: the places and words.

    What stands elsewhere in the same text counts by its words alone: it may head what stands here.
    """
    own = {id(each.source) for each in anchors.found}
    for span in spans:
        if id(span.source) in own:
            yield anchors.known(span), span.text


def _settings(settings: Settings) -> str:
    """The settings that analyses see."""
    values = {each.name: getattr(settings, each.name) for each in fields(settings)}
    return repr([(name, values[name]) for name in sorted(values) if name not in _OF_FILES])
