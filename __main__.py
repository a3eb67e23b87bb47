"""`python -m warplint`: the command, where its script is not on the PATH.

Python puts the current folder first of what it imports from. It is taken off again before anything
else: a checkout's own `click.py` must not run.
"""

import sys

if not sys.flags.safe_path:
    del sys.path[0]

from warplint.analyzer.cli.main import run

run()
