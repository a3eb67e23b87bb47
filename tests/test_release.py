"""What makes a release: one version, steady bytes, and a workflow that trusts little."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from source_tree import ROOT, loaded

import warplint

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RELEASE: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
JOBS: dict[str, Any] = RELEASE["jobs"]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def script() -> Any:
    return loaded(ROOT / ".ci" / "build_release.py")


# ---- one version ---------------------------------------------------------------------------------


def test_the_version_is_the_same_everywhere(script: Any) -> None:
    assert script.version() == warplint.__version__
    named = [
        found
        for name in ("README.md", "docs/use.md")
        for found in re.findall(r"(?:rev: v|/warplint@v)([\w.]+)", (ROOT / name).read_text())
    ]
    named.append(json.loads((ROOT / "editors/vscode/package.json").read_text())["version"])
    assert len(named) == 4
    assert set(named) == {warplint.__version__}


def test_the_changelog_has_notes_of_it(script: Any) -> None:
    text = script.notes(warplint.__version__)
    assert "### Added" in text
    assert "\n## " not in text


def test_a_version_without_notes_is_not_released(script: Any) -> None:
    with pytest.raises(SystemExit, match=r"says nothing of 0\.1$"):
        script.notes("0.1")


def test_a_tag_of_another_version_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / ".ci/build_release.py", "out", "--tag", "v9.9.9"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == (
        f"the tag is v9.9.9, the version {warplint.__version__}: change one of them\n"
    )
    assert not Path("out").exists()


def test_changes_need_a_date(script: Any) -> None:
    tag = f"v{warplint.__version__}"
    with pytest.raises(SystemExit, match=r"give [\d.]+ its date"):
        script.check_tag(tag, f"## {warplint.__version__} (unreleased)\n")
    script.check_tag(tag, f"## {warplint.__version__} (2026-12-24)\n")


# ---- steady bytes (.ci/run builds twice) ---------------------------------------------------------


def sdist(order: list[str], mtime: int, mode: int) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name in order:
            member = tarfile.TarInfo(name)
            member.mtime, member.mode, member.uid, member.uname = mtime, mode, mtime, "somebody"
            member.size = len(name)
            archive.addfile(member, io.BytesIO(name.encode()))
    return packed.getvalue()


def test_an_archive_depends_on_its_files_alone(script: Any) -> None:
    one = script.steady_archive(sdist(["w/a", "w/b"], 5, 0o600), 1000)
    assert one == script.steady_archive(sdist(["w/b", "w/a"], 9, 0o664), 1000)
    assert one != script.steady_archive(sdist(["w/a", "w/c"], 5, 0o600), 1000)
    with tarfile.open(fileobj=io.BytesIO(one)) as archive:
        members = archive.getmembers()
        file = archive.extractfile("w/b")
        assert file is not None
        assert file.read() == b"w/b"
    assert [(each.name, each.mtime, each.mode, each.uname) for each in members] == [
        ("w/a", 1000, 0o644, ""),
        ("w/b", 1000, 0o644, ""),
    ]


def test_the_tools_that_build_are_pinned() -> None:
    lines = (ROOT / ".ci/build_constraints.txt").read_text().splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", pin) for pin in pins)
    assert {pin.partition("==")[0] for pin in pins} >= {"build", "setuptools"}


# ---- the workflow --------------------------------------------------------------------------------


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (.+)", text)
    assert used
    pin = r"[\w-]+(/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+"
    assert [each for each in used if not re.fullmatch(pin, each)] == []


def test_an_action_has_one_pin() -> None:
    texts = [path.read_text(encoding="utf-8") for path in [*WORKFLOWS, ROOT / "action.yml"]]
    pins = {pin for text in texts for pin in re.findall(r"uses: (\S+)", text)}
    assert len({pin.partition("@")[0] for pin in pins}) == len(pins)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_checkout_leaves_a_token_behind(path: Path) -> None:
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    steps = [step for job in jobs for step in job["steps"]]
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert [each for each in checkouts if each["with"]["persist-credentials"] is not False] == []


def test_jobs_may_do_what_they_are_for() -> None:
    assert RELEASE["permissions"] == {}
    writing = {
        name: [key for key, value in job["permissions"].items() if value == "write"]
        for name, job in JOBS.items()
    }
    assert writing == {
        "build": [],
        "compiled": [],
        "try": [],
        "attest": ["attestations", "id-token"],
        "publish": ["id-token"],
        "announce": ["contents"],
        "image": ["packages"],
    }


def test_what_is_published_was_tried_and_attested() -> None:
    needs = {name: job.get("needs") for name, job in JOBS.items()}
    assert (needs["compiled"], needs["try"]) == ("build", ["build", "compiled"])
    assert (needs["attest"], needs["publish"]) == ("try", "attest")
    assert needs["announce"] == needs["image"] == "publish"
    assert JOBS["try"]["strategy"]["matrix"]["python"][0] == "3.11"


def test_compiled_wheels_are_made_of_the_sdist() -> None:
    """One is no condition of a release: where it fails, the pure wheel is taken."""
    job, wanted = JOBS["compiled"], PYPROJECT["tool"]["cibuildwheel"]
    assert job["continue-on-error"] is True
    assert any("pure/*.tar.gz" in step.get("run", "") for step in job["steps"])
    assert wanted["environment"] == {"WARPLINT_COMPILE": "1"}
    tried = {f"cp{each.replace('.', '')}-*" for each in JOBS["try"]["strategy"]["matrix"]["python"]}
    assert set(wanted["build"]) <= tried


def test_no_step_writes_an_expression_into_a_shell() -> None:
    runs = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]
    assert len(runs) > 6
    assert [run for run in runs if "${{" in run] == []


def test_scripts_of_the_workflow_exist() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:\.ci|packaging)/[\w.]+", text))
    assert named == {
        ".ci/build_release.py", ".ci/build_constraints.txt", ".ci/compare_wheel.py",
        "packaging/Dockerfile",
    }  # fmt: skip
    assert [name for name in named if not (ROOT / name).is_file()] == []


# ---- other packages ------------------------------------------------------------------------------


def recipe() -> Any:
    """The conda recipe, with the template's words filled in."""
    text = (ROOT / "packaging/conda/meta.yaml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("{%")]
    filled = "\n".join(lines).replace("{{ found[1] }}", "0").replace("{{ PYTHON }}", "python")
    return yaml.safe_load(filled)


def test_the_recipe_needs_what_the_package_needs() -> None:
    wanted = [f"python {PYPROJECT['project']['requires-python']}"]
    wanted += [
        re.sub(r"(?=[<>])", " ", each, count=1) for each in PYPROJECT["project"]["dependencies"]
    ]
    assert sorted(recipe()["requirements"]["run"]) == sorted(wanted)
    assert recipe()["about"]["summary"] == PYPROJECT["project"]["description"]
    script = PYPROJECT["project"]["scripts"]["warplint"]
    assert recipe()["build"]["entry_points"] == [f"warplint = {script}"]


def test_the_recipe_reads_the_version() -> None:
    text = (ROOT / "packaging/conda/meta.yaml").read_text(encoding="utf-8")
    pattern = re.search(r"regex_pattern='(.+?)'", text)
    assert pattern is not None
    lines = (ROOT / "__init__.py").read_text(encoding="utf-8").splitlines()
    found = [match[1] for line in lines if (match := re.search(pattern[1], line))]
    assert found == [warplint.__version__]


def test_the_image_runs_as_nobody_in_particular() -> None:
    text = (ROOT / "packaging/Dockerfile").read_text(encoding="utf-8")
    commands = [line for line in text.splitlines() if re.match("[A-Z]+ ", line)]
    assert [line.split()[0] for line in commands] == [
        "ARG", "FROM", "RUN", "USER", "ENV", "WORKDIR", "ENTRYPOINT", "CMD",
    ]  # fmt: skip
    assert "USER warplint" in commands
    assert 'ENTRYPOINT ["warplint"]' in commands
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")
    assert "*" in ignored
    assert "!dist" in ignored


def test_the_sdist_holds_what_the_tests_read() -> None:
    manifest = (ROOT / "MANIFEST.in").read_text(encoding="utf-8")
    grafted = set(re.findall(r"^graft (\S+)", manifest, re.MULTILINE))
    assert grafted >= {
        "tests",
        "docs",
        "bench",
        "examples",
        "editors",
        ".ci",
        ".github",
        "packaging",
    }
