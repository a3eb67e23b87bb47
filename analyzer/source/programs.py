"""Other programs that a run starts, and the surroundings they get.

In: the name of a program, or what Python shall do. Out: the words of a command. The folder of the
run belongs to whoever wrote what is analysed, so nothing is taken from there: programs are looked
for in absolute folders of the PATH (an empty or relative entry means the current folder, which
Windows searches unasked), and Python is started without the current folder among its own
(`-P`). Everything that starts a process asks here (`tests/test_processes.py`).
"""

from __future__ import annotations

import os
import sys


def find_program(name: str) -> str | None:
    """The absolute path of a program; None when no absolute folder of the PATH has it."""
    import shutil  # of all commands, few start a program

    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(folder):
            # A name with a folder is looked for nowhere else, on Windows too.
            found = shutil.which(os.path.join(folder, name))
            if found is not None:
                return found
    return None


def python_command(code: str) -> list[str]:
    """The command line of a subprocess: this Python, made to run `code`, importing nothing from the
    current folder.
    """
    return [sys.executable, "-P", "-c", code]


def keep_current_folder_out() -> None:
    """Take the current folder off `sys.path`, from which Python imports, here and in all children.

    It gets there with `python -m`, `python -c` and by an empty entry of PYTHONPATH; other relative
    entries lead there. The folder that warplint itself is imported from stays.
    """
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        current = os.path.realpath(os.getcwd())
    except OSError:  # the folder is gone: nothing can be imported from it
        return
    home = os.path.realpath(os.path.join(__file__, *[os.pardir] * 4))
    unsafe = {current} - {home}
    sys.path[:] = [
        each for each in sys.path if os.path.isabs(each) and os.path.realpath(each) not in unsafe
    ]
