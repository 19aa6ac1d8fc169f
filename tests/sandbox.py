"""Whether this machine can sandbox code: one attempt for each process of the tests."""

import functools
import os


@functools.cache
def missing():
    """Return why no sandbox can be had here, with the remedy; empty where one runs."""
    from autograder.sandbox import Sandbox, SandboxUnavailable, bwrap_binary
    from tests.grading.attacks.model import BARE

    if os.name == "nt":
        return "NO SANDBOX TESTED: Windows has none; use WSL or a container: see docs/instructors/sandbox.md"
    try:
        with Sandbox(BARE):
            return ""
    except SandboxUnavailable as problem:
        reason = " ".join(str(problem).partition(".\nGrade in a container")[0].split())
        remedy = "" if "install" in reason else f"; {bwrap_binary.INSTALL}"
        return f"NO SANDBOX TESTED: {reason}{remedy}"
