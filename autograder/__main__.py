"""Run ``autograder COMMAND``: parse the options, run the command, and turn an error into a message and an exit code."""

import gc
import sys
from argparse import Namespace
from collections.abc import Sequence
from importlib.util import find_spec

from chip2cluster._console import INTERRUPTED, UNREAD, nobody_reads

from . import interrupt
from .commands import NEED_NBGRADER
from .commands.common import REFUSED, UNUSABLE
from .parser import command_module, parse


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = parse(sys.argv[1:] if arguments is None else arguments)
    try:
        with interrupt.remember_interrupts():
            code = _run(options)
        print(end="", flush=True)
        return code
    except KeyboardInterrupt:
        print("\nautograder: stopped; the same command continues from here", file=sys.stderr)
        return INTERRUPTED
    except (ValueError, OSError, RuntimeError) as problem:
        if isinstance(problem, BrokenPipeError) and nobody_reads():
            return UNREAD
        from .grading.sanitize.terminal_text import printable_lines

        print(f"autograder: {printable_lines(problem)}", file=sys.stderr)
        # Only commands that grade import the sandbox.
        sandbox = sys.modules.get("autograder.sandbox")
        return REFUSED if sandbox and isinstance(problem, sandbox.SandboxUnavailable) else UNUSABLE


def _run(options: Namespace) -> int:
    run = command_module(options.command).run
    if options.command not in NEED_NBGRADER:
        return run(options)
    if find_spec("nbgrader") is None:
        raise ValueError(
            'nbgrader is not installed: instructors install the course with `pip install "chip2cluster[grading]"`'
        )
    # nbgrader's modules are half a million objects, none of them garbage: the collector skips them while they are
    # imported and when the process ends.
    gc.set_threshold(100_000, 20, 100)
    try:
        return run(options)
    finally:
        gc.freeze()


if __name__ == "__main__":
    sys.exit(main())
