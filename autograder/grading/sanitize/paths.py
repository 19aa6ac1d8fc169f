"""Hide where the grader's files are: accounts and folders of its machine are no part of a student's feedback."""

import os
import re
import sys
from functools import cache
from pathlib import Path

import chip2cluster

HIDDEN = ".../"
# A path begins where a word begins, so that a text is searched once.
_WORD = r"(?<![^\s\"'(<=,\[:])(?!//)(?:file://)?"
_START = rf"{_WORD}~?(?:[A-Za-z]:)?[/\\]"
# Everything up to the package of a module, also of the standard library.
_PACKAGES = re.compile(rf"{_START}[^\s\"'<>|]*[/\\](?:(?:site|dist)-packages|python3\.\d+t?)[/\\]")
_HOME = re.compile(rf"{_WORD}(?:[A-Za-z]:)?[/\\](?:(?:home|Users)[/\\][^\s\"'<>|:/\\]+|root)[/\\]([^\s\"'<>|:]*)")
_SEPARATOR = re.compile(r"[/\\]")


def hide_paths(text: str) -> str:
    """Replace paths of the grader's machine, such as the part of a traceback before ``numpy/core.py``, by ``.../``."""
    if "/" not in text and "\\" not in text:
        return text
    for folder in _folders():
        text = text.replace(folder, HIDDEN)
    text = text.replace(f"{HIDDEN}site-packages/", HIDDEN)
    text = _PACKAGES.sub(HIDDEN, text)
    text = re.sub(r"\.\.\./[^\s\"'<>|]{0,200}/(?:site|dist)-packages/", HIDDEN, text)
    return _HOME.sub(lambda path: HIDDEN + "/".join(_SEPARATOR.split(path[1])[-2:]), text)


@cache
def _folders() -> tuple[str, ...]:
    """Folders of this Python, of the course and of the account, the longest first, with a separator at the end."""
    course = Path(chip2cluster.__file__).parents[1]
    known = {sys.prefix, sys.base_prefix, str(course), str(course.parent), os.path.expanduser("~")}
    known |= {os.path.realpath(folder) for folder in known}
    # IPython writes a path in the account's folder with "~".
    home = os.path.expanduser("~")
    known |= {f"~{folder.removeprefix(home)}" for folder in known if folder.startswith(home + os.sep)}
    long = {folder.rstrip("/\\") for folder in known if len(_SEPARATOR.findall(folder.rstrip("/\\"))) > 1}
    return tuple(folder + mark for folder in sorted(long, key=len, reverse=True) for mark in {"/", os.sep})
