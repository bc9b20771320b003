"""What does `python -m mohs` import? Nothing from the working directory, which Python puts first on the import path.

A file `json.py` or `plotly.py` there would be run in place of the module of that name. This module is imported before
all others, so it imports only what the interpreter has loaded by itself.
"""

from __future__ import annotations

import os
import sys


def _leave_working_directory() -> None:
    """Takes the working directory off the path where `python -m mohs` put it there and mohs is not in it."""
    words = sys.orig_argv
    ours = sys.argv[:1] == ["-m"] and "-m" in words and words[words.index("-m") + 1 :][:1] == ["mohs"]
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if ours and not sys.flags.safe_path and os.path.abspath(sys.path[0]) != home:
        del sys.path[0]


_leave_working_directory()
