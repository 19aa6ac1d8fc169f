"""``autograder mark``: mark a lab's written question on a page of its own."""

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace

from .common import DONE, add_lab_and_root

HELP = "mark a lab's written question: one question for everybody, with the rubric's lines as buttons"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder mark``."""
    add_lab_and_root(parser)
    parser.add_argument(
        "--question",
        default="",
        metavar="CELL",
        help="name of the answer cell, if the lab has several written questions",
    )
    parser.add_argument("--port", type=_port, default=0, help="port on this machine (default: a free one)")
    parser.add_argument("--no-browser", action="store_true", help="print the address without opening it")


def run(options: Namespace) -> int:
    """Serve the page until Ctrl-C."""
    from ..grading.marking.server import serve_marking
    from ..grading.marking.session import MarkingSession

    session = MarkingSession(options.root, options.lab, options.question)
    left = sum(not state.done for state in session.states())

    def started(address: str) -> None:
        print(f"{options.lab}, {session.question}: {left} of {len(session.students)} answers wait for marks.")
        print(f"Mark them at {address}\nCtrl-C ends the page; everything is kept.", flush=True)
        if not options.no_browser:
            import webbrowser

            webbrowser.open(address)

    try:
        serve_marking(session, options.port, started)
    except KeyboardInterrupt:
        print()
    return DONE


def _port(text: str) -> int:
    if not re.fullmatch(r"\d{1,5}", text) or int(text) > 65535:
        raise ArgumentTypeError(f"a port is a number from 0 to 65535, got {text!r}")
    return int(text)
