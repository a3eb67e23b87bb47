"""What pyproject.toml cannot say: with WARPLINT_COMPILE=1 a wheel holds compiled modules, too."""

import os
import sys
from pathlib import Path

from setuptools import setup

_MYPYC = "mypy[mypyc]~=2.4"


def _compiled() -> dict[str, list]:
    """What setuptools is asked for: the modules, or while nothing is built what they need."""
    if not {"bdist_wheel", "build_ext"} & set(sys.argv):
        return {"setup_requires": [_MYPYC]}
    sys.path.insert(0, str(Path(__file__).parent))
    from compiled.build import extensions

    return {"ext_modules": extensions(Path("build", "compiled"))}


if __name__ == "__main__":
    # Under its own name setuptools leaves this file out of the package around it.
    setup(
        script_name="setup.py", **(_compiled() if os.environ.get("WARPLINT_COMPILE") == "1" else {})
    )
