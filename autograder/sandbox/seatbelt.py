"""Command line that runs a program under macOS's ``sandbox-exec``, which isolates less than bubblewrap.

It has not been tried on a Mac yet. Therefore it is used only if the caller accepts no sandbox at all, and reports call
it *unsandboxed*.
"""

import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

TOOL = "sandbox-exec"
# Home folders, and disks that are plugged in.
PERSONAL = ("/Users", "/Volumes", "/private/var/root")


def unavailable_reason() -> str:
    """Return why the tool cannot be used on this machine; empty if it can."""
    if sys.platform != "darwin":
        return f"{TOOL} needs macOS"
    if shutil.which(TOOL) is None:
        return f"this macOS has no {TOOL}"
    return ""


def command(
    program: list[str], *, home: str | Path, shown: Iterable[str | Path], hidden: Iterable[str | Path]
) -> list[str]:
    """Return the command line that runs ``program`` without a network and without personal files.

    Parameters
    ----------
    program : list of str
        Command line of the program to run.
    home : path
        The only folder that the program may write to.
    shown, hidden : paths
        Visible and hidden folders; if one contains another, the inner one's rule applies. Personal folders are hidden.
    """
    return [shutil.which(TOOL) or TOOL, "-p", profile(home, shown, hidden), *program]


def profile(home: str | Path, shown: Iterable[str | Path], hidden: Iterable[str | Path]) -> str:
    """Return the rules in the tool's own language; the last rule that matches applies."""
    rules = [(folder, "allow") for folder in _resolved((*shown, home))]
    rules += [(folder, "deny") for folder in _resolved((*PERSONAL, *hidden))]
    rules.sort(key=lambda rule: len(rule[0].parts))
    return "\n".join(
        [
            "(version 1)",
            "(allow default)",
            "(deny network*)",
            "(deny appleevent-send)",
            "(deny lsopen)",
            "(deny signal)",
            "(allow signal (target same-sandbox))",
            *(f"({rule} file-read* {_subpath(folder)})" for folder, rule in rules),
            # A program that resolves a path needs the metadata of the folders above it.
            "(allow file-read-metadata)",
            "(deny file-write*)",
            *(f"(allow file-write* {_subpath(folder)})" for folder in _resolved((home, "/dev"))),
        ]
    )


def _resolved(folders: Iterable[str | Path]) -> list[Path]:
    """Resolve links: on macOS /tmp and /var are links."""
    return [Path(folder).resolve() for folder in folders]


def _subpath(folder: Path) -> str:
    text = str(folder).replace("\\", "\\\\").replace('"', '\\"')
    return f'(subpath "{text}")'
