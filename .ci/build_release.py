"""Build the wheel and the sdist of a commit, the same bytes wherever and whenever it is done.

    build_release.py OUT [--tag v1.2.3]   writes both to OUT; refuses a tag of another version,
                                          or of one whose changes have no date yet
    build_release.py --notes              prints what CHANGELOG.md says of the version

What is built is the checked-out commit, from a copy: files that are not tracked have no effect, nor
have modes of a checkout, the umask, the time zone, or the clock: the commit's date stands for it.
The tools that build are those of build_constraints.txt. Needs git, and `build` from there.
"""

from __future__ import annotations

import argparse
import gzip
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = Path(__file__).with_name("build_constraints.txt")


def version() -> str:
    """The one that `__init__.py` states."""
    text = (ROOT / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    if found is None:
        raise SystemExit("__init__.py states no version")
    return found[1]


def notes(of: str) -> str:
    """The part of the changelog that is about a version, without its title."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(of)} .*?\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    if found is None or not found[1].strip():
        raise SystemExit(f"CHANGELOG.md says nothing of {of}")
    return found[1].strip() + "\n"


def check_tag(tag: str, changelog: str) -> None:
    """Refuse a release that does not fit what the tree says."""
    if tag != f"v{version()}":
        raise SystemExit(f"the tag is {tag}, the version {version()}: change one of them")
    if f"## {version()} (unreleased)" in changelog:
        raise SystemExit(f"CHANGELOG.md: give {version()} its date, it says `unreleased`")


def build(out: Path) -> None:
    """Build both into a folder."""
    git = partial(subprocess.run, cwd=ROOT, check=True, capture_output=True)
    epoch = int(git(["git", "log", "-1", "--format=%ct"]).stdout)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        with tarfile.open(fileobj=io.BytesIO(git(["git", "archive", "HEAD"]).stdout)) as archive:
            archive.extractall(tree, filter="data")
        for path in tree.rglob("*"):
            path.chmod(_mode(path.is_dir(), path.stat().st_mode))
        subprocess.run(
            [sys.executable, "-m", "build", "--outdir", str(out.resolve()), str(tree)],
            check=True,
            cwd=folder,
            umask=0o022,
            env={
                **os.environ,
                "SOURCE_DATE_EPOCH": str(epoch),
                "PIP_CONSTRAINT": str(CONSTRAINTS),
                "PYTHONHASHSEED": "0",
                "TZ": "UTC",
            },
        )
    for path in out.glob("*.tar.gz"):
        path.write_bytes(steady_archive(path.read_bytes(), epoch))


def steady_archive(packed: bytes, epoch: int) -> bytes:
    """The same files in a tar.gz without clock, owner, or the order of a folder."""
    plain = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(packed)) as before,
        tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as after,
    ):
        for member in sorted(before.getmembers(), key=lambda each: each.name):
            entry = tarfile.TarInfo(member.name)
            entry.type, entry.size, entry.mtime = member.type, member.size, epoch
            entry.mode = _mode(member.isdir(), member.mode)
            after.addfile(entry, before.extractfile(member) if member.isfile() else None)
    return gzip.compress(plain.getvalue(), mtime=epoch)


def _mode(is_folder: bool, mode: int) -> int:
    return 0o755 if is_folder or mode & 0o100 else 0o644


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", nargs="?", type=Path, metavar="OUT")
    parser.add_argument("--tag", help="the tag that is released, such as v1.2.3")
    parser.add_argument("--notes", action="store_true", help="print the version's changes")
    options = parser.parse_args()
    if options.tag:
        check_tag(options.tag, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    if options.notes:
        print(notes(version()), end="")
    elif options.out is None:
        parser.error("say where to, or --notes")
    else:
        options.out.mkdir(parents=True, exist_ok=True)
        build(options.out)


if __name__ == "__main__":
    main()
