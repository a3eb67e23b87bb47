"""The files of a repository at one revision, fetched so that nothing of it runs.

In: a `Subject`, and an empty folder. Out: the commit, its files in the folder. Only that commit is
fetched, without its history, submodules and large files kept elsewhere. No hook and no filter has a
say when the files are written: the user's configuration, which may name filters, is read for the
fetch alone, which needs its credentials. Raises `FetchError` with what git said.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from ..source.programs import find_program
from .subjects import SCHEMES

if TYPE_CHECKING:
    from .subjects import Subject

_PATIENCE = 3600  # seconds for one fetch; one that stands still ends after a minute
_SETTINGS = (
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "core.symlinks=false",
    "core.fsmonitor=false",
    "protocol.ext.allow=never",
    "fetch.recurseSubmodules=false",
)
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": ":".join(SCHEMES),
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_HTTP_LOW_SPEED_LIMIT": "1000",
    "GIT_HTTP_LOW_SPEED_TIME": "60",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_OWN = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
_SAID = 300  # characters of what git says


class FetchError(Exception):
    """git could not fetch it; the message is its own."""


def fetch(subject: Subject, folder: str) -> str:
    """Fetch the files of a repository into the folder; the commit that they are of."""
    place = os.path.abspath(subject.place) if subject.is_folder else subject.place
    _git(folder, "init", "--quiet", own=True)
    wanted = subject.revision or "HEAD"
    _git(folder, "fetch", "--quiet", "--depth=1", "--no-tags", "--", place, wanted, own=False)
    commit = _git(folder, "rev-parse", "FETCH_HEAD^{commit}", own=True).strip()
    _git(folder, "checkout", "--quiet", "--detach", commit, own=True)
    return commit


def _git(folder: str, *words: str, own: bool) -> str:
    program = find_program("git")
    if program is None:
        raise FetchError("git was not found on the PATH")
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = kept | _ENVIRONMENT | (_OWN if own else {})
    try:
        done = subprocess.run(
            [program, "--no-pager", *settings, "-C", folder, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FetchError(f"git {words[0]}: {error}") from error
    if done.returncode:
        said = " ".join(os.fsdecode(done.stderr).split())
        raise FetchError(f"git {words[0]}: {said[-_SAID:] or f'ended with {done.returncode}'}")
    return os.fsdecode(done.stdout)
