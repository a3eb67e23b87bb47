"""Code actions: what an editor offers at a finding, as jobs for the analysing process.

In: the findings at a place and the settings. Out: actions as plain data. Each carries the job that
makes its edits, which is done when it is chosen: a fix is tried before it is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Plain = dict[str, Any]

QUICK_FIX = "quickfix"
FIX_ALL = "source.fixAll.warplint"
KINDS = (QUICK_FIX, FIX_ALL)
BASELINE_COMMAND = "warplint.addToBaseline"
PAGE_COMMAND = "warplint.openRulePage"


def actions_for(uri: str, offers: Sequence[Plain], reason: str) -> Iterator[Plain]:
    """An editor's code actions on findings of a document, what mends before what hides."""
    for offer in offers:
        yield from _fixes(uri, offer)
    codes = {offer["code"]: offer for offer in offers if offer["fixes"]}
    for code, offer in codes.items():
        unsafe = not any(fix["safe"] for fix in offer["fixes"])
        job = {"do": "fix-rule", "uri": uri, "codes": [code], "unsafe": unsafe}
        yield _action(f"Fix all {code} {offer['name']} in this file{_mark(unsafe)}", job)
    for offer in offers:
        if offer["suppressible"]:
            job = {"finding": offer["id"], "reason": reason, "uri": uri}
            code = offer["code"]
            yield _action(f"Suppress {code} on this line", {"do": "suppress", **job})
            yield _action(f"Suppress {code} in this file", {"do": "suppress-file", **job})
    for offer in offers:
        if offer["baseline"]:
            title = f"Add this {offer['code']} to the baseline"
            job = {"do": "baseline", "finding": offer["id"], "reason": reason, "uri": uri}
            yield _command(title, BASELINE_COMMAND, job)
    for code, name in dict.fromkeys((offer["code"], offer["name"]) for offer in offers):
        yield _command(f"Open the page of {code} {name}", PAGE_COMMAND, code)


def fix_all(uri: str) -> Plain:
    """All safe fixes of a document."""
    title = "Apply all safe fixes of warplint"
    return {"title": title, "kind": FIX_ALL, "data": {"do": "fix-all", "uri": uri}}


def _fixes(uri: str, offer: Plain) -> Iterator[Plain]:
    preferred = True
    for fix in offer["fixes"]:
        job = {"do": "fix", "uri": uri, "finding": offer["id"], "fix": fix["number"]}
        action = _action(f"{offer['code']}: {fix['title']}{_mark(not fix['safe'])}", job)
        if fix["safe"] and preferred:
            action["isPreferred"] = True
            preferred = False
        yield action


def _command(title: str, name: str, argument: Any) -> Plain:
    command = {"title": title, "command": name, "arguments": [argument]}
    return {"title": title, "kind": QUICK_FIX, "command": command}


def _mark(unsafe: bool) -> str:
    return " (unsafe: may change what the kernel does)" if unsafe else ""


def _action(title: str, job: Plain) -> Plain:
    return {"title": title, "kind": QUICK_FIX, "data": job}
